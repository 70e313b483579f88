"""The schedule of a reduction over windows (pools): first along columns of the window, then along the row.

fuse_epilogue()                  // by how many elements a sum is divided, row by row
fuse_producer(in0)               // the padding
tile(d0, 1)                      // images and channels, one by one
tile(d1, 1)
tile(d2, 4, balanced=true)       // some rows of the result, so that none is read as soon as it is written
separate(d4)                     // the rows that a window sees become one, walked by d6
specialize(d4, iterations=3)          // fewer of them at the border
unroll_and_jam(d4)
unroll_and_jam(d5)
vectorize(d3, 16, shifted=true)
vectorize(d6, 16, shifted=true)

A window of 3 x 3 costs 3 + 3 elements instead of 9, no element has a bounds check, and the border is never
copied. The axes after the last one with a window (channels) are part of the row, and then vectors go along
them. Windows that do not overlap read x in place, windows along one axis the copy of a row in its border
(cache_read). This is the separable filter of image processing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import Float32Type, Float64Type, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from lowering.ir.memref_views import is_contiguous
from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.contraction import epilogue_of, fill_before
from lowering.schedule.match.padding import padding_keeping
from lowering.schedule.match.separable import Separable
from lowering.schedule.match.separable import find as find_separable
from lowering.schedule.memrefs.subscripts import is_linear, linear
from lowering.schedule.primitives import directive
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.cache_read import CacheRead
from lowering.schedule.primitives.fuse_epilogue import FuseEpilogue
from lowering.schedule.primitives.fuse_producer import FuseProducer
from lowering.schedule.primitives.separate import Separate
from lowering.schedule.primitives.specialize import Specialize
from lowering.schedule.primitives.tile import Tile
from lowering.schedule.primitives.unroll_and_jam import UnrollAndJam
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.support.target import Cpu

ROWS = 4
"""The number of short rows of the result that are computed together."""

MOST_TAPS = 32
"""The most elements of a window that are unrolled."""


@dataclass(frozen=True)
class Pool:
    """`out[i] = reduce over k of element(x[i * step + k * reach])`, one i and at most one k for each
    dimension."""

    op: linalg.GenericOp
    separable: Separable
    steps: Sequence[int]
    windows: Sequence[int | None]
    """The loop along the window of each dimension."""

    @property
    def rank(self) -> int:
        return len(self.steps)

    @property
    def loops(self) -> Sequence[int]:
        """The loops along windows."""
        return [loop for loop in self.windows if loop is not None]

    @property
    def last(self) -> int:
        """The last dimension with a window; the row begins here."""
        return max(d for d, loop in enumerate(self.windows) if loop is not None)


def find(op: linalg.GenericOp) -> Pool | None:
    """Return the reduction over windows that an op is."""
    if not all(isinstance(v.type, MemRefType) for v in op.operands):
        return None
    separable, fill = find_separable(op.body.block, len(op.inputs)), fill_before(op)
    if separable is None or fill is None or not separable.begins_with_identity(fill.inputs[0]):
        return None
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    kinds = [kind.data.value for kind in op.get_iterator_types()]
    rank = sum(kind == "parallel" for kind in kinds)
    walked = tuple(AffineDimExpr(d) for d in range(rank))
    read = maps[separable.number].results
    if maps[-1].results != walked or "parallel" in kinds[rank:] or len(read) != rank:
        return None
    found = [_window(expr, d) for d, expr in enumerate(read)]
    windows = [loop for own in found if own is not None for loop in own[1:]]
    if None in found or sorted(windows) != [*range(rank, len(kinds))] or not windows:
        return None
    known = [own for own in found if own is not None]
    loops = [own[1] if len(own) > 1 else None for own in known]
    return Pool(op, separable, [own[0] for own in known], loops)


def _window(expr: AffineExpr, d: int) -> tuple[int, ...] | None:
    """Return the distance of the windows along a dimension, and the loop along each if there is one."""
    if not is_linear(expr):
        return None
    loops, constant = linear(expr)
    others = [loop for loop in loops if loop != d]
    is_one = d in loops and len(others) <= 1 and constant == 0 and min(loops.values()) > 0
    return (loops[d], *others) if is_one and (others or loops[d] == 1) else None


def is_pool(op: linalg.GenericOp) -> bool:
    """Return whether an op reduces over windows that are written one after the other."""
    return find(op) is not None


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Yield the schedule above, of windows whose sizes are known."""
    found = find(kernel.op)
    assert found is not None
    iterations = {d: n for d in found.loops if isinstance(n := kernel.extents[d], int)}
    if len(iterations) < len(found.loops):
        return
    *outer, along = found.loops
    name, is_padded = f"in{found.separable.number}", _is_padded(kernel, found)
    rows = tuple(f"d{d}" for d in outer)
    overlaps = iterations[along] > found.steps[found.last]
    is_split = bool(outer) and (is_padded or (overlaps and any(iterations[d] > 1 for d in outer)))
    vectors = list(_vectors(found, cpu))
    is_divided = bool(list(epilogue_of(kernel.op, kernel.op.outputs[0])))
    if is_divided:
        yield FuseEpilogue()
    if is_padded:
        yield FuseProducer(name)
    if is_padded or is_split or is_divided:
        yield from _tiles(
            kernel,
            found,
            rows=kernel.choose("rows", ROWS if is_split and vectors else 1, (1, 2, 8)),
        )
    if is_split:
        yield Separate(rows)
        is_in_row = found.last == found.rank - 1 and vectors
        vectors += [(f"d{kernel.count - 1}", lanes) for lanes in _lanes(found, cpu) if is_in_row]
    elif is_padded:
        yield CacheRead(name)
    if prod(iterations[d] for d in outer) <= MOST_TAPS:
        if is_padded and is_split:
            yield from (Specialize(f"d{d}", iterations=iterations[d]) for d in outer)
        yield from map(UnrollAndJam, rows)
    if iterations[along] <= MOST_TAPS:
        yield UnrollAndJam(f"d{along}")
    for loop, lanes in vectors:
        yield Vectorize(loop, lanes, shifted=True)


