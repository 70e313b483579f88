"""The ops of a leaf, written into the program: each stage on views of its tile, the main one by its
directives.

%x_1 = memref.subview %x[%i0, 0] [8, 512] [1, 1]
%out_1 = memref.subview %out[%i0, %i1] [8, 48] [1, 1]
linalg.generic ins(%x_1, ...) outs(%out_1)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import AffineMapAttr, MemRefType, NoneAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from lowering.ir.index_writer import IndexWriter, Term
from lowering.ir.insertion import Inserter
from lowering.schedule.emit.outlining import write_out
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.nest import Directives, Nest, View
from lowering.schedule.kernels.tiled_group import Leaf, TiledOperand, TiledStage
from lowering.schedule.match.padding import erase_unread, write_out_padding
from lowering.schedule.memrefs.subscripts import linear
from lowering.schedule.memrefs.tile_views import window


def finish(kernel: Kernel) -> None:
    """Put the ops of all leaves into the program."""
    for leaf in kernel.leaves:
        if any(access.border for stage in leaf.stages for access in stage.accesses):
            raise kernel.refused(
                "one whose padding is fused, but not copied by cache_read or left out by separate"
            )
        if leaf.directives or not leaf.ops:
            kernel.lift(leaf)
            place(kernel, leaf)
    for room, copy in reversed(kernel.derived.items()):
        if all(use.operation in copy.ops for use in room.uses):
            for op in reversed(copy.ops):
                op.detach()
                op.erase(safe_erase=False)
    for value in kernel.operands:
        write_out_padding(value)
        erase_unread(value)
    for marker in kernel.markers:
        marker.detach()
        marker.erase()


def place(kernel: Kernel, leaf: Leaf) -> None:
    """Put the ops of a leaf into the program."""
    placing = _Placing(kernel, leaf)
    for number, stage in enumerate(leaf.stages):
        is_start = number == leaf.main - 1 and stage.start is not None
        if is_start and leaf.directives and leaf.reductions():
            continue  # the nest of the main op sees to it
        placing.stage(stage, is_main=number == leaf.main)


class _Placing:
    """Writes the ops of a leaf."""

    def __init__(self, kernel: Kernel, leaf: Leaf):
        self.kernel, self.leaf = kernel, leaf
        self.insert = _Recording(leaf)
        self.writer = IndexWriter(kernel.constants, self.insert.place)
        self.views: dict[object, View] = {}
        self.windows: dict[object, SSAValue] = {}

    def stage(self, stage: TiledStage, *, is_main: bool) -> None:
        """One op on views of its tile."""
        loops = [d for d in stage.loops if d not in self.leaf.single]
        is_nest = is_main and bool(self.leaf.directives)
        self.joined = {} if is_nest else self._joined(stage, loops)
        loops = [d for d in loops if d not in self.joined]
        views = [self.view_of(access, stage, loops) for access in stage.accesses]
        if stage.body is None:
            self.insert.place(linalg.FillOp([views[0].value], [views[1].value], []))
            return
        kinds = [kind for d, kind in zip(stage.loops, stage.kinds) if d in loops]
        crossed = frozenset(_crossed(loops, views))
        if is_nest:
            self._nest(stage, loops, views, kinds, self.leaf.directives)
            return
        if crossed:
            known = (d for d in crossed if isinstance(self._size(stage, d), int))
            self._nest(stage, loops, views, kinds, Directives(jammed=frozenset(known)))
            return
        values = [view.value for view in views]
        maps = [AffineMapAttr(view.map or AffineMap(len(loops), 0, ())) for view in views]
        self.insert.place(
            linalg.GenericOp(
                values[: stage.inputs], values[stage.inputs :], stage.body.clone(), maps, kinds
            )
        )

    def _nest(
        self,
        stage: TiledStage,
        loops: Sequence[int],
        views: list[View],
        kinds: Sequence[IteratorTypeAttr],
        directives: Directives,
    ) -> None:
        """The loops of an op, written out here or in a function."""
        assert stage.body is not None
        before = self.leaf.stages[self.leaf.main - 1] if self.leaf.main else None
        first = before if directives is self.leaf.directives else None
        if directives.intrinsic is not None:
            at_once = loops.index(directives.intrinsic[1])
            views = [_without_sums(view, at_once) for view in views]
        for number, d in directives.aligned.items():
            view = _without_sums(views[number], loops.index(d))
            views[number] = replace(view, aligned=stage.accesses[number].aligned)
        sizes = {d: self._size(stage, d) for d in loops}
        vectors = [(d, n) for d, n in directives.vectors.items() if d in sizes]
        nest = Nest(
            loops=loops,
            sizes=sizes,
            whole_vectors=frozenset(d for d, n in vectors if self.kernel.divides(n, sizes[d])),
            reductions=frozenset(d for d, k in zip(loops, kinds) if k.data.value != "parallel"),
            views=views,
            inputs=stage.inputs,
            body=stage.body.block,
            directives=directives,
            start=first.start if first is not None else None,
        )
        if first is not None and first.start is not None and not nest.keeps_sums:
            self.stage(first, is_main=False)
        kernel = self.kernel
        write_out(nest, self.insert, kernel.constants, kernel.functions, self.leaf.choices)

    def _size(self, stage: TiledStage, loop: int) -> Term:
        return self.leaf.room(loop) if loop in stage.filled else self.leaf.sizes[loop]

    def _joined(self, stage: TiledStage, loops: Sequence[int]) -> dict[int, int]:
        """Loops, each with the loop that absorbs it: their tile is contiguous in all operands."""
        found: dict[int, int] = {}
        for outer, inner in self.leaf.strips:
            walked = [a for a in stage.accesses if a.walks(outer) or a.walks(inner)]
            left = {*loops} - {*found, *found.values()}
            if {outer, inner} <= left and all(
                _neighbours(access, outer, inner) is not None for access in walked
            ):
                found[outer] = inner
        return found

    def view_of(self, access: TiledOperand, stage: TiledStage, loops: Sequence[int]) -> View:
        """Return the part of an operand that a tile works on, and its map over the loops that are left."""
        if access.map is None:
            return View(access.value, None)
        key = access.value, access.map, tuple(loops), stage.filled, *access.lead
        if key not in self.views:
            self.views[key] = self._view(access, stage, loops)
        return self.views[key]

    def _view(self, access: TiledOperand, stage: TiledStage, loops: Sequence[int]) -> View:
        assert access.map is not None
        widths: dict[int, tuple[int, Term]] = {}
        for outer, inner in self.joined.items():
            access = self._as_one(access, outer, inner, widths)
        assert access.map is not None
        if not widths and self._is_whole(access, stage, loops):
            sums = (d for d, expr in enumerate(access.map.results) if len(expr.used_dims()) > 1)
            return View(access.value, _renumbered(access.map, loops), frozenset(sums))
        write = self.writer
        offsets: list[Term] = [*access.lead]
        sizes: list[Term] = [1] * len(access.lead)
        kept: list[int] = []
        exprs: list[AffineExpr] = []
        for expr in access.map.results:
            coefficients, constant = linear(expr)
            offset: Term = constant
            size: Term = 1
            for d, factor in coefficients.items():
                at = self._start(access, d)
                whole = len(coefficients) == 1 and factor == 1
                if whole:
                    size = self._size(stage, d)
                if d in widths:
                    outer, width = widths[d]
                    at = write.plus(write.times(self._start(access, outer), width), at)
                    size = write.times(self._size(stage, outer), size)
                offset = write.plus(offset, write.times(at, factor))
                if whole:
                    continue
                reach = write.times(write.minus(self._size(stage, d), 1), factor)
                size = write.plus(size, reach)
            if expr is access.map.results[-1] and self._is_row(access):
                rows = write.ceil_quotient(size, access.aligned)
                size = write.times(rows, access.aligned)
            if any(d in loops for d in coefficients):
                kept.append(len(offsets))
                exprs.append(_over(expr, loops, constant))
            offsets.append(offset)
            sizes.append(size)
        key = access.value, *offsets, *sizes, *kept
        if key not in self.windows:
            at = [o if o == 0 else write.value(o) for o in offsets]
            self.windows[key] = window(self.insert, access.value, at, sizes, kept)
        value = self.windows[key]
        results = access.map.results
        sums = (n for n, d in enumerate(kept) if len(results[d - len(access.lead)].used_dims()) > 1)
        return View(value, AffineMap(len(loops), 0, tuple(exprs)), frozenset(sums))

    def _is_row(self, access: TiledOperand) -> bool:
        """Return whether an operand is read by whole vectors, up to the end of a row."""
        aligned = self.leaf.directives.aligned
        return any(self.leaf.stage.accesses[number] is access for number in aligned)

    def _start(self, access: TiledOperand, d: int) -> Term:
        """Return the begin of a tile along a loop, in the memory of an operand."""
        return self.writer.minus(self.leaf.offsets[d], access.origin.get(d, 0))

    def _as_one(
        self, access: TiledOperand, outer: int, inner: int, widths: dict[int, tuple[int, Term]]
    ) -> TiledOperand:
        """Return an operand with the dimensions of two loops as one, that of the inner one."""
        if not access.walks(inner):
            return access
        first = _neighbours(access, outer, inner)
        assert access.map is not None and first is not None
        results = (*access.map.results[:first], *access.map.results[first + 1 :])
        dimension, leaf = first + len(access.lead), self.leaf
        widths[inner] = outer, self.kernel.size(access.value, dimension + 1, leaf.start)
        value = self.kernel.joined(leaf, access.value, dimension)
        return replace(access, value=value, map=AffineMap(access.map.num_dims, 0, results))

    def _is_whole(self, access: TiledOperand, stage: TiledStage, loops: Sequence[int]) -> bool:
        """Return whether an operand is read or written whole, without a view."""
        assert access.map is not None
        whole = not access.lead and all(
            d in loops
            and self.leaf.offsets[d] == access.origin.get(d, 0)
            and (d in access.origin or self._size(stage, d) == self.kernel.extents[d])
            for d in access.map.used_dims()
        )
        assert isinstance(access.value.type, MemRefType)
        for expr, size in zip(access.map.results, access.value.type.get_shape()):
            # a panel, a tile in memory of its own, windows that do not reach the end
            if access.origin or [*linear(expr)[0].values()] != [1]:
                whole = whole and self._known_reach(stage, expr) == size
        return whole and all(expr.used_dims() for expr in access.map.results)

    def _known_reach(self, stage: TiledStage, expr: AffineExpr) -> int | None:
        """Return the number of elements that a subscript may span, or None if unknown."""
        sizes = [(self._size(stage, d), factor) for d, factor in linear(expr)[0].items()]
        known = [(size - 1) * factor for size, factor in sizes if isinstance(size, int)]
        return 1 + sum(known) if len(known) == len(sizes) else None


def _neighbours(access: TiledOperand, outer: int, inner: int) -> int | None:
    """Return the first of two dimensions of a memref in one piece that two loops walk, the inner one
    last."""
    t = access.value.type
    if access.map is None or not isinstance(t, MemRefType) or not isinstance(t.layout, NoneAttr):
        return None
    wanted = [AffineDimExpr(outer), AffineDimExpr(inner)]
    results = access.map.results
    places = [d for d in range(len(results) - 1) if [*results[d : d + 2]] == wanted]
    used = [loop for expr in results for loop in (outer, inner) if loop in expr.used_dims()]
    return places[0] if len(places) == 1 and len(used) == 2 else None


def _crossed(loops: Sequence[int], views: Sequence[View]) -> Iterator[int]:
    """Yield the loops that alone walk no dimension, so that linalg would not know how many iterations they
    have."""
    exprs = [expr for view in views if view.map is not None for expr in view.map.results]
    alone = {expr.position for expr in exprs if isinstance(expr, AffineDimExpr)}
    yield from (d for place, d in enumerate(loops) if place not in alone)


def _without_sums(view: View, at_once: int) -> View:
    """Return a view whose simultaneously read elements have its own strides."""
    results = () if view.map is None else view.map.results
    own = (d for d in view.sums if at_once not in results[d].used_dims())
    return replace(view, sums=frozenset(own))


class _Recording(Inserter):
    """An inserter of a leaf's ops, which the leaf records."""

    def __init__(self, leaf: Leaf):
        super().__init__(before=leaf.before)
        self.leaf = leaf

    def place(self, op: Operation) -> None:
        super().place(op)
        self.leaf.ops.append(op)


def _over(expr: AffineExpr, loops: Sequence[int], constant: int) -> AffineExpr:
    """Return a subscript over the loops that are left, from the beginning of the tile."""
    count = max(expr.used_dims(), default=-1) + 1
    dims = tuple(
        AffineDimExpr(loops.index(d)) if d in loops else AffineConstantExpr(0) for d in range(count)
    )
    moved = expr.compose(AffineMap(len(loops), 0, dims))
    return moved if constant == 0 else moved + (-constant)


def _renumbered(map_: AffineMap, loops: Sequence[int]) -> AffineMap:
    return AffineMap(len(loops), 0, tuple(_over(expr, loops, 0) for expr in map_.results))
