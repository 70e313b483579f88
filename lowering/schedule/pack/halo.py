"""The part of an operand that a tile reads, copied in its own layout, with the border of the operand.

    %local: memref<64x8x58xf32> of 64 channels of 56 x 56, from row -1 on, with zeros to the left and right
->
    linalg.fill outs(%local[0, 0, 0] [64, 8, 1]) ...                     // to the left and right, once
    linalg.fill outs(%local[0, 0, 0] [64, 1, 58])                        // above and below the image
    linalg.generic ins(%image[%n, 0, 0, 0] [1, 64, 7, 56]) outs(%local[0, 1, 1] [64, 7, 56])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from lowering.ir.index_writer import IndexWriter, Term
from lowering.ir.insertion import Inserter
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Border, Leaf, TiledOperand
from lowering.schedule.memrefs.subscripts import linear
from lowering.schedule.memrefs.tile_views import copy_by, window
from lowering.schedule.pack.packing import room, with_access, zero_of


@dataclass(frozen=True)
class _Reach:
    """The part that a tile reads along one dimension, and its position in the copy."""

    start: Term
    """The begin of the part of the operand that is copied."""
    size: Term
    before: Term
    """The number of filler elements before it."""
    after: Term
    """The number of filler elements after it."""
    room: Term
    """The size of the copy in elements."""
    kept: bool
    """Whether loops are left that walk it."""
    fixed: bool
    """Whether all tiles read the same."""


def cache_read(kernel: Kernel, leaf: Leaf, number: int, align: int = 1) -> None:
    """Make a leaf read a copy of its part of an operand, in rows that are multiples of `align`."""
    kernel.lift(leaf)
    access = leaf.stage.accesses[number]
    assert access.map is not None
    reaches = [_reach(kernel, leaf, access, d, align) for d in range(len(access.map.results))]
    sizes = [reach.room for reach in reaches if reach.kept]
    local, _ = room(kernel, access.value, sizes, leaf.start, kernel.end, "local")
    _copy(kernel, leaf, access, reaches, local)
    results = [
        expr + -linear(expr)[1] for expr, reach in zip(access.map.results, reaches) if reach.kept
    ]
    map_ = AffineMap(kernel.count, 0, tuple(results))
    origin = {d: leaf.offsets[d] for d in map_.used_dims()}
    filled = {d: leaf.room(d) for d in map_.used_dims()}
    copied = TiledOperand(local, map_, origin, filled=filled, aligned=align)
    kernel.replace(leaf, [with_access(leaf, number, copied)])


def padded_outside(kernel: Kernel, leaf: Leaf, access: TiledOperand) -> int | None:
    """Return a padded dimension of which a tile reads one element, if there is one."""
    for d, expr in enumerate(access.map.results if access.map is not None else ()):
        extent = kernel.size(access.value, d, leaf.start)
        is_one = leaf.single.issuperset(expr.used_dims())
        if is_one and access.border is not None and is_padded(access.border, d, extent):
            return d
    return None


def is_padded(border: Border, d: int, extent: Term) -> bool:
    """Return whether a dimension of `extent` elements may be padded."""
    return border.before[d] != 0 or border.extents[d] != extent


def _size(write: IndexWriter, loops: Mapping[int, int], size_of: Callable[[int], Term]) -> Term:
    """Return the number of elements that a sum of multiples of loops spans."""
    size: Term = 1
    for d, factor in loops.items():
        size = write.plus(size, write.times(write.minus(size_of(d), 1), factor))
    return size


def _reach(kernel: Kernel, leaf: Leaf, access: TiledOperand, d: int, align: int) -> _Reach:
    """Return the part that a tile reads along one dimension."""
    assert access.map is not None
    loops, constant = linear(access.map.results[d])
    kept = any(loop not in leaf.single for loop in loops)
    fixed = all(leaf.offsets[o] == 0 and leaf.sizes[o] == kernel.extents[o] for o in loops)
    around = kernel.writer(leaf.start)
    write = around if fixed else kernel.writer(leaf.before)
    start: Term = constant
    for loop, factor in loops.items():
        start = write.plus(start, write.times(leaf.offsets[loop], factor))
    size = _size(write, loops, lambda loop: leaf.sizes[loop])
    is_row = align > 1 and d == len(access.map.results) - 1
    is_rest = is_row or any(map(leaf.is_rest, loops))
    own = _size(around, loops, leaf.room) if kept else 1
    if is_row:
        own = around.times(around.ceil_quotient(own, align), align)
    extent, border = kernel.size(access.value, d, leaf.start), access.border
    if border is None or not is_padded(border, d, extent):
        after = write.minus(own, size) if is_rest else 0
        return _Reach(start, size, 0, after, own, kept, fixed)
    first = write.minus(start, border.before[d])
    start = write.smaller(write.larger(first, 0), extent)
    before = write.smaller(write.larger(write.minus(0, first), 0), size)
    end = write.smaller(write.plus(first, size), extent)
    inside = write.larger(write.minus(end, start), 0)
    after = write.minus(own if is_rest else size, write.plus(before, inside))
    return _Reach(start, inside, before, after, own, kept, fixed)


def _copy(
    kernel: Kernel, leaf: Leaf, access: TiledOperand, reaches: Sequence[_Reach], local: SSAValue
) -> None:
    """Insert the copy and the fills of the rest: hoisted if they are the same for all tiles."""
    kept = [d for d, reach in enumerate(reaches) if reach.kept]

    def part(place: Operation, at: Sequence[Term], sizes: Sequence[Term]) -> SSAValue:
        write = kernel.writer(place)
        places = [write.value(at[d]) for d in kept]
        return window(Inserter(before=place), local, places, [sizes[d] for d in kept])

    before, inside = [reach.before for reach in reaches], [reach.size for reach in reaches]
    for d in kept:
        reach = reaches[d]
        place = leaf.start if reach.fixed else leaf.before
        end = kernel.writer(place).plus(reach.before, reach.size)
        for start, count in ((0, reach.before), (end, reach.after)):
            at, sizes = [*before], [*inside]
            for other, own in enumerate(reaches):
                if other > d or reach.fixed:
                    at[other], sizes[other] = 0, own.room
            at[d], sizes[d] = start, count
            if all(sizes[other] != 0 for other in kept):
                insert = Inserter(before=place)
                border = access.border
                filler = zero_of(kernel, local, insert) if border is None else border.filler
                insert.place(linalg.FillOp([filler], [part(place, at, sizes)], []))
    insert, write = Inserter(before=leaf.before), kernel.writer(leaf.before)
    starts = [write.value(reach.start) for reach in reaches]
    source = window(insert, access.value, starts, inside, kept)
    target = part(leaf.before, before, inside)
    insert.place(copy_by(AffineMap.identity(len(kept)), source, target))
