"""The schedule of work on rows in several stages, as softmax, norms and attention: all stages of a tile of
rows, then the next tile, so that a row stays in the caches from the first stage to the last.

@attention#0-7:                             // the first eight generics of @attention
  fuse_stages(d0, d2, d1, rows=50)          // for each batch and head, 50 queries at a time
  hoist_buffers(stack=16384)

@instance_norm#0-5:
  collapse(d2, d3)                          // rows of images are long ones
  fuse_stages(d1, d0, rows=64, bytes=24576)
  hoist_buffers(stack=16384)

@softmax#0-4:
  fuse_stages(d0, rows=64, bytes=24576)     // as many rows as the first cache holds, symbolic sizes
  hoist_buffers(stack=16384)

If some of the stages have more common loops than all of them, they are fused once more inside. The ops
inside the tiles are scheduled next, each by the strategy of its kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.row_groups import (
    RowGroup,
    Stage,
    accesses,
    common,
    is_harmless,
    parallel_loops,
    reduces_an_array,
)
from lowering.schedule.match.tile_sizes import arrays_of, can_tile, places, width
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.collapse import Collapse
from lowering.schedule.primitives.fuse_stages import FuseStages
from lowering.schedule.primitives.hoist_buffers import HoistBuffers
from lowering.schedule.regroup.collapse_rows import last_two
from lowering.support.target import Cpu


@dataclass(frozen=True)
class RowTiles:
    """The largest tiles of rows."""

    bytes: int
    """The bytes of all arrays of a tile together, if its rows share others."""
    near_bytes: int
    """The bytes if nothing is shared."""
    rows: int
    """The most rows of a tile."""
    stack_bytes: int
    """The largest buffer on the stack."""


def row_tiles(cpu: Cpu) -> RowTiles:
    """Return the tiles of a CPU: in its first cache, or in its second one if there are as many rows as
    products want, with capacity for temporary data."""
    half = cpu.l1 // 2
    return RowTiles(bytes=cpu.l2 // 4, near_bytes=half, rows=64, stack_bytes=half)


def find(block: Block, among: Set[Operation]) -> Iterator[RowGroup]:
    """Yield the stages of a block that are worth fusing, generics only among some."""
    for run in list(_runs(block, among)):
        if (found := largest(run)) is not None:
            yield found


def steps(kernel: Kernel, found: RowGroup, tiles: RowTiles) -> Iterator[Primitive]:
    """Yield the schedule of a group; each step is applied before the next one is requested."""
    tiles = _chosen(kernel, tiles)
    if (pair := last_two(found)) is not None:
        yield Collapse(*(f"d{loop}" for loop in pair))
        again = largest(found.stages)
        assert again is not None
        found = again
    while largest(found.stages, more_than=len(found.loops)) is not None:
        yield _fused(kernel, found)
        again = largest(found.stages)
        assert again is not None
        found = again
    rows = _rows(kernel, found, tiles)
    if rows is not None:
        yield _fused(kernel, found, *rows)
    if kernel.nests:
        yield HoistBuffers(stack=tiles.stack_bytes)


def _chosen(kernel: Kernel, tiles: RowTiles) -> RowTiles:
    """Return the tiles of a kernel, which may want others."""
    near, far = tiles.near_bytes, tiles.bytes
    return replace(
        tiles,
        bytes=kernel.choose("bytes", far, (far // 4, far // 2, far * 2)),
        near_bytes=kernel.choose("near bytes", near, (near // 2, near * 2, far)),
        rows=kernel.choose("rows", tiles.rows, (tiles.rows // 2, tiles.rows * 2)),
    )


def largest(stages: Sequence[Stage], more_than: int = 0) -> RowGroup | None:
    """Return the largest group of consecutive stages that work row by row and have more than `more_than`
    common loops."""
    known = {op: accesses(op) for op in stages}
    generics = {op for op in stages if isinstance(op, linalg.GenericOp)}
    reducing = {op for op in generics if reduces_an_array(op)}
    for count in range(len(stages), 1, -1):
        for first in range(len(stages) - count, -1, -1):
            part = stages[first : first + count]
            if reducing.isdisjoint(part) or len(generics.intersection(part)) < 2:
                continue  # no group of these is row-wise
            found = common(part, known)
            if found is not None and len(found.loops) > more_than and _is_row_wise(found):
                # innermost the loop whose iterations share the most arrays, as queries share keys
                loops = sorted(found.loops, key=lambda loop: _arrays_without(part, loop))
                return RowGroup(found.stages, tuple(loops))
    return None


def _runs(block: Block, among: Set[Operation]) -> Iterator[list[Stage]]:
    """Yield runs of stages of a block without ops between them that prevent reordering."""
    run: list[Stage] = []
    for op in block.ops:
        if isinstance(op, linalg.FillOp) or (isinstance(op, linalg.GenericOp) and op in among):
            run.append(op)
        elif not is_harmless(op):
            yield run
            run = []
    yield run


def _is_row_wise(group: RowGroup) -> bool:
    """Return whether some stage reduces rows, and another works on whole rows too.

    Only then does an array pass through the caches more than once; a single stage is one loop already.
    """
    long = [op for op in group.stages if _loop_count(op) > len(group.loops)]
    stages = [op for op in long if isinstance(op, linalg.GenericOp)]
    return len(stages) >= 2 and any(map(reduces_an_array, stages))


def _loop_count(op: Stage) -> int:
    return len(op.get_iterator_types())


def _arrays_without(stages: Sequence[Stage], loop: tuple[int, ...]) -> int:
    """Return the number of arrays that the iterations of a loop share."""
    return len(
        {
            access.value
            for op, own in zip(stages, loop, strict=True)
            for access in accesses(op)
            if access.subscripts and not any(own in e.used_dims() for e in access.subscripts)
        }
    )


def _fused(kernel: Kernel, found: RowGroup, rows: int = 1, bytes: int = 0) -> FuseStages:
    """Return the step that fuses a part of a kernel's stages."""
    numbers = {op: number for number, op in kernel.stages.items()}
    own = [numbers[op] for op in found.stages if isinstance(op, linalg.GenericOp)]
    every = [*numbers.values()]
    return FuseStages(
        tuple(f"d{loop[-1]}" for loop in found.loops),
        rows,
        bytes,
        first=own[0] if own[0] != every[0] else -1,
        last=own[-1] if own[-1] != every[-1] else -1,
    )


