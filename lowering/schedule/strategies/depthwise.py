"""The schedule of a depthwise convolution, of one filter for each channel: vectors of neighbouring pixels.

fuse_epilogue()
fuse_producer(in0)               // the padding
tile(d0, 1)
tile(d1, 1)
strip(d2, d3, 4608, high=4, wide=16, whole=true)     // rows of a channel, in the first cache
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
outline(depthwise)

A vector of the image is read once for all rows of the result, and for all places of the filter, that see a
part of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.dialects.linalg import ops as linalg

from lowering.schedule.contraction import epilogue_of, multiplies_and_adds, walked, zeros_before
from lowering.schedule.convolution import Convolution, is_padded, loops_in, step_of
from lowering.schedule.kernel import Kernel
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
from lowering.target import Cpu

MOST_PLACES = 49
"""Larger filters are not written out in a function."""

MOST_STEPS = 2
"""The columns of windows that are further apart are not sorted."""


@dataclass(frozen=True)
class RowSizes:
    """How a depthwise convolution is cut."""

    rows: int
    """How many rows of the result are computed together."""
    lanes: int
    strip: int
    """About how many elements the rows of a strip have, before and after."""


def row_sizes(cpu: Cpu, bits: int) -> RowSizes:
    """The tile of a CPU: most of the first cache holds a strip."""
    return RowSizes(rows=4, lanes=cpu.lanes(bits), strip=cpu.l1 * 6 // bits)


def find(op: linalg.GenericOp) -> Convolution | None:
    """The depthwise convolution over two axes that an op is."""
    if len(op.inputs) != 2 or len(op.outputs) != 1:
        return None
    if not multiplies_and_adds(op) or (fill := zeros_before(op)) is None:
        return None
    image, filters, out = (attribute.data for attribute in op.get_indexing_maps())
    expected = [{0}, {1}, {2, 4}, {3, 5}]
    if walked(out) != (0, 1, 2, 3) or walked(filters) != (1, None, 4, 5):
        return None
    if [loops_in(expr) for expr in image.results] != expected or len(op.get_iterator_types()) != 6:
        return None
    types = [value.type for value in (*op.inputs, *op.outputs)]
    if not all(isinstance(t, MemRefType) and isinstance(t.layout, NoneAttr) for t in types):
        return None
    kernel = op.inputs[1].type.get_shape()[2:]  # pyright: ignore
    if (
        step_of(image.results[3], 3) > MOST_STEPS
        or min(kernel) < 1
        or kernel[0] * kernel[1] > MOST_PLACES
    ):
        return None
    epilogue = tuple(epilogue_of(op, op.outputs[0]))
    source, weights = op.inputs
    batch, positions = (0, 1), (2, 3)
    return Convolution(
        op, fill, source, weights, op.outputs[0], image, epilogue, batch, positions=positions
    )


def is_depthwise(op: linalg.GenericOp) -> bool:
    """Whether an op is a depthwise convolution of floats of at least 32 bits."""
    found = find(op)
    return found is not None and found.element.bitwidth >= 32


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """The schedule."""
    found = find(kernel.op)
    assert found is not None
    tiles = row_sizes(cpu, found.element.bitwidth)
    high, wide = (step_of(found.map.results[d], d) for d in found.positions)
    if found.epilogue:
        yield FuseEpilogue()
    if is_padded(found, kernel.memref_sizes):
        yield FuseProducer("in0")
    yield from (Tile(f"d{d}", 1) for d in found.batch)
    size, height = max(tiles.strip // (1 + high * wide), 1), found.extent(2)
    rows = min(tiles.rows, height) if height > 0 else tiles.rows
    yield Strip("d2", "d3", size, high=rows, wide=tiles.lanes, whole=True)
    yield CacheRead("in0", align=tiles.lanes * wide)
    yield CacheWrite(("d2", "d3"))
    yield Tile("d2", rows)
    yield Pad("d2")
    yield Pad("d3")
    yield from (UnrollAndJam(d) for d in ("d2", "d4", "d5"))
    yield AlignLoads("in0", "d3")
    yield Vectorize("d3", tiles.lanes)
    yield Outline("depthwise")
