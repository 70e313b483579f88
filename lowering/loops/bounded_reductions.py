"""Innermost loops that reduce integers of a known range, in blocks: sums add narrow integers, and
extremes end where they are reached. A part of relax-split-reductions.

    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i64) {
      %x = memref.load %A[%i] : memref<?xi1>
      %one = arith.extui %x : i1 to i64
      %s = arith.addi %acc, %one : i64
      scf.yield %s : i64
    }
->
    %sum = scf.for %block = %c0 to %n step %c32512 iter_args(%total = %zero) -> (i64) {
      %stop = %block + min(%n - %block, 32512)
      %part = scf.for %i = %block to %stop step %c1 iter_args(%acc = %zero16) -> (i16) {
        %x = memref.load %A[%i] : memref<?xi1>
        %one = arith.extui %x : i1 to i64
        %s = arith.addi %acc, %one truncated : i16
        scf.yield %s : i16
      }
      scf.yield %total + %part extended : i64
    }

A vector holds four times as many i16 as i64. A block is so short that none of its sums leaves the
narrow type, so the result is the same to the bit.

The largest or smallest of ones and zeros cannot change any more once it is the one or the zero:

      %high = scf.for %block = %c0 to %n step %c4096 iter_args(%so_far = %low) -> (i8) {
        %next = scf.if %so_far >= 1 -> (i8) { scf.yield %so_far } else { ... the loop, in the block ... }
        scf.yield %next : i8
      }

If the number of elements is known and not above that of a block, there are no blocks.

count_nonzero, nonzero and means of narrow integers need the sums (two to three times faster), `any`, `all`
and their like the extremes (docs/architecture.md has the table).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import is_speculatable

from lowering.ir.constants import ConstantPool, known_integer
from lowering.ir.insertion import Inserter, open_loop
from lowering.ir.integer_ranges import range_of
from relax_dialect.ir.walk import walk_ops
from relax_dialect.symbolic.interval import Interval

NARROW_WIDTHS = (16, 32)
"""Bits of the types to sum a block in, the best first."""

LEAST_BLOCK = 4096
"""The least elements of a worthwhile block; an extreme is tested once per block."""

LEAST_LENGTH = 128
"""A loop known to be shorter stays as it is."""

REACHED: Mapping[type[Operation], str] = {
    arith.MaxSIOp: "sge",
    arith.MaxUIOp: "uge",
    arith.MinSIOp: "sle",
    arith.MinUIOp: "ule",
}
"""The extremes, and how one compares with the bound that it cannot pass."""

Part = Callable[[Inserter, SSAValue, SSAValue, Sequence[SSAValue]], Sequence[SSAValue]]
"""Reduces the elements from a start to a stop: the new values of the accumulators."""


def bound_reductions(function: FuncOp) -> None:
    """Split the innermost loops of a function that reduce integers of a known range into blocks, in
    place."""
    loops = [op for op in walk_ops(function) if isinstance(op, scf.ForOp)]
    found = [(loop, work) for loop in loops if (work := _work(loop))]
    if not found:
        return
    constants = ConstantPool(function)
    for loop, work in found:
        _BoundedReduction(loop, constants).rewrite(work)
    constants.prune()


# Matching ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sum:
    """A sum of a loop, the type that its parts are in, and how many elements a part may have."""

    op: Operation
    accumulator: SSAValue
    wide: IntegerType
    narrow: IntegerType
    block: int

    @property
    def addend(self) -> SSAValue:
        a, b = self.op.operands
        return b if a is self.accumulator else a


@dataclass(frozen=True)
class _Extreme:
    """An extreme of a loop, and the bound that it cannot pass."""

    op: Operation
    type: IntegerType
    bound: int


_Combined = list[tuple[Operation, BlockArgument, Interval]]


def _work(loop: scf.ForOp) -> list[_Sum] | _Extreme | None:
    """Return the sums or the extreme that a loop computes, if it can be bounded."""
    combined = _combined(loop)
    return _sums(combined) or _extreme(loop, combined)


def _combined(loop: scf.ForOp) -> _Combined:
    """For each accumulator of an innermost loop from 0 in steps of 1: the op that an element joins it
    by, and the range of that element; nothing if one of them is not of this form."""
    body = loop.body.block
    known = known_integer(loop.ub)
    if known_integer(loop.lb) != 0 or known_integer(loop.step) != 1:
        return []
    if (known is not None and known < LEAST_LENGTH) or any(op.regions for op in body.ops):
        return []
    yielded = body.last_op
    assert isinstance(yielded, scf.YieldOp)
    found: _Combined = []
    for accumulator, value in zip(body.args[1:], yielded.operands):
        op = value.owner
        if not isinstance(op, Operation) or op.parent is not body:
            return []
        if type(op) is not arith.AddiOp and type(op) not in REACHED:
            return []
        elements = [operand for operand in op.operands if operand is not accumulator]
        if len(elements) != 1 or not (accumulator.has_one_use() and value.has_one_use()):
            return []
        if not isinstance(value.type, IntegerType) or value.type.width.data == 1:
            return []
        found.append((op, accumulator, range_of(elements[0])))
    return found


def block_length(span: Interval, width: int) -> int:
    """Return the number of elements, a multiple of 256, whose sums all fit into a signed type."""
    return (2 ** (width - 1) - 1) // max(span.magnitude, 1) // 256 * 256


def _sums(combined: _Combined) -> list[_Sum]:
    """Return the accumulators of a loop, if all are sums that a narrower type holds for a block."""
    found: list[_Sum] = []
    for op, accumulator, span in combined:
        assert isinstance(accumulator.type, IntegerType)
        fits = (
            (width, block_length(span, width))
            for width in NARROW_WIDTHS
            if width < accumulator.type.width.data and block_length(span, width) >= LEAST_BLOCK
        )
        best = next(fits, None)
        if not isinstance(op, arith.AddiOp) or best is None:
            return []
        narrow, block = IntegerType(best[0]), best[1]
        found.append(_Sum(op, accumulator, accumulator.type, narrow, block))
    return found


def _extreme(loop: scf.ForOp, combined: _Combined) -> _Extreme | None:
    """Return the only accumulator of a loop without effects, if it is an extreme of ones and zeros and may
    be reached before the loop is at its end."""
    if len(combined) != 1:
        return None
    op, accumulator, span = combined[0]
    if type(op) not in REACHED or span != (0, 1):
        return None
    known, start = known_integer(loop.ub), loop.iter_args[0]
    is_carried = isinstance(start, BlockArgument) and isinstance(start.block.parent_op(), scf.ForOp)
    if known is not None and known <= LEAST_BLOCK and not is_carried:
        return None
    harmless = memref.LoadOp | scf.YieldOp
    if not all(isinstance(op, harmless) or is_speculatable(op) for op in loop.body.block.ops):
        return None
    assert isinstance(accumulator.type, IntegerType)
    bound = span.high if isinstance(op, arith.MaxSIOp | arith.MaxUIOp) else span.low
    return _Extreme(op, accumulator.type, bound)


# Rewriting ---------------------------------------------------------------------------------------


class _BoundedReduction:
    """Rewrites one loop."""

    def __init__(self, loop: scf.ForOp, constants: ConstantPool):
        self.loop = loop
        self.constants = constants

    def rewrite(self, work: list[_Sum] | _Extreme) -> None:
        if isinstance(work, _Extreme):
            length = LEAST_BLOCK
            part = self._until_reached(work)
        else:
            length = min(sum.block for sum in work)
            part = self._narrow_sums(work)
        results = self._in_blocks(length, part)
        for old, new in zip(self.loop.results, results):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        self.loop.detach()
        self.loop.erase()

    def _in_blocks(self, length: int, part: Part) -> Sequence[SSAValue]:
        loop, insert = self.loop, Inserter(before=self.loop)
        known = known_integer(loop.ub)
        if known is not None and known <= length:
            return part(insert, loop.lb, loop.ub, loop.iter_args)
        size = self.constants.index(length)
        blocks = open_loop(insert, loop.lb, loop.ub, size, "block", loop.iter_args)
        left = blocks(arith.SubiOp(loop.ub, blocks.counter), "left")
        count = blocks(arith.MinSIOp(left, size), "count")
        stop = blocks(arith.AddiOp(blocks.counter, count), "stop")
        return blocks.close(*part(blocks, blocks.counter, stop, blocks.carried))

    def _narrow_sums(self, sums: Sequence[_Sum]) -> Part:
        """Return the body with narrow accumulators from 0 on, added to the wide ones at the end."""
        body = self.loop.body.block

        def part(
            insert: Inserter, start: SSAValue, stop: SSAValue, carried: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            zeros = [self.constants.get(IntegerAttr(0, sum.narrow)) for sum in sums]
            turn = open_loop(insert, start, stop, self.loop.step, body.args[0].name_hint, zeros)
            values: dict[SSAValue, SSAValue] = {body.args[0]: turn.counter}
            for op in list(body.ops)[:-1]:
                if not any(op is sum.op for sum in sums):
                    turn.place(op.clone(values))
            joined: list[SSAValue] = []
            for sum, accumulator in zip(sums, turn.carried):
                addend = values.get(sum.addend, sum.addend)
                element = turn(arith.TruncIOp(addend, sum.narrow))
                joined.append(turn(arith.AddiOp(accumulator, element)))
            parts = [
                insert(arith.ExtSIOp(narrow, sum.wide), "part")
                for sum, narrow in zip(sums, turn.close(*joined))
            ]
            return [insert(arith.AddiOp(total, more)) for total, more in zip(carried, parts)]

        return part

    def _until_reached(self, extreme: _Extreme) -> Part:
        """Return the loop, unless its result is known before it starts."""

        def part(
            insert: Inserter, start: SSAValue, stop: SSAValue, carried: Sequence[SSAValue]
        ) -> Sequence[SSAValue]:
            (so_far,) = carried
            bound = self.constants.get(IntegerAttr(extreme.bound, extreme.type))
            reached = insert(arith.CmpiOp(so_far, bound, REACHED[type(extreme.op)]), "reached")
            ended, going_on = Block([scf.YieldOp(so_far)]), Block()
            rest = scf.ForOp(start, stop, self.loop.step, carried, self.loop.body.clone())
            going_on.add_ops([rest, scf.YieldOp(*rest.results)])
            branch = scf.IfOp(reached, [extreme.type], Region(ended), Region(going_on))
            insert.place(branch)
            return branch.results

        return part
