"""relax-block-sums: long sums of f32 are computed in blocks, which are added up in f64.

    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (f32) {
      %x = memref.load %A[%i] : memref<?xf32>
      %s = arith.addf %acc, %x : f32
      scf.yield %s : f32
    }
->
    %part, %count, %spilled = scf.for %b = %c0 to %n step %c128
        iter_args(%acc = %init, %count = %c0, %spilled = %false) -> (f32, index, i1) {
      %span = min(%n - %b, 128)
      %own, %next, %any = scf.if %count + %span > 128 {
        ... %total = (%spilled ? %total : 0.0) + %acc as f64 ...
        scf.yield %zero, %span, %true
      } else {
        scf.yield %acc, %count + %span, %spilled
      }
      %s = scf.for %i = %b to %b + %span step %c1 iter_args(%acc = %own) -> (f32) { ... }
      scf.yield %s, %next, %any
    }
    %sum = %spilled ? %total + %part as f32 : %part

The error of one running sum grows with the number of its terms; that of blocks is the error of one block.
Sums of at most `running_sums.BLOCK` terms keep their loops, and sums of an unknown but small number of
terms take one block.

All f32 accumulators of a nest that are only added to have blocks, scalars and vectors alike: one lane of a
vector is one sum. The partial sums and their f64 totals are in memory, so that registers are left to the
innermost loop. In a nest the outermost loop is cut whose iterations are short; the terms of all
iterations since the last spill are counted. Loops that relax-split-reductions divides among lanes have
blocks of as many terms for each lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    IntegerAttr,
    ModuleOp,
    i1,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass

from lowering.ir.constants import ConstantPool, known_integer
from lowering.ir.insertion import Inserter, OpenLoop, open_loop, when_if
from lowering.ir.linear_forms import linear
from lowering.loops.running_sums import RunningSum, block_length, sums_of
from lowering.loops.split_reductions import lanes_of
from lowering.loops.totals import SumLanes, Totals
from lowering.schedule.memrefs.tile_functions import TileFunctions
from lowering.support.target import NATIVE, Cpu, find
from relax_dialect.ir.walk import walk_ops


def block_sums(function: FuncOp, cpu: Cpu, functions: TileFunctions) -> None:
    """Split the long sums of a function into blocks, in place."""
    loops = [op for op in walk_ops(function) if isinstance(op, scf.ForOp) and op.iter_args]
    work, inner = list[tuple[scf.ForOp, Sequence[RunningSum]]](), set[scf.ForOp]()
    for loop in loops:  # outer loops come before inner ones
        found = [] if loop in inner else list(sums_of(loop))
        inner.update(part for own in found for part in own.loops())
        if max((own.terms(loop, cpu) for own in found), default=0) > block_length(found):
            work.append((loop, found))
    if not work:
        return
    constants = ConstantPool(function)
    for loop, found in work:
        _BlockSums(constants, cpu, found, functions).rewrite(loop)
    constants.prune()


Values = Sequence[SSAValue]

State = tuple[SSAValue, SSAValue]
"""The number of terms since the last spill, and whether there was one."""


class _BlockSums:
    """Rewrites the nest of one loop."""

    def __init__(
        self,
        constants: ConstantPool,
        cpu: Cpu,
        sums: Sequence[RunningSum],
        functions: TileFunctions,
    ):
        self.constants, self.cpu, self.block = constants, cpu, block_length(sums)
        self.totals = Totals(sums, constants, functions)

    def rewrite(self, loop: scf.ForOp) -> None:
        """Put the nest of a loop into blocks."""
        per = self._per_iteration(self.totals.lanes)
        if per > self.block:
            new = self._nest(loop)
            self._finish(new, new.results[-1], is_rest=True)
            return
        length = self._length(loop, int(per))
        is_long = self._is_long(loop, length)
        if is_long is not None and not self.totals.is_tile and lanes_of(loop, self.cpu) == 1:
            loop, is_long = self._long_version(loop, is_long), None
        self._finish(self._alone(loop, length, is_long), is_long, is_rest=False)

    def _finish(self, loop: scf.ForOp, spilled: SSAValue | None, *, is_rest: bool) -> None:
        """Replace the uses of the sums at the end of a blocked loop by the totals."""
        assert loop.next_op is not None
        sums = [loop.results[own.sum.number] for own in self.totals.lanes]
        uses = [list(value.uses) for value in sums]

        def finish(within: Inserter) -> Values:
            if is_rest:
                self.totals.add(within, self.totals.lanes, loop.results)
            return self.totals.rounded(within)

        totals = when_if(Inserter(before=loop.next_op), spilled, finish, sums)
        for value, own, total in zip(sums, uses, totals):
            total.name_hint = value.name_hint
            for use in own:
                use.operation.operands[use.index] = total

    def _per_iteration(self, lanes: Sequence[SumLanes]) -> float:
        return max(1, *(own.sum.per_iteration(self.cpu) for own in lanes))

    # One loop

    def _is_long(self, loop: scf.ForOp, length: SSAValue) -> SSAValue | None:
        """Return whether a loop has more than one block; None if that is known."""
        if not linear([(loop.ub, 1), (loop.lb, -1)]).terms:
            return None
        insert, size = Inserter(before=loop), loop.ub
        if known_integer(loop.lb) != 0:
            size = insert(arith.SubiOp(loop.ub, loop.lb))
        return insert(arith.CmpiOp(size, length, "sgt"), "long")

    def _long_version(self, loop: scf.ForOp, is_long: SSAValue) -> scf.ForOp:
        """Return a copy of a loop for sums that are long, beside the loop for others."""
        insert, copy = Inserter(before=loop), loop.clone()
        long = Block([copy, scf.YieldOp(*copy.results)])
        short = Block([end := scf.YieldOp()])
        types = [value.type for value in loop.results]
        insert.place(branch := scf.IfOp(is_long, types, Region(long), Region(short)))
        for old, new in zip(loop.results, branch.results):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        loop.detach()
        short.insert_op_before(loop, end)
        end.operands = loop.results
        return copy

    def _alone(self, loop: scf.ForOp, length: SSAValue, is_long: SSAValue | None) -> scf.ForOp:
        """Return a loop of its own in blocks, each of which is spilled if there are several."""
        insert = Inserter(before=loop)
        when_if(insert, None if self.totals.is_few else is_long, self.totals.zero)
        blocks = open_loop(insert, loop.lb, loop.ub, length, "block", loop.iter_args)
        span = self._span(loop, blocks, length)
        parts = self._part(loop, blocks, span, blocks.carried)

        def spill(within: Inserter) -> Values:
            return self.totals.spill(within, self.totals.lanes, parts)

        blocks.close(*when_if(blocks, is_long, spill, parts))
        return _replace(loop, blocks.loop)

    # Nests

    def _nest(self, loop: scf.ForOp) -> scf.ForOp:
        """Return the loops of a nest, the innermost long ones in blocks, with a state that all carry."""
        if self.totals.is_few:
            self.totals.zero(Inserter(before=loop))
        false = self.constants.get(IntegerAttr(0, i1))
        return self._cut(loop, self.totals.lanes, (self.constants.index(0), false))

    def _cut(self, loop: scf.ForOp, lanes: Sequence[SumLanes], state: State) -> scf.ForOp:
        """Return the loop in blocks, or the loops inside of it whose iterations are short."""
        if (per := self._per_iteration(lanes)) <= self.block:
            return self._in_blocks(loop, lanes, state, int(per))
        block = loop.body.block
        for value in state:
            block.insert_arg(value.type, len(block.args))
        *_, count, spilled = self._begin_iteration(block, lanes)
        end = block.last_op
        assert isinstance(end, scf.YieldOp)
        for inner in dict.fromkeys(inner for own in lanes for inner, _ in own.sum.inside):
            inside = [
                SumLanes(sum, own.first)
                for own in lanes
                for part, sum in own.sum.inside
                if part is inner
            ]
            *_, count, spilled = self._cut(inner, inside, (count, spilled)).results
        end.operands = [*end.operands, count, spilled]
        body = loop.detach_region(loop.body)
        new = scf.ForOp(loop.lb, loop.ub, loop.step, [*loop.iter_args, *state], body)
        Inserter(before=loop).place(new)
        return _replace(loop, new)

    def _begin_iteration(self, block: Block, lanes: Sequence[SumLanes]) -> Values:
        """Return the values at the begin of a loop's body: the terms that it adds itself are counted
        first."""
        carried, adds = block.args[1:], max(own.sum.adds for own in lanes)
        if not adds:
            return carried
        uses = [list(value.uses) for value in carried]
        assert block.first_op is not None
        terms = self.constants.index(adds)
        begun = self._spill_if_due(Inserter(before=block.first_op), lanes, terms, carried)
        for value, own in zip(begun, uses):
            for use in own:
                use.operation.operands[use.index] = value
        return begun

    def _spill_if_due(
        self, insert: Inserter, lanes: Sequence[SumLanes], terms: SSAValue, carried: Values
    ) -> Values:
        """Return the carried values; the sums are spilled if `terms` more would be too many."""
        *values, count, spilled = carried
        new = insert(arith.AddiOp(count, terms))
        is_due = insert(arith.CmpiOp(new, self.constants.index(self.block), "ugt"), "due")
        true = self.constants.get(IntegerAttr(1, i1))

        def spill(within: Inserter) -> Values:
            if not self.totals.is_few:
                when_if(within, within(arith.XOrIOp(spilled, true)), self.totals.zero)
            return [*self.totals.spill(within, lanes, values), terms, true]

        return when_if(insert, is_due, spill, (*values, new, spilled))

    def _in_blocks(
        self, loop: scf.ForOp, lanes: Sequence[SumLanes], state: State, per: int
    ) -> scf.ForOp:
        """Return a loop in blocks, before each of which sums are spilled that would have too many terms."""
        insert, length = Inserter(before=loop), self._length(loop, per)
        carried = [*loop.iter_args, *state]
        blocks = open_loop(insert, loop.lb, loop.ub, length, "block", carried)
        span = self._span(loop, blocks, length)
        terms = self._terms(loop, blocks, span, per)
        *begun, count, spilled = self._spill_if_due(blocks, lanes, terms, blocks.carried)
        blocks.close(*self._part(loop, blocks, span, begun), count, spilled)
        return _replace(loop, blocks.loop)

    def _terms(self, loop: scf.ForOp, insert: Inserter, span: SSAValue, per: int) -> SSAValue:
        """Return the number of terms that a block adds to a lane."""
        index = self.constants.index
        for divisor in (loop.step, index(lanes_of(loop, self.cpu))):
            if known_integer(divisor) != 1:
                span = insert(arith.CeilDivUIOp(span, divisor))
        return span if per == 1 else insert(arith.MuliOp(span, index(per)))

    # Blocks

    def _length(self, loop: scf.ForOp, per: int) -> SSAValue:
        """Return the range of a loop's counter in a block, if each iteration adds `per` terms."""
        most, step = max(self.block // per, 1) * lanes_of(loop, self.cpu), known_integer(loop.step)
        if step is not None:
            return self.constants.index(most * step)
        return Inserter(before=loop)(arith.MuliOp(loop.step, self.constants.index(most)))

    def _span(self, loop: scf.ForOp, blocks: OpenLoop, length: SSAValue) -> SSAValue:
        """Return the range of the counter in the current block."""
        left = blocks(arith.SubiOp(loop.ub, blocks.counter), "left")
        return blocks(arith.MinSIOp(left, length), "span")

    def _part(self, loop: scf.ForOp, blocks: OpenLoop, span: SSAValue, begun: Values) -> Values:
        """Return the iterations of a loop in a block; a loop that is to be split counts from zero."""
        is_split = lanes_of(loop, self.cpu) > 1
        start, body = blocks.counter, loop.detach_region(loop.body)
        if not is_split:
            stop = blocks(arith.AddiOp(start, span), "stop")
            blocks.place(part := scf.ForOp(start, stop, loop.step, begun, body))
            return part.results
        counter, first = body.block.args[0], body.block.first_op
        assert first is not None
        moved = arith.AddiOp(start, start)
        body.block.insert_op_before(moved, first)
        counter.replace_all_uses_with(moved.result)
        moved.operands = [start, counter]
        blocks.place(part := scf.ForOp(self.constants.index(0), span, loop.step, begun, body))
        return part.results


def _replace(loop: scf.ForOp, new: scf.ForOp) -> scf.ForOp:
    """Take a loop whose body has been moved out of the program; another has its results first."""
    for old, value in zip(loop.results, new.results):
        value.name_hint = old.name_hint
        old.replace_all_uses_with(value)
    loop.detach()
    loop.erase()
    return new


@dataclass(frozen=True)
class BlockSumsPass(ModulePass):
    """Long sums in blocks: see this file's docstring."""

    name = "relax-block-sums"

    cpu: str = NATIVE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = TileFunctions(op)
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.body.blocks:
                block_sums(function, find(self.cpu), functions)
