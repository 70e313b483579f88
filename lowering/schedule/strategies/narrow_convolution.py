"""The schedule of convolutions of few filters, depthwise ones among them: vectors of neighbouring pixels.

fuse_epilogue()
fuse_producer(in0)               // the padding
tile(d0, 1)
tile(d1, 1)
strip(d2, d3, 4608, high=4, wide=16, whole=true)     // rows that are near in the cache
cache_read(in0, align=16)        // with the padding around them, and whole vectors in each row
cache_write(d2, d3)
tile(d2, 4)
pad(d2)
pad(d3)
unroll_and_jam(d2)
unroll_and_jam(d4)
unroll_and_jam(d5)
align_loads(in0, d3)
vectorize(d3, 16)
outline(convolve_rows)

A vector of the image is read once for all filters, rows of the result, and taps of a filter that use a part
of it. With more filters, vectors of filters are better: see `convolution`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.linalg import ops as linalg

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match import convolution
from lowering.schedule.match.convolution import Convolution, is_padded, step_of
from lowering.schedule.primitives.align_loads import AlignLoads
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.cache_read import CacheRead
from lowering.schedule.primitives.cache_write import CacheWrite
from lowering.schedule.primitives.fuse_epilogue import FuseEpilogue
from lowering.schedule.primitives.fuse_producer import FuseProducer
from lowering.schedule.primitives.outline import Outline
from lowering.schedule.primitives.pad import Pad
from lowering.schedule.primitives.strip import Strip
from lowering.schedule.primitives.tile import Tile
from lowering.schedule.primitives.unroll_and_jam import UnrollAndJam
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.support.target import Cpu

MOST_FILTERS = 8
"""More filters of a group fill enough of a vector."""

MOST_PLACES = 49
"""Larger filters are not written out in a function."""

MOST_STEPS = 2
"""The columns of windows that are further apart are not sorted."""

MOST_WRITTEN = 400
"""The most products that are unrolled in a function, except for one row of a filter."""


@dataclass(frozen=True)
class RowSizes:
    """The tile sizes of a convolution of few filters."""

    rows: int
    """The number of rows of the result that are computed together."""
    lanes: int
    strip: int
    """About how many elements the rows of a strip have, before and after."""


def row_sizes(cpu: Cpu, bits: int, filters: int = 1, channels: int = 1) -> RowSizes:
    """Return the tile of a CPU: half of the registers hold sums, most of the first cache a strip, or half
    of the second one strips of many channels."""
    rows = max(1, min(4, cpu.registers // 2 // filters))
    strip = cpu.l1 * 6 // bits if channels == 1 else cpu.l2 * 4 // bits
    return RowSizes(rows, cpu.lanes(bits), strip)


@dataclass(frozen=True)
class Narrow:
    """A convolution of few filters, with contiguous pixels in a row."""

    found: Convolution
    windows: Sequence[int]
    """The loops over the taps of a filter."""

    @property
    def step(self) -> int:
        """The distance in the image of neighbouring pixels of the result."""
        return step_of(self.found.map.results[-1], self.found.positions[-1])

    @property
    def filters(self) -> int:
        """The number of filters."""
        return 1 if self.found.filter is None else self.found.extent(self.found.filter)


def find(op: linalg.GenericOp) -> Narrow | None:
    """Return the convolution of few filters that an op is."""
    found = convolution.find(op)
    if found is None or found.element.bitwidth < 32:
        return None
    windows = [loop for own in found.windows for loop in own]
    iterations = [*map(found.iterations, (*windows, *found.channels))]
    width, places = found.positions[-1], iterations[: len(windows)]
    narrow = Narrow(found, windows)
    if (
        len(windows) != len(found.positions)
        or len(found.channels) > 1
        or not (found.batch or found.positions[1:])
        or min(iterations) < 1
        or places[-1] > MOST_PLACES
        or not 1 <= narrow.filters <= MOST_FILTERS
        or found.loops[-1] != width
        or width not in found.map.results[-1].used_dims()
    ):
        return None
    return narrow if 1 <= narrow.step <= MOST_STEPS else None


def is_narrow(op: linalg.GenericOp) -> bool:
    """Return whether an op is a convolution of few filters."""
    return find(op) is not None


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Yield the schedule."""
    narrow = find(kernel.op)
    assert narrow is not None
    found, filters = narrow.found, narrow.filters
    channels = prod(map(found.iterations, found.channels))
    tiles = row_sizes(cpu, found.element.bitwidth, filters, channels)
    if found.epilogue:
        yield FuseEpilogue()
    if is_padded(found, kernel.memref_sizes):
        yield FuseProducer("in0")
    *outer, width = found.positions
    rows, alone = outer[-1:], [*found.batch, *found.phases, *outer[:-1]]
    around = rows or alone[-1:]
    yield from (Tile(f"d{d}", 1) for d in alone if d not in around)
    yield from _strip(narrow, tiles, around, filters, channels)
    yield CacheRead("in0", align=tiles.lanes * narrow.step)
    yield CacheWrite(tuple(f"d{d}" for d in found.loops if d not in alone))
    for d in rows:
        yield Tile(f"d{d}", _rows(found, tiles, d))
        yield Pad(f"d{d}")
    yield Pad(f"d{width}")
    yield from (Tile(f"d{d}", 1) for d in found.channels if channels == 1)
    at_once = filters * tiles.rows * prod(map(found.iterations, narrow.windows))
    written = narrow.windows if at_once <= MOST_WRITTEN else narrow.windows[-1:]
    jammed = (*rows, *([] if found.filter is None else [found.filter]), *written)
    yield from (UnrollAndJam(f"d{d}") for d in jammed)
    yield AlignLoads("in0", f"d{width}")
    yield Vectorize(f"d{width}", tiles.lanes)
    yield Outline("convolve_rows")


def _strip(
    narrow: Narrow, tiles: RowSizes, around: Sequence[int], filters: int, channels: int
) -> Iterator[Primitive]:
    """Strips of as many whole rows as the nearest cache holds; images without rows one at a time."""
    found = narrow.found
    (d,), (*rows, width) = around, found.positions
    high, size = 1, 1
    if rows:
        high = _rows(found, tiles, d)
        (expr,) = (expr for expr in found.map.results if d in expr.used_dims())
        before = channels * step_of(expr, d) * narrow.step
        room = filters + before
        if before > channels == 1:  # many rows for one: their source rows need capacity, too
            room *= 2
        size = max(tiles.strip // room, 1)
    yield Strip(f"d{d}", f"d{width}", size, high=high, wide=tiles.lanes, whole=True)
    if not rows:
        yield Tile(f"d{d}", 1)


def _rows(found: Convolution, tiles: RowSizes, d: int) -> int:
    """Return the number of rows of a tile, at most the height of the result."""
    height = found.extent(d)
    return min(tiles.rows, height) if height > 0 else tiles.rows
