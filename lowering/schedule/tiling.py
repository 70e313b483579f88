"""Pieces of a loop: how many of which size, and the places where they are computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from lowering.ir.index_writer import Term, Writer
from lowering.ir.insertion import Inserter, open_loop
from lowering.schedule.kernel import Kernel, Leaf
from lowering.schedule.panels import Panels


@dataclass(frozen=True)
class Part:
    """Tiles of one size along a loop, or of sizes that differ by one."""

    first: Term
    """The number of its first tile."""
    count: Term
    start: Term
    """Where it begins along the loop, from where the loop stands outside."""
    size: Term
    room: Term
    """The size that a tile is filled up to, where that is asked for."""
    wider: Term | None = None
    """How many of the first tiles are larger by one."""
    choices: Sequence[int] = ()
    """The possible sizes, where the size is known at run time only."""
    end: Term | None = None
    """Where the loop ends, if the last tile may be smaller than the others."""
    shifted: bool = False
    """Whether tiles that would reach beyond the loop begin earlier."""


@dataclass(frozen=True)
class Tiling:
    """A loop in pieces of at most so many turns."""

    size: int
    balanced: bool = False
    multiple: int = 1
    shifted: bool = False

    def parts(self, write: Writer, size: Term) -> Iterator[Part]:
        """The pieces of so many turns."""
        if self.shifted:
            count = write.ceil_quotient(size, self.size)
            yield Part(0, count, 0, self.size, self.size, shifted=True)
            return
        is_even = self.balanced or self.multiple > 1
        if isinstance(size, int) and size and is_even:
            panels = Panels(size, self.size // self.multiple, self.multiple)
            for s in panels.segments():
                room = s.vectors * self.multiple
                yield Part(s.first, s.count, s.start, room if s.rest is None else s.rest, room)
            return
        if self.balanced and self.size > self.multiple == 1 and not isinstance(size, int):
            tiles = write.ceil_quotient(size, self.size)
            some = write.larger(tiles, 1)
            base, wider = write.unsigned_quotient(size, some), write.unsigned_remainder(size, some)
            yield Part(0, tiles, 0, base, self.size, wider, range(1, self.size + 1))
            return
        full = write.unsigned_quotient(size, self.size)
        yield Part(0, full, 0, self.size, self.size)
        left = write.remainder(size, self.size)
        if left != 0:
            start = write.minus(size, left)
            yield Part(full, 1, start, left, self.size, choices=range(1, self.size))

    def count(self, write: Writer, size: Term) -> Term:
        """How many pieces there are."""
        if isinstance(size, int) and self.multiple > 1:
            return Panels(size, self.size // self.multiple, self.multiple).count
        return write.ceil_quotient(size, self.size)


@dataclass(frozen=True)
class Strips:
    """A loop in pieces of a size that need not be known; the last one may be smaller."""

    size: Term
    room: Term | None = None
    """The size that whole pieces are filled up to, where that is more."""

    def parts(self, write: Writer, size: Term) -> Iterator[Part]:
        """The pieces of so many turns, by one loop."""
        own = self.size
        if not isinstance(size, int) or not isinstance(own, int):
            end = None if own == 1 else size
            yield Part(0, write.ceil_quotient(size, own), 0, own, own, end=end)
        elif size <= own:
            yield Part(0, 1, 0, size, size if self.room is None else self.room)
        else:
            yield Part(0, -(-size // own), 0, own, own, end=size if size % own else None)


def places(kernel: Kernel, leaf: Leaf, d: int, tiling: Tiling | Strips) -> Iterator[Leaf]:
    """The places of the pieces of a loop, in front of what a leaf stands in front of."""
    for part in list(tiling.parts(kernel.writer(leaf.before), leaf.sizes[d])):
        yield _place(kernel, leaf, d, part)


def _place(kernel: Kernel, leaf: Leaf, d: int, part: Part) -> Leaf:
    write = kernel.writer(leaf.before)
    if part.count == 1:
        if not isinstance(part.size, int):  # what is left over, if there is any
            leaf = branch(write, leaf, d, part.size)
        marked = replace(leaf, before=kernel.mark(leaf.before))
        return _at(kernel, marked, d, part, 0)
    zero, count, one = (write.value(term) for term in (0, part.count, 1))
    loop = open_loop(Inserter(before=leaf.before), zero, count, one, f"t{d}")
    loop.close()
    scopes = (*leaf.scopes, (loop.loop, d))
    inside = replace(leaf, before=_last(loop.loop.body.block), scopes=scopes)
    return _at(kernel, inside, d, part, loop.counter)


def _at(kernel: Kernel, leaf: Leaf, d: int, part: Part, turn: Term) -> Leaf:
    """The tile of a number."""
    write = kernel.writer(leaf.before)
    start, size = write.plus(part.start, write.times(turn, part.size)), part.size
    if part.wider is not None:
        is_wider = write.compared(turn, "slt", part.wider)
        size = write.plus(size, write.chosen(is_wider, 1, 0))
        start = write.plus(start, write.smaller(turn, part.wider))
    if part.end is not None:
        size = write.smaller(size, write.minus(part.end, start))
    offset = write.plus(leaf.offsets[d], start)
    if part.shifted and not _is_multiple(kernel.extents[d], part.room):
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
        numbers={**leaf.numbers, d: write.plus(part.first, turn)},
        choices=choices,
        single=leaf.single | {d} if part.room == 1 else leaf.single,
        strips=[pair for pair in leaf.strips if d not in pair],
        ops=[],
    )


def _is_multiple(extent: Term, size: Term) -> bool:
    return isinstance(extent, int) and isinstance(size, int) and extent % size == 0


def branch(write: Writer, leaf: Leaf, d: int, left: Term) -> Leaf:
    """A place that is reached where something is left over."""
    some = write.compared(left, "ne", 0)
    then = Block([scf.YieldOp()])
    branch = scf.IfOp(some, [], Region(then), Region(Block([scf.YieldOp()])))
    Inserter(before=leaf.before).place(branch)
    return replace(leaf, before=_last(then), scopes=(*leaf.scopes, (branch, d)))


def _last(block: Block) -> Operation:
    assert block.last_op is not None
    return block.last_op
