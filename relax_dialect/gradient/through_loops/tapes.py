"""Tapes of loops for the backward pass; parts that it does not read are removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.gradient.free_values import Captures, statements, terminator
from relax_dialect.ir.purity import is_pure
from relax_dialect.ir.symbol_scopes import needed_symbols
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.joining import ConcatOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.transform.loop_states import without_states
from relax_dialect.transform.regions import erase


class Rows(NamedTuple):
    """The values of a part of the state whose sizes change, one after the other: see `changing`."""

    values: Value
    ends: Value
    """The start of each iteration's rows, and the end of the last ones."""
    axis: int


@dataclass(frozen=True)
class Tape:
    """The values that a loop keeps for the backward pass."""

    turns: Value
    """The trip count, an i64."""
    states: dict[int, Value]
    """The values of parts of the state along a new first axis: at the start, and after each iteration,
    or after each segment."""
    inside: Mapping[SSAValue, Value] = field(default_factory=dict[SSAValue, Value])
    """Values inside of the iterations along a new first axis: see `loop_tape`."""
    is_of_segments: bool = False
    changing: Mapping[int, Rows] = field(default_factory=dict[int, Rows])
    """The kept values of parts whose sizes change."""


def drop_unused(function: Operation, loops: list[WhileOp]) -> bool:
    """Remove the parts of the state of loops that only the loops themselves read; returns whether there
    was one. `loops` then lists the new loops."""
    alive = set(walk_ops(function)) if loops else set()
    loops[:] = [loop for loop in loops if loop in alive]
    sizes: Readers = {}
    for each in alive:
        for size in needed_symbols(each):
            sizes.setdefault(size, set()).add(each)
    dropped = False
    for place, loop in enumerate(loops):
        if unused := _unused(loop, sizes):
            loops[place], dropped = _narrowed(loop, unused, sizes), True
    return dropped


Readers = dict[str, set[Operation]]
"""The ops that need a symbolic variable."""


def _unused(loop: WhileOp, sizes: Readers) -> Sequence[int]:
    """Return the parts of the state used by neither the condition, nor the ops after the loop, nor the
    other parts."""
    body, captured = loop.body.block, Captures()
    tests = loop.condition.block.args
    pending: list[SSAValue] = []
    used: set[int] = set()

    def use(index: int) -> None:
        if index not in used:
            used.add(index)
            pending.append(loop.next_state[index])

    for index, (result, argument) in enumerate(zip(loop.results, tests)):
        if argument.uses or not all(_is_idle(use.operation, sizes) for use in result.uses):
            use(index)
    for operation in statements(body):
        if _stays(operation, sizes):
            pending += captured(operation)
    seen: set[SSAValue] = set()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, BlockArgument) and value.owner is body:
            use(value.index)
        elif isinstance(value, OpResult) and value.op.parent is body:
            pending += captured(value.op)
    return [index for index in range(len(loop.results)) if index not in used]


def _stays(operation: Operation, sizes: Readers) -> bool:
    """Return whether an op is computed even if its results are unused. An op that only names the number
    of rows before another is appended is not."""
    if isinstance(operation, MatchOp):
        readers = [use.operation for result in operation.results for use in result.uses]
        is_to_append = len(readers) == 1 and isinstance(readers[0], ConcatOp)
        return not (is_to_append and _names_for(operation, readers, sizes))
    return not is_pure(operation)


def _is_idle(reader: Operation, sizes: Readers) -> bool:
    """Return whether an op only names sizes, which none needs."""
    return (
        isinstance(reader, MatchOp) and not reader.results[0].uses and _names_for(reader, (), sizes)
    )


def _names_for(match: MatchOp, readers: Sequence[Operation], sizes: Readers) -> bool:
    """Return whether the sizes that an op names are used by some ops only."""
    named = set(match.candidates()).difference(*(free_variables(v.type) for v in match.operands))
    return all(sizes.get(size, set()).issubset(readers) for size in named)


def _narrowed(loop: WhileOp, unused: Sequence[int], sizes: Readers) -> WhileOp:
    """Replace a loop by one without some parts of its state."""
    body = loop.body.block
    staying = {operation for operation in statements(body) if _stays(operation, sizes)}
    for index in unused:
        for use in list(loop.results[index].uses):
            erase(use.operation)
        terminator(body).operands[index] = body.args[index]
    for operation in reversed(statements(body)):
        if not (any(r.uses for r in operation.results) or operation in staying):
            erase(operation)
    return without_states(loop, unused)
