"""Loop-carried tensors live in buffers allocated before the loop, which each iteration exchanges.

    %y = scf.while (%s = %own) : ... {           %spare = memref.alloc(%n)
      ...                                        %y, %r = scf.while (%s = %own, %o = %spare) : ... {
      scf.condition(%more) %s                      ...
    } do {                                         scf.condition(%more) %s, %o
    ^bb0(%t: memref<?xf32>):                     } do {
      %next = memref.alloc(%n)              ->   ^bb0(%t: memref<?xf32>, %p: memref<?xf32>):
      func.call @f(%t, %next)                      func.call @f(%t, %p)
      memref.dealloc %t                            scf.yield %p, %t
      scf.yield %next                            }
    }                                            ...
    ...                                          memref.dealloc %own
    memref.dealloc %y                            memref.dealloc %spare

An iteration that reads the state for the last time before it allocates the next one writes that over it:
then there is one buffer and no spare one. A value that outlives the block of the loop is copied to one
buffer, unless it is there already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import uncast
from lowering.memory.in_place.lives import Lives
from lowering.memory.in_place.memref_size_exprs import SymbolicSizes
from lowering.memory.in_place.owned_buffers import (
    allocate_like,
    capacity,
    frees_of,
    is_allocated_in,
    is_known,
    replaced,
    stand_in,
)


@dataclass
class BufferExchange:
    """The exchange of a loop's state buffers in one iteration; buffers are numbered like the state."""

    kept: dict[int, int] = field(default_factory=dict)
    """The state that the next iteration finds in a buffer of this one's, and the buffer."""
    made: dict[int, memref.AllocOp] = field(default_factory=dict)
    """The state that is written to a fresh buffer, and its allocation."""
    freed: dict[int, memref.DeallocOp] = field(default_factory=dict)
    """The buffers that the iteration frees, and where."""


def hoist_from_loop(loop: scf.WhileOp, sizes: SymbolicSizes) -> None:
    """Allocate before a loop the buffers of its state, where none changes its size."""
    turn = _turn(loop, sizes)
    if not turn.made and not turn.kept:
        return
    over = _written_over(turn, loop, sizes)
    for state, buffer in over.items():
        stand_in(turn.made.pop(state), loop.after_region.block.args[buffer], sizes)
        Rewriter.erase_op(turn.freed.pop(buffer))
    turn.kept |= over
    spares: dict[int, int] = {}
    for state, alloc in turn.made.items():
        wanted = capacity(alloc.memref, sizes)
        spares[state] = next(
            b
            for b in turn.freed
            if b not in spares.values() and _capacity(loop, b, sizes) == wanted
        )
    _Rotation(loop, sizes, turn, spares).place()


def _turn(loop: scf.WhileOp, sizes: SymbolicSizes) -> BufferExchange:
    """Determine the exchange in one iteration of the buffers of states that live in buffers of constant
    size only."""
    body = loop.after_region.block
    assert body.last_op is not None
    arguments: dict[SSAValue, int] = {argument: i for i, argument in enumerate(body.args)}
    given = {i: uncast(value) for i, value in enumerate(body.last_op.operands)}
    states = _steady(loop, sizes)
    while True:
        found = BufferExchange()
        for i in states:
            buffer, wanted = given[i], _capacity(loop, i, sizes)
            if list(given.values()).count(buffer) > 1:
                continue
            if (source := arguments.get(buffer)) is not None:
                if source in states and _capacity(loop, source, sizes) == wanted:
                    found.kept[i] = source
            elif is_allocated_in(buffer, body) and capacity(buffer, sizes) == wanted:
                assert isinstance(buffer.owner, memref.AllocOp)
                found.made[i] = buffer.owner
        for i in states:
            frees = frees_of(body.args[i])
            if i not in found.kept.values() and len(frees) == 1 and frees[0].parent is body:
                found.freed[i] = frees[0]
        rest = [
            i
            for i in states
            if (i in found.kept or i in found.made)
            and (i in found.freed) != (i in found.kept.values() and not frees_of(body.args[i]))
        ]
        if rest == states:
            return found
        states = rest


def _steady(loop: scf.WhileOp, sizes: SymbolicSizes) -> list[int]:
    """Return the states of constant size whose initial buffers are owned by the block around the loop."""
    before, after = loop.before_region.block, loop.after_region.block
    assert before.last_op is not None
    found: list[int] = []
    for i, argument in enumerate(before.args):
        if not isinstance(argument.type, MemRefType):
            continue
        init = uncast(loop.arguments[i])
        is_own = is_allocated_in(init, loop.parent) or _is_state(init, loop.parent)
        known = is_known(sizes.shape(after.args[i])) and _capacity(loop, i, sizes) is not None
        if is_own and known and before.last_op.operands[1 + i] is argument:
            found.append(i)
    inits = [uncast(value) for value in loop.arguments]
    return [i for i in found if inits.count(inits[i]) == 1]


def _is_state(buffer: SSAValue, block: Block | None) -> bool:
    """Return whether a buffer is carried by the loop around a block, and not freed there."""
    return (
        block is not None
        and buffer.owner is block
        and isinstance(block.parent_op(), scf.WhileOp)
        and not frees_of(buffer)
    )