def _tiles(kernel: Kernel, found: Pool, rows: int) -> Iterator[Primitive]:
    """Yield the loops around the rows of the result, some of which are computed together if they are
    short."""
    if not found.last:
        return
    *outer, last = range(found.last)
    if found.last < found.rank - 1:
        rows = 1
    yield from (Tile(f"d{d}", 1) for d in outer)
    extent = kernel.extents[last]
    if not isinstance(extent, int) or extent > rows:
        yield Tile(f"d{last}", rows, balanced=rows > 1)


def _is_padded(kernel: Kernel, found: Pool) -> bool:
    """Return whether x is a copy of another memref, padded with the reduction's identity along windows."""
    whole = kernel.op.inputs[found.separable.number]
    kept = [d for d, loop in enumerate(found.windows) if loop is None]
    padding = padding_keeping(kernel.op, whole, kernel.memref_sizes, kept)
    if padding is None or not found.separable.keeps_identities:
        return False
    return found.separable.begins_with_identity(padding.fill.inputs[0])


def _lanes(found: Pool, cpu: Cpu) -> Iterator[int]:
    """Yield the number of lanes of vectors, if elements are floats that are reduced in their memory
    type."""
    x, out = found.op.inputs[found.separable.number].type, found.op.outputs[0].type
    assert isinstance(x, MemRefType) and isinstance(out, MemRefType)
    types = {t for op in found.op.body.block.ops for t in (*op.operand_types, *op.result_types)}
    if (
        isinstance(element := out.element_type, Float32Type | Float64Type)
        and types | {x.element_type} == {element}
        and is_contiguous(x)
        and is_contiguous(out)
    ):
        yield cpu.lanes(element.bitwidth)


def _vectors(found: Pool, cpu: Cpu) -> Iterator[tuple[str, int]]:
    """Yield the loop along the result that is computed by vectors, and their lanes."""
    if found.steps[-1] <= directive.MOST_APART:
        yield from ((f"d{found.rank - 1}", lanes) for lanes in _lanes(found, cpu))
