"""Merging of elementwise `linalg.generic` ops on tensors into the one that uses them, a reduction too.

    %e = linalg.generic {exp} ins(%x) outs(%empty0)
    %y = linalg.generic {add} ins(%e, %b) outs(%empty1)
    ->
    %y = linalg.generic {exp; add} ins(%x, %b) outs(%empty1)

A producer merges when every use of its result is in the merged op and reads each element once, so
that nothing is computed twice: it may be permuted on the way, but not broadcast.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp, IndexOp, YieldOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.traits import is_side_effect_free

Permutation = tuple[int, ...]
"""For every loop of a producer, the loop of the merged op that it is."""


def is_elementwise(generic: GenericOp) -> bool:
    """Return whether a generic is a parallel loop over its one result, in the result's own order, that
    yields an element of its type (xDSL's verifier allows others)."""
    if len(generic.results) != 1 or len(generic.outputs) != 1:
        return False
    element = getattr(generic.outputs[0].type, "element_type", None)
    yielded = generic.body.block.last_op
    if yielded is None or [value.type for value in yielded.operands] != [element]:
        return False
    parallel = all(i.data == IteratorType.PARALLEL for i in generic.iterator_types.data)
    output_map = generic.indexing_maps.data[-1].data
    return parallel and output_map == AffineMap.identity(output_map.num_dims)


def is_reduction(generic: GenericOp) -> bool:
    """Return whether a generic reduces along some loops, into one result."""
    loops = {i.data for i in generic.iterator_types.data}
    return IteratorType.REDUCTION in loops and len(generic.results) == len(generic.outputs) == 1


def permutation(map: AffineMap) -> Permutation | None:
    """Return the loops that a map permutes, None if it is no permutation of all of them."""
    found = tuple(e.position for e in map.results if isinstance(e, AffineDimExpr))
    if len(found) != len(map.results) or sorted(found) != list(range(map.num_dims)):
        return None
    return found


def merge_elementwise(block: Block) -> None:
    """Merge the generics of a block where possible, and erase unused ops."""
    generics = [op for op in block.ops if isinstance(op, GenericOp)]
    merged: set[GenericOp] = set()
    for index in reversed(range(len(generics))):
        root = generics[index]
        if root in merged or not (is_elementwise(root) or is_reduction(root)):
            continue
        members = _members(root, generics[:index])
        if len(members) > 1:
            merged.update(members)
            _build(root, members)
    erase_dead(block)


def erase_dead(block: Block) -> None:
    """Erase the ops of a block whose results are unused and which have no effect."""
    for op in reversed(list(block.ops)):
        if op.results and all(r.first_use is None for r in op.results) and is_side_effect_free(op):
            op.detach()
            op.erase()


def _members(root: GenericOp, before: Sequence[GenericOp]) -> dict[GenericOp, Permutation]:
    """Return the generics that merge into `root`, the first ones last."""
    found: dict[GenericOp, Permutation] = {root: tuple(range(len(root.iterator_types.data)))}
    for candidate in reversed(before):
        if is_elementwise(candidate) and (loops := _loops_in(candidate, found)) is not None:
            found[candidate] = loops
    return found


def _loops_in(candidate: GenericOp, members: dict[GenericOp, Permutation]) -> Permutation | None:
    """Return the permutation of the loops of a candidate in the merged op, None if it cannot become part of
    it."""
    result: Permutation | None = None
    for use in candidate.results[0].uses:
        user = use.operation
        if not isinstance(user, GenericOp) or user not in members:
            return None
        if use.index >= len(user.inputs):
            return None
        reads = permutation(user.indexing_maps.data[use.index].data)
        if reads is None:
            return None
        loops = tuple(members[user][d] for d in reads)
        if result is not None and loops != result:
            return None
        result = loops
    return result


def _build(root: GenericOp, members: dict[GenericOp, Permutation]) -> None:
    """Replace `root` by one op that holds the bodies of all members, the first ones first."""
    rank = len(root.iterator_types.data)
    body = Block()
    arguments: dict[tuple[SSAValue, AffineMap], SSAValue] = {}
    values: dict[SSAValue, SSAValue] = {}

    def read(operand: SSAValue, map: AffineMap, loops: Permutation, like: SSAValue) -> SSAValue:
        if operand in values:
            return values[operand]
        outer = AffineMap(rank, 0, tuple(AffineExpr.dimension(d) for d in loops))
        key = (operand, map.compose(outer))
        if key not in arguments:
            argument = body.insert_arg(like.type, len(body.args))
            argument.name_hint = like.name_hint
            arguments[key] = argument
        return arguments[key]

    for member, loops in reversed(members.items()):
        block = member.body.block
        maps = member.indexing_maps.data
        for operand, map, argument in zip(member.inputs, maps, block.args):
            argument.replace_all_uses_with(read(operand, map.data, loops, argument))
        yielded = _move_body(block, body, loops)
        if member is root:
            accumulator = body.insert_arg(block.args[-1].type, len(body.args))
            accumulator.name_hint = block.args[-1].name_hint
            block.args[-1].replace_all_uses_with(accumulator)
            body.add_op(YieldOp(yielded))
        else:
            values[member.results[0]] = yielded
    operands = [operand for operand, _ in arguments]
    input_maps = [AffineMapAttr(map) for _, map in arguments]
    replacement = GenericOp(
        operands,
        list(root.outputs),
        Region(body),
        ArrayAttr([*input_maps, root.indexing_maps.data[-1]]),
        root.iterator_types,
        list(root.result_types),
    )
    replacement.results[0].name_hint = root.results[0].name_hint
    parent = root.parent
    assert parent is not None
    parent.insert_op_before(replacement, root)
    root.results[0].replace_all_uses_with(replacement.results[0])
    for member in members:
        member.detach()
        member.erase()


def _move_body(source: Block, target: Block, loops: Permutation) -> SSAValue:
    """Move the ops of a body to the end of another; the value it yielded."""
    for op in list(source.ops):
        if isinstance(op, YieldOp):
            yielded = op.operands[0]
            op.detach()
            op.erase()
            return yielded
        op.detach()
        if isinstance(op, IndexOp):
            index = IndexOp(loops[op.dim.value.data])
            op.results[0].replace_all_uses_with(index.results[0])
            op.erase()
            op = index
        target.add_op(op)
    raise AssertionError("a linalg.generic ends in linalg.yield")
