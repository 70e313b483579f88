"""separate: a reduction along some loops first (TVM's rfactor; separable filters)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from lowering.ir.index_writer import Term
from lowering.ir.insertion import Inserter
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Border, Leaf, TiledOperand, TiledStage
from lowering.schedule.kernels.tiles import places
from lowering.schedule.match.separable import Separable, find
from lowering.schedule.memrefs.subscripts import linear
from lowering.schedule.memrefs.tile_views import PARALLEL, REDUCTION
from lowering.schedule.memrefs.tiling import Tiling
from lowering.schedule.pack.halo import is_padded
from lowering.schedule.pack.packing import apart, room
from lowering.schedule.primitives.base import Primitive
from lowering.support.target import ALIGNMENT


@dataclass(frozen=True)
class Separate(Primitive):
    """Reduce along some loops first, to memory of its own that the others then reduce.

        linalg.generic {(d0, d1, d2)} ins(%x[%y + d1, d0 + d2]) -> max outs(%out[d0])
    ->  with separate(d1)
        linalg.generic {(d3, d1)} ins(%x[%y + d1, d3]) -> max outs(%row[d3])
        linalg.generic {(d0, d2)} ins(%row[d0 + d2]) -> max outs(%out[d0])

    A window of 3 x 3 thus takes 3 + 3 elements instead of 9. If several loops walk a dimension, a new one,
    with the next number, walks it in the first part; parallel loops that share a dimension with reduced
    ones stay around it there. Later steps direct how loops are written out in each part that has them.

    An operand whose padding has been fused by fuse_producer is read unpadded: iterations that reduce
    padding are left out, and neutral elements surround the row.

    Refused: loops that do not reduce, a body that is more than one sum, greatest or least of terms of one
    operand, or depends on an index; tiles of dimensions that stay, operands that have been copied.
    """

    NAME: ClassVar = "separate"

    loops: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.NAME}({', '.join(self.loops)})"

    def apply(self, kernel: Kernel) -> None:
        loops = frozenset(self.loop(kernel, name) for name in self.loops)
        leaves = self.unwritten(kernel)
        found = [self._found(kernel, leaf, loops) for leaf in leaves]
        first = kernel.count
        for leaf, own in zip(leaves, found):
            _Parts(kernel, leaf, own, loops, first).build()

    def _found(self, kernel: Kernel, leaf: Leaf, loops: frozenset[int]) -> Separable:
        """Return the body of a leaf. Raises `RelaxError` if its loops are not separable."""
        stage = leaf.stage
        assert stage.body is not None
        found = find(stage.body.block, stage.inputs)
        if found is None:
            raise self.refused(
                kernel,
                "expected one sum, greatest or least of terms of one operand, found another body; leave it "
                "out",
            )
        start = leaf.stages[0].accesses[0].value if leaf.main == 1 else None
        if start is None or leaf.stages[0].body or not found.begins_with_identity(start):
            raise self.refused(
                kernel,
                "expected a result that begins with what changes nothing, found another beginning; leave "
                "it out",
            )
        self._check(kernel, leaf, found, loops)
        return found

    def _check(self, kernel: Kernel, leaf: Leaf, found: Separable, loops: frozenset[int]) -> None:
        """Raises `RelaxError` if the loops may not be reduced first."""
        if not loops or not loops <= leaf.reductions():
            raise self.refused(
                kernel,
                f"expected loops that reduce, found {', '.join(self.loops) or 'none'}; name such ones",
            )
        access = leaf.stage.accesses[found.number]
        if access.lead or access.origin or access.map is None:
            raise self.refused(
                kernel, "expected an operand in place, found it computed or copied; put this before"
            )
        for d, expr in enumerate(access.map.results):
            own = expr.used_dims() - leaf.single
            tiled = [] if own & loops else sorted(own & leaf.rooms.keys())
            if tiled:
                raise self.refused(
                    kernel, f"expected whole loops, found tiles of d{tiled[0]}; put them after, or leave "
                    "them out"
                )  # fmt: skip
            extent = kernel.size(access.value, d, leaf.start)
            border = access.border
            if border is None or not is_padded(border, d, extent):
                continue
            counts = found.keeps_identities and found.begins_with_identity(border.filler)
            if not counts or not own or len(own & loops) > 1:
                raise self.refused(
                    kernel,
                    "expected padding that changes nothing, along dimensions that one loop walks, found "
                    f"another along {d}; leave fuse_producer out",
                )


class _Parts:
    """The replacement of a leaf by two."""

    def __init__(
        self, kernel: Kernel, leaf: Leaf, found: Separable, loops: frozenset[int], first: int
    ):
        self.kernel, self.leaf, self.found, self.loops = kernel, leaf, found, loops
        self.access = leaf.stage.accesses[found.number]
        self.out = leaf.stage.outputs[0]
        self.next = first
        """The number of the next new loop."""

    def build(self) -> None:
        kernel, access = self.kernel, self.access
        kernel.lift(self.leaf)
        whole, leaf = self.leaf, apart(kernel, self.leaf)
        self.leaf = self.inside = leaf
        self.outside = kernel.mark(leaf.start)
        assert access.map is not None
        border, results = access.border, access.map.results
        live = [expr.used_dims() - leaf.single for expr in results]
        shared = sorted(frozenset().union(*(own for own in live if own & self.loops)) - self.loops)
        for d in shared:
            (self.inside,) = places(kernel, self.inside, d, Tiling(1))
        read, written = list[AffineExpr](), list[AffineExpr](map(AffineDimExpr, shared))
        kept: list[AffineExpr] = [*written]
        sizes = [leaf.room(d) for d in shared]
        for d, (expr, own) in enumerate(zip(results, live)):
            before = 0 if border is None else border.before[d]
            extent = kernel.size(access.value, d, leaf.start)
            if own and not own & self.loops:
                loop = AffineDimExpr(self._loop(expr, extent, border, d))
                read.append(loop)
                written.append(loop + before if before else loop)
                kept.append(expr)
                sizes.append(extent if border is None else border.extents[d])
                continue
            read.append(expr + -before if before else expr)
            if own and border is not None and is_padded(border, d, extent):
                self._clip(expr, before, extent)
        if shared and sizes:
            sizes[-1] = self._aligned(sizes[-1])
        rows, _ = room(kernel, self.out.value, sizes, self.outside, kernel.end, "rows")
        start = leaf.stages[0].accesses[0]
        if border is not None:
            Inserter(before=self.outside).place(linalg.FillOp([start.value], [rows], []))
        count, origin = max(kernel.count, self.next), {d: leaf.offsets[d] for d in shared}
        kernel.count = count
        source = replace(access, map=AffineMap(count, 0, tuple(read)), border=None)
        target = TiledOperand(rows, AffineMap(count, 0, tuple(written)), origin)
        again = TiledOperand(rows, AffineMap(count, 0, tuple(kept)), origin)
        kernel.replace(whole, [self._first(start, source, target), self._second(again)])

    def _loop(self, expr: AffineExpr, extent: Term, border: Border | None, dimension: int) -> int:
        """Return the loop that walks a dimension that is kept, in the first part: its own, or a new one."""
        is_whole = border is None or not is_padded(border, dimension, extent)
        if isinstance(expr, AffineDimExpr) and is_whole:
            return expr.position
        d, self.next = self.next, self.next + 1
        self.kernel.extents = {**self.kernel.extents, d: extent}
        self._walk(d, 0, extent)
        return d

    def _aligned(self, size: Term) -> Term:
        """Pad a size so that every row is aligned for vectors."""
        assert isinstance(self.out.value.type, MemRefType)
        bits = self.out.value.type.element_type.bitwidth  # pyright: ignore
        write, step = self.kernel.writer(self.outside), max(ALIGNMENT * 8 // bits, 1)
        return write.times(write.ceil_quotient(size, step), step)

    def _walk(self, d: int, start: Term, size: Term) -> None:
        """Make the first part walk a loop from some iteration on."""
        own = self.inside
        sizes = {**own.sizes, d: size}
        self.inside = replace(own, offsets={**own.offsets, d: start}, sizes=sizes, ops=[])

    def _clip(self, expr: AffineExpr, before: int, extent: Term) -> None:
        """Leave the iterations of a loop out that read padding."""
        leaf, write = self.inside, self.kernel.writer(self.inside.before)
        loops, constant = linear(expr)
        (d,) = self.loops.intersection(loops)
        first: Term = constant - before
        for e, factor in loops.items():
            if e != d:
                first = write.plus(first, write.times(leaf.offsets[e], factor))

        def iterations(distance: Term) -> Term:
            return write.ceil_quotient(write.larger(distance, 0), loops[d])

        start = iterations(write.minus(0, first))
        end = write.smaller(iterations(write.minus(extent, first)), leaf.sizes[d])
        self._walk(d, start, write.larger(write.minus(end, start), 0))

    def _first(self, start: TiledOperand, source: TiledOperand, target: TiledOperand) -> Leaf:
        """Return the leaf that reduces to the rows, its loops in the order in which these lie in memory."""
        assert source.map is not None and target.map is not None
        rows = [d for expr in target.map.results for d in sorted(expr.used_dims())]
        loops = [*rows, *sorted(source.map.used_dims() - {*rows})]
        kinds = [REDUCTION if d in self.loops else PARALLEL for d in loops]
        fill = TiledStage(None, sorted(target.map.used_dims()), (), (start, target), 1)
        main = TiledStage(self.found.first(), loops, kinds, (source, target), 1)
        return replace(self.inside, stages=(fill, main), main=1, ops=[])

    def _second(self, source: TiledOperand) -> Leaf:
        """Return the leaf that reduces the row."""
        leaf, own = self.leaf, self.leaf.stage
        kinds = {d: kind for d, kind in zip(own.loops, own.kinds) if d not in self.loops}
        main = TiledStage(self.found.second(), [*kinds], [*kinds.values()], (source, self.out), 1)
        stages = (*leaf.stages[: leaf.main], main, *leaf.stages[leaf.main + 1 :])
        return replace(leaf, stages=stages, ops=[])
