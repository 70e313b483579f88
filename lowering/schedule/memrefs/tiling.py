"""Pieces of a loop: how many of which size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lowering.ir.index_writer import IndexWriter, Term
from lowering.schedule.memrefs.panels import Panels


@dataclass(frozen=True)
class LoopTiles:
    """Tiles of one size along a loop, or of sizes that differ by one."""

    first: Term
    """The number of its first tile."""
    count: Term
    start: Term
    """The begin along the loop, relative to the begin of the loop outside."""
    size: Term
    room: Term
    """The size that a tile is filled up to, if it is padded."""
    wider: Term | None = None
    """The number of tiles at the front that are larger by one."""
    choices: Sequence[int] = ()
    """The possible sizes, if the size is known only at run time."""
    end: Term | None = None
    """The end of the loop, if the last tile may be smaller than the others."""
    shifted: bool = False
    """Whether tiles that would reach beyond the loop begin earlier."""


@dataclass(frozen=True)
class Tiling:
    """A loop in pieces of at most `size` iterations."""

    size: int
    balanced: bool = False
    multiple: int = 1
    shifted: bool = False

    def parts(self, write: IndexWriter, size: Term) -> Iterator[LoopTiles]:
        """Yield the pieces of a loop of `size` iterations."""
        if self.shifted:
            count = write.ceil_quotient(size, self.size)
            yield LoopTiles(0, count, 0, self.size, self.size, shifted=True)
            return
        is_even = self.balanced or self.multiple > 1
        if isinstance(size, int) and size and is_even:
            panels = Panels(size, self.size // self.multiple, self.multiple)
            for s in panels.segments():
                room = s.vectors * self.multiple
                yield LoopTiles(s.first, s.count, s.start, room if s.rest is None else s.rest, room)
            return
        if self.balanced and self.size > self.multiple == 1 and not isinstance(size, int):
            tiles = write.ceil_quotient(size, self.size)
            some = write.larger(tiles, 1)
            base, wider = write.unsigned_quotient(size, some), write.unsigned_remainder(size, some)
            yield LoopTiles(0, tiles, 0, base, self.size, wider, range(1, self.size + 1))
            return
        full = write.unsigned_quotient(size, self.size)
        yield LoopTiles(0, full, 0, self.size, self.size)
        left = write.remainder(size, self.size)
        if left != 0:
            start = write.minus(size, left)
            yield LoopTiles(full, 1, start, left, self.size, choices=range(1, self.size))

    def count(self, write: IndexWriter, size: Term) -> Term:
        """Return the number of pieces."""
        if isinstance(size, int) and self.multiple > 1:
            return Panels(size, self.size // self.multiple, self.multiple).count
        return write.ceil_quotient(size, self.size)


@dataclass(frozen=True)
class Strips:
    """A loop in pieces of a size that need not be known; the last one may be smaller."""

    size: Term
    room: Term | None = None
    """The size that whole pieces are filled up to, if that is larger."""

    def parts(self, write: IndexWriter, size: Term) -> Iterator[LoopTiles]:
        """Yield the pieces of a loop of `size` iterations, by one loop."""
        own = self.size
        if not isinstance(size, int) or not isinstance(own, int):
            end = None if own == 1 else size
            yield LoopTiles(0, write.ceil_quotient(size, own), 0, own, own, end=end)
        elif size <= own:
            yield LoopTiles(0, 1, 0, size, size if self.room is None else self.room)
        else:
            yield LoopTiles(0, -(-size // own), 0, own, own, end=size if size % own else None)
