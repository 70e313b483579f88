"""Values of f32 that loops carry and only add to, and how many terms a block of such a sum has.

The upper bounds of trip counts follow from the bounds and branches around a loop.

scf.for %i = %n - %n rem 16 to %n step 1                                     // at most 15
scf.if %n >= 32 { ... } else { scf.for %i = 0 to %n step 1 { ... } }         // at most 31
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import Float32Type, VectorType
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.ir.constants import known_integer
from lowering.ir.integer_ranges import range_of_sum
from lowering.ir.linear_forms import linear
from lowering.loops.split_reductions import lanes_of
from lowering.support.target import Cpu

BLOCK = 128
"""The most terms that are added in f32, one after the other."""

TILE_BLOCK = 1024
"""The same in the tiles of products, which are bound by arithmetic: a spill costs as much as ten terms."""

MANY = 4
"""More sums than these side by side are a tile; reductions in lanes have no more (`reduction.VECTORS`)."""


@dataclass(frozen=True)
class RunningSum:
    """A value that a loop carries and only adds to."""

    number: int
    """Its number among the values that the loop carries."""
    type: Attribute
    adds: int
    """The terms that one iteration adds itself."""
    inside: Sequence[tuple[scf.ForOp, RunningSum]]
    """The loops inside that carry it on, in their order."""

    def loops(self) -> Iterator[scf.ForOp]:
        """Yield all loops inside that carry it on."""
        for loop, own in self.inside:
            yield loop
            yield from own.loops()

    def per_iteration(self, cpu: Cpu) -> float:
        """Return the most terms that an iteration adds."""
        return self.adds + sum(own.terms(loop, cpu) for loop, own in self.inside)

    def terms(self, loop: scf.ForOp, cpu: Cpu) -> float:
        """Return the most terms that the loop adds to a lane."""
        iterations, lanes = most_iterations(loop), lanes_of(loop, cpu)
        if math.isinf(iterations):
            return iterations
        return self.per_iteration(cpu) * math.ceil(iterations / lanes)

    @property
    def lanes(self) -> int:
        """The number of elements that are summed up apart."""
        return self.type.get_shape()[0] if isinstance(self.type, VectorType) else 1


def sums_of(loop: scf.ForOp) -> Iterator[RunningSum]:
    """Yield the sums of f32 that a loop carries."""
    for number, value in enumerate(loop.iter_args):
        t = value.type
        element = t.element_type if isinstance(t, VectorType) else t
        found = _sum(loop, number) if isinstance(element, Float32Type) else None
        if found is not None and (found.adds or found.inside):
            yield found


def _sum(loop: scf.ForOp, number: int) -> RunningSum | None:
    """Return the sum that a carried value is, if nothing but additions uses it."""
    block, adds, inside = loop.body.block, 0, list[tuple[scf.ForOp, RunningSum]]()
    value: SSAValue = block.args[1 + number]
    while (use := value.get_user_of_unique_use()) is not None and use.parent is block:
        (position,) = (n for n, operand in enumerate(use.operands) if operand is value)
        match use:
            case scf.YieldOp() if position == number:
                return RunningSum(number, value.type, adds, inside)
            case scf.ForOp() if position >= _CARRIED:
                own = _sum(use, position - _CARRIED)
                if own is None:
                    return None
                inside.append((use, own))
                value = use.results[own.number]
            case _ if _is_addition(use, position):
                adds, value = adds + 1, use.results[0]
            case _:
                return None
    return None


_CARRIED = 3
"""The first operand of a loop that it carries, after its bounds and its step."""


def _is_addition(op: Operation, position: int) -> bool:
    """Return whether an op adds terms to an operand."""
    match op:
        case arith.AddfOp():
            return True
        case vector.FMAOp():
            return position == 2
        case vector.ReductionOp(kind=kind):
            return position == 1 and kind.data is CombiningKindFlag.ADD
        case _:
            return False


def block_length(sums: Sequence[RunningSum]) -> int:
    """Return the most terms of a block of sums side by side."""
    return TILE_BLOCK if len(sums) > MANY else BLOCK


# Upper bounds of the trip counts of loops -------------------------------------------------------


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
