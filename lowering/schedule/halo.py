"""What a tile reads of an operand, copied as it lies there, with what stands around the operand.

    %local: memref<64x8x58xf32> of 64 channels of 56 x 56, from row -1 on, with zeros to the left and right
->
    linalg.fill outs(%local[0, 0, 0] [64, 1, 58])                        // above and below the image
    linalg.fill outs(%local[0, 1, 0] [64, 7, 1]) ...                     // to the left and right of it
    linalg.generic ins(%image[%n, 0, 0, 0] [1, 64, 7, 56]) outs(%local[0, 1, 1] [64, 7, 56])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from lowering.ir.index_writer import Term, Writer
from lowering.ir.insertion import Inserter
from lowering.schedule.kernel import Access, Border, Kernel, Leaf
from lowering.schedule.packing import room, with_access
from lowering.schedule.subscripts import linear
from lowering.schedule.views import copy_by, window


@dataclass(frozen=True)
class _Reach:
    """What a tile reads along one dimension: from where on, and how many elements."""

    start: Term
    size: Term
    kept: bool
    """Whether loops are left that walk it."""


def cache_read(kernel: Kernel, leaf: Leaf, number: int) -> None:
    """Let a leaf read a copy of what it reads of an operand."""
    kernel.lift(leaf)
    access = leaf.stage.accesses[number]
    assert access.map is not None
    around, here = kernel.writer(leaf.start), kernel.writer(leaf.before)
    loops = [linear(expr)[0] for expr in access.map.results]
    kept = [any(d not in leaf.single for d in own) for own in loops]
    sizes = [_size(around, own, leaf.room) for own, is_kept in zip(loops, kept) if is_kept]
    local, _ = room(kernel, access.value, sizes, leaf.start, kernel.end, "local")
    reaches = _reaches(here, leaf, access)
    _copy(kernel, leaf, access, reaches, local)
    results = [
        expr + -linear(expr)[1] if linear(expr)[1] else expr
        for expr, reach in zip(access.map.results, reaches)
        if reach.kept
    ]
    map_ = AffineMap(kernel.count, 0, tuple(results))
    copied = Access(local, map_, {d: leaf.offsets[d] for d in map_.used_dims()})
    kernel.replace(leaf, [with_access(leaf, number, copied)])


def padded_outside(kernel: Kernel, leaf: Leaf, access: Access) -> int | None:
    """A padded dimension of which a tile reads one element, if there is one."""
    for d, expr in enumerate(access.map.results if access.map is not None else ()):
        extent = kernel.size(access.value, d, leaf.start)
        is_one = leaf.single.issuperset(expr.used_dims())
        if is_one and access.border is not None and _is_padded(access.border, d, extent):
            return d
    return None


def _is_padded(border: Border, d: int, extent: Term) -> bool:
    """Whether a dimension of so many elements may be padded."""
    return border.before[d] != 0 or border.extents[d] != extent


def _size(write: Writer, loops: Mapping[int, int], size_of: Callable[[int], Term]) -> Term:
    """How many elements a sum of multiples of loops reaches over."""
    size: Term = 1
    for d, factor in loops.items():
        size = write.plus(size, write.times(write.minus(size_of(d), 1), factor))
    return size


def _reaches(write: Writer, leaf: Leaf, access: Access) -> Sequence[_Reach]:
    """What a tile reads along each dimension."""
    assert access.map is not None
    found: list[_Reach] = []
    for expr in access.map.results:
        loops, constant = linear(expr)
        start: Term = constant
        for d, factor in loops.items():
            start = write.plus(start, write.times(leaf.offsets[d], factor))
        size = _size(write, loops, lambda d: leaf.sizes[d])
        found.append(_Reach(start, size, any(d not in leaf.single for d in loops)))
    return found


def _copy(
    kernel: Kernel, leaf: Leaf, access: Access, reaches: Sequence[_Reach], local: SSAValue
) -> None:
    """Place the copy, and what fills the rest."""
    insert, write = Inserter(before=leaf.before), kernel.writer(leaf.before)
    starts: list[Term] = [reach.start for reach in reaches]
    inside: list[Term] = [reach.size for reach in reaches]
    before: list[Term] = [0] * len(reaches)
    border = access.border
    kept = [d for d, reach in enumerate(reaches) if reach.kept]
    fills: list[tuple[list[Term], list[Term]]] = []
    for d, reach in enumerate(reaches):
        extent = kernel.size(access.value, d, leaf.start)
        if border is None or not _is_padded(border, d, extent):
            continue
        first = write.minus(reach.start, border.before[d])
        starts[d] = write.smaller(write.larger(first, 0), extent)
        before[d] = write.smaller(write.larger(write.minus(0, first), 0), reach.size)
        end = write.smaller(write.plus(first, reach.size), extent)
        inside[d] = write.larger(write.minus(end, starts[d]), 0)
        after = write.plus(before[d], inside[d])
        rest = write.minus(reach.size, after)
        for place, count in ((0, before[d]), (after, rest)):
            at, sizes = [*before], [*inside]
            at[d], sizes[d] = place, count
            for later in range(d + 1, len(reaches)):
                at[later], sizes[later] = 0, reaches[later].size
            fills.append((at, sizes))

    def part(at: Sequence[Term], sizes: Sequence[Term]) -> SSAValue:
        places = [write.value(at[d]) for d in kept]
        return window(insert, local, places, [sizes[d] for d in kept])

    for at, sizes in fills:
        if all(sizes[d] != 0 for d in kept):
            assert border is not None
            insert.place(linalg.FillOp([border.filler], [part(at, sizes)], []))
    source = window(insert, access.value, [*map(write.value, starts)], inside, kept)
    target = part(before, inside)
    insert.place(copy_by(AffineMap.identity(len(kept)), source, target))
