"""The schedule of convolutions to images of a few pixels, whose windows are larger: the gradients of
filters, and the small images at the end of a network.

fuse_epilogue()
fuse_producer(in0)               // the padding
tile(d0, 4, balanced=true)       // images, which are the channels where filters get their gradients
cache_read(in0)                  // what they see, with the padding around it
tile(d1, 32, multiple=16)
pack(in1, d1)
hoist(in1)
cache_write(d0, d2, d3, d1)
tile(d2, 1)
specialize(d0)
vectorize(d1, 16)
unroll_and_jam(d0)
unroll_and_jam(d3)
unroll_and_jam(d1)
outline(correlate)

A row of the result alone has too few positions to keep the multipliers busy: sums of several images stay in
registers together, and share the loads of the filters.
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
from lowering.schedule.primitives.outline import Outline
from lowering.schedule.primitives.pack import Pack
from lowering.schedule.primitives.pack_constant import PackConstant
from lowering.schedule.primitives.pad import Pad
from lowering.schedule.primitives.specialize import Specialize
from lowering.schedule.primitives.tile import Tile
from lowering.schedule.primitives.unroll_and_jam import UnrollAndJam
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.support.target import Cpu

MOST_PLACES = 121
"""The most positions of a result that is not tiled along its rows."""

FEWEST = 8
"""Fewer filters are vectors of pixels, or loops."""


def has_small_result(op: linalg.GenericOp) -> bool:
    """Return whether an op is a convolution whose windows have at least as many taps as its result has
    positions, of several images."""
    found = find(op)
    if found is None or found.element.bitwidth < 32 or found.filter is None or found.phases:
        return False
    places = [found.extent(d) for d in found.positions]
    taps = [found.iterations(d) for own in found.windows for d in own]
    is_small = min(places) > 0 and prod(places) <= MOST_PLACES
    return (
        is_small
        and (min(taps) < 0 or prod(taps) >= prod(places))
        and not 0 <= found.extent(found.filter) < FEWEST
        and _images(found) is not None
    )


def _images(found: Convolution) -> int | None:
    """Return the loop over images that share all filters."""
    _, filters, _ = (attribute.data for attribute in found.op.get_indexing_maps())
    weights = {d for expr in filters.results for d in expr.used_dims()}
    several = [d for d in found.batch if d not in weights and found.extent(d) != 1]
    return several[-1] if several else None


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Yield the schedule."""
    found = find(kernel.op)
    assert found is not None and found.filter is not None
    images, lanes = _images(found), cpu.lanes(found.element.bitwidth)
    assert images is not None
    *outer, last = found.positions
    width, filters, sums = found.extent(last), found.extent(found.filter), cpu.registers - 4
    vectors = kernel.choose("vectors", 1 if 0 < filters <= lanes else 2, (1, 2))
    wide = min(width, sums // vectors)
    rows = _rows(found.extent(images), sums // (vectors * wide))
    filter, row = f"d{found.filter}", f"d{images}"
    alone = [d for d in found.batch if d != images]
    is_tiled = bool(alone) or rows != found.extent(images)
    padded = is_tiled and is_padded(found, kernel.memref_sizes)
    if found.epilogue:
        yield FuseEpilogue()
    if padded:
        yield FuseProducer("in0")
    yield from (Tile(f"d{d}", 1) for d in alone)
    if rows != found.extent(images):
        yield Tile(row, rows, balanced=True)
    if padded:
        yield CacheRead("in0")
    yield Tile(filter, vectors * lanes, multiple=lanes)
    if kernel.is_constant(found.filters):
        yield PackConstant("in1", filter)
    else:
        yield Pack("in1", filter)
        yield Hoist("in1")
    several = [images] if rows > 1 else []
    if found.loops[-1] != found.filter:
        yield CacheWrite((*(f"d{d}" for d in (*several, *found.positions)), filter))
    all_at_once = vectors * wide * rows * prod(map(found.extent, outer)) <= sums
    if not all_at_once:
        yield from (Tile(f"d{d}", 1) for d in outer)
    if wide < width:
        yield Tile(f"d{last}", wide, balanced=True)
    if filters < 0 or filters % lanes:
        yield Pad(filter)
    varied = [*several, *([last] if wide < width else [])]
    yield from (Specialize(f"d{d}") for d in varied)
    yield Vectorize(filter, lanes)
    jammed = (*several, *(outer if all_at_once else ()), last)
    yield from (UnrollAndJam(f"d{d}") for d in jammed)
    yield UnrollAndJam(filter)
    yield Outline("correlate")


def _rows(images: int, most: int) -> int:
    """Return the number of images of a tile, in tiles that differ by one at most; 1 if some tile would have
    a single image."""
    rows = max(1, most)
    if images < 0:
        return rows
    tiles = -(-images // rows)
    return -(-images // tiles) if images // tiles > 1 else 1
