"""The numbers in formulas, up to the precision of element types."""

from __future__ import annotations

import math

import numpy as np
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type
from xdsl.ir import Attribute

from relax_dialect.builder.values import Value
from relax_dialect.dpl import Match, Pattern, wildcard
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.ops.unary import SqrtOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import number_of, spreads_into

TOLERANCE: dict[type[Attribute], float] = {
    Float64Type: 2.0**-20,
    Float32Type: 2.0**-20,
    Float16Type: 2.0**-10,
    BFloat16Type: 2.0**-7,
}
"""The maximum relative difference of a number from the one of a formula. Exporters write
0.7978845834732056 for sqrt(2 / pi), f32's neighbour of it, in programs of f64 too."""


def number(value: Value, other: Value) -> float | None:
    """Return the number that a tensor is full of, or whose square root it is full of.

    None if there is none, or if the tensor may change the shape of the other one.
    """
    root = owner(value.value)
    found = number_of(root.x if isinstance(root, SqrtOp) else value.value)
    if found is None or not spreads_into(value, other):
        return None
    if not isinstance(root, SqrtOp):
        return float(found)
    return math.sqrt(found) if found >= 0 else None


def is_close(found: float, wanted: float, dtype: Attribute | None) -> bool:
    """Return whether a number is the one of a formula, see `TOLERANCE`."""
    return math.isclose(
        found, wanted, rel_tol=0.0 if dtype is None else TOLERANCE.get(type(dtype), 0.0)
    )


def shortest(found: float, dtype: Attribute | None) -> float:
    """Return the shortest decimal that f32 rounds to the number found: 1e-05 for 9.99999974737875e-06."""
    return float(str(np.float32(found))) if isinstance(dtype, Float32Type) else found


class FormulaNumbers:
    """Nodes for the numbers of a formula: `numbers(0.5)` matches all, `hold` checks that the number is
    0.5."""

    def __init__(self) -> None:
        self._wanted: dict[Pattern, float] = {}

    def __call__(self, wanted: float) -> Pattern:
        """Return a node for a number."""
        node = wildcard()
        self._wanted[node] = wanted
        return node

    def hold(self, match: Match, other: Value) -> bool:
        """Return whether every node that took part is its number, and leaves the shape of another value."""
        for node, wanted in self._wanted.items():
            if node in match:
                found = number(match[node], other)
                if found is None or not is_close(found, wanted, match[node].dtype):
                    return False
        return True
