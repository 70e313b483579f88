"""Reverse mode through loops, in segments of some turns.

    y = while ... (f(y))       rows = [y]                       gy = ...
                               while ...                        while segments are left
                                 at most 64 turns y = f(y)        tape = [rows[last], its turns from there]
                                 rows += [y]                      the turns back over the tape

Forward keeps the state at the start of each segment. The way back computes a segment anew and keeps the
state of each of its turns, on a tape that stays in the cache, then goes back through them: n turns take
room for n / 64 + 64 states. What a turn gave is the state that the next one found, and is read there.

A loop with effects that may not be repeated is one segment: its tape has all turns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Attribute, BlockArgument, SSAValue

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.control import Given, Place, places_in
from relax_dialect.gradient.cotangents import is_differentiable
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.sequences import terminator
from relax_dialect.gradient.sweep import Sweep
from relax_dialect.gradient.tapes import Tape
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.loops import WhileOp

SEGMENT = 64
"""The turns of a segment: 64 states of 1,024 floats are a fourth of a second-level cache."""

Turn = Callable[..., Sequence[Any]]


def forward_loop(sweep: Sweep, loop: WhileOp, *, first: bool) -> None:
    """The loop with a count of its turns, which keeps what the way back begins with."""
    builder, count = sweep.builder, len(loop.inits)
    kept = {i: _fixed(loop, i) for i, a in enumerate(loop.body.block.args) if a.first_use}
    inits = [sweep.value(v) for v in loop.inits]
    zero = builder.emit(np.zeros((), np.int64))
    types = [*loop.result_types, zero.type]

    def turn(*values: Value) -> Sequence[Any]:
        given = dict(enumerate(values[:count]))
        following = sweep.once_more(loop.body.block, given, range(count), first=first)
        return [*following, values[count] + 1]

    def goes_on(*values: Value) -> Any:
        given = dict(enumerate(values[:count]))
        (holds,) = sweep.once_more(loop.condition.block, given, [0], first=first)
        return holds

    in_segments = isinstance(loop.test.type, TensorType) and sweep.adjoints.may_repeat(loop)
    if in_segments:
        more = builder.emit(goes_on(*inits))

        def goes_on_in_segment(end: Value, *values: Value) -> Any:
            return op.logical_and(values[-1], values[count] < end)

        def turn_and_test(*values: Value) -> Sequence[Any]:
            following = [builder.emit(v) for v in turn(*values)]
            return [*following, goes_on(*following)]

        def segment(*values: Value) -> Sequence[Any]:
            end = builder.emit(values[count] + SEGMENT)
            inside = [value.type for value in values]
            return builder.while_(
                lambda *v: goes_on_in_segment(end, *v), turn_and_test, *values, types=inside
            )

        state = [*inits, zero, more]
        results, rows = _recorded(
            sweep, kept, lambda *v: v[-1], segment, state, [*types, more.type]
        )
    else:
        results, rows = _recorded(sweep, kept, goes_on, turn, [*inits, zero], types)
    sweep.know(loop.results, results[:count])
    sweep.tapes[loop] = Tape(results[count], rows, in_segments)


def _recorded(
    sweep: Sweep,
    kept: Mapping[int, TensorType],
    condition: Callable[..., Any],
    turn: Turn,
    inits: Sequence[Value],
    types: Sequence[Attribute],
) -> tuple[Sequence[Value], dict[int, Value]]:
    """A loop that keeps parts of its state: what they begin as and what each turn makes of them are the
    rows of a tensor, which grows in place."""
    builder, count, size = sweep.builder, len(inits), _fresh(sweep, "rows")

    def body(*values: Value) -> Sequence[Any]:
        following = [builder.operand(v) for v in turn(*values[:count])]
        longer = [
            op.concat(
                [builder.match_cast(tape, _rows(type, size)), op.expand_dims(following[i], [0])],
                axis=0,
            )
            for (i, type), tape in zip(kept.items(), values[count:])
        ]
        return [*following, *longer]

    results = builder.while_(
        lambda *values: condition(*values[:count]),
        body,
        *inits,
        *(builder.emit(op.expand_dims(inits[i], [0])) for i in kept),
        types=[*types, *(_rows(type, None) for type in kept.values())],
    )
    recorded = results[0].value.owner
    assert isinstance(recorded, WhileOp)
    sweep.recorded.append(recorded)
    return results[:count], dict(zip(kept, results[count:]))


def _fixed(loop: WhileOp, index: int) -> TensorType:
    """The type of a part of the state, which has the same sizes in all turns."""
    type = loop.results[index].type
    if not isinstance(type, TensorType) or type.shape is None or None in type.shape:
        raise GradientError(
            f"{describe(loop)}: expected a state of tensors whose sizes are the same in all turns, "
            f"found {type}; carry a tensor of the final size, and the part that is filled so far"
        )
    return type


def _rows(type: TensorType, count: str | None) -> TensorType:
    return TensorType([count, *_sizes(type)], type.dtype)


def _sizes(type: TensorType) -> Dims:
    assert type.shape is not None
    return type.shape


def _fresh(sweep: Sweep, name: str) -> str:
    """A symbolic variable that stands nowhere yet."""
    sweep.adjoints.sizes += 1
    return f"{name}_{sweep.adjoints.sizes}"


def back_through_loop(sweep: Sweep, loop: WhileOp, given: Sequence[Given]) -> None:
    """A loop over the segments, or the turns, from the last to the first."""
    block = loop.body.block
    if loop not in sweep.tapes:  # though results may be known, from the tape of a loop around it
        for value in sweep.captured(loop):
            sweep.value(value)
        forward_loop(sweep, loop, first=False)
    tape, outside = sweep.tapes[loop], sweep.captured.of_block(block)
    for value in outside:
        sweep.value(value)
    carried = places_in([a for a in block.args if is_differentiable(a.type)])
    outer = places_in([v for v in outside if v in sweep.varied])
    seeds = [
        sweep.every(loop.results[_index(a)], given[_index(a)], [path])[path] for a, path in carried
    ]
    zeros = [sweep.every(value, {}, [path])[path] for value, path in outer]
    back = _back_over_segments if tape.is_of_segments else _back_over_turns
    found = back(sweep, loop, tape, (carried, outer), [*seeds, *zeros])
    for (argument, path), gradient in zip(carried, found):
        sweep.add(loop.inits[_index(argument)], path, gradient)
    for place, gradient in zip(outer, found[len(carried) :]):
        sweep.add(*place, gradient)


Collected = tuple[Sequence[Place], Sequence[Place]]
"""What a loop back carries cotangents of: the state, and what the body uses from outside."""


def _back_over_segments(
    sweep: Sweep, loop: WhileOp, tape: Tape, places: Collected, cotangents: Sequence[Value]
) -> Sequence[Value]:
    """A loop over the segments from the last to the first: each is computed anew first."""
    builder, block = sweep.builder, loop.body.block
    types = {i: _fixed(loop, i) for i in tape.states}
    starts = _named(sweep, loop, tape)
    zero = builder.emit(np.zeros((), np.int64))

    def turn(*values: Value) -> Sequence[Any]:
        following = sweep.once_more(block, dict(zip(starts, values)), starts, first=False)
        return [*following, values[-1] + 1]

    def segment_back(left: Value, *values: Value) -> Sequence[Any]:
        number = builder.emit((left - 1) // SEGMENT)
        before = builder.emit(number * SEGMENT)
        turns = builder.emit(left - before)
        inits = [builder.emit(op.take(each, number, axis=0)) for each in starts.values()]
        _, rows = _recorded(
            sweep,
            dict(enumerate(types.values())),
            lambda *state: state[-1] < turns,
            turn,
            [*inits, zero],
            [*types.values(), zero.type],
        )
        own = Tape(turns, dict(zip(starts, rows.values())))
        return [before, *_back_over_turns(sweep, loop, own, places, values)]

    return _down(sweep, tape.turns, segment_back, cotangents)


def _back_over_turns(
    sweep: Sweep, loop: WhileOp, tape: Tape, places: Collected, cotangents: Sequence[Value]
) -> Sequence[Value]:
    """A loop over the turns from the last to the first: each is computed anew from the tape, as far as the
    state after it does not tell what is needed."""
    builder, block = sweep.builder, loop.body.block
    rows, (carried, outer) = _named(sweep, loop, tape), places
    yielded = terminator(block).operands

    def turn_back(left: Value, *values: Value) -> Sequence[Any]:
        turn = builder.emit(left - 1)
        arguments = [block.args[i] for i in rows]
        kept = [builder.emit(op.take(each, turn, axis=0)) for each in rows.values()]
        with sweep.region(arguments, kept):
            sweep.define_symbols(block)
            made = [i for i in rows if not sweep.is_known(yielded[i])]
            after = [builder.emit(op.take(rows[i], left, axis=0)) for i in made]
            sweep.know([yielded[i] for i in made], after)
            for (argument, path), found in zip(carried, values):
                sweep.add(yielded[_index(argument)], path, found)
            sweep.back(block)
            found = sweep.cotangents
            before = [
                builder.emit(found.of(argument).get(path, op.zeros_like(after)))
                for (argument, path), after in zip(carried, values)
            ]
            sums = [
                builder.emit(known + found.of(value)[path]) if path in found.of(value) else known
                for (value, path), known in zip(outer, values[len(carried) :])
            ]
        return [turn, *before, *sums]

    return _down(sweep, tape.turns, turn_back, cotangents)


def _named(sweep: Sweep, loop: WhileOp, tape: Tape) -> dict[int, Value]:
    """The rows of a tape, whose number gets a name."""
    size = _fresh(sweep, "rows")
    return {
        i: sweep.builder.match_cast(rows, _rows(_fixed(loop, i), size))
        for i, rows in tape.states.items()
    }


def _down(sweep: Sweep, turns: Value, turn: Turn, cotangents: Sequence[Value]) -> Sequence[Value]:
    """A loop over a number that goes down to 0, and cotangents; gives these."""
    state = [turns, *cotangents]
    types = [value.type for value in state]
    return sweep.builder.while_(lambda left, *_: left > 0, turn, *state, types=types)[1:]


def _index(argument: SSAValue) -> int:
    assert isinstance(argument, BlockArgument)
    return argument.index
