"""Loops and branches of `relax-bufferize`: each passed tensor keeps one buffer."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, TensorType
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from lowering.memory.bufferize.bufferizer import Bufferizer
from lowering.memory.bufferize.tensor_flow import (
    before_branch,
    branch_values,
    carried_arguments,
    loop_inits,
)


def rewrite_for(b: Bufferizer, op: scf.ForOp) -> None:
    scalars = _begin_loop(b, op)
    index, *arguments = op.body.block.args
    block = _block(b, op.body.block, [index, *(arguments[i] for i in scalars)], op.results)
    loop = scf.ForOp(op.lb, op.ub, op.step, [op.iter_args[i] for i in scalars], block)
    _finish(b, op, loop)


def rewrite_while(b: Bufferizer, op: scf.WhileOp) -> None:
    if [v.type for v in op.arguments] != [r.type for r in op.results]:
        raise b.unsupported(op, "pass on the initial values of the loop, in their order")
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
    """Return a tensor known before a branch that has the sizes of its result."""
    if (origin := b.plan.reused.get(result)) is not None:
        return origin
    for value in branch_values(op, result.index):
        if (before := before_branch(value, op)) is not None:
            return before
    if DYNAMIC_INDEX not in result.type.get_shape():  # pyright: ignore
        return result
    raise b.unsupported(op, "let both branches change one tensor from outside of them")


def _begin_loop(b: Bufferizer, op: scf.ForOp | scf.WhileOp) -> list[int]:
    """Assign memory to the tensors that a loop carries; return the indices of its other carried values."""
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
    """Build a block of a loop or branch on memrefs; `arguments` are the ones it keeps."""
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
    """Insert a loop or branch, its results replacing the old non-tensor ones."""
    kept = [r for r in old.results if not isinstance(r.type, TensorType)]
    for result, replacement in zip(kept, new.results):
        replacement.name_hint = result.name_hint
        result.replace_all_uses_with(replacement)
    new.attributes |= old.attributes
    b.emit(new)
