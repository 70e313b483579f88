"""The right operand of a contraction as panels: a few adjacent columns, one row after the other.

A panel is as wide as a tile, a few vectors; every tile of that column reads its rows one after the other.
Constant weights are laid out as panels at compile time, `[panels][depth][width]`, with zeros if the last
panel is wider than the remaining columns, so that no tile needs a mask (packing, in BLIS).

    %w: memref<512x500xf32>  ->  %w: memref<11x512x48xf32>
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Segment:
    """Panels of one width that follow each other."""

    first: int
    """The number of its first panel."""
    count: int
    start: int
    """The first column."""
    vectors: int
    """The width of a panel in vectors."""
    rest: int | None = None
    """The actual number of columns of its only panel, if they do not fill it."""


@dataclass(frozen=True)
class Panels:
    """Columns in panels of nearly equal width, of at most `vectors` vectors."""

    columns: int
    vectors: int
    lanes: int

    @property
    def count(self) -> int:
        return -(-self._all // self.vectors)

    @property
    def width(self) -> int:
        """The width of the widest panel in columns: the size of a panel in memory."""
        return -(-self._all // self.count) * self.lanes

    @property
    def _all(self) -> int:
        """The columns in vectors, the last one filled up."""
        return max(1, -(-self.columns // self.lanes))

    def segments(self) -> Iterator[Segment]:
        """Yield the wider panels, the others, and the last one alone if it is not filled."""
        narrow, wider = divmod(self._all, self.count)
        groups = [(0, wider, narrow + 1), (wider, self.count - wider, narrow)]
        start = 0
        for first, count, vectors in groups:
            width = vectors * self.lanes
            is_last = first + count == self.count
            left = self.columns - start - (count - 1) * width
            if count and is_last and left < width:
                if count > 1:
                    yield Segment(first, count - 1, start, vectors)
                yield Segment(self.count - 1, 1, start + (count - 1) * width, vectors, left)
            elif count:
                yield Segment(first, count, start, vectors)
            start += count * width

    def pack(self, weights: np.ndarray) -> np.ndarray:
        """`[depth, columns]` as `[panels, depth, width]`."""
        depth = weights.shape[0]
        packed = np.zeros((self.count, depth, self.width), weights.dtype)
        for segment in self.segments():
            for n in range(segment.count):
                width = segment.rest or segment.vectors * self.lanes
                start = segment.start + n * segment.vectors * self.lanes
                packed[segment.first + n, :, :width] = weights[:, start : start + width]
        return packed
