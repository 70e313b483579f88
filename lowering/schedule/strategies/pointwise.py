"""The schedule of a product with a constant left operand, as a 1x1 convolution has: vectors of filters.

fuse_epilogue()
collapse(d2, d3)
tile(d0, 1)
tile(d2, 384, balanced=true)     // pixels that go through all filters before the next ones do
tile(d1, 32, multiple=16)
pack_constant(in1, d1)
cache_write(d2, d1)              // adjacent filters, transposed into the result
tile(d2, 14, balanced=true)
specialize(d2)
vectorize(d1, 16)
unroll_and_jam(d2)
unroll_and_jam(d1)
split_accumulators(d3, 8)
outline(contract)

A `contraction` has vectors of columns, here pixels, and writes them in place. Filters fill vectors for
images of any size, 7 x 7 for example, and are read from panels that are laid out at compile time. This is
faster if the transposition is a small part of the work, or pixels fill vectors badly. An image beside large
weights is packed, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.contraction import Contraction, find
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.cache_write import CacheWrite
from lowering.schedule.primitives.fuse_epilogue import FuseEpilogue
from lowering.schedule.primitives.hoist import Hoist
from lowering.schedule.primitives.outline import Outline
from lowering.schedule.primitives.pack import Pack
from lowering.schedule.primitives.pack_constant import PackConstant
from lowering.schedule.primitives.pad import Pad
from lowering.schedule.primitives.specialize import Specialize
from lowering.schedule.primitives.split_accumulators import SplitAccumulators
from lowering.schedule.primitives.tile import Tile
from lowering.schedule.primitives.unroll_and_jam import UnrollAndJam
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.schedule.strategies import contraction
from lowering.schedule.strategies.pixel_sizes import PixelSizes, pixel_sizes
from lowering.support.target import Cpu

LEAST_DEPTH = 256
"""The number of products of a sum that amortise the transposition of the result."""

WELL_FILLED = 90
"""The percentage of their vectors that pixels fill well."""

LEAST_FILLED = 70
"""The same that filters must fill."""

PACK_WEIGHTS = 1 << 20
"""The number of weights, several MB, from which on an image is packed: they displace it from the caches."""


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Yield the schedule above, or that of a contraction."""
    yield from contraction.collapsed(kernel, find)
    found = contraction.found_in(kernel, find)
    if kernel.is_constant(found.left.value) and _has_filters(kernel, found, cpu):
        yield from _steps(kernel, found, pixel_sizes(cpu, found.element.bitwidth, kernel))
    else:
        yield from contraction.steps(kernel, cpu)


def _has_filters(kernel: Kernel, found: Contraction, cpu: Cpu) -> bool:
    """Return whether vectors are of filters."""
    is_better = is_worth_it(found, pixel_sizes(cpu, found.element.bitwidth))
    return kernel.choose("filters side by side", is_better, (True, False))


def is_worth_it(found: Contraction, tiles: PixelSizes) -> bool:
    """Return whether vectors of filters are expected to be faster than vectors of pixels."""
    filters, pixels, depth = map(found.extent, (found.row, found.column, found.depth))
    if not pixels or not _is_filled(filters, tiles.lanes, LEAST_FILLED):
        return False
    if pixels > 0 and filters * pixels * depth < contraction.LEAST_WORK:
        return False
    return depth >= LEAST_DEPTH or (pixels > 0 and not _is_filled(pixels, tiles.lanes, WELL_FILLED))


def _is_filled(extent: int, lanes: int, percentage: int) -> bool:
    """Return whether a loop fills so much of its vectors."""
    return extent * 100 >= -(-extent // lanes) * lanes * percentage


def _steps(kernel: Kernel, found: Contraction, tiles: PixelSizes) -> Iterator[Primitive]:
    filter, pixel, lanes = f"d{found.row}", f"d{found.column}", tiles.lanes
    filters, pixels = found.extent(found.row), found.extent(found.column)
    in_strips, in_tiles = (not 0 <= pixels <= size for size in (tiles.strip, tiles.pixels))
    is_packed = in_tiles and kernel.choose(
        "pack",
        pixels <= tiles.strip and filters * found.extent(found.depth) >= PACK_WEIGHTS,
        (True, False),
    )
    left, right = ("in1", "in0") if found.op.inputs[1] is found.left.value else ("in0", "in1")
    tile = (Tile(pixel, tiles.pixels, balanced=True),) if in_tiles else ()
    if found.epilogue:
        yield FuseEpilogue()
    yield from (Tile(f"d{d}", 1) for d in found.batch)
    if in_strips and not is_packed:
        yield Tile(pixel, tiles.strip, balanced=True)
    if is_packed:
        yield from (*tile, Pack(right, pixel), Hoist(right))
    yield Tile(filter, tiles.vectors * lanes, multiple=lanes)
    yield PackConstant(left, filter)
    yield CacheWrite((pixel, filter))
    if not is_packed:
        yield from tile
    if filters % lanes:
        yield Pad(filter)
    yield Specialize(pixel)
    yield Vectorize(filter, lanes)
    yield UnrollAndJam(pixel)
    yield UnrollAndJam(filter)
    yield SplitAccumulators(f"d{found.depth}", contraction.ACCUMULATORS)
    yield Outline("contract")
