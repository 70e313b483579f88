"""Upper bounds of the trip counts of loops.

scf.for %i = %n - %n rem 16 to %n step 1                                     // at most 15
scf.if %n >= 32 { ... } else { scf.for %i = 0 to %n step 1 { ... } }         // at most 31
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from lowering.ir.constants import known_integer
from lowering.ir.integer_ranges import range_of_sum
from lowering.ir.linear_forms import linear

_AT_LEAST = frozenset(map(arith.CMPI_COMPARISON_OPERATIONS.index, ("sge", "uge")))
"""The predicates of comparisons with a lower bound."""


def most_iterations(loop: scf.ForOp) -> float:
    """Return the largest possible trip count of a loop, infinite if it is unbounded."""
    length = linear([(loop.ub, 1), (loop.lb, -1)])
    most = range_of_sum(length).high
    for value, bound in _bounds_around(loop):
        if dict(length.terms) == {value: 1}:
            most = min(most, bound + length.constant)
    step = known_integer(loop.step) or 1
    return most if math.isinf(most) else max(-(-most // step), 0)


def _bounds_around(op: Operation) -> Iterator[tuple[SSAValue, int]]:
    """Values and their upper bounds, by the branches of comparisons that an op is in."""
    while (region := op.parent_region()) is not None and (around := region.parent) is not None:
        if isinstance(around, scf.IfOp) and region is around.false_region:
            compared = around.cond.owner
            if isinstance(compared, arith.CmpiOp):
                bound = known_integer(compared.rhs)
                if compared.predicate.value.data in _AT_LEAST and bound is not None:
                    yield compared.lhs, bound - 1
        op = around
