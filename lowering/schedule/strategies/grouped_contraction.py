"""The schedule of a contraction of integers with scales by group: sums of a group in i32, then in f32.

fuse_epilogue()
tile(d0, 64, balanced=true)
tile(d1, 48, multiple=16)
pack_constant(in1, d1, inside=d4)    // the bytes of a word of the weights
pack_constant(in5, d1)               // their scales, and zero points
tile(d0, 4, balanced=true)
pad(d1)
specialize(d0)
intrinsic(dot4_u8i8, d4)
vectorize(d1, 16)
unroll_and_jam(d0)
unroll_and_jam(d1)
unroll_and_jam(d3)                   // the words of a group
prefetch(in1, d2, 5)                 // weights that are larger than the caches of a core
outline(contract)

Half of the registers hold the sums of a group, the others the totals. Operands with columns that a call
computes stay loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.grouped_contraction import GroupedContraction, find
from lowering.schedule.memrefs.vector_intrinsics import OF_7_BITS, OF_8_BITS, OPERATIONS
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.fuse_epilogue import FuseEpilogue
from lowering.schedule.primitives.intrinsic import Intrinsic
from lowering.schedule.primitives.outline import Outline
from lowering.schedule.primitives.pack_constant import PackConstant
from lowering.schedule.primitives.pad import Pad
from lowering.schedule.primitives.prefetch import Prefetch
from lowering.schedule.primitives.specialize import Specialize
from lowering.schedule.primitives.tile import Tile
from lowering.schedule.primitives.unroll_and_jam import UnrollAndJam
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.schedule.strategies import contraction, narrow_contraction
from lowering.schedule.strategies.contraction import tile_sizes
from lowering.support.target import Cpu


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Yield the schedule above; none if an operand with columns is computed by some call."""
    yield from contraction.collapsed(kernel, find)
    found = find(kernel.op)
    assert found is not None
    tiles = tile_sizes(cpu, found.element.bitwidth, found.extent(found.column))
    values = [kernel.op.inputs[n] for n in _panels(found)]
    is_group = found.extent(found.depth) == OPERATIONS[OF_8_BITS].group
    is_wide = found.extent(found.column) >= tiles.lanes // 2
    if is_group and is_wide and all(map(kernel.is_constant, values)):
        yield from _steps(found, cpu)


def _panels(found: GroupedContraction) -> list[int]:
    """Return the numbers of the inputs that have columns."""
    loops = [attribute.data.used_dims() for attribute in found.op.get_indexing_maps()]
    return [n for n in range(len(found.op.inputs)) if found.column in loops[n]]


def _steps(found: GroupedContraction, cpu: Cpu) -> Iterator[Primitive]:
    row, column, byte = f"d{found.row}", f"d{found.column}", f"d{found.depth}"
    tiles = tile_sizes(cpu, found.element.bitwidth, found.extent(found.column))
    group, *words = found.depths[:-1]
    weights, width = [*found.op.inputs].index(found.right.value), tiles.vectors * tiles.lanes
    height, rows = max(1, tiles.rows // 2), found.extent(found.row)
    if found.epilogue:
        yield FuseEpilogue()
    yield from (Tile(f"d{loop}", 1) for loop in found.batch)
    if not 0 <= rows <= height * tiles.block:
        yield Tile(row, height * tiles.block, balanced=True)
    yield Tile(column, width, multiple=tiles.lanes)
    for n in _panels(found):
        yield PackConstant(f"in{n}", column, byte if n == weights else "")
    if not 0 <= rows <= height:
        yield Tile(row, height, balanced=True)
    if found.extent(found.column) % tiles.lanes:
        yield Pad(column)
    yield Specialize(row)
    yield Intrinsic(OF_7_BITS if found.is_in_halves else OF_8_BITS, byte)
    yield Vectorize(column, tiles.lanes)
    yield from (UnrollAndJam(f"d{loop}") for loop in (found.row, found.column, *words))
    if prod(found.right.type.get_shape()) > cpu.l2:
        bytes_of_group = width * prod(map(found.extent, (*words, found.depth)))
        yield Prefetch(
            f"in{weights}", f"d{group}", max(1, narrow_contraction.AHEAD // bytes_of_group)
        )
    yield Outline("contract")
