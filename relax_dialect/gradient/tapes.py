"""Tapes that nothing on the way back reads are taken out of their loops."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.ir.call_graph import ops_inside
from relax_dialect.ops.core import MatchCastOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.transform.regions import erase, keep_name, replace_uses


@dataclass
class Tape:
    """What a loop leaves for the way back."""

    turns: Value
    """How many turns it took, an i64."""
    states: dict[int, Value]
    """The values of parts of the state at the start of every turn, along a new first axis."""


def drop_unused(function: Operation, tapes: Sequence[Tape]) -> bool:
    """Take the tapes that are not read out of the loops that write them; gives whether there was one."""
    alive = set(ops_inside(function))
    return any([_drop(tape, alive) for tape in tapes])  # noqa: C419 - each of them


def _drop(tape: Tape, alive: Container[Operation]) -> bool:
    unused: list[OpResult] = []
    for kept in tape.states.values():
        readers = [use.operation for use in kept.value.uses]
        assert isinstance(kept.value, OpResult)
        if kept.value.op in alive and all(map(_is_idle, readers)):
            for reader in readers:
                erase(reader)
            unused.append(kept.value)
    if unused:
        loop = unused[0].op
        assert isinstance(loop, WhileOp)
        _narrow(loop, [result.index for result in unused])
    return bool(unused)


def _is_idle(reader: Operation) -> bool:
    return isinstance(reader, MatchCastOp) and not reader.result.uses


def _narrow(loop: WhileOp, unused: Sequence[int]) -> None:
    """Put a loop without some parts of its state in the place of one."""
    kept = [i for i in range(len(loop.inits)) if i not in unused]
    last = loop.body.block.last_op
    assert last is not None
    written = [last.operands[i] for i in unused]
    last.operands = [last.operands[i] for i in kept]
    for value in written:
        _erase_unused(value)
    for region in loop.regions:
        for index in sorted(unused, reverse=True):
            region.block.erase_arg(region.block.args[index])
    inits = [loop.inits[i] for i in kept]
    new = WhileOp(inits, *(loop.detach_region(region) for region in list(loop.regions)))
    new.location = loop.location
    assert loop.parent is not None
    loop.parent.insert_op_before(new, loop)
    for result, index in zip(new.results, kept):
        keep_name(result, loop.results[index])
        replace_uses({loop.results[index]: result})
    erase(loop)


def _erase_unused(value: SSAValue) -> None:
    """Erase the ops that compute nothing but a value that is not used."""
    pending = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, OpResult) and not current.uses and current.op.parent is not None:
            pending += current.op.operands
            erase(current.op)
