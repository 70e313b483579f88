"""Merging of elementwise `linalg.generic` ops over the same points into one that has all their results.

%a = linalg.generic {mul} ins(%g, %w) outs(%empty0)
%b = linalg.generic {mul; add} ins(%g, %y, %s) outs(%empty1)
->
%a, %b = linalg.generic {mul; mul; add} ins(%g, %w, %y, %s) outs(%empty0, %empty1)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineMap

from lowering.fuse.merge_generics import is_elementwise


def merge_siblings(block: Block) -> None:
    """Merge the elementwise generics that have the type of a prim func's results.

    Each reads results of others at its own points only, and these have no other uses except as results of
    the function; the last of them is where all their operands are known.
    """
    end = block.last_op
    assert isinstance(end, func.ReturnOp)
    members = [
        op
        for op in block.ops
        if isinstance(op, GenericOp)
        and is_elementwise(op)
        and op.result_types[0] == end.operands[0].type
    ]
    if len(members) > 1:
        _merge(members, block)


def _merge(members: Sequence[GenericOp], block: Block) -> None:
    first, last = members[0], members[-1]
    body, made = Block(), dict[SSAValue, SSAValue]()
    arguments: dict[tuple[SSAValue, AffineMap], SSAValue] = {}
    for member in members:
        inner = member.body.block
        for operand, map, argument in zip(member.inputs, member.indexing_maps, inner.args):
            if (known := made.get(operand)) is None:
                key = operand, map.data
                if key not in arguments:
                    arguments[key] = body.insert_arg(argument.type, len(body.args))
                    arguments[key].name_hint = argument.name_hint
                known = arguments[key]
            argument.replace_all_uses_with(known)
        *ops, end = inner.ops
        for op in ops:
            op.detach()
            body.add_op(op)
        made[member.results[0]] = end.operands[0]
    needed = [op for op in members if any(u.operation not in members for u in op.results[0].uses)]
    for member in needed:
        output = member.body.block.args[-1]
        own = body.insert_arg(output.type, len(body.args))
        own.name_hint = output.name_hint
        output.replace_all_uses_with(own)
    body.add_op(YieldOp(*(made[member.results[0]] for member in needed)))
    maps = [AffineMapAttr(map) for _, map in arguments]
    merged = GenericOp(
        [operand for operand, _ in arguments],
        [member.outputs[0] for member in needed],
        Region(body),
        ArrayAttr([*maps, *(member.indexing_maps.data[-1] for member in needed)]),
        first.iterator_types,
        [member.result_types[0] for member in needed],
    )
    block.insert_op_before(merged, last)
    for member, result in zip(needed, merged.results):
        result.name_hint = member.results[0].name_hint
        member.results[0].replace_all_uses_with(result)
    for member in reversed(members):
        member.detach()
        member.erase()