def _capacity(loop: scf.WhileOp, state: int, sizes: SymbolicSizes):
    return capacity(loop.arguments[state], sizes)


def _written_over(
    turn: BufferExchange, loop: scf.WhileOp, sizes: SymbolicSizes
) -> Mapping[int, int]:
    """Return the state that is made after a buffer of its capacity is freed, and that buffer, if possible
    of the same state."""
    lives = Lives()
    found: dict[int, int] = {}
    for state, alloc in turn.made.items():
        wanted = capacity(alloc.memref, sizes)
        free = [
            buffer
            for buffer, op in turn.freed.items()
            if buffer not in found.values()
            and lives.at(op) < lives.at(alloc)
            and _capacity(loop, buffer, sizes) == wanted
        ]
        if free:
            found[state] = state if state in free else free[0]
    return found


@dataclass
class _Rotation:
    """A loop over its state and spare buffers, which the iterations exchange."""

    loop: scf.WhileOp
    sizes: SymbolicSizes
    turn: BufferExchange
    spares: Mapping[int, int]
    """For each state that is made in a spare buffer, the state whose buffer is spare afterwards."""

    def place(self) -> None:
        """Replace the old loop by the new one."""
        loop, count = self.loop, len(self.loop.results)
        insert = Inserter(before=loop)
        buffers = {i: loop.arguments[i] for i in (*self.turn.kept, *self.turn.made)}
        follows = dict(self.turn.kept)
        for number, (state, freed) in enumerate(self.spares.items()):
            spare = allocate_like(insert, loop.arguments[freed], self.sizes)
            buffers[count + number] = spare
            follows |= {state: count + number, count + number: freed}
        added = [buffers[count + n] for n in range(len(self.spares))]
        self._carry(added)
        results = [result.type for result in loop.results] + [value.type for value in added]
        regions = [loop.detach_region(region) for region in list(loop.regions)]
        new = scf.WhileOp([*loop.arguments, *added], results, *regions)
        for i in buffers:
            self.sizes.shapes[new.results[i]] = self.sizes.shape(buffers[i])
        replaced(loop, new, dict(enumerate(new.results[:count])))
        for cycle in _cycles(follows):
            _end(new, cycle, {i: buffers[i] for i in cycle}, count, self.sizes)

    def _carry(self, added: Sequence[SSAValue]) -> None:
        """Pass the spare buffers to the regions: allocations of an iteration use them, freed buffers become
        spare."""
        before, after = self.loop.before_region.block, self.loop.after_region.block
        condition, end = before.last_op, after.last_op
        assert condition is not None and end is not None
        looked_at = [before.insert_arg(value.type, len(before.args)) for value in added]
        own = [after.insert_arg(value.type, len(after.args)) for value in added]
        condition.operands = [*condition.operands, *looked_at]
        for spare, value in zip((*looked_at, *own), (*added, *added)):
            self.sizes.shapes[spare] = self.sizes.shape(value)
        for spare, (state, freed) in zip(own, self.spares.items()):
            stand_in(self.turn.made[state], spare, self.sizes)
            Rewriter.erase_op(self.turn.freed[freed])
        end.operands = [*end.operands, *(after.args[freed] for freed in self.spares.values())]


def _cycles(follows: Mapping[int, int]) -> Sequence[Sequence[int]]:
    """Return the cycles of state and spare buffers that replace each other, state buffers first."""
    found: list[list[int]] = []
    rest = dict.fromkeys(sorted(follows))
    while rest:
        at = next(iter(rest))
        found.append([])
        while at in rest:
            del rest[at]
            found[-1].append(at)
            at = follows[at]
    return found


def _end(
    loop: scf.WhileOp,
    cycle: Sequence[int],
    buffers: Mapping[int, SSAValue],
    count: int,
    sizes: SymbolicSizes,
) -> None:
    """Free the buffers of a cycle after the last use of the values in them; a value that outlives the block
    is copied to a buffer of its own, its initial one if that has no other use."""
    block = loop.parent
    assert block is not None and loop.next_op is not None
    insert = Inserter(before=loop.next_op)
    lasting: list[int] = []
    frees: list[Operation] = []
    for i in cycle:
        found = frees_of(loop.results[i])
        if len(found) == 1 and found[0].parent is block:
            frees += found
        elif i < count:
            lasting.append(i)
    kept = lasting[0] if len(lasting) == 1 and not frees else None
    for i in lasting:
        place = buffers[i] if i == kept else allocate_like(insert, buffers[i], sizes)
        loop.results[i].replace_all_uses_with(place)
        if len(cycle) > 1:
            insert.place(memref.CopyOp(loop.results[i], place))
    last = max(frees, key=Lives().at, default=None)
    end = Inserter(before=insert.before if last is None else last)
    for i in cycle:
        if i != kept:
            end.place(memref.DeallocOp.get(uncast(buffers[i])))
    for op in frees:
        Rewriter.erase_op(op)
