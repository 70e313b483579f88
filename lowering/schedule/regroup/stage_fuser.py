"""Stages with common loops become one nest of loops, over tiles of the innermost common loop.

    linalg.generic {(i, j) -> (i)} ins(%x : memref<1000x1000xf32>) outs(%m : memref<1000xf32>)
    linalg.generic {(i, j), (i)} ins(%x, %m) outs(%p : memref<1000x1000xf32>)
    linalg.generic {(i, j), ...} ins(%p, ...) outs(%out)
->
    %m = memref.alloca() : memref<8xf32>
    %p = memref.alloca() : memref<8x1000xf32>
    scf.for %t = %c0 to %c1000 step %c8 {
      linalg.generic {(i, j) -> (i)} ins(%x[%t, 0] [8, 1000]) outs(%m)
      linalg.generic {(i, j), (i)} ins(%x[%t, 0] [8, 1000], %m) outs(%p)
      linalg.generic {(i, j), ...} ins(%p, ...) outs(%out[%t, 0] [8, 1000])
    }

Fusion of MLIR's and Halide's kind (`compute_at`), where no element is computed twice. Loops around the
innermost have a step of one. If the tiles do not divide the rows the last one is smaller. A buffer without
other uses shrinks to the size that one iteration of all loops needs; others are read and written through
views.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from lowering.ir.insertion import Inserter, OpenLoop, open_loop
from lowering.ir.memref_sizes import MemrefSizes
from lowering.schedule.match.row_groups import RowGroup, Stage, StageAccess, accesses
from lowering.schedule.match.tile_sizes import places
from lowering.schedule.memrefs.tile_views import Size, allocate, index, size, window
from relax_dialect.ir.walk import walk_ops


@dataclass
class _Buffer:
    """A buffer of the group: its allocation and deallocation, and the loop of each dimension."""

    alloc: memref.AllocOp | memref.AllocaOp
    frees: Sequence[Operation]
    common: list[int | None]
    """The number of the common loop that walks each dimension."""


class StageFuser:
    """Puts the stages of a group into one nest of loops."""

    def __init__(self, group: RowGroup, sizes: MemrefSizes):
        self.group, self.sizes = group, sizes
        self.first, self.last = group.stages[0], group.stages[-1]
        self.extents: list[Size] = [
            size(sizes.bound(places(group, number), before=self.first))
            for number in range(len(group.loops))
        ]
        """The trip counts of the common loops."""
        self.locals: dict[SSAValue, SSAValue] = {}
        self.views: dict[object, SSAValue] = {}

    def build(self, tile: Size, most: int) -> scf.ForOp:
        """Insert loops around the stages; return the outermost of them.

        The innermost loop has the step `tile`, at most `most`; 1 is no tile but a single row, without a
        dimension for it.
        """
        self.tile, self.most = tile, most
        self._free_later()
        insert = Inserter(before=self.last)
        buffers = self._own_buffers()
        zero, one = index(insert, 0), index(insert, 1)
        ends = [index(insert, extent) for extent in self.extents]
        steps = [*[one] * (len(ends) - 1), index(insert, tile) if self.is_tiled else one]
        loops: list[OpenLoop] = []
        for end, step in zip(ends, steps):
            name = "b" if step is one else "t"
            loops.append(open_loop(insert, zero, end, step, name, parallel=True))
            insert = loops[-1]
        self.counters = [loop.counter for loop in loops]
        self.insert, self.outermost = insert, loops[0].loop
        self.before_innermost = Inserter(before=loops[-1].loop)
        self.rows = self._rows()
        for buffer in buffers:
            self._shrink(buffer)
        parts = [self._parts(number, op) for number, op in enumerate(self.group.stages)]
        for number, part in enumerate(parts):
            self._move_inside(number, *part)
        for local in self.locals.values():
            insert.place(memref.DeallocOp.get(local))
        for loop in reversed(loops):
            loop.close()
        for buffer in buffers:
            for op in (*buffer.frees, buffer.alloc):
                op.detach()
                op.erase()
        return self.outermost

    # The loops

    @property
    def is_tiled(self) -> bool:
        return self.tile != 1

    def _rows(self) -> Size:
        """Return the number of rows of the tile: fewer at the end, unless tiles divide them."""
        extent = self.extents[-1]
        if isinstance(self.tile, int) and isinstance(extent, int) and extent % self.tile == 0:
            return self.tile
        left = self.insert(arith.SubiOp(index(self.insert, extent), self.counters[-1]))
        return self.insert(arith.MinSIOp(left, index(self.insert, self.tile)), "rows")

    def _free_later(self) -> None:
        """Move deallocations between the stages behind the last one."""
        block, after = self.last.parent, self.last
        assert block is not None
        op: Operation | None = self.first
        while op is not None and op is not self.last:
            following = op.next_op
            if isinstance(op, memref.DeallocOp):
                op.detach()
                block.insert_op_after(op, after)
                after = op
            op = following

    # Buffers

    def _own_buffers(self) -> list[_Buffer]:
        """Return the buffers allocated in this block that only these stages use."""
        found: list[_Buffer] = []
        seen: set[SSAValue] = set()
        for number, op in enumerate(self.group.stages):
            for access in accesses(op):
                if access.value in seen or not access.writes:
                    continue
                seen.add(access.value)
                alloc = access.value.owner
                if not isinstance(alloc, memref.AllocOp | memref.AllocaOp):
                    continue
                users = [use.operation for use in access.value.uses]
                frees = [user for user in users if isinstance(user, memref.DeallocOp)]
                others = {user for user in users if user not in frees}
                if alloc.parent is self.last.parent and others <= {*self.group.stages}:
                    found.append(_Buffer(alloc, frees, self._common(number, access)))
        return found

    def _common(self, number: int, access: StageAccess) -> list[int | None]:
        """Return the common loop of every dimension of a memref."""
        own = self.group.of(number)
        return [
            own.index(e.position) if isinstance(e, AffineDimExpr) and e.position in own else None
            for e in access.subscripts
        ]

    def _shrink(self, buffer: _Buffer) -> None:
        """Allocate the size that one iteration needs: the tile's rows, and no dimension for the loops
        around."""
        old, last = buffer.alloc.memref, len(self.extents) - 1
        assert isinstance(old.type, MemRefType)
        kept = [(d, c) for d, c in enumerate(buffer.common) if c is None or c == last]
        if not self.is_tiled:
            kept = [(d, c) for d, c in kept if c is None]
        # a number for each row is little, even for the most rows that a tile might have
        rows = self.most if isinstance(self.tile, SSAValue) and len(kept) == 1 else self.tile
        shape = [rows if c is not None else self._size(old, d) for d, c in kept]
        self.locals[old] = allocate(
            self.insert, old.type.element_type, shape, old.name_hint or "row"
        )

    # Stages

    def _parts(
        self, number: int, op: Stage
    ) -> tuple[list[SSAValue], list[AffineMapAttr], list[int]]:
        """Return the parts of its operands that a stage works on in one iteration, their maps, and its
        loops."""
        own = self.group.of(number)
        dropped = own[:-1] if self.is_tiled else own
        kept = [loop for loop in range(len(op.get_iterator_types())) if loop not in dropped]
        renumbered = {loop: AffineDimExpr(n) for n, loop in enumerate(kept)}
        operands: list[SSAValue] = []
        maps: list[AffineMapAttr] = []
        for value, map_ in zip((*op.inputs, *op.outputs), op.get_indexing_maps(), strict=True):
            results: Sequence[AffineExpr] = map_.data.results
            if isinstance(value.type, MemRefType):
                value, results = self._part(number, StageAccess(value, results, False))
            operands.append(value)
            moved = tuple(_renumber(expr, renumbered) for expr in results)
            maps.append(AffineMapAttr(AffineMap(len(kept), 0, moved)))
        return operands, maps, kept

    def _move_inside(
        self,
        number: int,
        operands: list[SSAValue],
        maps: list[AffineMapAttr],
        kept: Sequence[int],
    ) -> None:
        """Make a stage work on these parts, inside of the loops."""
        op = self.group.stages[number]
        op.detach()
        self.insert.place(op)
        op.operands = operands
        if isinstance(op, linalg.GenericOp):
            op.properties["indexing_maps"] = ArrayAttr(maps)
            op.properties["iterator_types"] = ArrayAttr(op.iterator_types.data[n] for n in kept)
            self._renumber_indices(op, self.group.of(number), kept)

    def _renumber_indices(
        self, op: linalg.GenericOp, own: Sequence[int], kept: Sequence[int]
    ) -> None:
        """Replace `linalg.index` of a common loop by that loop's induction variable."""
        for read in [o for o in walk_ops(op) if isinstance(o, linalg.IndexOp)]:
            loop = read.dim.value.data
            within = Inserter(before=read)
            if loop in kept:
                value = within(linalg.IndexOp(kept.index(loop)))
                if loop == own[-1]:
                    value = within(arith.AddiOp(value, self.counters[-1]))
            else:
                value = self.counters[own.index(loop)]
            read.result.replace_all_uses_with(value)
            read.detach()
            read.erase()

    def _part(self, number: int, access: StageAccess) -> tuple[SSAValue, list[AffineExpr]]:
        """Return the part of a memref that an iteration works on, and how it is subscripted."""
        own, last = self.group.of(number), len(self.extents) - 1
        local = self.locals.get(access.value)
        # accesses independent of the innermost loop are the same in all its iterations
        moves = any(own[last] in expr.used_dims() for expr in access.subscripts)
        insert = self.insert if moves else self.before_innermost
        source = access.value if local is None else local
        offsets: list[Size] = []
        sizes: list[Size] = []
        kept: list[int] = []
        results: list[AffineExpr] = []
        for d, expr in enumerate(access.subscripts):
            used = expr.used_dims()
            if not used & {*own}:
                offsets.append(0)
                sizes.append(self._size(access.value, d))
                kept.append(d)
                results.append(expr)
            elif self.is_tiled and expr == AffineDimExpr(own[last]):
                offsets.append(self.counters[last] if local is None else 0)
                sizes.append(self.rows)
                kept.append(d)
                results.append(expr)
            elif local is None:
                offsets.append(self._computed(insert, expr, own))
                sizes.append(1)
            # the local buffer has no such dimension
        if local is not None:
            kept = list(range(len(sizes)))
            if not self.is_tiled or last not in self._common(number, access):
                return local, results
        elif not kept and offsets:
            kept, results = [len(offsets) - 1], [AffineConstantExpr(0)]
        key = (source, *map(_key, offsets), *map(_key, sizes))
        if key not in self.views:
            self.views[key] = self._view(insert, source, offsets, sizes, kept)
        return self.views[key], results

    def _view(
        self,
        insert: Inserter,
        source: SSAValue,
        offsets: Sequence[Size],
        sizes: Sequence[Size],
        kept: Sequence[int],
    ) -> SSAValue:
        """Return the window, or the memref itself if the window is all of it."""
        assert isinstance(source.type, MemRefType)
        own = [self._size(source, d) for d in range(len(sizes))]
        if own == [*sizes] and all(o == 0 for o in offsets):
            return source
        return window(insert, source, offsets, sizes, kept)

    def _size(self, value: SSAValue, d: int) -> Size:
        return size(self.sizes.bound([(value, d)], before=self.outermost))

    def _computed(self, insert: Inserter, expr: AffineExpr, own: Sequence[int]) -> SSAValue:
        """Return the value of a subscript of common loops."""
        if isinstance(expr, AffineDimExpr):
            return self.counters[own.index(expr.position)]
        if isinstance(expr, AffineConstantExpr):
            return index(insert, expr.value)
        assert isinstance(expr, AffineBinaryOpExpr)
        lhs, rhs = (self._computed(insert, side, own) for side in (expr.lhs, expr.rhs))
        return insert(_OPS[expr.kind](lhs, rhs))


_OPS = {
    AffineBinaryOpKind.Add: arith.AddiOp,
    AffineBinaryOpKind.Mul: arith.MuliOp,
    AffineBinaryOpKind.FloorDiv: arith.FloorDivSIOp,
    AffineBinaryOpKind.CeilDiv: arith.CeilDivSIOp,
    AffineBinaryOpKind.Mod: arith.RemUIOp,
}


def _key(value: Size) -> object:
    return value if isinstance(value, int) else id(value)


def _renumber(expr: AffineExpr, renumbered: dict[int, AffineDimExpr]) -> AffineExpr:
    count = max(expr.used_dims(), default=-1) + 1
    return expr.replace_dims_and_symbols(
        [renumbered.get(d, AffineConstantExpr(0)) for d in range(count)], []
    )