def _rows(kernel: Kernel, found: RowGroup, tiles: RowTiles) -> tuple[int, int] | None:
    """Return the number of rows of a tile, and the bytes of symbolic rows; None if all rows are one
    tile."""
    sizes, bytes = kernel.memref_sizes, tiles.near_bytes if _is_near(found) else tiles.bytes
    extent = sizes.extent(places(found, -1))
    if not can_tile(found):
        rows = 1
    else:
        known = 0
        for value, dims in arrays_of(found).items():
            shape = [sizes.extent([(value, d)]) for d in dims]
            if DYNAMIC_INDEX in shape:
                return tiles.rows, bytes
            known += width(value) * prod(shape)
        rows = max(1, min(tiles.rows, bytes // max(known, 1)))
    if extent == DYNAMIC_INDEX:
        return rows, 0
    if len(found.loops) == 1 and extent <= rows:
        return None
    return _evenly(extent, rows), 0


def _is_near(group: RowGroup) -> bool:
    """Return whether no stage is a product, whose iterations share elements."""
    return all(
        len(parallel_loops(op)) == _loop_count(op) or reduces_an_array(op) for op in group.stages
    )


def _evenly(rows: int, tile: int) -> int:
    """Return the size of tiles that divide the rows, if there is a large one, or differ little."""
    for smaller in range(min(tile, rows), tile // 2, -1):
        if rows % smaller == 0:
            return smaller
    count = max(1, -(-rows // tile))
    return max(1, -(-rows // count))
