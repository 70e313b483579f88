"""The insertion points of the pieces of a loop: loops over tiles, and branches for the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from lowering.ir.index_writer import IndexWriter, Term
from lowering.ir.insertion import Inserter, open_loop
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.kernels.tiled_group import Leaf
from lowering.schedule.memrefs.tiling import LoopTiles, Strips, Tiling


def places(kernel: Kernel, leaf: Leaf, d: int, tiling: Tiling | Strips) -> Iterator[Leaf]:
    """Yield a leaf for each piece of a loop, inserted before the given leaf's op."""
    for part in list(tiling.parts(kernel.writer(leaf.before), leaf.sizes[d])):
        yield _place(kernel, leaf, d, part)


def _place(kernel: Kernel, leaf: Leaf, d: int, part: LoopTiles) -> Leaf:
    write = kernel.writer(leaf.before)
    if part.count == 1:
        if not isinstance(part.size, int):  # the rest, if there is any
            leaf = branch(write, leaf, d, part.size)
        marked = replace(leaf, before=kernel.mark(leaf.before))
        return _at(kernel, marked, d, part, 0)
    zero, count, one = (write.value(term) for term in (0, part.count, 1))
    insert, is_parallel = Inserter(before=leaf.before), leaf.is_parallel(d)
    loop = open_loop(insert, zero, count, one, f"t{d}", parallel=is_parallel)
    loop.close()
    scopes = (*leaf.scopes, (loop.loop, d))
    inside = replace(leaf, before=_last(loop.loop.body.block), scopes=scopes)
    return _at(kernel, inside, d, part, loop.counter)


def _at(kernel: Kernel, leaf: Leaf, d: int, part: LoopTiles, iteration: Term) -> Leaf:
    """Return the tile of a number."""
    write = kernel.writer(leaf.before)
    start, size = write.plus(part.start, write.times(iteration, part.size)), part.size
    if part.wider is not None:
        is_wider = write.compared(iteration, "slt", part.wider)
        size = write.plus(size, write.chosen(is_wider, 1, 0))
        start = write.plus(start, write.smaller(iteration, part.wider))
    if part.end is not None:
        size = write.smaller(size, write.minus(part.end, start))
    offset = write.plus(leaf.offsets[d], start)
    if part.shifted and (d in leaf.rooms or not _is_multiple(kernel.extents[d], part.room)):
        offset = write.smaller(offset, write.minus(kernel.extents[d], part.room))
    for value, hint in ((offset, f"i{d}"), (size, f"n{d}")):
        if isinstance(value, SSAValue) and value.name_hint is None:
            value.name_hint = hint
    choices = {loop: own for loop, own in leaf.choices.items() if loop != d}
    if part.choices and not isinstance(size, int):
        choices[d] = part.choices
    return replace(
        leaf,
        offsets={**leaf.offsets, d: offset},
        sizes={**leaf.sizes, d: size},
        rooms={**leaf.rooms, d: part.room},
        numbers={**leaf.numbers, d: write.plus(part.first, iteration)},
        choices=choices,
        single=leaf.single | {d} if part.room == 1 else leaf.single,
        strips=[pair for pair in leaf.strips if d not in pair],
        ops=[],
    )


def _is_multiple(extent: Term, size: Term) -> bool:
    return isinstance(extent, int) and isinstance(size, int) and extent % size == 0


def branch(write: IndexWriter, leaf: Leaf, d: int, left: Term) -> Leaf:
    """Insert a branch that is taken if something is left over; return the leaf inside."""
    some = write.compared(left, "ne", 0)
    then = Block([scf.YieldOp()])
    branch = scf.IfOp(some, [], Region(then), Region(Block([scf.YieldOp()])))
    Inserter(before=leaf.before).place(branch)
    return replace(leaf, before=_last(then), scopes=(*leaf.scopes, (branch, d)))


def _last(block: Block) -> Operation:
    assert block.last_op is not None
    return block.last_op
