"""relax-split-reductions: innermost loops that reduce contiguous floats reduce many lanes at once, and
loops that reduce integers of a known range do it in blocks (lowering/loops/bounded_reductions.py).

    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
      %x = memref.load %A[%i] : memref<?xf32>
      %s = arith.addf %acc, %x : f32
      scf.yield %s : f32
    }
->
    %lanes = memref.alloca() : memref<64xf32>        // at the top of the function, for vectors of 16
    %sum = scf.if %n >= 128 or (%n >= 32 and %n rem 16 == 0) -> (f32) {
      scf.for %l = 0 to 64 { %lanes[%l] = %identity }
      scf.for %i = 0 to %main step 64 {              // %main = %n - %n rem 64
        scf.for %l = 0 to 64 { %lanes[%l] = %lanes[%l] + %A[%i + %l] }
      }
      scf.for %l = 0 to %n - %main { %lanes[%l] = %lanes[%l] + %A[%main + %l] }
      scf.for %l = 0 to 32 { %lanes[%l] = %lanes[%l] + %lanes[%l + 32] }   // and 16
      scf.yield %zero + vector.reduction <add>, %lanes[0 .. 15]
    } else {
      ... the loop as it was ...
    }

A C compiler may not change the order in which floats are added, and so can neither fill a vector nor hide
the latency of an addition; independent lanes let it do both. The result differs from the one in order by
rounding, and is nearer to the exact one: an error grows with the length of a lane. Sums, products, maxima
and minima are split if their loop has no branch and reads its memrefs contiguously. If the number of
elements is known, only one of both versions is needed. Integers may be reordered by the C compiler itself,
which does not know how narrow a type holds their sum. Sums, means, extremes, losses and norms along rows
need it, and are five to eleven times faster (docs/architecture.md has the table).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    ModuleOp,
    VectorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import is_speculatable

from lowering.ir.constants import ConstantPool, known_integer
from lowering.ir.insertion import Inserter, OpenLoop, open_loop
from lowering.ir.memref_views import is_contiguous
from lowering.loops.bounded_reductions import bound_reductions
from lowering.schedule.memrefs.combiners import COMBINERS
from lowering.support.target import ALIGNMENT, NATIVE, Cpu, find
from relax_dialect.ir.walk import walk_ops

VECTORS = 4
"""The number of vectors that the lanes fill, so that consecutive additions are independent."""

PREDICATES: Mapping[type[Operation], str] = {arith.MaxnumfOp: "ogt", arith.MinnumfOp: "olt"}
"""The comparison of a number that replaces another."""


@dataclass
class _Reduction:
    """One accumulator of a loop, and the op that an element joins it by."""

    combine: Operation
    accumulator: SSAValue

    @property
    def element(self) -> SSAValue:
        """The value that is combined with the accumulator."""
        a, b = self.combine.operands
        return b if a is self.accumulator else a

    def joined(self, a: SSAValue, b: SSAValue) -> Operation:
        """Return the op that joins two values."""
        make = self.combine.__class__.create
        return make(operands=[a, b], result_types=[a.type], properties=self.combine.properties)

    def in_lane(self, insert: Inserter, lane: SSAValue, value: SSAValue) -> SSAValue:
        """Combine a value with a lane: a lane with the greatest number so far is never NaN, and so stays
        unless the value is a greater number."""
        hint = self.combine.results[0].name_hint
        if (predicate := PREDICATES.get(type(self.combine))) is None:
            return insert(self.joined(lane, value), hint)
        is_beyond = insert(arith.CmpfOp(value, lane, predicate))
        return insert(arith.SelectOp(is_beyond, value, lane), hint)

    @property
    def type(self) -> AnyFloat:
        assert isinstance(self.accumulator.type, AnyFloat)
        return self.accumulator.type


def split_reductions(function: FuncOp, cpu: Cpu) -> None:
    """Split the innermost loops of a function that reduce contiguous floats, in place."""
    loops = [op for op in walk_ops(function) if isinstance(op, scf.ForOp)]
    work = [(loop, found) for loop in loops if (found := _reductions(loop))]
    vectors = [(loop, found, _vectors(loop, found, cpu)) for loop, found in work]
    if not any(own for _, _, own in vectors):
        return
    constants = ConstantPool(function)
    for loop, found, own in vectors:
        if own is not None:
            _Splitter(loop, found, *own, constants).split()
    constants.prune()


def lanes_of(loop: scf.ForOp, cpu: Cpu) -> int:
    """Return the number of lanes that the reductions of a loop are divided among; 1 if they stay in
    order."""
    found = _reductions(loop)
    own = _vectors(loop, found, cpu) if found else None
    return 1 if own is None else own[0] * own[1]


def _reductions(loop: scf.ForOp) -> list[_Reduction]:
    """Return the accumulators of a loop, if all of it can be done in lanes; none otherwise."""
    body = loop.body.block
    if not loop.iter_args or known_integer(loop.lb) != 0 or known_integer(loop.step) != 1:
        return []
    yielded = body.last_op
    assert isinstance(yielded, scf.YieldOp)
    found: list[_Reduction] = []
    for accumulator, value in zip(body.args[1:], yielded.operands):
        combine = value.owner
        if type(combine) not in COMBINERS or combine.parent is not body:
            return []
        assert isinstance(combine, Operation)
        if accumulator not in combine.operands or not (
            accumulator.has_one_use() and value.has_one_use()
        ):
            return []
        if not isinstance(accumulator.type, AnyFloat):  # a vector has lanes already
            return []
        found.append(_Reduction(combine, accumulator))
    return found if _reads_in_a_row(body) else []


def _vectors(loop: scf.ForOp, reductions: Sequence[_Reduction], cpu: Cpu) -> tuple[int, int] | None:
    """Return the number of vectors that are reduced at once, and their length; None for a loop that is too
    short. Vectors are no gain if most of a row is left over."""
    lanes = cpu.lanes(min(reduction.type.bitwidth for reduction in reductions))
    size, count = known_integer(loop.ub), VECTORS
    if size is None or size >= 2 * count * lanes:
        return count, lanes
    if size < 2 * lanes or size % lanes:
        return None
    while size < count * lanes:
        count //= 2
    return count, lanes


def _reads_in_a_row(body: Block) -> bool:
    """Return whether a body has no branch and no effect, and every element that it reads is invariant or
    contiguous between iterations."""
    counter = body.args[0]
    dependent: set[SSAValue] = {counter, *body.args[1:]}
    steady_steps: set[SSAValue] = {counter}
    walks = False
    for op in body.ops:
        if isinstance(op, memref.LoadOp):
            if not is_contiguous(op.memref.type):
                return False
            if any(index in dependent for index in op.indices[:-1]):
                return False
            if op.indices and op.indices[-1] in dependent:
                if op.indices[-1] not in steady_steps:
                    return False
                walks = True
        elif op.regions or not (isinstance(op, scf.YieldOp) or is_speculatable(op)):
            return False
        elif isinstance(op, arith.AddiOp | arith.SubiOp):
            moving = [operand for operand in op.operands if operand in dependent]
            is_steady = len(moving) == 1 and moving[0] in steady_steps
            if is_steady and (moving[0] is op.lhs or isinstance(op, arith.AddiOp)):
                steady_steps.add(op.result)
        if any(operand in dependent for operand in op.operands):
            dependent.update(op.results)
    return walks


class _Splitter:
    """Splits one loop: the lanes come before it, and it keeps the rest."""

    def __init__(
        self,
        loop: scf.ForOp,
        reductions: Sequence[_Reduction],
        vectors: int,
        width: int,
        constants: ConstantPool,
    ):
        self.loop = loop
        self.reductions = reductions
        self.constants = constants
        self.width, self.lanes = width, vectors * width
        self.buffers = [self._allocate(reduction) for reduction in reductions]

    def split(self) -> None:
        loop, size = self.loop, self.loop.ub
        insert = Inserter(before=loop)
        known = known_integer(size)
        if known is not None:
            rest = self.constants.index(known % self.lanes)
            main = self.constants.index(known - known % self.lanes)
            results = self._fill(insert, main, rest)
        else:
            is_long = self._is_long(insert, size)
            inside, outside = Block(), Block()
            within = Inserter(end=inside)
            rest = within(arith.RemUIOp(size, self.constants.index(self.lanes)), "rest")
            main = within(arith.SubiOp(size, rest), "main")
            inside.add_op(scf.YieldOp(*self._fill(within, main, rest)))
            types = [reduction.type for reduction in self.reductions]
            branch = scf.IfOp(is_long, types, Region(inside), Region(outside))
            insert.place(branch)
            results = branch.results
        for old, new in zip(loop.results, results):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        loop.detach()
        if known is not None:
            loop.erase()
        else:
            outside.add_op(loop)
            outside.add_op(scf.YieldOp(*loop.results))

    def _is_long(self, insert: Inserter, size: SSAValue) -> SSAValue:
        """Return whether a row is worth the lanes, as `_vectors` knows it of one of a known length."""
        index = self.constants.index
        is_long = insert(arith.CmpiOp(size, index(2 * self.lanes), "uge"), "long")
        some = insert(arith.CmpiOp(size, index(2 * self.width), "uge"))
        left = insert(arith.RemUIOp(size, index(self.width)))
        fills = insert(arith.AndIOp(some, insert(arith.CmpiOp(left, index(0), "eq"))), "fills")
        return insert(arith.OrIOp(is_long, fills))

    def _allocate(self, reduction: _Reduction) -> SSAValue:
        """Return a row of lanes at the top of the function."""
        op = memref.AllocaOp.get(reduction.type, ALIGNMENT, [self.lanes])
        entry = self.constants.entry
        entry.insert_op_before(op, _first_after_constants(entry))
        op.memref.name_hint = "lanes"
        return op.memref

    def _fill(self, insert: Inserter, main: SSAValue, rest: SSAValue) -> Sequence[SSAValue]:
        """Reduce all elements in lanes; each accumulator, with its lanes joined to it."""
        index = self.constants.index
        zero, count = index(0), index(self.lanes)
        pairs = list(zip(self.reductions, self.buffers))

        with_identity = open_loop(insert, zero, count, index(1))
        for reduction, buffer in pairs:
            _, value = COMBINERS[type(reduction.combine)]
            identity = self.constants.get(FloatAttr(value, reduction.type))
            with_identity.place(memref.StoreOp.get(identity, buffer, [with_identity.counter]))
        with_identity.close()

        steps = open_loop(insert, zero, main, count, self.loop.body.block.args[0].name_hint)
        turn = open_loop(steps, zero, count, index(1))
        self._turn(turn, steps.counter)
        steps.close()
        self._turn(open_loop(insert, zero, rest, index(1)), main)

        width = self.lanes
        while width > self.width:
            width //= 2
            fold = open_loop(insert, zero, index(width), index(1))
            other = fold(arith.AddiOp(fold.counter, index(width)))
            for reduction, buffer in pairs:
                values = [fold(memref.LoadOp.get(buffer, [i])) for i in (fold.counter, other)]
                joined = reduction.in_lane(fold, *values)
                fold.place(memref.StoreOp.get(joined, buffer, [fold.counter]))
            fold.close()

        results: list[SSAValue] = []
        for (reduction, buffer), start in zip(pairs, self.loop.iter_args):
            lanes = insert(vector.LoadOp(buffer, [zero], VectorType(reduction.type, [width])))
            results.append(insert(reduction.joined(start, insert(_across(reduction, lanes)))))
        return results

    def _turn(self, lanes: OpenLoop, first: SSAValue) -> None:
        """One iteration of the loop for each lane: the body, with the lane in memory as accumulator."""
        body = self.loop.body.block
        values: dict[SSAValue, SSAValue] = {body.args[0]: lanes(arith.AddiOp(first, lanes.counter))}
        for reduction, buffer in zip(self.reductions, self.buffers):
            lane = lanes(memref.LoadOp.get(buffer, [lanes.counter]), "lane")
            values[reduction.accumulator] = lane
        combines = {reduction.combine for reduction in self.reductions}
        for op in list(body.ops)[:-1]:
            if op not in combines:
                lanes.place(op.clone(values))
        for reduction, buffer in zip(self.reductions, self.buffers):
            joined = reduction.in_lane(
                lanes,
                values[reduction.accumulator],
                values.get(element := reduction.element, element),
            )
            lanes.place(memref.StoreOp.get(joined, buffer, [lanes.counter]))
        lanes.close()


def _across(reduction: _Reduction, lanes: SSAValue) -> Operation:
    """Return the lanes of a vector joined to each other."""
    kind, _ = COMBINERS[type(reduction.combine)]
    return vector.ReductionOp.create(
        operands=[lanes],
        result_types=[reduction.type],
        properties={
            "kind": vector.CombiningKindAttr(kind),
            "fastmath": arith.FastMathFlagsAttr("none"),
        },
    )


def _first_after_constants(block: Block) -> Operation:
    """Return the first op of a block that is no constant."""
    return next(op for op in block.ops if not isinstance(op, arith.ConstantOp))


@dataclass(frozen=True)
class SplitReductionsPass(ModulePass):
    """Reductions in lanes: see this file's docstring."""

    name = "relax-split-reductions"

    cpu: str = NATIVE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.body.blocks:
                split_reductions(function, find(self.cpu))
                bound_reductions(function)
