"""Operands that need no `broadcast_to`, since the operator broadcasts them itself.

    x + broadcast_to(y, shape_of(x))                  ->  x + y
    where(c, x, broadcast_to(y, shape_of(x)))         ->  where(c, x, y)
    attention(q, k, v, broadcast_to(mask, s))         ->  attention(q, k, v, mask)

The result keeps its shape, provably: at least one other operand has each size. A `broadcast_to` that is
checked at run time is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from xdsl.ir import Operation

from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, Pattern, PatternRule, is_op, wildcard
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ops import binary, ternary
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.binary import BroadcastingOp
from relax_dialect.ops.manipulate import BroadcastToOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import spreads_into

BROADCASTING = [kind for kind in (*binary.OPS, *ternary.OPS) if issubclass(kind, BroadcastingOp)]
"""The operators that broadcast every operand."""

BIAS = 3
"""The operand of `relax.attention` that broadcasts."""


def source_of(value: Value) -> Value | None:
    """Return the tensor that a `broadcast_to` repeats, None for another value or an unproved size."""
    op = owner(value.value)
    if not isinstance(op, BroadcastToOp) or not spreads_into(Value(op.x), value):
        return None
    return Value(op.x)


def with_operand(root: Value, index: int, operand: Value) -> Operation | None:
    """Return the op of a root with another operand, None if it is ill-formed or less precise."""
    old = owner(root.value)
    assert isinstance(old, OperatorOp)
    operands = [*old.operands[:index], operand.value, *old.operands[index + 1 :]]
    new = old.create(
        operands=operands,
        result_types=old.result_types,
        properties=old.properties,
        attributes=old.attributes,
    )
    with suppress(RelaxError):
        if all(map(is_subtype, new.checked_types(), old.result_types)):  # pyright: ignore
            return new
    new.drop_all_references()
    return None


def _pattern(name: str, count: int, index: int) -> Pattern:
    operands: list[Pattern] = [wildcard() for _ in range(count)]
    operands[index] = is_op("broadcast_to")(wildcard(), wildcard())
    return is_op(name)(*operands)


def _rule(name: str, count: int, indices: Sequence[int]) -> FunctionRule:
    def replace(root: Value, m: Match) -> object | None:
        op = owner(root.value)
        assert op is not None
        for index in indices:
            operand = source_of(Value(op.operands[index]))
            new = None if operand is None else with_operand(root, index, operand)
            if new is not None:
                return new
        return None

    first, *others = (_pattern(name, count, index) for index in indices)
    for other in others:
        first |= other
    return FunctionRule(first, replace, f"{name} of broadcast_to", outside_uses=True)


def rules() -> Iterable[PatternRule]:
    """Yield a rule for each operator that broadcasts."""
    for kind in BROADCASTING:
        count = len(kind.get_irdl_definition().operands)
        yield _rule(kind.name.removeprefix("relax."), count, range(count))
    yield _rule("attention", BIAS + 1, (BIAS,))
