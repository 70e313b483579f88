"""Reverse mode through loops, in segments of several iterations.

    y = while ... (f(y))       rows = [y]                       gy = ...
                               while ...                        while segments are left
                                 at most 64 times y = f(y)        tape = [rows[last], its iterations]
                                 rows += [y]                      back over the tape

The forward pass keeps the state at the start of each segment. The backward pass recomputes a segment and
keeps the state of each of its iterations, and the values expensive to compute (`loop_tape`), on a tape that
remains in the cache, then goes back through them: n iterations take memory for n / 64 + 64 states. The
results of an iteration are read from the state of the next one. If an iteration is a few elementwise
operators, dominated by reading and writing cotangents, the backward loop is unrolled by two.

A loop of at most 64 iterations, and one with effects that may not be repeated, is one segment: its tape has
all iterations.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, zip_longest
from typing import Any, NamedTuple

import numpy as np
from xdsl.ir import Attribute, BlockArgument, SSAValue

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.control import Given, Place, places_in
from relax_dialect.gradient.cotangents import is_differentiable
from relax_dialect.gradient.free_values import statements, terminator
from relax_dialect.gradient.sweep_state import Sweep
from relax_dialect.gradient.through_loops.append_detection import appended_parts
from relax_dialect.gradient.through_loops.append_only_cotangents import Unread
from relax_dialect.gradient.through_loops.dynamic_state import rows_of
from relax_dialect.gradient.through_loops.loop_tape import values_inside
from relax_dialect.gradient.through_loops.recording import (
    SEGMENT,
    Turn,
    fixed,
    forward_loop,
    of_same_sizes,
    recorded,
    rows_inside,
)
from relax_dialect.gradient.through_loops.tapes import Tape
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.kinds import K_BROADCAST, pattern_kind
from relax_dialect.ops.loops import WhileOp

LIGHT = 4
"""The maximum number of elementwise operators of an iteration for which the backward loop is unrolled by
two."""


def back_through_loop(sweep: Sweep, loop: WhileOp, given: Sequence[Given]) -> None:
    """Emit a loop over the segments, or the iterations, from the last to the first."""
    block = loop.body.block
    if loop not in sweep.tapes:  # though results may be known, from the tape of a loop around it
        for value in sweep.captured(loop):
            sweep.value(value)
        forward_loop(sweep, loop, first=False)
    tape, outside = sweep.tapes[loop], sweep.captured.of_block(block)
    for value in outside:
        sweep.value(value)
    parts = appended_parts(loop)
    carried = places_in(
        [a for a in block.args if is_differentiable(a.type) and a.index not in parts]
    )
    outer = places_in([v for v in outside if v in sweep.varied])
    unread = {i: Unread(sweep, parts[i], given[i][()]) for i in parts if given[i]}
    seeds = [
        sweep.every(loop.results[_index(a)], given[_index(a)], [path])[path] for a, path in carried
    ]
    sums = [sweep.total(*place) for place in outer]  # the loop adds to the known sums
    bounds = [bound for each in unread.values() for bound in each.bounds()]
    back = _back_over_segments if tape.is_of_segments else _back_over_turns
    collected = Collected(carried, outer, list(unread.values()))
    found = collected.parts(back(sweep, loop, tape, collected, [*seeds, *sums, *bounds]))
    for place, gradient in zip(outer, found.outer):
        sweep.cotangents.begin(*place, gradient)
    for (argument, path), gradient in zip(carried, found.carried):
        index = _index(argument)
        sweep.add(loop.inits[index], path, gradient, same_shape=index in tape.changing)
    for (index, each), bounds in zip(unread.items(), found.bounds):
        sweep.add(loop.inits[index], (), each.rest(loop.inits[index], bounds))


class BackwardState(NamedTuple):
    """The state of a backward loop: cotangents, and the bounds of the unread rows."""

    carried: Sequence[Value]
    outer: Sequence[Value]
    bounds: Sequence[Sequence[Value]]


class Collected(NamedTuple):
    """The values whose gradients a backward loop collects: the state, captured values, append-only
    parts."""

    carried: Sequence[Place]
    outer: Sequence[Place]
    unread: Sequence[Unread]

    def parts(self, values: Sequence[Value]) -> BackwardState:
        """Split the state of the backward loop into its parts."""
        rest = iter(values)
        return BackwardState(
            [*islice(rest, len(self.carried))],
            [*islice(rest, len(self.outer))],
            [[*islice(rest, each.count)] for each in self.unread],
        )


def _back_over_segments(
    sweep: Sweep, loop: WhileOp, tape: Tape, collected: Collected, cotangents: Sequence[Value]
) -> Sequence[Value]:
    """Emit a loop over the segments from the last to the first, each of which is recomputed first."""
    builder, block = sweep.builder, loop.body.block
    types = {i: fixed(loop, i) for i in tape.states}
    inside = dict(values_inside(loop, types.values()))
    starts, count = _named(sweep, tape), len(tape.states)
    wanted = [*(loop.next_state[i] for i in starts), *inside]
    zero = builder.emit(np.zeros((), np.int64))

    def turn(*values: Value) -> Sequence[Any]:
        following = sweep.once_more(block, dict(zip(starts, values)), wanted, first=False)
        return [*following[:count], values[-1] + 1, *following[count:]]

    def segment_back(left: Value, *values: Value) -> Sequence[Any]:
        number = builder.emit((left - 1) // SEGMENT)
        turns = builder.emit((left - 1) % SEGMENT + 1)  # so that it is plain that they are not more
        inits = [builder.emit(op.take(each, number, axis=0)) for each in starts.values()]
        results, rows = recorded(
            sweep,
            dict(enumerate(types.values())),
            lambda *state: state[-1] < turns,
            turn,
            [*inits, zero],
            [*types.values(), zero.type],
            [*inside.values()],
        )
        made = rows_inside(inside, rows, len(results))
        own = Tape(turns, dict(zip(starts, rows.values())), made)
        return [left - turns, *_back_over_turns(sweep, loop, own, collected, values)]

    return _down(sweep, tape.turns, segment_back, cotangents)


def _back_over_turns(
    sweep: Sweep, loop: WhileOp, tape: Tape, collected: Collected, cotangents: Sequence[Value]
) -> Sequence[Value]:
    """Emit a loop over the iterations from the last to the first. Each is recomputed from the tape,
    unless the state after it determines the values needed."""
    builder, block = sweep.builder, loop.body.block
    rows = _named(sweep, tape)
    inside = {value: sweep.named(each, 0) for value, each in tape.inside.items()}
    yielded = terminator(block).operands

    def turn_back(turn: Value, left: Value, values: Sequence[Value]) -> Sequence[Value]:
        arguments = [block.args[i] for i in (*rows, *tape.changing)]
        kept = [builder.emit(op.take(each, turn, axis=0)) for each in rows.values()]
        kept += [rows_of(sweep, each, turn, left) for each in tape.changing.values()]
        with sweep.region(arguments, kept):
            sweep.define_symbols(block)
            made = [i for i in rows if not sweep.is_known(yielded[i])]
            next = [builder.emit(op.take(rows[i], left, axis=0)) for i in made]
            sweep.know([yielded[i] for i in made], next)
            sweep.know(
                [*inside], [builder.emit(op.take(each, turn, axis=0)) for each in inside.values()]
            )
            after = collected.parts(values)
            for (argument, path), found in zip(collected.carried, after.carried):
                index = _index(argument)
                sweep.add(yielded[index], path, found, same_shape=index in tape.changing)
            for place, known in zip(collected.outer, after.outer):
                sweep.cotangents.begin(*place, known)
            bounds = [b for part, b in zip(collected.unread, after.bounds) for b in part.back(b)]
            sweep.back(block)
            before = [
                sweep.total(argument, path)
                if _index(argument) in tape.changing
                else sweep.cotangents.of(argument).get(path, op.zeros_like(gradient))
                for (argument, path), gradient in zip(collected.carried, after.carried)
            ]
            sums = [sweep.cotangents.of(value)[path] for value, path in collected.outer]
            return [builder.emit(each) for each in (*before, *sums, *bounds)]

    def one_back(left: Value, *values: Value) -> Sequence[Any]:
        turn = builder.emit(left - 1)
        return [turn, *turn_back(turn, left, values)]

    def two_back(left: Value, *values: Value) -> Sequence[Any]:
        last, first = builder.emit(left - 1), builder.emit(left - 2)
        return [first, *turn_back(first, last, turn_back(last, left, values))]

    if not _is_light(loop) or tape.changing:
        types = [
            loop.results[_index(a)].type if _index(a) in tape.changing else None
            for a, _ in collected.carried
        ]
        return _down(sweep, tape.turns, one_back, cotangents, types)
    rest = _down(sweep, tape.turns, two_back, cotangents, least=2)
    return _down(sweep, builder.emit(tape.turns % 2), one_back, rest)


def _is_light(loop: WhileOp) -> bool:
    """Return whether an iteration is less work than reading and writing cotangents: the backward loop
    is then unrolled by two, with the cotangents in between in registers."""
    ops = [op for op in statements(loop.body.block) if not isinstance(op, ConstantOp)]
    return len(ops) <= LIGHT and all(pattern_kind(op) <= K_BROADCAST for op in ops)


def _named(sweep: Sweep, tape: Tape) -> dict[int, Value]:
    """Return the rows of a tape, whose number gets a name."""
    return {i: sweep.named(rows, 0) for i, rows in tape.states.items()}


def _down(
    sweep: Sweep,
    turns: Value,
    turn: Turn,
    cotangents: Sequence[Value],
    given: Sequence[Attribute | None] = (),
    least: int = 1,
) -> Sequence[Value]:
    """Emit a loop over a counter that decreases to `least`, and cotangents; returns these. As their
    sizes are the same in all iterations, they get names, except for those with a type in `given`."""
    of_types = zip_longest(cotangents, given)
    state = [turns, *(v if type else sweep.with_names(v) for v, type in of_types)]
    types = [type or v.type for v, type in zip_longest(state, (None, *given))]
    turn = of_same_sizes(sweep, turn, types)
    return sweep.builder.while_(lambda left, *_: left >= least, turn, *state, types=types)[1:]


def _index(argument: SSAValue) -> int:
    assert isinstance(argument, BlockArgument)
    return argument.index
