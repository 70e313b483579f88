"""The schedule of a convolution: strips of the image, panels of filters, tiles of neighbouring pixels.

fuse_epilogue()
fuse_producer(in0)               // the padding
tile(d0, 1)
strip(d2, d3, 384)               // some rows, or a part of a long one
cache_read(in0)                  // what a strip sees, with the padding around it
tile(d1, 32, multiple=16)
pack_constant(in1, d1)
cache_write(d2, d3, d1)          // adjacent filters, transposed into the result if they are apart
tile(d2, 1)
tile(d3, 14, balanced=true)
pad(d1)
specialize(d3)
vectorize(d1, 16)
unroll_and_jam(d3)
unroll_and_jam(d1)
unroll_and_jam(d5)               // with 16 registers
outline(convolve)

Neighbours in a vector are filters, so that images of any width fill their vectors. Windows overlap, and
none are copied: the image is read in place, or from the copy of a strip of a padded one. Filters that are
arguments are packed on each call (pack, hoist). The phases of a transposed convolution are loops over more
filters of the same positions, one by one inside a strip: `cache_write(d2, d3, d4, d5, d1)`, followed by
`tile(d3, 1)` and `tile(d5, 1)`, or `skip_zeros(in1, d3, d5)` if constant filters have fewer taps in some of
them.
Zhang, Franchetti and Low, "High Performance Zero-Memory Overhead Direct Convolutions" (2018).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.dialects.linalg import ops as linalg

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.convolution import Convolution, find, is_padded
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.cache_read import CacheRead
from lowering.schedule.primitives.cache_write import CacheWrite
from lowering.schedule.primitives.fuse_epilogue import FuseEpilogue
from lowering.schedule.primitives.fuse_producer import FuseProducer
from lowering.schedule.primitives.hoist import Hoist
from lowering.schedule.primitives.img2col import Img2col
from lowering.schedule.primitives.outline import Outline
from lowering.schedule.primitives.pack import Pack
from lowering.schedule.primitives.pack_constant import PackConstant
from lowering.schedule.primitives.pad import Pad
from lowering.schedule.primitives.skip_zeros import SkipZeros
from lowering.schedule.primitives.specialize import Specialize
from lowering.schedule.primitives.strip import Strip
from lowering.schedule.primitives.tile import Tile
from lowering.schedule.primitives.unroll_and_jam import UnrollAndJam
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.schedule.primitives.when import AtLeast, When
from lowering.schedule.strategies import pointwise
from lowering.schedule.strategies.pixel_sizes import PixelSizes, pixel_sizes
from lowering.support.target import Cpu


def is_convolution(op: linalg.GenericOp) -> bool:
    """Return whether an op is a convolution of numbers of at least 32 bits."""
    found = find(op)
    return found is not None and found.element.bitwidth >= 32


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Yield the schedule of a convolution: the one above, or that of a matrix product of filters and
    windows; without a loop over filters its taps are unrolled."""
    found = find(kernel.op)
    assert found is not None
    if 0 in map(found.extent, found.loops):
        return
    if found.filter is None:
        yield from places(found)
        return
    tiles = pixel_sizes(cpu, found.element.bitwidth, kernel)
    is_constant = kernel.is_constant(found.filters)
    is_product = found.is_pointwise or (is_constant and has_short_rows(found, tiles))
    is_product |= not is_worth_packing(found, tiles, is_constant=is_constant)
    if found.is_plain and kernel.choose("gather windows", is_product, (True, False)):
        yield Img2col(kernel.choose("gathered bytes", cpu.l2 // 2, (cpu.l2 // 8, cpu.l2 * 2)))
        yield from pointwise.steps(kernel, cpu)
        return
    # the few taps of phases do not amortise the common parts of neighbouring strips' copies
    in_strips = not found.phases and is_padded(found, kernel.memref_sizes)
    yield from ConvolutionSchedule(
        found,
        tiles,
        is_padded=in_strips,
        is_constant=is_constant,
        has_zeros=is_constant and has_zeros(found, kernel),
        most_jammed=kernel.choose("jammed products", MOST_JAMMED, (0, 4 * MOST_JAMMED)),
    ).steps()


def has_zeros(found: Convolution, kernel: Kernel) -> bool:
    """Return whether phases of constant filters lack taps that others have."""
    _, filters, _ = (attribute.data for attribute in found.op.get_indexing_maps())
    own = {*found.phases, *(d for window in found.windows for d in window)}
    others = tuple(n for n, expr in enumerate(filters.results) if own.isdisjoint(expr.used_dims()))
    arrays = kernel.packer.arrays(kernel.function, found.filters)
    return bool(found.phases) and not all(array.any(axis=others).all() for array in arrays)


class ConvolutionSchedule:
    """Chooses the steps for one convolution."""

    def __init__(
        self,
        found: Convolution,
        tiles: PixelSizes,
        *,
        is_padded: bool,
        is_constant: bool,
        has_zeros: bool,
        most_jammed: int,
    ):
        self.found, self.tiles, self.is_padded = found, tiles, is_padded
        self.is_constant, self.has_zeros = is_constant, has_zeros
        self.most_jammed = most_jammed
        self.positions = [f"d{d}" for d in found.positions]
        assert found.filter is not None, "a depthwise one is another kind"
        self.filters = found.extent(found.filter)
        self.filter = f"d{found.filter}"
        self.phases = [f"d{d}" for d in found.phases]
        self.strip = max(tiles.strip // prod(map(found.extent, found.phases)), tiles.pixels)
        self.is_turned = found.loops[-1] != found.filter
        """Whether filters do not follow each other in the result."""
        self.is_depthwise = found.filter in {d for e in found.map.results for d in e.used_dims()}
        """Whether filters have a channel each, which are copied in whole vectors then."""

    def steps(self) -> Iterator[Primitive]:
        """Yield the schedule."""
        if self.found.epilogue:
            yield FuseEpilogue()
        if self.is_padded:
            yield FuseProducer("in0")
        then = (*self._strips(), *self._tiles())
        if self.filters >= 0:
            yield from then
        else:
            few = *self._strips(), *places(self.found)
            yield When((AtLeast((self.filter,), FEWEST),), then, few)

    def _strips(self) -> Iterator[Primitive]:
        """Yield the parts of the image, and their input."""
        *outer, last = self.positions
        single = (d for d in self.found.channels if self.found.iterations(d) == 1)
        for loop in (*(f"d{d}" for d in (*self.found.batch, *single)), *outer[:-1]):
            yield Tile(loop, 1)
        if outer:
            yield Strip(outer[-1], last, self.strip)
        elif self._is_longer(self.strip):
            yield Tile(last, self.strip, balanced=True)
        if self.is_depthwise:
            yield self._panels()
        if self.is_padded or (self.is_depthwise and not self._is_even()):
            yield CacheRead("in0")

    def _panels(self) -> Primitive:
        lanes = self.tiles.lanes
        return Tile(self.filter, self.tiles.vectors * lanes, multiple=lanes)

    def _is_even(self) -> bool:
        """Return whether filters fill vectors."""
        return self.filters >= 0 and self.filters % self.tiles.lanes == 0

    def _tiles(self) -> Iterator[Primitive]:
        """Yield the loops of a strip, from the outermost one on."""
        tiles, (*outer, last) = self.tiles, self.positions
        if not self.is_depthwise:
            yield self._panels()
        if self.is_constant:
            yield PackConstant("in1", self.filter)
        else:
            yield Pack("in1", self.filter)
            yield Hoist("in1")
        if self.is_turned:
            yield CacheWrite((*self._side_by_side(), self.filter))
        if self.has_zeros:
            yield SkipZeros(("in1", *self.phases))
        for loop in (*(() if self.has_zeros else self.phases), *outer[-1:]):
            yield Tile(loop, 1)
        if self._is_longer(tiles.pixels):
            yield Tile(last, tiles.pixels, balanced=True)
        if not self._is_even():
            yield Pad(self.filter)
        yield Specialize(last)
        yield Vectorize(self.filter, tiles.lanes)
        yield UnrollAndJam(last)
        yield UnrollAndJam(self.filter)
        yield from self._taps()
        yield Outline("convolve")

    def _taps(self) -> Iterator[Primitive]:
        """Yield the taps of a column at once. Those of a row read pixels in common: compilers would keep
        them in registers, which hold sums."""
        at_once = self.tiles.pixels * self.tiles.vectors
        for own in self.found.windows[:-1][-1:]:
            if all(1 < at_once * self.found.iterations(d) <= self.most_jammed for d in own):
                yield from (UnrollAndJam(f"d{d}") for d in own)

    def _side_by_side(self) -> Iterator[str]:
        """Yield the positions of a strip with their phases, as the result has them."""
        rows = {*self.found.positions[:-2], *self.found.batch, self.found.filter}
        yield from (f"d{d}" for d in self.found.loops if d not in rows)

    def _is_longer(self, size: int) -> bool:
        """Return whether a row of the result may have more pixels than `size`."""
        width = self.found.extent(self.found.positions[-1])
        return width < 0 or width > size


FEWEST_SUMS = 9
"""The vectors of sums that the tiles of a row must have on average: two multiplications begin per cycle,
and take four."""

SHARING = 64
"""The number of filters that share the cost of gathering windows."""

MOST_GATHERED = 1 << 20
"""The most elements of all windows of an image whose rows are short: several MB."""

FEWEST = 4
"""The least number of filters, if unknown, for which vectors of filters are faster than vectors of
pixels."""

MOST_PLACES = 32
"""The most taps of a filter that are unrolled if there is no other schedule."""

MOST_JAMMED = 48
"""The most products of a tile that are unrolled: the innermost loop, over the few taps of a row, is long
enough then. Tiles in 32 registers are larger, and need no more."""

LEAST_FILLED = 70
"""The percentage of their vectors that filters must fill; fewer are faster as the rows of a matrix
product."""


PACK_PIXELS = 128
"""The number of pixels of the result that share the cost of filters laid out on each call."""


def places(found: Convolution) -> Iterator[Primitive]:
    """Yield all taps of a filter at once, or as many of the innermost ones as make sense."""
    count = 1
    for d in reversed([d for own in found.windows for d in own]):
        count *= found.iterations(d)
        if not 0 <= count <= MOST_PLACES:
            return
        yield UnrollAndJam(f"d{d}")


def has_short_rows(found: Convolution, tiles: PixelSizes) -> bool:
    """Return whether the rows of a small image fill tiles badly, unlike gathered windows, of which tiles
    have several rows."""
    assert found.filter is not None
    positions = [*map(found.extent, found.positions)]
    depth = [found.iterations(d) for d in sorted(found.reduced)]
    if min(positions) < 1 or found.extent(found.filter) < SHARING:
        return False
    sums, count = positions[-1] * tiles.vectors, -(-positions[-1] // tiles.pixels)
    return sums <= FEWEST_SUMS * count and prod(positions) * prod(depth) <= MOST_GATHERED


def is_worth_packing(found: Convolution, tiles: PixelSizes, *, is_constant: bool) -> bool:
    """Return whether few lanes of the vectors of filters stay empty, and enough pixels share the panels."""
    assert found.filter is not None
    filters, positions = found.extent(found.filter), [*map(found.extent, found.positions)]
    if filters < 0:
        return True
    lanes = -(-filters // tiles.lanes) * tiles.lanes
    is_small = min(positions) >= 0 and prod(positions) < PACK_PIXELS
    return filters * 100 >= lanes * LEAST_FILLED and (is_constant or not is_small)
