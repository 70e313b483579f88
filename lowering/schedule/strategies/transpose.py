"""The schedule of a transposing copy, and of elementwise ops that read an argument along another loop.

when d0 >= 16 and d1 >= 16 {
  tile(d1, 96)                   // as many rows of the argument as the first cache holds a line of
  tile(d0, 16, shifted=true)
  tile(d1, 16, shifted=true)
  prefetch(in0, d0, 32)          // the line after the next of each row, where it may be far away
  unroll_and_jam(d0)
  transpose(in0, d0)             // read along its rows, transposed in registers
  vectorize(d1, 16)
  unroll_and_jam(d1)
  outline(transpose)
}

The loop over the rows of the argument is the outer one, so that these are read from end to end. Other loops
are outside, `tile(d2, 1)`.

If the rows of the result begin in one set of the first cache, as those of 1024 floats, their lines evict
each other. So a block of it is made in memory of its own and copied row by row:

tile(d1, 128)                    // a few lines of each row one after the other
tile(d0, 64, shifted=true)
cache_write(d0, d1)
tile(d1, 16)
tile(d0, 16)
...
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import AnyFloat, IntegerType, MemRefType
from xdsl.dialects.linalg import ops as linalg

from lowering.ir.memref_views import viewed_memref
from lowering.schedule.match.contraction import walked
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.cache_write import CacheWrite
from lowering.schedule.primitives.outline import Outline
from lowering.schedule.primitives.prefetch import Prefetch
from lowering.schedule.primitives.tile import Tile
from lowering.schedule.primitives.transpose import Transpose
from lowering.schedule.primitives.unroll_and_jam import UnrollAndJam
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.schedule.primitives.when import AtLeast, When
from lowering.support.target import ALIGNMENT, CRITICAL_STRIDE, LANE_BYTES, Cpu

LEAST_SIDE = 4
"""Loops of fewer iterations stay as they are."""

LINES = 2
"""The prefetch distance of each row in cache lines."""


MOST = 8
"""The largest result written by blocks, in sizes of the second cache: more comes from memory anyway."""

RUN = 8
"""The number of cache lines of a row of the result that are written one after the other, from a block."""


@dataclass(frozen=True)
class Transposed:
    """An elementwise op of which arguments run along another loop than the result."""

    count: int
    row: int
    """The loop that is contiguous in these arguments."""
    arguments: tuple[int, ...]
    """The indices of these arguments."""
    extents: tuple[int, ...]
    """The iterations of all loops, negative if not known."""
    bits: int
    """The width of the widest elements in bits."""

    @property
    def column(self) -> int:
        """The loop that runs along the result."""
        return self.count - 1


def find(op: linalg.GenericOp) -> Transposed | None:
    """Return the arguments of an elementwise op that run along another loop than its only result, if all of
    these run along the same one."""
    maps = [walked(attribute.data) for attribute in op.get_indexing_maps()]
    count = len(op.get_iterator_types())
    if len(op.outputs) != 1 or maps[-1] != tuple(range(count)):
        return None
    if op.body.block.args[-1].first_use is not None:
        return None
    if viewed_memref(op.outputs[0]) in map(viewed_memref, op.inputs):
        return None
    rows, arguments = set[int](), list[int]()
    for number, loops in enumerate(maps[:-1]):
        if loops is None:
            return None
        if count - 1 in loops[:-1]:
            if loops[-1] is None:
                return None
            rows.add(loops[-1])
            arguments.append(number)
    types = [value.type.element_type for value in op.operands]  # pyright: ignore
    widths = [_bits(t) for t in types]
    if len(rows) != 1 or None in widths:
        return None
    out = op.outputs[0].type
    assert isinstance(out, MemRefType)
    bits = max(width or 0 for width in widths)
    return Transposed(count, rows.pop(), tuple(arguments), tuple(out.get_shape()), bits)


def _bits(element: object) -> int | None:
    """Return the width of elements that have vectors in C, or None."""
    if isinstance(element, AnyFloat | IntegerType) and element.bitwidth >= 8:
        return element.bitwidth
    return None


def side(found: Transposed, cpu: Cpu) -> int:
    """Return the side of a square: a vector's lanes, as far as half of the registers hold them."""
    lane = 8 * LANE_BYTES // found.bits
    most = min(cpu.lanes(found.bits), max(cpu.registers // 2, lane))
    known = [found.extents[d] for d in (found.row, found.column) if found.extents[d] >= 0]
    return 1 << (min(most, *known, most).bit_length() - 1) if min(known, default=1) else 0


def steps(found: Transposed, cpu: Cpu) -> Iterator[Primitive]:
    """Yield the schedule; empty for arrays smaller than a square."""
    lanes = side(found, cpu)
    if lanes < LEAST_SIDE:
        return
    loops = (found.row, found.column)
    conditions = tuple(AtLeast((f"d{d}",), lanes) for d in loops if found.extents[d] < 0)
    own = tuple(_near_or_far(found, lanes, cpu))
    if conditions:
        yield When(conditions, own)
    else:
        yield from own


def _near_or_far(found: Transposed, lanes: int, cpu: Cpu) -> Iterator[Primitive]:
    """Prefetch rows if the second cache does not hold them and squares fill half a line."""
    near = tuple(_squares(found, lanes, cpu, ahead=0))
    if 2 * lanes * found.bits < 8 * ALIGNMENT:
        yield from near
        return
    far = tuple(_squares(found, lanes, cpu, ahead=LINES * 8 * ALIGNMENT // found.bits))
    least = 8 * cpu.l2 // found.bits
    if min(found.extents) < 0:
        loops = tuple(f"d{d}" for d in range(found.count))
        yield When((AtLeast(loops, least),), far, near)
    else:
        yield from far if prod(found.extents) >= least else near


def _squares(found: Transposed, lanes: int, cpu: Cpu, ahead: int) -> Iterator[Primitive]:
    row, column = f"d{found.row}", f"d{found.column}"
    for d in range(found.count):
        if d not in (found.row, found.column):
            yield Tile(f"d{d}", 1)
    if _collide(found, lanes, cpu):
        yield from _block(found, lanes, cpu)
    else:
        rows = max(cpu.l1 // (8 * ALIGNMENT) // lanes, 1) * lanes
        if not 0 <= found.extents[found.column] <= rows:
            yield Tile(column, rows)
        yield Tile(row, lanes, shifted=True)
        yield Tile(column, lanes, shifted=True)
    if ahead:
        yield from (Prefetch(f"in{number}", row, ahead) for number in found.arguments)
    yield UnrollAndJam(row)
    for number in found.arguments:
        yield Transpose(f"in{number}", row)
    yield Vectorize(column, lanes)
    yield UnrollAndJam(column)
    yield Outline("transpose")


def _collide(found: Transposed, lanes: int, cpu: Cpu) -> bool:
    """Return whether the rows of the result, which exceeds the second cache but not a few times its size,
    begin in one set of the first cache."""
    if min(found.extents) < 0 or 2 * lanes * found.bits < 8 * ALIGNMENT:
        return False
    size, apart = (n * found.bits // 8 for n in (prod(found.extents), found.extents[found.column]))
    is_enough = found.extents[found.row] >= _block_rows(lanes, cpu)
    return apart % CRITICAL_STRIDE == 0 and cpu.l2 < size <= MOST * cpu.l2 and is_enough


def _block(found: Transposed, lanes: int, cpu: Cpu) -> Iterator[Primitive]:
    """Yield a block of the result in memory of its own, in squares, which fits the first cache."""
    row, column = f"d{found.row}", f"d{found.column}"
    yield Tile(column, 8 * RUN * ALIGNMENT // found.bits)
    yield Tile(row, _block_rows(lanes, cpu), shifted=True)
    yield CacheWrite((row, column))
    yield Tile(column, lanes)
    yield Tile(row, lanes)


def _block_rows(lanes: int, cpu: Cpu) -> int:
    """Return the rows of a block that fills two thirds of the first cache."""
    return max(2 * cpu.l1 // (3 * RUN * ALIGNMENT) // lanes, 1) * lanes
