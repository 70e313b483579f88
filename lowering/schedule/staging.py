"""Staging: the rows of an image that a strip sees, in a local buffer, with what stands around the image.

    %rows: memref<64x8x58xf32> of 64 channels of 56 x 56, from row -1 on, with zeros to the left and right
->
    linalg.fill outs(%rows[0, 0, 0] [64, 8, 1]) ...                      // once: to the left and right
    linalg.fill outs(%rows[0, 0, 0] [64, 1, 58])                         // above and below the image
    linalg.generic ins(%image[%n, 0, 0, 0] [1, 64, 7, 56]) outs(%rows[0, 1, 1] [64, 7, 56])

A padded image is staged from the image itself, and its padded copy is never made.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import behind_views
from lowering.schedule.convolution import Convolution
from lowering.schedule.padding import Padding, padding_of
from lowering.schedule.sizes import least, minus, most, plus
from lowering.schedule.views import Size, allocate, copy_by, window


@dataclass(frozen=True)
class Staged:
    """A buffer of channels, rows and columns."""

    image: SSAValue
    """Of images, channels, rows and columns."""
    height: Size
    width: Size
    before: tuple[int, int]
    """How many rows and columns of the filler stand before the image."""
    channels: Size
    rows: Size
    columns: Size
    buffer: SSAValue
    filler: SSAValue

    def columns_read(self, insert: Inserter) -> Size:
        """How many columns of the image the buffer has room for."""
        room = minus(insert, self.columns, self.before[1])
        return least(insert, self.width, most(insert, room, 0))


def padding_before(found: Convolution) -> Padding | None:
    """The padding that makes the image of a convolution, if the epilogue does not write to its source."""
    padding = padding_of(found.op, found.image)
    if padding is None:
        return None
    written = {behind_views(value) for op in found.epilogue for value in op.outputs}
    return None if behind_views(padding.source) in written else padding


def stage(
    insert: Inserter,
    image: SSAValue,
    extents: tuple[Size, Size],
    before: tuple[int, int],
    sizes: tuple[Size, Size, Size],
    filler: SSAValue,
) -> Staged:
    """The buffer of so many channels, rows and columns, filled to the left and the right of the image."""
    channels, rows, columns = sizes
    buffer = allocate(insert, filler.type, sizes, "rows")
    staged = Staged(image, *extents, before, *sizes, buffer, filler)
    left = least(insert, before[1], columns)
    end = plus(insert, left, staged.columns_read(insert))
    for start, wide in ((0, left), (end, minus(insert, columns, end))):
        if wide != 0:
            _fill(insert, staged, [0, 0, start], [channels, rows, wide])
    return staged


def _fill(insert: Inserter, staged: Staged, at: list[Size], sizes: list[Size]) -> None:
    view = window(insert, staged.buffer, at, sizes)
    insert.place(linalg.FillOp([staged.filler], [view], []))


def read_rows(insert: Inserter, staged: Staged, at: tuple[Size, Size], first: Size) -> None:
    """Fill the buffer with the rows from `first` on, counted with those before the image.

    `at`: which image, and its first channel.
    """
    top = minus(insert, first, staged.before[0])
    start = least(insert, most(insert, top, 0), staged.height)
    end = most(insert, least(insert, plus(insert, top, staged.rows), staged.height), start)
    count = minus(insert, end, start)
    above = least(insert, most(insert, minus(insert, start, top), 0), staged.rows)
    below = plus(insert, above, count)
    for place, high in ((0, above), (below, minus(insert, staged.rows, below))):
        if high != 0:
            _fill(insert, staged, [0, place, 0], [staged.channels, high, staged.columns])
    left, wide = least(insert, staged.before[1], staged.columns), staged.columns_read(insert)
    sizes = [staged.channels, count, wide]
    source = window(insert, staged.image, [*at, start, 0], [1, *sizes], [1, 2, 3])
    target = window(insert, staged.buffer, [0, above, left], sizes)
    insert.place(copy_by(AffineMap.identity(3), source, target))
