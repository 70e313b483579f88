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
Sums of at most `running_sums.BLOCK` terms keep their loops, and those of an unknown number that is small
take one block.

All f32 accumulators of a nest that are only added to have blocks, scalars and vectors alike: one lane of a
vector is one sum. The partial sums and their f64 totals are in memory, so that registers are left to the
innermost loop. In a nest the outermost loop is cut whose iterations are short; the terms of all
iterations since the last spill are counted. Loops that relax-split-reductions divides among lanes have
blocks of as many terms for each lane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    VectorType,
    f32,
    f64,
    i1,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from lowering.ir.constants import ConstantPool, known_integer
from lowering.ir.insertion import Inserter, OpenLoop, open_loop, when_if
from lowering.ir.linear import linear
from lowering.ir.side_memory import local_memory
from lowering.loops import running_sums
from lowering.loops.running_sums import RunningSum, block_length, sums_of
from lowering.loops.split_reductions import lanes_of
from lowering.target import NATIVE, Cpu, find
from relax_dialect.ir.call_graph import ops_inside


def block_sums(function: FuncOp, cpu: Cpu) -> None:
    """Put the long sums of a function into blocks, in place."""
    loops = [op for op in ops_inside(function) if isinstance(op, scf.ForOp) and op.iter_args]
    work, inner = list[tuple[scf.ForOp, Sequence[RunningSum]]](), set[scf.ForOp]()
    for loop in loops:  # outer loops come before those inside of them
        found = [] if loop in inner else list(sums_of(loop))
        inner.update(part for own in found for part in own.loops())
        if max((own.terms(loop, cpu) for own in found), default=0) > block_length(found):
            work.append((loop, found))
    if not work:
        return
    constants = ConstantPool(function)
    for loop, found in work:
        _Blocks(constants, cpu, found).rewrite(loop)
    constants.prune()


Values = Sequence[SSAValue]

State = tuple[SSAValue, SSAValue]
"""The number of terms since the last spill, and whether there was one."""


@dataclass(frozen=True)
class _Place:
    """A sum in one of the loops that carry it, and where its lanes begin in memory."""

    sum: RunningSum
    first: int

    @property
    def end(self) -> int:
        return self.first + self.sum.lanes


