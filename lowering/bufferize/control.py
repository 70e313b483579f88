"""Inserts, loops and branches of `relax-bufferize`: what they pass on stays in one place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects import memref, scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StridedLayoutAttr, TensorType
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from lowering.bufferize.tensor_flow import (
    before_branch,
    branch_values,
    carried_arguments,
    is_slice,
    loop_inits,
)

if TYPE_CHECKING:
    from lowering.bufferize.relax_bufferize import Bufferizer


def rewrite_insert(b: Bufferizer, op: tensor.InsertOp) -> None:
    destination = b.destination(op.result, op.dest)
    b.emit(memref.StoreOp.get(op.scalar, destination, op.indices))


def rewrite_insert_slice(b: Bufferizer, op: tensor.InsertSliceOp) -> None:
    view = _slice(b, op, b.destination(op.result, op.dest), op.source)
    b.emit(memref.CopyOp(b.memref_of(op.source), view))


def rewrite_extract_slice(b: Bufferizer, op: tensor.ExtractSliceOp) -> None:
    if is_slice(op.source):
        raise b.unsupported(op, "take the slice of a whole tensor")
    view = _slice(b, op, b.memref_of(op.source), op.result)
    view.name_hint = op.result.name_hint
    b.views.append(view)
    b.memrefs[op.result] = view


def _slice(
    b: Bufferizer, op: tensor.InsertSliceOp | tensor.ExtractSliceOp, whole: SSAValue, part: SSAValue
) -> SSAValue:
    """The view of the part of a row-major memref that is inserted or extracted."""
    assert isinstance(whole.type, MemRefType)
    view = memref.SubviewOp.build(
        operands=[whole, op.offsets, op.sizes, op.strides],
        result_types=[_slice_type(whole.type, op, part)],
        properties={
            name: op.properties[name]
            for name in ("static_offsets", "static_sizes", "static_strides")
        },
    )
    b.emit(view)
    return view.result


# Loops and branches -----------------------------------------------------------------------------


def rewrite_for(b: Bufferizer, op: scf.ForOp) -> None:
    scalars = _begin_loop(b, op)
    index, *arguments = op.body.block.args
    block = _block(b, op.body.block, [index, *(arguments[i] for i in scalars)], op.results)
    loop = scf.ForOp(op.lb, op.ub, op.step, [op.iter_args[i] for i in scalars], block)
    _finish(b, op, loop)


def rewrite_while(b: Bufferizer, op: scf.WhileOp) -> None:
    if [v.type for v in op.arguments] != [r.type for r in op.results]:
        raise b.unsupported(op, "pass on what the loop starts from, each in its place")
    scalars = _begin_loop(b, op)
    before, after = (
        _block(b, region.block, [region.block.args[i] for i in scalars], op.results)
        for region in (op.before_region, op.after_region)
    )
    inits = [op.arguments[i] for i in scalars]
    types = [value.type for value in inits]
    _finish(b, op, scf.WhileOp(inits, types, Region(before), Region(after)))


def rewrite_if(b: Bufferizer, op: scf.IfOp) -> None:
    for result, origin in ((r, b.plan.reused.get(r)) for r in op.results):
        if isinstance(result.type, TensorType):
            like = _sized_like(b, result, op)
            b.sizes[result] = b.sizes.get(like, ())
            storage = b.memref_of(origin) if origin else b.storage_for(result, like)
            b.memrefs[result] = storage
    then, otherwise = (
        Region(_block(b, region.block, (), op.results)) if region.blocks else Region()
        for region in op.regions
    )
    types = [r.type for r in op.results if not isinstance(r.type, TensorType)]
    _finish(b, op, scf.IfOp(op.cond, types, then, otherwise))


def _sized_like(b: Bufferizer, result: OpResult, op: scf.IfOp) -> SSAValue:
    """A tensor known before a branch that has the sizes of its result."""
    if (origin := b.plan.reused.get(result)) is not None:
        return origin
    for value in branch_values(op, result.index):
        if (before := before_branch(value, op)) is not None:
            return before
    if DYNAMIC_INDEX not in result.type.get_shape():  # pyright: ignore
        return result
    raise b.unsupported(op, "let both branches change one tensor from outside of them")


def _begin_loop(b: Bufferizer, op: scf.ForOp | scf.WhileOp) -> list[int]:
    """Give the tensors that a loop carries their memory; the numbers of what else it carries."""
    scalars: list[int] = []
    for result, init in zip(op.results, loop_inits(op)):
        if not isinstance(result.type, TensorType):
            scalars.append(result.index)
            continue
        destination = b.destination(result, init)
        for argument in carried_arguments(op, result.index):
            b.memrefs[argument] = destination
            b.sizes[argument] = b.sizes[result]
    return scalars


def _block(
    b: Bufferizer, old: Block, arguments: Sequence[SSAValue], results: Sequence[OpResult]
) -> Block:
    """A block of a loop or branch on memrefs; `arguments` are those it keeps."""
    outer, b.new = b.new, Block(arg_types=[argument.type for argument in arguments])
    for argument, replacement in zip(arguments, b.new.args):
        replacement.name_hint = argument.name_hint
        argument.replace_all_uses_with(replacement)
    *ops, terminator = list(old.ops)
    for op in ops:
        b.rewrite(op)
    first = 1 if isinstance(terminator, scf.ConditionOp) else 0
    passed = list(terminator.operands[first:])
    _pass_on(b, list(zip(results, passed)))
    scalars = [v for v in passed if not isinstance(v.type, TensorType)]
    if isinstance(terminator, scf.ConditionOp):
        b.emit(scf.ConditionOp(terminator.operands[0], *scalars))
    else:
        b.emit(scf.YieldOp(*scalars))
    block, b.new = b.new, outer
    return block


def _pass_on(b: Bufferizer, values: Sequence[tuple[OpResult, SSAValue]]) -> None:
    """Copy tensors to where the results of the loop or branch live, as if all at once."""
    moves = [
        (b.memrefs[result], b.memref_of(value), value)
        for result, value in values
        if isinstance(result.type, TensorType) and not b.plan.is_blank(value)
    ]
    moves = [move for move in moves if move[0] is not move[1]]
    targets = {target for target, _, _ in moves}
    held: list[tuple[SSAValue, SSAValue]] = []
    for target, source, value in moves:
        if source in targets:
            assert isinstance(source.type, MemRefType)
            kept = b.allocate(source.type, value, value.name_hint)
            b.emit(memref.CopyOp(source, kept))
            source = kept
        held.append((target, source))
    for target, source in held:
        b.emit(memref.CopyOp(source, target))


def _finish(b: Bufferizer, old: Operation, new: Operation) -> None:
    """Put a loop or branch in place, its results instead of those that are no tensors."""
    kept = [r for r in old.results if not isinstance(r.type, TensorType)]
    for result, replacement in zip(kept, new.results):
        replacement.name_hint = result.name_hint
        result.replace_all_uses_with(replacement)
    new.attributes |= old.attributes
    b.emit(new)


# Slices ------------------------------------------------------------------------------------------


def _slice_type(
    whole: MemRefType, op: tensor.InsertSliceOp | tensor.ExtractSliceOp, part: SSAValue
) -> MemRefType:
    """The type of the part of a row-major memref that is inserted or extracted."""
    shape = part.type.get_shape()  # pyright: ignore
    steps = op.static_strides.get_values()
    own = _row_major(whole.get_shape())
    strides = [_times(a, b) for a, b in zip(own, steps)]
    kept = _kept_dimensions(op.static_sizes.get_values(), len(shape))
    places = op.static_offsets.get_values()
    parts = [0 if place == 0 else _times(place, stride) for place, stride in zip(places, own)]
    offset = None if DYNAMIC_INDEX in parts else sum(parts)
    layout = StridedLayoutAttr([_known(strides[d]) for d in kept], offset)
    return MemRefType(whole.element_type, shape, layout)


def _row_major(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, _times(strides[0], size))
    return strides[: len(shape)]


def _times(a: int, b: int) -> int:
    return DYNAMIC_INDEX if DYNAMIC_INDEX in (a, b) else a * b


def _known(stride: int) -> int | None:
    return None if stride == DYNAMIC_INDEX else stride


def _kept_dimensions(sizes: Sequence[int], rank: int) -> list[int]:
    """The dimensions of a slice that its source of a smaller rank has: the first ones of size 1 go."""
    kept: list[int] = []
    dropped = len(sizes) - rank
    for dimension, size in enumerate(sizes):
        if size == 1 and dropped:
            dropped -= 1
        else:
            kept.append(dimension)
    return kept


REWRITES: dict[type[Operation], Callable[[Bufferizer, Any], None]] = {
    tensor.InsertOp: rewrite_insert,
    tensor.InsertSliceOp: rewrite_insert_slice,
    tensor.ExtractSliceOp: rewrite_extract_slice,
    scf.ForOp: rewrite_for,
    scf.WhileOp: rewrite_while,
    scf.IfOp: rewrite_if,
}
