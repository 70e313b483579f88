"""The forward pass through a loop that is differentiated: the state that it keeps.

It keeps the parts of the state that an iteration reads, except for append-only parts (`append_detection`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Attribute, SSAValue

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.sweep_state import Sweep
from relax_dialect.gradient.through_loops.append_detection import appended_parts
from relax_dialect.gradient.through_loops.append_only_cotangents import extended
from relax_dialect.gradient.through_loops.dynamic_state import StateHistory, changing_parts
from relax_dialect.gradient.through_loops.loop_tape import values_inside
from relax_dialect.gradient.through_loops.tapes import Tape
from relax_dialect.gradient.through_loops.trip_count import most_turns
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.loops import WhileOp

SEGMENT = 64
"""The iterations of a segment: 64 states of 1,024 floats are a fourth of a second-level cache."""

Turn = Callable[..., Sequence[Any]]


def forward_loop(sweep: Sweep, loop: WhileOp, *, first: bool) -> None:
    """Emit the loop with an iteration counter, which keeps the values that the backward pass starts
    from."""
    builder, count = sweep.builder, len(loop.inits)
    parts = appended_parts(loop)
    appended = {i: none for i, part in parts.items() if (none := part.no_rows) is not None}
    read = [a.index for a in loop.body.block.args if a.first_use and a.index not in parts]
    changing = changing_parts(loop, parts)
    kept = {i: fixed(loop, i) for i in read if i not in changing}
    inits = [sweep.value(v) for v in loop.inits]
    zero = builder.emit(np.zeros((), np.int64))
    types = [*loop.result_types, zero.type]

    most = most_turns(loop)
    is_short = most is not None and most <= SEGMENT
    inside = dict(values_inside(loop, kept.values())) if is_short and not changing else {}

    def turn(*values: Value) -> Sequence[Any]:
        given, wanted = dict(enumerate(values[:count])), [*loop.next_state, *inside]
        following = sweep.once_more(loop.body.block, given, wanted, first=first)
        return [*following[:count], values[count] + 1, *following[count:]]

    def goes_on(*values: Value) -> Any:
        given = dict(enumerate(values[:count]))
        (holds,) = sweep.once_more(loop.condition.block, given, [loop.test], first=first)
        return holds

    in_segments = (
        not changing
        and not is_short
        and isinstance(loop.test.type, TensorType)
        and sweep.adjoints.may_repeat(loop)
    )
    if in_segments:
        more = builder.emit(goes_on(*inits))

        def goes_on_in_segment(end: Value, *values: Value) -> Any:
            return op.logical_and(values[-1], values[count] < end)

        def turn_and_test(*values: Value) -> Sequence[Any]:
            following = [builder.emit(v) for v in turn(*values)]
            return [*following, goes_on(*following)]

        def segment(*values: Value) -> Sequence[Any]:
            end = builder.emit(values[count] + SEGMENT)
            same = [value.type for value in values]
            none = {
                i: builder.emit(op.zeros(sizes, parts[i].type.dtype))
                for i, sizes in appended.items()
            }
            starts = [none.get(i, value) for i, value in enumerate(values)]
            found = builder.while_(
                lambda *v: goes_on_in_segment(end, *v), turn_and_test, *starts, types=same
            )
            sweep.note_recorded(found)
            return [
                extended(sweep, parts[i], values[i], each) if i in none else each
                for i, each in enumerate(found)
            ]

        state = [*inits, zero, more]
        results, rows = recorded(sweep, kept, lambda *v: v[-1], segment, state, [*types, more.type])
        of_changing = {}
    else:
        history = StateHistory(sweep, loop, changing, count + 1)
        results, rows = recorded(
            sweep,
            kept | history.kept,
            goes_on,
            history.recording(turn),
            [*inits, zero, *history.inits],
            [*types, *history.types],
            [*inside.values()],
        )
        of_changing = history.rows(results, rows)
    sweep.know(loop.results, results[:count])
    states, made = {i: rows[i] for i in kept}, rows_inside(inside, rows, len(results))
    sweep.tapes[loop] = Tape(results[count], states, made, in_segments, of_changing)


def rows_inside(
    values: Iterable[SSAValue], rows: Mapping[int, Value], count: int
) -> dict[SSAValue, Value]:
    """Return the rows of values inside of the iterations of a loop, whose state has `count` parts."""
    return {value: rows[count + i] for i, value in enumerate(values)}


def recorded(
    sweep: Sweep,
    kept: Mapping[int, TensorType],
    condition: Callable[..., Any],
    turn: Turn,
    inits: Sequence[Value],
    types: Sequence[Attribute],
    made: Sequence[TensorType] = (),
) -> tuple[Sequence[Value], dict[int, Value]]:
    """Emit a loop that records parts of its state: their initial values and their values after each
    iteration are the rows of a tensor, which grows in place. So are values of the types `made` that
    iterations yield after the state; their rows, one for each iteration, are numbered after its parts."""
    builder, count = sweep.builder, len(inits)
    kept = {**kept, **{count + i: type for i, type in enumerate(made)}}

    def body(*values: Value) -> Sequence[Any]:
        following = [builder.operand(v) for v in turn(*values[:count])]
        longer = [
            op.concat([sweep.named(tape, 0), op.expand_dims(following[i], [0])], axis=0)
            for i, tape in zip(kept, values[count:])
        ]
        return [*following[:count], *longer]

    def first(i: int, type: TensorType) -> Any:
        return op.expand_dims(inits[i], [0]) if i < count else _no_rows(type)

    results = builder.while_(
        lambda *values: condition(*values[:count]),
        body,
        *inits,
        *(builder.emit(first(i, type)) for i, type in kept.items()),
        types=[*types, *(_rows(type) for type in kept.values())],
    )
    sweep.note_recorded(results)
    return results[:count], dict(zip(kept, results[count:]))


def _no_rows(type: TensorType) -> Any:
    assert type.shape is not None
    return op.zeros([0, *type.shape], type.dtype)


def of_same_sizes(sweep: Sweep, turn: Turn, types: Sequence[Attribute]) -> Turn:
    """Return an iteration that yields state of some types, whose sizes have names."""

    def turn_of_same_sizes(*values: Value) -> Sequence[Any]:
        following = [sweep.builder.emit(each) for each in turn(*values)]
        return [
            sweep.builder.match_cast(each, type)
            if sweep.lacks_names(each) and each.type != type
            else each
            for each, type in zip(following, types)
        ]

    return turn_of_same_sizes


def fixed(loop: WhileOp, index: int) -> TensorType:
    """Return the type of a part of the state, whose sizes are the same in all iterations."""
    type = loop.results[index].type
    if not isinstance(type, TensorType) or type.shape is None or None in type.shape:
        raise GradientError(
            f"{describe(loop)}: expected a state of tensors of known types, of whose sizes one at "
            f"most changes between iterations, found {type}; name the others by a relax.match_cast"
        )
    return type


def _rows(type: TensorType) -> TensorType:
    assert type.shape is not None
    return TensorType([None, *type.shape], type.dtype)