class _Blocks:
    """Rewrites the nest of one loop."""

    def __init__(self, constants: ConstantPool, cpu: Cpu, sums: Sequence[RunningSum]):
        self.constants, self.cpu, self.block = constants, cpu, block_length(sums)
        self.places, count = list[_Place](), 0
        for own in sums:
            self.places.append(_Place(own, count))
            count += own.lanes
        self.is_few = count <= running_sums.MANY
        """Whether the totals are zeroed before the loops, not at the first spill: C compilers keep them in
        registers, and take them for uninitialized otherwise."""
        self.parts, self.totals = (
            local_memory(t, [count], constants, hint)
            for t, hint in ((f32, "parts"), (f64, "totals"))
        )

    def rewrite(self, loop: scf.ForOp) -> None:
        """Put the nest of a loop into blocks."""
        per = self._per_iteration(self.places)
        if per > self.block:
            new = self._nest(loop)
            self._finish(new, new.results[-1], is_rest=True)
            return
        length = self._length(loop, int(per))
        is_long = self._is_long(loop, length)
        if (
            is_long is not None
            and len(self.places) <= running_sums.MANY
            and lanes_of(loop, self.cpu) == 1
        ):
            loop, is_long = self._long_version(loop, is_long), None
        self._finish(self._alone(loop, length, is_long), is_long, is_rest=False)

    def _finish(self, loop: scf.ForOp, spilled: SSAValue | None, *, is_rest: bool) -> None:
        """Let the totals be used in the place of the sums that a loop in blocks ends with."""
        assert loop.next_op is not None
        sums = [loop.results[place.sum.number] for place in self.places]
        uses = [list(value.uses) for value in sums]
        insert = Inserter(before=loop.next_op)
        totals = self._finished(insert, sums, spilled, is_rest=is_rest)
        for value, own, total in zip(sums, uses, totals):
            total.name_hint = value.name_hint
            for use in own:
                use.operation.operands[use.index] = total

    def _per_iteration(self, places: Sequence[_Place]) -> float:
        return max(1, *(place.sum.per_iteration(self.cpu) for place in places))

    # One loop

    def _is_long(self, loop: scf.ForOp, length: SSAValue) -> SSAValue | None:
        """Whether a loop has more than one block; None if that is known."""
        if not linear([(loop.ub, 1), (loop.lb, -1)]).terms:
            return None
        insert, size = Inserter(before=loop), loop.ub
        if known_integer(loop.lb) != 0:
            size = insert(arith.SubiOp(loop.ub, loop.lb))
        return insert(arith.CmpiOp(size, length, "sgt"), "long")

    def _long_version(self, loop: scf.ForOp, is_long: SSAValue) -> scf.ForOp:
        """A copy of a loop for sums that are long, beside the loop for others."""
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
        """A loop of its own in blocks, each of which is spilled if there are several."""
        insert = Inserter(before=loop)
        when_if(insert, None if self.is_few else is_long, self._zero_totals)
        blocks = open_loop(insert, loop.lb, loop.ub, length, "block", loop.iter_args)
        span = self._span(loop, blocks, length)
        parts = self._part(loop, blocks, span, blocks.carried)

        def spill(within: Inserter) -> Values:
            return self._spilled(within, self.places, parts)

        blocks.close(*when_if(blocks, is_long, spill, parts))
        return _replace(loop, blocks.loop)

    # Nests

    def _nest(self, loop: scf.ForOp) -> scf.ForOp:
        """The loops of a nest, the innermost long ones in blocks, with a state that all carry."""
        if self.is_few:
            self._zero_totals(Inserter(before=loop))
        false = self.constants.get(IntegerAttr(0, i1))
        return self._cut(loop, self.places, (self.constants.index(0), false))

    def _cut(self, loop: scf.ForOp, places: Sequence[_Place], state: State) -> scf.ForOp:
        """The loop in blocks, or the loops inside of it whose iterations are short."""
        if (per := self._per_iteration(places)) <= self.block:
            return self._in_blocks(loop, places, state, int(per))
        block = loop.body.block
        count, spilled = (block.insert_arg(value.type, len(block.args)) for value in state)
        end = block.last_op
        assert isinstance(end, scf.YieldOp)
        for inner in dict.fromkeys(inner for place in places for inner, _ in place.sum.inside):
            inside = [
                _Place(own, place.first)
                for place in places
                for part, own in place.sum.inside
                if part is inner
            ]
            *_, count, spilled = self._cut(inner, inside, (count, spilled)).results
        end.operands = [*end.operands, count, spilled]
        body = loop.detach_region(loop.body)
        new = scf.ForOp(loop.lb, loop.ub, loop.step, [*loop.iter_args, *state], body)
        Inserter(before=loop).place(new)
        return _replace(loop, new)

    def _in_blocks(
        self, loop: scf.ForOp, places: Sequence[_Place], state: State, per: int
    ) -> scf.ForOp:
        """A loop in blocks, before each of which sums are spilled that would have too many terms."""
        insert, length = Inserter(before=loop), self._length(loop, per)
        carried = [*loop.iter_args, *state]
        blocks = open_loop(insert, loop.lb, loop.ub, length, "block", carried)
        *values, count, spilled = blocks.carried
        span = self._span(loop, blocks, length)
        terms = self._terms(loop, blocks, span, per)
        new = blocks(arith.AddiOp(count, terms))
        is_due = blocks(arith.CmpiOp(new, self.constants.index(self.block), "ugt"), "due")
        true = self.constants.get(IntegerAttr(1, i1))

        def spill(within: Inserter) -> Values:
            if not self.is_few:
                when_if(within, within(arith.XOrIOp(spilled, true)), self._zero_totals)
            return [*self._spilled(within, places, values), terms, true]

        *begun, count, spilled = when_if(blocks, is_due, spill, (*values, new, spilled))
        blocks.close(*self._part(loop, blocks, span, begun), count, spilled)
        return _replace(loop, blocks.loop)

    def _terms(self, loop: scf.ForOp, insert: Inserter, span: SSAValue, per: int) -> SSAValue:
        """How many terms a block adds to a lane."""
        index = self.constants.index
        for divisor in (loop.step, index(lanes_of(loop, self.cpu))):
            if known_integer(divisor) != 1:
                span = insert(arith.CeilDivUIOp(span, divisor))
        return span if per == 1 else insert(arith.MuliOp(span, index(per)))

    # Blocks

    def _length(self, loop: scf.ForOp, per: int) -> SSAValue:
        """How far the counter of a loop goes in a block, if each iteration adds so many terms."""
        most, step = max(self.block // per, 1) * lanes_of(loop, self.cpu), known_integer(loop.step)
        if step is not None:
            return self.constants.index(most * step)
        return Inserter(before=loop)(arith.MuliOp(loop.step, self.constants.index(most)))

    def _span(self, loop: scf.ForOp, blocks: OpenLoop, length: SSAValue) -> SSAValue:
        """How far the counter goes in the block at hand."""
        left = blocks(arith.SubiOp(loop.ub, blocks.counter), "left")
        return blocks(arith.MinSIOp(left, length), "span")

    def _part(self, loop: scf.ForOp, blocks: OpenLoop, span: SSAValue, begun: Values) -> Values:
        """The iterations of a loop in a block; a loop that is to be split counts from zero."""
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

    # Memory

    def _spilled(self, insert: Inserter, places: Sequence[_Place], values: Values) -> Values:
        """What goes on after the partial sums have been added to their totals."""
        fresh = list(values)
        self._store(insert, places, [values[place.sum.number] for place in places])

        def add(within: Inserter, lane: SSAValue) -> None:
            total = self._total(within, lane)
            within.place(memref.StoreOp.get(total, self.totals, [lane]))

        self._each(insert, places, add)
        for place in places:
            fresh[place.sum.number] = self._zero(place.sum.type)
        return fresh

    def _finished(
        self, insert: Inserter, sums: Values, spilled: SSAValue | None, *, is_rest: bool
    ) -> Values:
        """The sums, or their totals after a spill, with the sums added to them if these are a rest."""

        def round(within: Inserter, lane: SSAValue) -> None:
            own = memref.LoadOp.get(self.totals, [lane])
            total = self._total(within, lane) if is_rest else within(own, "total")
            rounded = within(arith.TruncFOp(total, f32))
            within.place(memref.StoreOp.get(rounded, self.parts, [lane]))

        def finish(within: Inserter) -> Values:
            if is_rest:
                self._store(within, self.places, sums)
            self._each(within, self.places, round)
            return [within(self._load(place)) for place in self.places]

        return when_if(insert, spilled, finish, sums)

    def _total(self, insert: Inserter, lane: SSAValue) -> SSAValue:
        """The total of a lane and its partial sum."""
        total = insert(memref.LoadOp.get(self.totals, [lane]), "total")
        part = insert(memref.LoadOp.get(self.parts, [lane]), "part")
        return insert(arith.AddfOp(total, insert(arith.ExtFOp(part, f64))))

    def _zero_totals(self, insert: Inserter) -> Values:
        zero = self.constants.get(FloatAttr(0.0, f64))

        def store(within: Inserter, lane: SSAValue) -> None:
            within.place(memref.StoreOp.get(zero, self.totals, [lane]))

        self._each(insert, self.places, store)
        return ()

    def _store(self, insert: Inserter, places: Sequence[_Place], sums: Values) -> None:
        """Write partial sums to memory."""
        for place, value in zip(places, sums):
            at = [self.constants.index(place.first)]
            is_vector = isinstance(value.type, VectorType)
            store = vector.StoreOp if is_vector else memref.StoreOp.get
            insert.place(store(value, self.parts, at))

    def _load(self, place: _Place) -> Operation:
        """Read a sum from memory."""
        at, t = [self.constants.index(place.first)], place.sum.type
        if isinstance(t, VectorType):
            return vector.LoadOp(self.parts, at, t)
        return memref.LoadOp.get(self.parts, at)

    def _each(
        self,
        insert: Inserter,
        places: Sequence[_Place],
        body: Callable[[Inserter, SSAValue], None],
    ) -> None:
        """Do something to each lane of sums; those that lie side by side share a loop."""
        index, runs = self.constants.index, list[tuple[int, int]]()
        for place in places:
            joins = bool(runs) and runs[-1][1] == place.first
            start = runs.pop()[0] if joins else place.first
            runs.append((start, place.end))
        for start, stop in runs:
            if stop - start == 1:
                body(insert, index(start))
                continue
            loop = open_loop(insert, index(start), index(stop), index(1))
            body(loop, loop.counter)
            loop.close()

    def _zero(self, t: Attribute) -> SSAValue:
        if isinstance(t, VectorType):
            return self.constants.get(DenseIntOrFPElementsAttr.from_list(t, [0.0]))
        return self.constants.get(FloatAttr(0.0, f32))


def _replace(loop: scf.ForOp, new: scf.ForOp) -> scf.ForOp:
    """Take a loop whose body has been moved out of the program; another has its results first."""
    for old, value in zip(loop.results, new.results):
        value.name_hint = old.name_hint
        old.replace_all_uses_with(value)
    loop.detach()
    loop.erase()
    return new


@dataclass(frozen=True)
class RelaxBlockSumsPass(ModulePass):
    """Long sums in blocks: see this file's docstring."""

    name = "relax-block-sums"

    cpu: str = NATIVE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.body.blocks:
                block_sums(function, find(self.cpu))
