"""relax-grow-in-place: what grows by concatenation in a loop is written where it lies.

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

A turn copies what is new; where there is no room left all that was there is copied to twice the bytes that
are needed, so that each element is copied twice or so in all. Where a check after the loop tells how long
the result must be there is room for that from the beginning, else for some more of what is there. What the
turn makes itself is written there: the room for it is found when the turn begins. The prim func says that
its result is its arguments one after the other (`relax.joins`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects import arith, cf, func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from lowering.ir.constants import known_integer
from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import VIEW_OPS, uncast
from lowering.memory.bytes import (
    BYTES,
    as_bytes,
    byte_count,
    dynamic_sizes,
    symbolic_bytes,
    tensor_at,
)
from lowering.memory.callees import calls_of, functions_of
from lowering.memory.owned import (
    allocate,
    allocate_like,
    frees_of,
    index,
    is_allocated_in,
    own_part,
    replaced,
)
from lowering.memory.sizes import Size, SymbolicSizes
from relax_dialect import symbolic
from relax_dialect.prim.signature import JOINS, PART

LEAST = 1 << 14
"""The bytes that what grows gets at least: few allocations for what stays small."""

TIMES, MOST = 128, 1 << 20
"""How often there is room at first for what is there, and the bytes of that at most: the rows of a short
loop, such as a segment of one that is gone back through, are not copied."""


def grow_in_place(module: ModuleOp) -> None:
    """Let loops append in place, to the end of the tensor that they carry."""
    functions = functions_of(module)
    joins = {name for name, function in functions.items() if JOINS in function.attributes}
    for function in functions.values() if joins else ():
        for _, call in calls_of(function):
            if call.callee.string_value() in joins and (loop := _loop_of(call)) is not None:
                state = _growing(call, loop)
                if state is not None:
                    _grow(call, loop, state, SymbolicSizes(function, functions))


def _loop_of(call: func.CallOp) -> scf.WhileOp | None:
    """The loop whose body a call stands in."""
    loop = call.parent_op()
    if isinstance(loop, scf.WhileOp) and call.parent is loop.after_region.block:
        return loop
    return None


def _memrefs(call: func.CallOp) -> Sequence[SSAValue]:
    return [value for value in call.operands if isinstance(value.type, MemRefType)]


def _growing(call: func.CallOp, loop: scf.WhileOp) -> int | None:
    """The number of the state that a concatenation gives its next value, longer by what is appended."""
    before, body = loop.before_region.block, loop.after_region.block
    condition, end = before.last_op, body.last_op
    assert condition is not None and end is not None
    first, *parts, out = _memrefs(call)
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
        and _is_next(call, frees[0])  # and so the last op that looks at the state
        and all(uncast(part) is not state for part in parts)
        and condition.operands[1 + number] is before.args[number]
        and (is_allocated_in(init, loop.parent) or _is_handed_over(init, loop))
        and _is_first_use(call, made)
        and _same_rank(state, made)
    )
    return number if fits else None


def _is_handed_over(init: SSAValue, loop: scf.WhileOp) -> bool:
    """Whether a loop gets what another function has made."""
    made = init.owner
    return isinstance(made, func.CallOp) and made.parent is loop.parent and not frees_of(init)


def _is_next(call: func.CallOp, free: memref.DeallocOp) -> bool:
    """Whether no op but such that free other buffers stands between a call and one that frees a buffer."""
    op = call.next_op
    while op is not free and isinstance(op, memref.DeallocOp):
        op = op.next_op
    return op is free


def _is_first_use(call: func.CallOp, made: SSAValue) -> bool:
    """Whether nobody looks at an allocation of the block before a call."""
    op = call.prev_op
    while op is not None and op is not made.owner:
        if any(uncast(operand) is made for operand in op.operands) and not isinstance(op, VIEW_OPS):
            return False
        op = op.prev_op
    return op is not None


def _same_rank(*values: SSAValue) -> bool:
    types = [value.type for value in values]
    return len({len(t.get_shape()) for t in types if isinstance(t, MemRefType)}) == 1


def _grow(call: func.CallOp, loop: scf.WhileOp, state: int, sizes: SymbolicSizes) -> None:
    """Let a loop carry bytes and sizes in place of a state that grows."""
    init = uncast(loop.arguments[state]).owner
    if isinstance(init, func.CallOp):
        init = _copied(loop, state, sizes)
    assert isinstance(init, memref.AllocOp) and isinstance(init.memref.type, MemRefType)
    room = as_bytes(init, sizes, *(_final(loop.results[state], sizes) or _ahead(init, sizes)))
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
    body, before = loop.after_region.block, _own_part(call, loop, sizes)
    own, lengths = _take_bytes(body, state, count)
    large = _append(call, own) if before is None else _append_at_once(call, before, own, lengths)
    lengths = dynamic_sizes(Inserter(before=end), end.operands[state])
    end.operands = [
        *(large if i == state else value for i, value in enumerate(end.operands)),
        *lengths,
    ]
    _give_bytes(loop, state, room)


def _copied(loop: scf.WhileOp, state: int, sizes: SymbolicSizes) -> memref.AllocOp:
    """Let a loop begin with a copy of its own."""
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
    """Copy what is appended to where the state ends; gives the bytes in which both lie."""
    state, *parts, out = _memrefs(call)
    made, insert = uncast(out).owner, Inserter(before=call)
    assert isinstance(made, memref.AllocOp)
    assert isinstance(made.memref.type, MemRefType) and isinstance(state.type, MemRefType)
    start = byte_count(insert, state.type, dynamic_sizes(insert, state))
    needed = byte_count(insert, made.memref.type, made.dynamic_sizes)
    large = _with_room(insert, room, start, needed)
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


def _own_part(call: func.CallOp, loop: scf.WhileOp, sizes: SymbolicSizes) -> memref.AllocOp | None:
    """The allocation of a turn for all that is appended, if its sizes are known when the turn begins."""
    _, *parts, _ = _memrefs(call)
    number = {op: i for i, op in enumerate(loop.after_region.block.ops)}
    alloc = own_part(parts[0], call, number, sizes) if len(parts) == 1 else None
    return None if alloc is None or alloc.dynamic_sizes else alloc


def _append_at_once(
    call: func.CallOp, part: memref.AllocOp, room: SSAValue, lengths: Sequence[SSAValue]
) -> SSAValue:
    """Let a turn write what is appended where the state ends; gives the bytes in which both lie."""
    *_, out = _memrefs(call)
    (old,) = (use.operation for use in room.uses)
    made = uncast(out).owner
    assert isinstance(old, memref.ViewOp) and isinstance(made, memref.AllocOp)
    assert isinstance(old.result.type, MemRefType) and isinstance(made.memref.type, MemRefType)
    assert isinstance(part.memref.type, MemRefType)
    insert = Inserter(before=old)
    start = byte_count(insert, old.result.type, lengths)
    needed = insert(arith.AddiOp(start, byte_count(insert, part.memref.type, [])))
    large, first = _with_room(insert, room, start, needed), index(insert, 0)
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


def _with_room(insert: Inserter, room: SSAValue, used: SSAValue, needed: SSAValue) -> SSAValue:
    """Bytes of which so many are used, with room for as many as are needed: the same, or fresh ones that
    have room for twice as many.

        %large = scf.if %fits -> (memref<?xi8>) {
          scf.yield %room
        } else {
          %new = memref.alloc(%twice)  // 16 KiB at least
          memref.copy %room[0 to %used], %new[0 to %used]
          memref.dealloc %room
          scf.yield %new
        }
    """
    size = insert(memref.DimOp(room, index(insert, 0)))
    fits = insert(arith.CmpiOp(needed, size, "sle"))
    same, other = Block([scf.YieldOp(room)]), Block()
    grow = Inserter(end=other)
    start = index(grow, 0)
    twice = grow(arith.MuliOp(needed, index(grow, 2)))
    new = allocate(grow, BYTES, [grow(arith.MaxSIOp(twice, index(grow, LEAST)))], room.name_hint)
    halves = [tensor_at(grow, whole, start, BYTES, [used]) for whole in (room, new)]
    for op in (memref.CopyOp(*halves), memref.DeallocOp.get(room), scf.YieldOp(new)):
        grow.place(op)
    return insert(scf.IfOp(fits, [BYTES], Region(same), Region(other)), room.name_hint)


def _give_bytes(loop: scf.WhileOp, state: int, room: SSAValue) -> None:
    """Give a loop bytes and sizes, and those who use its result the tensor in them."""
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


def _final(result: SSAValue, sizes: SymbolicSizes) -> Sequence[Size]:
    """The bytes that a result is checked to have, if it is."""
    type = result.type
    assert isinstance(type, MemRefType)
    checked: dict[int, Size] = {}
    for axis, size in _compared(result):
        known = sizes.of(size)
        if known is not None and sizes.symbols.keys() >= set(known.free_variables):
            checked[axis] = known
    shape = [
        checked.get(axis) if size == DYNAMIC_INDEX else static
        for axis, (size, static) in enumerate(zip(type.get_shape(), sizes.shape(result)))
    ]
    found = symbolic_bytes(type, shape)
    return () if found is None else (found,)


def _ahead(init: memref.AllocOp, sizes: SymbolicSizes) -> Sequence[Size]:
    """The bytes that a state of unknown length gets before the first turn."""
    assert isinstance(init.memref.type, MemRefType)
    found = symbolic_bytes(init.memref.type, sizes.shape(init.memref))
    return () if found is None else (symbolic.minimum(found * TIMES, MOST),)


def _compared(result: SSAValue) -> Iterator[tuple[int, SSAValue]]:
    """The dimensions of a memref that run-time checks compare, and what with."""
    for use in result.uses:
        op = use.operation
        if isinstance(op, memref.CastOp):
            yield from _compared(op.dest)
        elif isinstance(op, memref.DimOp) and (axis := known_integer(op.index)) is not None:
            for other in op.result.uses:
                test = other.operation
                if isinstance(test, arith.CmpiOp) and _is_required(test.result):
                    yield axis, test.rhs if test.lhs is op.result else test.lhs


def _is_required(condition: SSAValue) -> bool:
    return any(isinstance(use.operation, cf.AssertOp) for use in condition.uses)


class GrowInPlacePass(ModulePass):
    """Tensors that loops append to grow in place, see the module docstring."""

    name = "relax-grow-in-place"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        grow_in_place(op)
