"""Tiles of stages that have loops in common: which loops may be tiled, and how many rows fit a tile."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith, memref
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.traits import is_speculatable

from lowering.ir.insertion import Inserter
from lowering.ir.memref_sizes import MemrefSizes
from lowering.ir.memref_views import VIEW_OPS
from lowering.schedule.match.row_groups import RowGroup, Stage, accesses
from lowering.schedule.memrefs.tile_views import Size, index, size
from relax_dialect.ir.locations import ops_between


def can_tile(group: RowGroup) -> bool:
    """Return whether the innermost common loop may have a step above one: it is a subscript by itself
    everywhere."""
    return all(
        isinstance(expr, AffineDimExpr) or group.loops[-1][number] not in expr.used_dims()
        for number, op in enumerate(group.stages)
        for access in accesses(op)
        for expr in access.subscripts
    )


def places(group: RowGroup, number: int) -> list[tuple[SSAValue, int]]:
    """Return the dimensions that are as long as a common loop."""
    return [
        (access.value, d)
        for stage, op in enumerate(group.stages)
        for access in accesses(op)
        for d, expr in enumerate(access.subscripts)
        if expr == AffineDimExpr(group.loops[number][stage])
    ]


def arrays_of(group: RowGroup) -> dict[SSAValue, list[int]]:
    """Return the arrays that the innermost common loop walks, and the dimensions that one iteration has of
    them."""
    found: dict[SSAValue, list[int]] = {}
    for number, op in enumerate(group.stages):
        own = {*group.of(number)}
        for access in accesses(op):
            if any(group.loops[-1][number] in e.used_dims() for e in access.subscripts):
                dims = enumerate(access.subscripts)
                found[access.value] = [d for d, e in dims if not e.used_dims() & own]
    return found


def width(value: SSAValue) -> int:
    """Return the bytes of an element of a memref."""
    return value.type.element_type.bitwidth // 8 or 1  # pyright: ignore


def put_views_first(stages: Sequence[Stage]) -> None:
    """Hoist views and sizes between stages above the first, as far as their operands are known there: the
    loops need them from their beginning."""
    first, last = stages[0], stages[-1]
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


def rows_in(group: RowGroup, sizes: MemrefSizes, bytes: int, most: int, insert: Inserter) -> Size:
    """Return the number of rows whose elements in all arrays together fill `bytes`."""
    known, unknown = 0, list[SSAValue]()
    for value, dims in arrays_of(group).items():
        shape = [size(sizes.bound([(value, d)], before=group.stages[0])) for d in dims]
        constant = width(value) * prod(s for s in shape if isinstance(s, int))
        factors = [s for s in shape if isinstance(s, SSAValue)]
        if not factors:
            known += constant
            continue
        total = index(insert, constant)
        for factor in factors:
            total = insert(arith.MuliOp(total, factor))
        unknown.append(total)
    if not unknown:
        return max(1, min(most, bytes // max(known, 1)))
    total = index(insert, max(known, 1))
    for each in unknown:
        total = insert(arith.AddiOp(total, each))
    fit = insert(arith.DivUIOp(index(insert, bytes), total))
    some = insert(arith.MaxSIOp(fit, index(insert, 1)))
    return insert(arith.MinSIOp(some, index(insert, most)), "tile")
