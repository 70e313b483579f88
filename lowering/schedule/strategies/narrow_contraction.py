"""The schedule of a contraction whose right operand is decoded in registers: panels of narrow weights.

fuse_epilogue()
tile(d0, 128, balanced=true)
tile(d1, 48, multiple=16)
pack_constant(in1, d1)           // the weights, and each operand with columns: scales, zero points
pack_constant(in2, d1)
tile(d0, 4, balanced=true)       // 8 without groups, which have sums of their own
pad(d1)
specialize(d0)
vectorize(d1, 16)
unroll_and_jam(d0)
unroll_and_jam(d1)
unroll_and_jam(d4)               // the weights in one word
unroll_and_jam(d3)               // the words of a group
factor_out(in3)                  // the scale of a group
split_accumulators(d2, 8)        // without such a scale
prefetch(in1, d2, 5)             // weights that are larger than the caches of a core
outline(contract)

Weights are read once for each tile of rows, narrow, and decoded into the registers that the products take:
one row is as fast as memory, and rows share the decoding. Operands that a call computes stay loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.contraction import Operand, factor_in
from lowering.schedule.match.decoded_contraction import DecodedContraction, find
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.factor_out import FactorOut
from lowering.schedule.primitives.fuse_epilogue import FuseEpilogue
from lowering.schedule.primitives.outline import Outline
from lowering.schedule.primitives.pack_constant import PackConstant
from lowering.schedule.primitives.pad import Pad
from lowering.schedule.primitives.prefetch import Prefetch
from lowering.schedule.primitives.specialize import Specialize
from lowering.schedule.primitives.split_accumulators import SplitAccumulators
from lowering.schedule.primitives.tile import Tile
from lowering.schedule.primitives.unroll_and_jam import UnrollAndJam
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.schedule.strategies import contraction
from lowering.schedule.strategies.contraction import TileSizes, tile_sizes
from lowering.support.target import Cpu

MOST_JAMMED = 32
"""The most weights of a column that are unrolled: those of a word, or of a group of words."""

AHEAD = 4096
"""The distance in bytes at which weights are prefetched: hardware stops at the end of a page, which narrow
weights come to before it has begun."""


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Yield the schedule above; none if an operand with columns is computed by some call."""
    yield from contraction.collapsed(kernel, find)
    found = find(kernel.op)
    assert found is not None
    tiles = tile_sizes(cpu, found.element.bitwidth, found.extent(found.column))
    values = [kernel.op.inputs[n] for n in panels_of(found)]
    if found.extent(found.column) >= tiles.lanes // 2 and all(map(kernel.is_constant, values)):
        yield from _steps(found, tiles, cpu)


def panels_of(found: DecodedContraction) -> list[int]:
    """Return the numbers of the inputs that have columns."""
    loops = [attribute.data.used_dims() for attribute in found.op.get_indexing_maps()]
    return [n for n in found.decoded if found.column in loops[n]]


def bytes_of(operand: Operand) -> int:
    """Return the bytes of an element."""
    return operand.type.element_type.bitwidth // 8  # pyright: ignore


def jammed(found: DecodedContraction) -> list[int]:
    """Return the loops that reduce and are unrolled, innermost first: all but the outermost, if short."""
    sizes = found.left.type.get_shape()[-len(found.depths) :]
    inner = [*zip(found.depths, sizes)][:0:-1]
    return [
        loop
        for n, (loop, _) in enumerate(inner)
        if 0 < prod(s for _, s in inner[: n + 1]) <= MOST_JAMMED
    ]


def shared_factor(found: DecodedContraction, loops: Sequence[int]) -> int | None:
    """Return the number of the input that is a factor of all iterations of some loops: the scales."""
    maps = [attribute.data.used_dims() for attribute in found.op.get_indexing_maps()]
    body = found.op.body.block
    fits = (n for n in found.decoded if factor_in(body, n) and maps[n].isdisjoint(loops))
    return next(fits, None) if loops else None


def _steps(found: DecodedContraction, tiles: TileSizes, cpu: Cpu) -> Iterator[Primitive]:
    row, column = f"d{found.row}", f"d{found.column}"
    inner = jammed(found)
    factor, weights, width = shared_factor(found, inner), found.right, tiles.vectors * tiles.lanes
    height = tiles.rows if factor is None else max(1, tiles.rows // 2)
    rows, block = found.extent(found.row), tiles.rows * tiles.block
    if found.epilogue:
        yield FuseEpilogue()
    yield from (Tile(f"d{loop}", 1) for loop in found.batch)
    if not 0 <= rows <= block:
        yield Tile(row, block, balanced=True)
    yield Tile(column, width, multiple=tiles.lanes)
    yield from (PackConstant(f"in{n}", column) for n in panels_of(found))
    if not 0 <= rows <= height:
        yield Tile(row, height, balanced=True)
    if found.extent(found.column) % tiles.lanes:
        yield Pad(column)
    yield Specialize(row)
    yield Vectorize(column, tiles.lanes)
    yield from (UnrollAndJam(f"d{loop}") for loop in (found.row, found.column, *inner))
    if factor is not None:
        yield FactorOut(f"in{factor}")
    depth = next(loop for loop in reversed(found.depths) if loop not in inner)
    if factor is None:
        yield SplitAccumulators(f"d{depth}", contraction.ACCUMULATORS)
    if prod(weights.type.get_shape()) * bytes_of(weights) > cpu.l2:
        number = [*found.op.inputs].index(weights.value)
        words = prod(found.extent(loop) for loop in inner if loop in weights.loops)
        ahead = AHEAD // (width * bytes_of(weights) * words)
        yield Prefetch(f"in{number}", f"d{depth}", max(1, ahead))
    yield Outline("contract")
