"""The loop states that grow by concatenation alone (`relax-append-in-place`)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from lowering.ir.memref_views import uncast
from lowering.memory.in_place.memref_size_exprs import SymbolicSizes
from lowering.memory.in_place.owned_buffers import frees_of, is_allocated_in, own_part


def loop_around(call: func.CallOp) -> scf.WhileOp | None:
    """Return the loop whose body directly contains a call, or None."""
    loop = call.parent_op()
    if isinstance(loop, scf.WhileOp) and call.parent is loop.after_region.block:
        return loop
    return None


def memrefs_of(call: func.CallOp) -> Sequence[SSAValue]:
    return [value for value in call.operands if isinstance(value.type, MemRefType)]


def growing_state(call: func.CallOp, loop: scf.WhileOp) -> int | None:
    """Return the index of the state whose next value is a concatenation of it and the appended parts."""
    before, body = loop.before_region.block, loop.after_region.block
    condition, end = before.last_op, body.last_op
    assert condition is not None and end is not None
    first, *parts, out = memrefs_of(call)
    state, made = uncast(first), uncast(out)
    if state.owner is not body or not is_allocated_in(made, body):
        return None
    (number,) = (i for i, argument in enumerate(body.args) if argument is state)
    ends = [i for i, value in enumerate(end.operands) if uncast(value) is made]
    frees = frees_of(state)
    init = uncast(loop.arguments[number])
    fits = (
        ends == [number]
        and len(frees) == 1
        and _is_next(call, frees[0])  # and so the last use of the state
        and all(uncast(part) is not state for part in parts)
        and condition.operands[1 + number] is before.args[number]
        and (is_allocated_in(init, loop.parent) or _is_handed_over(init, loop))
        and _is_first_use(call, made)
        and _same_rank(state, made)
    )
    return number if fits else None


def part_of_turn(
    call: func.CallOp, loop: scf.WhileOp, sizes: SymbolicSizes
) -> memref.AllocOp | None:
    """Return the allocation in the loop body of all that is appended, if its sizes are known at the
    beginning of an iteration."""
    _, *parts, _ = memrefs_of(call)
    number = {op: i for i, op in enumerate(loop.after_region.block.ops)}
    alloc = own_part(parts[0], call, number, sizes) if len(parts) == 1 else None
    return None if alloc is None or alloc.dynamic_sizes else alloc


def _is_handed_over(init: SSAValue, loop: scf.WhileOp) -> bool:
    """Return whether the initial value of a loop is the result of a call."""
    made = init.owner
    return isinstance(made, func.CallOp) and made.parent is loop.parent and not frees_of(init)


def _is_next(call: func.CallOp, free: memref.DeallocOp) -> bool:
    """Return whether only deallocations of other buffers separate a call from the deallocation of a
    buffer."""
    op = call.next_op
    while op is not free and isinstance(op, memref.DeallocOp):
        op = op.next_op
    return op is free


def _is_first_use(call: func.CallOp, made: SSAValue) -> bool:
    """Return whether an allocation of the block has no use before a call, not even through a view: its
    replacement is created at the call."""
    op = call.prev_op
    while op is not None and op is not made.owner:
        if any(uncast(operand) is made for operand in op.operands):
            return False
        op = op.prev_op
    return op is not None


def _same_rank(*values: SSAValue) -> bool:
    types = [value.type for value in values]
    return len({len(t.get_shape()) for t in types if isinstance(t, MemRefType)}) == 1
