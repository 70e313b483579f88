"""The strategy of work on rows in several stages, as softmax, norms and attention: all stages of a tile
of rows, then the next tile, so that a row stays in the caches from the first stage to the last.

Which stages: see `row_groups`; what becomes of them: see `fuse_stages`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_speculatable

from lowering.ir.insertion import Inserter
from lowering.ir.linear import is_inside
from lowering.ir.memref_sizes import MemrefSizes
from lowering.ir.memref_views import VIEW_OPS
from lowering.schedule.collapse_rows import collapse_rows
from lowering.schedule.fuse_stages import StageFuser, can_tile
from lowering.schedule.row_groups import Group, accesses, largest, runs
from lowering.schedule.views import Size, index, size
from lowering.target import ALIGNMENT, Cpu
from relax_dialect.call_graph import ops_inside
from relax_dialect.locations import ops_between


@dataclass(frozen=True)
class RowTiles:
    """How large tiles of rows may be."""

    bytes: int
    """Of all arrays that a tile touches together."""
    rows: int
    """The most rows of a tile."""
    stack_bytes: int
    """How large a buffer may be that is no allocation."""


def row_tiles(cpu: Cpu) -> RowTiles:
    """The tiles of a CPU: in its second cache, with room for what comes and goes."""
    return RowTiles(bytes=cpu.l2 // 4, rows=64, stack_bytes=cpu.l1 // 2)


def fuse_rows(function: FuncOp, sizes: MemrefSizes, tiles: RowTiles) -> None:
    """Fuse what works row by row in a function, in place."""
    blocks = [b for op in ops_inside(function) for r in op.regions for b in r.blocks]
    for block in blocks:
        for run in list(runs(block)):
            if (found := largest(run)) is None:
                continue
            _put_views_first(found)
            found = largest(collapse_rows(found))
            assert found is not None
            if (loop := _fuse(found, sizes, tiles)) is not None:
                hoist_buffers(function, loop, tiles.stack_bytes)


def _put_views_first(group: Group) -> None:
    """Move views and sizes that stand between stages to before the first, as far as they are known there:
    the loops need them from their beginning."""
    first, last = group.stages[0], group.stages[-1]
    block = first.parent
    assert block is not None
    between, stays = ops_between(block, first, last), set[Operation]()
    for op in between:
        can_move = isinstance(op, (*VIEW_OPS, memref.DimOp)) or (
            not op.regions and is_speculatable(op)
        )
        if not can_move or any(value.owner in stays for value in op.operands):
            stays.add(op)
    for op in [op for op in between if op not in stays]:
        op.detach()
        block.insert_op_before(op, first)


def _fuse(
    group: Group, sizes: MemrefSizes, tiles: RowTiles, around: scf.ForOp | None = None
) -> scf.ForOp | None:
    """Loops around the stages of a group; where some of them have more loops in common, around these too.

    `around` is the outermost loop around the group. Returns the outermost of all.
    """
    fuser = StageFuser(group, sizes)
    if largest(group.stages, more_than=len(group.loops)) is not None:
        loop, inside = fuser.build(1, 1)
        inner = largest(inside)
        assert inner is not None
        _fuse(inner, sizes, tiles, around or loop)
        return around or loop
    tile: Size = 1
    if can_tile(group):
        tile = _tile(fuser, tiles, Inserter(before=around or fuser.first))
    extent = fuser.extents[-1]
    if isinstance(tile, int) and isinstance(extent, int):
        if len(fuser.extents) == 1 and extent <= tile:
            return around  # one tile is what it is already
        tile = _evenly(extent, tile)
    built, _ = fuser.build(tile, tiles.rows)
    return around or built


def _evenly(rows: int, tile: int) -> int:
    """The size of tiles that divide the rows, if there is a large one, or differ little."""
    for smaller in range(min(tile, rows), tile // 2, -1):
        if rows % smaller == 0:
            return smaller
    count = max(1, -(-rows // tile))
    return max(1, -(-rows // count))


def _tile(fuser: StageFuser, tiles: RowTiles, insert: Inserter) -> Size:
    """How many rows of all arrays fit together."""
    group = fuser.group
    rows: dict[SSAValue, list[Size]] = {}
    for number, op in enumerate(group.stages):
        own = {*group.of(number)}
        for access in accesses(op):
            if any(group.loops[-1][number] in e.used_dims() for e in access.subscripts):
                rows[access.value] = [
                    size(fuser.sizes.bound([(access.value, d)], before=fuser.first))
                    for d, e in enumerate(access.subscripts)
                    if not e.used_dims() & own
                ]
    known, unknown = 0, list[SSAValue]()
    for value, shape in rows.items():
        width = value.type.element_type.bitwidth // 8 or 1  # pyright: ignore
        constant = width * prod(s for s in shape if isinstance(s, int))
        factors = [s for s in shape if isinstance(s, SSAValue)]
        if not factors:
            known += constant
            continue
        total = index(insert, constant)
        for factor in factors:
            total = insert(arith.MuliOp(total, factor))
        unknown.append(total)
    if not unknown:
        return max(1, min(tiles.rows, tiles.bytes // max(known, 1)))
    total = index(insert, max(known, 1))
    for each in unknown:
        total = insert(arith.AddiOp(total, each))
    fit = insert(arith.DivUIOp(index(insert, tiles.bytes), total))
    some = insert(arith.MaxSIOp(fit, index(insert, 1)))
    return insert(arith.MinSIOp(some, index(insert, tiles.rows)), "tile")


def hoist_buffers(function: FuncOp, loop: scf.ForOp, stack_bytes: int) -> None:
    """Allocate once what every turn of a loop allocates; a small buffer on the stack.

    scf.for ... {                            %row = memref.alloc(%n) : memref<?xf32>
      %row = memref.alloc(%n)       ->       scf.for ... { ... }
      ...                                    memref.dealloc %row
      memref.dealloc %row
    }
    """
    entry, block = function.body.blocks[0], loop.parent
    assert block is not None
    for op in [op for op in ops_inside(loop) if isinstance(op, memref.AllocOp)]:
        users = [use.operation for use in op.memref.uses]
        frees = [user for user in users if isinstance(user, memref.DeallocOp)]
        if len(frees) != 1 or any(is_inside(size, loop.body.block) for size in op.dynamic_sizes):
            continue
        (free,) = frees
        shape = op.memref.type.get_shape()
        op.detach()
        if not op.dynamic_sizes and _bytes(op.memref.type) <= stack_bytes:
            local = memref.AllocaOp.get(op.memref.type.element_type, ALIGNMENT, shape)
            local.memref.name_hint = op.memref.name_hint
            first = entry.first_op
            assert first is not None
            entry.insert_op_before(local, first)
            free.detach()
            free.erase()
            op.memref.replace_all_uses_with(local.memref)
            op.erase()
        else:
            block.insert_op_before(op, loop)
            free.detach()
            block.insert_op_after(free, loop)


def _bytes(type: MemRefType) -> int:
    width = type.element_type.bitwidth  # pyright: ignore
    return prod(type.get_shape()) * -(-width // 8)
