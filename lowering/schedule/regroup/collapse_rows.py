"""The last two dimensions of a group's arrays as one, if all stages walk them contiguously (collapsing).

    linalg.generic {(n, c, h, w) -> (n, c)} ins(%x : memref<8x64x56x56xf32>) outs(%sum)
    linalg.generic {(n, c, h, w), (n, c)} ins(%x, %sum) outs(%out)
->
    linalg.generic {(n, c, j) -> (n, c)} ins(%x_1 : memref<8x64x3136xf32>) outs(%sum)
    linalg.generic {(n, c, j), (n, c)} ins(%x_1, %sum) outs(%out_1)

So short rows of images are long ones, which fill vectors. A group that has a buffer of its own with such
dimensions stays as it is, for its buffer is to shrink.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import is_dense
from lowering.schedule.match.contraction import has_index
from lowering.schedule.match.row_groups import RowGroup, StageAccess, accesses
from lowering.schedule.memrefs.tile_views import collapse_shape

Pair = tuple[int, int]
"""Two loops, the outer one first."""


def last_two(group: RowGroup) -> Pair | None:
    """Return the loops of the last stage that may be one in all stages."""
    found = _followed(group)
    return None if found is None else found[0][len(group.stages) - 1]


def collapse_rows(group: RowGroup) -> None:
    """Make the stages of a group walk rows that are as long as possible."""
    found = _followed(group)
    assert found is not None, "last_two has looked"
    pairs, values = found
    views = {value: _collapsed(value) for value in values}
    for number, op in enumerate(group.stages):
        changed = [views.get(value, value) for value in op.operands]
        if isinstance(op, linalg.GenericOp) and number in pairs:
            _drop(op, pairs[number], [value in views for value in op.operands])
        op.operands = changed


def _collapsed(value: SSAValue) -> SSAValue:
    """Return the view of a memref with its last two dimensions as one, created next to the memref."""
    owner = value.owner
    first = owner.first_op if isinstance(owner, Block) else owner.next_op
    assert first is not None
    return collapse_shape(Inserter(before=first), value, *[1] * (_rank(value) - 2), 2)


def _followed(group: RowGroup) -> tuple[dict[int, Pair], dict[SSAValue, None]] | None:
    """Return the pair of loops of every stage that walks such dimensions, and the memrefs that have
    them."""
    stages = list(enumerate(group.stages))
    pairs: dict[int, Pair] = {}
    values = {a.value: None for a in accesses(group.stages[-1]) if a.writes}
    known = None
    while known != (len(pairs), len(values)):
        known = len(pairs), len(values)
        for number, op in stages:
            for access in accesses(op):
                pair = _last_two(access)
                has_maps = access.value in values and isinstance(op, linalg.GenericOp)
                if has_maps and (pair is None or pairs.setdefault(number, pair) != pair):
                    return None
                if number in pairs and pair == pairs[number]:
                    values[access.value] = None
    fits = all(_can_drop(group, number, pair) for number, pair in pairs.items())
    return (pairs, values) if fits and pairs and all(map(_is_given, values)) else None


def _last_two(access: StageAccess) -> Pair | None:
    match list(access.subscripts[-2:]):
        case [AffineDimExpr(position=outer), AffineDimExpr(position=inner)]:
            return outer, inner
        case _:
            return None


def _can_drop(group: RowGroup, number: int, pair: Pair) -> bool:
    """Return whether two loops of a stage are of one kind, are none of the common ones, and walk nothing
    else."""
    op = group.stages[number]
    assert isinstance(op, linalg.GenericOp)
    kinds = {op.iterator_types.data[loop].data for loop in pair}
    if len(kinds) > 1 or {*pair} & {*group.of(number)} or any(has_index(op.body.block)):
        return False
    rest = (
        access.subscripts[: -2 if _last_two(access) == pair else None] for access in accesses(op)
    )
    return not any(expr.used_dims() & {*pair} for subscripts in rest for expr in subscripts)


def _rank(value: SSAValue) -> int:
    assert isinstance(value.type, MemRefType)
    return value.type.get_num_dims()


def _is_given(value: SSAValue) -> bool:
    """Return whether a memref is no buffer of the group, and its last two dimensions are contiguous."""
    assert isinstance(value.type, MemRefType)
    is_own = isinstance(value.owner, memref.AllocOp | memref.AllocaOp)
    return not is_own and is_dense(value.type, _rank(value) - 2, _rank(value) - 1)


def _drop(op: linalg.GenericOp, pair: Pair, collapsed: Sequence[bool]) -> None:
    """Take the outer loop of a pair out of the maps of a stage."""
    outer, _ = pair
    count = len(op.get_iterator_types())
    renumbered = [
        AffineConstantExpr(0) if loop == outer else AffineDimExpr(loop - (loop > outer))
        for loop in range(count)
    ]
    maps: list[AffineMapAttr] = []
    for attribute, without in zip(op.get_indexing_maps(), collapsed, strict=True):
        results = list(attribute.data.results)
        if without:
            del results[-2]
        moved = tuple(expr.replace_dims_and_symbols(renumbered, []) for expr in results)
        maps.append(AffineMapAttr(AffineMap(count - 1, 0, moved)))
    op.properties["indexing_maps"] = ArrayAttr(maps)
    kinds = [kind for loop, kind in enumerate(op.iterator_types.data) if loop != outer]
    op.properties["iterator_types"] = ArrayAttr(kinds)
