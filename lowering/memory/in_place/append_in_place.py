"""Tensors that grow by concatenation in a loop are appended to in place.

    %y = scf.while (%s = %x) : ... {                %y = scf.while (%s = %room, %n = %n0) : ... {
      scf.condition(%more) %s                         scf.condition(%more) %s, %n
    } do {                                          } do {
    ^bb0(%t: memref<?xf32>):                        ^bb0(%t: memref<?xi8>, %m: index):
      %n = memref.dim %t, %c0                         %sum = arith.addi %m, %k
      %sum = arith.addi %n, %k                 ->     %large = ... // %t, or more bytes if it is full
      %next = memref.alloc(%sum)                      %end = memref.view %large[4 * %m][%k]
      func.call @concat(%t, %new, %next)              memref.copy %new, %end
      memref.dealloc %t                               scf.yield %large, %sum
      scf.yield %next                               }
    }                                               // the result is memref.view %y[0][%n]

An iteration copies only the new elements; when the capacity is exhausted, all are copied to a buffer of
twice the needed bytes, so that each element is copied about twice in all. If a check after the loop states
the final length of the result, that is the initial capacity, else a multiple of the initial size. Elements
that the iteration computes itself are written in place: their capacity is ensured when the iteration
begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import uncast
from lowering.memory.in_place.bytes import BYTES, as_bytes, byte_count, dynamic_sizes, tensor_at
from lowering.memory.in_place.growable_buffer import bytes_at_first, with_room
from lowering.memory.in_place.lives import Lives
from lowering.memory.in_place.memref_size_exprs import SymbolicSizes
from lowering.memory.in_place.owned_buffers import (
    allocate_like,
    frees_of,
    index,
    is_allocated_in,
    own_part,
    replaced,
)
from relax_dialect.prim.signature import PART


def loop_around(call: func.CallOp) -> scf.WhileOp | None:
    """Return the loop whose body directly contains a call, or None."""
    loop = call.parent_op()
    if isinstance(loop, scf.WhileOp) and call.parent is loop.after_region.block:
        return loop
    return None


def growing_state(call: func.CallOp, loop: scf.WhileOp) -> int | None:
    """Return the index of the state whose next value is a concatenation of it and the appended parts."""
    before, body = loop.before_region.block, loop.after_region.block
    condition, end = before.last_op, body.last_op
    assert condition is not None and end is not None
    first, *parts, out = memrefs_of(call)
    state, made = uncast(first), uncast(out)
    if state.owner is not body or not is_allocated_in(made, body):
        return None
    number = list(body.args).index(state)  # pyright: ignore[reportArgumentType]
    ends = [i for i, value in enumerate(end.operands) if uncast(value) is made]
    init, frees, lives = uncast(loop.arguments[number]), frees_of(state), Lives()
    fits = (
        ends == [number]
        and [free.parent for free in frees] == [body]
        and lives.is_last_use(call, state, frees)
        and all(uncast(part) is not state for part in parts)
        and condition.operands[1 + number] is before.args[number]
        and (is_allocated_in(init, loop.parent) or _is_handed_over(init, loop))
        and lives.is_first_use(call, made)  # the allocation moves to the call
        and _same_rank(state, made)
    )
    return number if fits else None


def memrefs_of(call: func.CallOp) -> Sequence[SSAValue]:
    return [value for value in call.operands if isinstance(value.type, MemRefType)]


def _same_rank(*values: SSAValue) -> bool:
    types = [value.type for value in values]
    return len({len(t.get_shape()) for t in types if isinstance(t, MemRefType)}) == 1


def _is_handed_over(init: SSAValue, loop: scf.WhileOp) -> bool:
    """Return whether the initial value of a loop is the result of a call."""
    made = init.owner
    return isinstance(made, func.CallOp) and made.parent is loop.parent and not frees_of(init)


def _part_of_iteration(call: func.CallOp, sizes: SymbolicSizes) -> memref.AllocOp | None:
    """Return the allocation in the loop body of all that is appended, if its sizes are known at the
    beginning of an iteration."""
    _, *parts, _ = memrefs_of(call)
    alloc = own_part(parts[0], call, Lives(), sizes) if len(parts) == 1 else None
    return None if alloc is None or alloc.dynamic_sizes else alloc


def grow_in_place(call: func.CallOp, loop: scf.WhileOp, state: int, sizes: SymbolicSizes) -> None:
    """Replace a growing state of a loop by bytes and sizes."""
    init = uncast(loop.arguments[state]).owner
    if isinstance(init, func.CallOp):
        init = _copied(loop, state, sizes)
    assert isinstance(init, memref.AllocOp) and isinstance(init.memref.type, MemRefType)
    room = as_bytes(init, sizes, *bytes_at_first(loop.results[state], init, sizes))
    if room is None:
        return
    insert = Inserter(before=init)
    start = index(insert, 0)
    tensor = tensor_at(insert, room, start, init.memref.type, init.dynamic_sizes)
    tensor.name_hint = init.memref.name_hint
    init.memref.replace_all_uses_with(tensor)
    Rewriter.erase_op(init)
    state_type = loop.arguments[state].type
    assert isinstance(state_type, MemRefType)
    count = state_type.get_shape().count(DYNAMIC_INDEX)
    condition, end = loop.before_region.block.last_op, loop.after_region.block.last_op
    assert condition is not None and end is not None
    looked_at, lengths = _take_bytes(loop.before_region.block, state, count)
    condition.operands = [
        *(looked_at if i == 1 + state else value for i, value in enumerate(condition.operands)),
        *lengths,
    ]
    (free,) = frees_of(loop.after_region.block.args[state])
    Rewriter.erase_op(free)
    body, before = loop.after_region.block, _part_of_iteration(call, sizes)
    own, lengths = _take_bytes(body, state, count)
    large = _append(call, own) if before is None else _append_at_once(call, before, own, lengths)
    lengths = dynamic_sizes(Inserter(before=end), end.operands[state])
    end.operands = [
        *(large if i == state else value for i, value in enumerate(end.operands)),
        *lengths,
    ]
    _give_bytes(loop, state, room)


def _copied(loop: scf.WhileOp, state: int, sizes: SymbolicSizes) -> memref.AllocOp:
    """Make a loop begin with a copy of the initial value."""
    given, insert = loop.arguments[state], Inserter(before=loop)
    new = allocate_like(insert, given, sizes)
    insert.place(memref.CopyOp(given, new))
    insert.place(memref.DeallocOp.get(given))
    loop.operands[state] = new
    assert isinstance(new.owner, memref.AllocOp)
    return new.owner


def _take_bytes(block: Block, state: int, count: int) -> tuple[SSAValue, Sequence[SSAValue]]:
    """Make an argument of a region one of bytes, and the sizes of the tensor further arguments."""
    room, old = block.insert_arg(BYTES, state), block.args[state + 1]
    lengths = [block.insert_arg(IndexType(), len(block.args)) for _ in range(count)]
    assert block.first_op is not None and isinstance(old.type, MemRefType)
    insert = Inserter(before=block.first_op)
    tensor = tensor_at(insert, room, index(insert, 0), old.type, lengths, old.name_hint)
    room.name_hint = old.name_hint
    old.replace_all_uses_with(tensor)
    block.erase_arg(old)
    return room, lengths


def _append(call: func.CallOp, room: SSAValue) -> SSAValue:
    """Copy the appended parts to the end of the state; return the bytes that hold both."""
    state, *parts, out = memrefs_of(call)
    made, insert = uncast(out).owner, Inserter(before=call)
    assert isinstance(made, memref.AllocOp)
    assert isinstance(made.memref.type, MemRefType) and isinstance(state.type, MemRefType)
    start = byte_count(insert, state.type, dynamic_sizes(insert, state))
    needed = byte_count(insert, made.memref.type, made.dynamic_sizes)
    large = with_room(insert, room, start, needed)
    first = index(insert, 0)
    tensor = tensor_at(insert, large, first, made.memref.type, made.dynamic_sizes)
    tensor.name_hint = made.memref.name_hint
    for part in parts:
        assert isinstance(part.type, MemRefType)
        dynamic = dynamic_sizes(insert, part)
        insert.place(memref.CopyOp(part, tensor_at(insert, large, start, part.type, dynamic)))
        if part is not parts[-1]:
            start = insert(arith.AddiOp(start, byte_count(insert, part.type, dynamic)))
    Rewriter.erase_op(call)
    made.memref.replace_all_uses_with(tensor)
    Rewriter.erase_op(made)
    return large


def _append_at_once(
    call: func.CallOp, part: memref.AllocOp, room: SSAValue, lengths: Sequence[SSAValue]
) -> SSAValue:
    """Compute the appended part at the end of the state; return the bytes that hold both."""
    *_, out = memrefs_of(call)
    (old,) = (use.operation for use in room.uses)
    made = uncast(out).owner
    assert isinstance(old, memref.ViewOp) and isinstance(made, memref.AllocOp)
    assert isinstance(old.result.type, MemRefType) and isinstance(made.memref.type, MemRefType)
    assert isinstance(part.memref.type, MemRefType)
    insert = Inserter(before=old)
    start = byte_count(insert, old.result.type, lengths)
    needed = insert(arith.AddiOp(start, byte_count(insert, part.memref.type, [])))
    large, first = with_room(insert, room, start, needed), index(insert, 0)
    views = (
        (old, tensor_at(insert, large, first, old.result.type, lengths)),
        (part, tensor_at(insert, large, start, part.memref.type, [])),
    )
    for free in frees_of(part.memref):
        Rewriter.erase_op(free)
    for number, (op, view) in enumerate(views):
        assert isinstance(view.owner, Operation)
        view.owner.attributes[PART] = IntegerAttr(number, i64)
        Rewriter.replace_op(op, [], [view])
    insert = Inserter(before=call)
    tensor = tensor_at(insert, large, first, made.memref.type, made.dynamic_sizes)
    Rewriter.erase_op(call)
    Rewriter.replace_op(made, [], [tensor])
    return large


def _give_bytes(loop: scf.WhileOp, state: int, room: SSAValue) -> None:
    """Make a loop carry bytes and sizes, and replace its result by the tensor in them."""
    insert = Inserter(before=loop)
    old = loop.results[state]
    assert isinstance(old.type, MemRefType)
    lengths = dynamic_sizes(insert, loop.arguments[state])
    operands = [room if i == state else value for i, value in enumerate(loop.arguments)]
    types = [BYTES if i == state else result.type for i, result in enumerate(loop.results)]
    count = len(types)
    regions = [loop.detach_region(region) for region in list(loop.regions)]
    new = scf.WhileOp([*operands, *lengths], [*types, *(n.type for n in lengths)], *regions)
    assert loop.parent is not None and loop.next_op is not None
    for free in frees_of(old):
        Inserter(before=free).place(memref.DeallocOp.get(new.results[state]))
        Rewriter.erase_op(free)
    after = Inserter(before=loop.next_op)
    zero = index(after, 0)
    tensor = tensor_at(
        after, new.results[state], zero, old.type, new.results[count:], old.name_hint
    )
    values = dict(enumerate(new.results[:count]))
    replaced(loop, new, values | {state: tensor})
