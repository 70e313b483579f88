"""Long sums of f32 that are in memory while loops add to them, in blocks: a part of relax-linalg-to-loops.

    scf.for %k = %c0 to %n step %c1 {
      scf.for %j = %c0 to %m step %c1 { %C[%j] = %C[%j] + %A[%k, %j] }
    }
->
    %totals = memref.alloc(%m) : memref<?xf64>
    scf.if %n > 128 { %totals = 0.0 }
    scf.for %b = %c0 to %n step %c128 {
      scf.for %k = %b to %b + min(%n - %b, 128) step %c1 {
        scf.for %j = %c0 to %m step %c1 { %C[%j] = %C[%j] + %A[%k, %j] }
      }
      scf.if %n > 128 { for %j: %totals[%j] = %totals[%j] + %C[%j] as f64; %C[%j] = 0.0 }
    }
    scf.if %n > 128 { for %j: %C[%j] = %totals[%j] as f32 }

Examples are sums of columns, and products with contiguous results; relax-block-sums handles sums that loops
carry in registers. Of several reduction loops, the innermost one is cut whose iterations are short.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, FloatAttr, MemRefType, f32, f64
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lowering.ir.constants import ConstantPool, known_integer
from lowering.ir.insertion import Inserter, OpenLoop, open_loop, when_if
from lowering.ir.side_memory import side_memory
from lowering.loops import running_sums
from lowering.loops.scan_bases import Bases

FEW = 32
"""The most totals that are zeroed in any case."""

Places = Sequence[SSAValue]


@dataclass(frozen=True)
class ReductionNest:
    """The loops of an op that reduces."""

    op: LinalgStructuredOperation
    order: Sequence[int]
    """The loops, outermost first."""
    reductions: frozenset[int]
    """The reduction loops."""
    carried_from: int
    """The number of loops around the loops that carry their sums."""
    bounds: Sequence[SSAValue]
    """The trip counts, by loop."""
    output_maps: Sequence[AffineMap]
    bases: Bases
    """The initial values of blocks, for sums whose partial sums are results."""

    @property
    def adding(self) -> Sequence[int]:
        """The depths of the loops that add to memory, or from iteration to iteration of a scan."""
        end = len(self.order) if self.bases else self.carried_from
        return [d for d in range(end) if self.order[d] in self.reductions]


@dataclass(frozen=True)
class Cut:
    """The division of the sums of an op into blocks."""

    reduced: ReductionNest
    outputs: Sequence[int]
    """The outputs that are sums."""
    outermost: int
    """The depth of the outermost loop that adds to memory."""
    depth: int
    """The depth of the loop that is cut."""
    length: int
    """The number of its iterations in a block."""

    @staticmethod
    def of(reduced: ReductionNest) -> Cut | None:
        """Return how an op is cut, or None if it has no long sums in memory."""
        order, depths = reduced.order, reduced.adding
        outputs = [*reduced.bases] or (_sums(reduced) if depths else [])
        bounds, most = [known_integer(reduced.bounds[loop]) for loop in order], running_sums.BLOCK
        carried = bounds[reduced.carried_from :]
        terms = 1 if reduced.bases else min(prod(b or most for b in carried), most)
        for depth in reversed(depths if outputs else []):
            count = bounds[depth]
            if count is None or terms * count > most:
                return Cut(reduced, outputs, depths[0], depth, max(most // max(terms, 1), 1))
            terms *= max(count, 1)
        return None


def _sums(reduced: ReductionNest) -> list[int]:
    """Return the outputs that are sums of f32 at subscripts that are loops."""
    op, body = reduced.op, reduced.op.body.block
    last, found = body.last_op, list[int]()
    assert last is not None
    for number, (acc, total) in enumerate(zip(body.args[len(op.inputs) :], last.operands)):
        is_sum = isinstance(total.owner, arith.AddfOp) and acc in total.owner.operands
        if (
            is_sum
            and acc.type == f32
            and acc.has_one_use()
            and total.has_one_use()
            and all(isinstance(e, AffineDimExpr) for e in reduced.output_maps[number].results)
        ):
            found.append(number)
    return found


class MemorySums:
    """The totals of an op's sums; made before its loops, which it cuts after they are made."""

    def __init__(self, cut: Cut, constants: ConstantPool):
        self.cut, self.constants = cut, constants
        reduced = cut.reduced
        self.inner = [
            [
                d
                for d in reduced.order[cut.outermost + 1 :]
                if AffineDimExpr(d) in reduced.output_maps[number].results
            ]
            for number in cut.outputs
        ]
        """The loops along the totals of each output."""
        self.totals = [
            side_memory(f64, [reduced.bounds[d] for d in own], reduced.op, constants, "totals")
            for own in self.inner
        ]

    def rewrite(self, loops: Sequence[scf.ForOp], counters: Mapping[int, SSAValue]) -> None:
        """Cut the loops of the op, passed from the outermost one on, with their counters by number."""
        cut, self.counters = self.cut, counters
        outermost, loop = loops[cut.outermost], loops[cut.depth]
        after = outermost.next_op
        assert after is not None
        length, insert = self.constants.index(cut.length), Inserter(before=outermost)
        is_long = None
        if known_integer(loop.ub) is None and outermost is loop and not cut.reduced.bases:
            is_long = insert(arith.CmpiOp(loop.ub, length, "sgt"), "long")
        zeroed = None if all(map(_is_few, self.totals)) else is_long
        when_if(insert, zeroed, partial(self._each, cut.outermost, self._zero))
        blocks = open_loop(Inserter(before=loop), loop.lb, loop.ub, length, "block")
        left = blocks(arith.SubiOp(loop.ub, blocks.counter), "left")
        span = blocks(arith.MinSIOp(left, length), "span")
        stop = blocks(arith.AddiOp(blocks.counter, span), "stop")
        loop.operands[0], loop.operands[1] = blocks.counter, stop
        read = [op for base in cut.reduced.bases.values() for op in _loads_before(base, loop)]
        for op in (*read, *map(_owner, loop.iter_args), loop, *map(_user, loop.results)):
            op.detach()
            blocks.place(op)
        when_if(blocks, is_long, partial(self._each, cut.depth, self._spill))
        blocks.close()
        if not cut.reduced.bases:
            end = Inserter(before=after)
            when_if(end, is_long, partial(self._each, cut.outermost, self._round))

    def _each(self, depth: int, body: Callable[..., None], insert: Inserter) -> Sequence[SSAValue]:
        """Apply `body` to each sum, in its loops inside of a depth."""
        reduced, index = self.cut.reduced, self.constants.index
        for number, loops, totals in zip(self.cut.outputs, self.inner, self.totals):
            opened, at, within = list[OpenLoop](), dict(self.counters), insert
            for d in loops:
                if reduced.order.index(d) > depth:
                    within = open_loop(within, index(0), reduced.bounds[d], index(1))
                    opened.append(within)
                    at[d] = within.counter
            exprs = reduced.output_maps[number].results
            places = [at[e.position] for e in exprs if isinstance(e, AffineDimExpr)]
            body(within, totals, [at[d] for d in loops], number, places)
            for own in reversed(opened):
                own.close()
        return ()

    def _zero(
        self, insert: Inserter, totals: SSAValue, lane: Places, number: int, place: Places
    ) -> None:
        zero = self.constants.get(FloatAttr(0.0, f64))
        insert.place(memref.StoreOp.get(zero, totals, lane))

    def _spill(
        self, insert: Inserter, totals: SSAValue, lane: Places, number: int, place: Places
    ) -> None:
        """Add a partial sum to its total, and begin anew."""
        out, base = self.cut.reduced.op.outputs[number], self.cut.reduced.bases.get(number)
        total = insert(memref.LoadOp.get(totals, lane), "total")
        part = insert(memref.LoadOp.get(out, place), "part")
        total = insert(arith.AddfOp(total, insert(arith.ExtFOp(part, f64))))
        insert.place(memref.StoreOp.get(total, totals, lane))
        insert.place(memref.StoreOp.get(self.constants.get(FloatAttr(0.0, f32)), out, place))
        if base is not None:
            insert.place(memref.StoreOp.get(insert(arith.TruncFOp(total, f32)), base, place))

    def _round(
        self, insert: Inserter, totals: SSAValue, lane: Places, number: int, place: Places
    ) -> None:
        total = insert(memref.LoadOp.get(totals, lane), "total")
        rounded, out = insert(arith.TruncFOp(total, f32)), self.cut.reduced.op.outputs[number]
        insert.place(memref.StoreOp.get(rounded, out, place))


def _is_few(totals: SSAValue) -> bool:
    """Return whether C compilers keep totals in registers: they take these for uninitialized if only the
    totals of long sums are zeroed."""
    assert isinstance(totals.type, MemRefType)
    sizes = totals.type.get_shape()
    return DYNAMIC_INDEX not in sizes and prod(sizes) <= FEW


def _loads_before(memory: SSAValue, loop: scf.ForOp) -> list[Operation]:
    """Return the loads of memory that are in front of a loop."""
    loads = (use.operation for use in memory.uses if isinstance(use.operation, memref.LoadOp))
    return [load for load in loads if not loop.is_ancestor(load)]


def _owner(carried: SSAValue) -> Operation:
    """Return the load of a value that a loop carries."""
    assert isinstance(carried.owner, memref.LoadOp)
    return carried.owner


def _user(result: SSAValue) -> Operation:
    """Return the store of a value that a loop has carried."""
    found = result.get_user_of_unique_use()
    assert isinstance(found, memref.StoreOp)
    return found
