"""An elementwise computation on a concatenated buffer is distributed over its parts.

    memref.copy %a, %left                                  // parts of %all
    memref.copy %b, %right
    linalg.generic {relu} ins(%all) outs(%out)
->
    linalg.generic {relu} ins(%a) outs(%out_left)          // the same parts of %out
    linalg.generic {relu} ins(%b) outs(%out_right)

So an operator after a concatenation reads the parts, and the copies vanish.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap
from xdsl.traits import is_side_effect_free

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import viewed_memref
from lowering.ir.part_copies import Entry, PartCopy, part_of
from lowering.schedule.match.contraction import has_index
from lowering.schedule.match.padding import erase_unread
from lowering.schedule.memrefs.tile_views import window

MOST_PARTS = 16
"""So many copies of a body are made at most."""

LEAST_RUN = 16
"""Parts whose elements lie in shorter rows are put together first, side by side."""


def compute_by_parts(function: FuncOp) -> None:
    """Distribute ops that read a concatenated buffer over its parts, in place."""
    for op in list(function.body.block.ops):
        if isinstance(op, linalg.GenericOp) and _is_elementwise(op):
            for value in dict.fromkeys(op.inputs):
                if (parts := _parts(value, op)) is not None:
                    _distribute(op, value, parts)
                    break


def _is_elementwise(op: linalg.GenericOp) -> bool:
    """Return whether an op computes every element of one result in order, from elements at the same index
    or broadcast ones."""
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    exprs = [expr for map_ in maps for expr in map_.results]
    return (
        {kind.data.value for kind in op.get_iterator_types()} == {"parallel"}
        and len(op.outputs) == 1
        and maps[-1] == AffineMap.identity(maps[-1].num_dims)
        and all(isinstance(value.type, MemRefType) for value in op.operands)
        and all(isinstance(e, AffineDimExpr) or e == AffineConstantExpr(0) for e in exprs)
        and op.body.block.args[-1].first_use is None  # parts may overlap
        and not any(has_index(op.body.block))
    )


def _parts(value: SSAValue, reader: linalg.GenericOp) -> Sequence[PartCopy] | None:
    """Return the parts that a buffer is put together of right before an op reads it; None for other
    buffers, and for results, which have to be written."""
    if not isinstance(value.owner, memref.AllocOp):
        return None
    target = viewed_memref(reader.outputs[0])
    maps = zip(reader.operands, reader.get_indexing_maps())
    if any(own.data != AffineMap.identity(own.data.num_dims) for v, own in maps if v is value):
        return None
    parts = dict[Operation, PartCopy]()
    for op in dict.fromkeys(use.operation for use in value.uses):
        if isinstance(op, memref.SubviewOp):
            use = op.result.get_unique_use()
            own = None if use is None else use.operation
            if not isinstance(own, memref.CopyOp | linalg.FillOp):
                return None
            if (part := part_of(own)) is None or viewed_memref(part.source) is target:
                return None
            if isinstance(own, memref.CopyOp) and _is_short(part.sizes[-1]):
                return None
            parts[own] = part
        elif op is not reader and not isinstance(op, memref.DimOp | memref.DeallocOp):
            return None
    found, before = list[PartCopy](), reader.prev_op
    while before is not None and len(found) < len(parts):
        if before in parts:
            found.append(parts[before])
        elif not isinstance(before, memref.AllocOp) and not is_side_effect_free(before):
            return None
        before = before.prev_op
    return found[::-1] if 0 < len(parts) <= MOST_PARTS and len(found) == len(parts) else None


def _is_short(run: Entry) -> bool:
    return isinstance(run, int) and run < LEAST_RUN


def _distribute(op: linalg.GenericOp, value: SSAValue, parts: Sequence[PartCopy]) -> None:
    """Replace an op that reads a concatenated buffer by one op for each part."""
    insert = Inserter(before=op)
    maps = [own.data for own in op.get_indexing_maps()]
    for part in parts:
        operands, body = list[SSAValue](), op.body.clone()
        kept = list[AffineMap]()
        for number, (operand, own) in enumerate(zip(op.operands, maps)):
            if operand is not value or number == len(op.inputs):
                operands.append(_window(insert, operand, own, part))
            elif isinstance(part.op, memref.CopyOp):
                operands.append(part.source)
            else:  # a number, which the body has as it is
                body.block.args[len(operands)].replace_all_uses_with(part.source)
                body.block.erase_arg(body.block.args[len(operands)])
                continue
            kept.append(own)
        insert.place(
            linalg.GenericOp(
                operands[:-1],
                operands[-1:],
                body,
                ArrayAttr([AffineMapAttr(own) for own in kept]),
                op.iterator_types,
            )
        )
    gone: list[Operation] = [op]
    for part in parts:
        gone += (part.op, part.view)
    for dead in gone:
        dead.detach()
        dead.erase()
    erase_unread(value)


def _window(insert: Inserter, value: SSAValue, own: AffineMap, part: PartCopy) -> SSAValue:
    """Return the window of an operand at the position of a part."""
    places = [
        part.place(expr.position) if isinstance(expr, AffineDimExpr) else (0, 1)
        for expr in own.results
    ]
    return window(insert, value, [o for o, _ in places], [s for _, s in places])
