"""Reverse mode through branches, loops and calls, whose inside is computed anew on the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.ir import Block, SSAValue

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.cotangents import Path, field, leaves
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.sequences import captured
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import IfOp
from relax_dialect.ops.loops import WhileOp

if TYPE_CHECKING:
    from relax_dialect.gradient.reverse import Reverse

Place = tuple[SSAValue, Path]
"""A tensor in a value of the program."""

Given = Mapping[Path, Value]
"""The cotangents of the tensors in a value, as far as they are not zero."""


def places_in(values: Sequence[SSAValue]) -> list[Place]:
    """The tensors in values that have gradients."""
    return [(value, path) for value in values for path, _ in leaves(value.type)]


def type_at(place: Place) -> TensorType:
    value, path = place
    return dict(leaves(value.type))[path]


# Branches ----------------------------------------------------------------------------------------


def back_through_if(reverse: Reverse, branching: IfOp, given: Given) -> None:
    """A `relax.if` on the same condition, whose branches compute theirs anew and go back through them.

    It gives the gradients of all that one of them uses, zeros where the other does.
    """
    places = places_in([v for v in captured(branching) if v in reverse.varied])

    def branch(block: Block) -> Any:
        inner = reverse.inside({})
        inner.forward(block)
        (result,) = inner.terminator(block).operands
        for path, found in given.items():
            inner.add(result, path, found)
        inner.backward(block)
        return reverse.builder.emit(tuple(inner.total(*place) for place in places))

    if places:
        then, otherwise = (region.block for region in branching.regions)
        condition = reverse.values[branching.condition]
        found = reverse.builder.if_(condition, lambda: branch(then), lambda: branch(otherwise))
        for index, (value, path) in enumerate(places):
            reverse.add(value, path, found[index])


# Calls -------------------------------------------------------------------------------------------


def back_through_call(reverse: Reverse, call: CallOp, given: Given) -> None:
    """A call of the function that gives the gradients of the arguments, see `Adjoints`."""
    wanted = tuple(i for i, v in enumerate(call.operands) if v in reverse.varied)
    places = places_in([call.operands[i] for i in wanted])
    name = reverse.adjoints.of_function(call.callee_name, wanted)
    found = reverse.builder.call(
        name,
        *(reverse.values[v] for v in call.operands),
        *reverse.materialized(call.result, given).values(),
        result_type=tuple_type(map(type_at, places)),
    )
    for index, (value, path) in enumerate(places):
        reverse.add(value, path, found[index])


# Loops -------------------------------------------------------------------------------------------


@dataclass
class Tape:
    """What a loop leaves for the way back."""

    turns: Value
    """How many turns it took, an i64."""
    states: dict[int, Value]
    """The values of each part of the state at the begin of every turn, along a new first axis."""


def forward_loop(reverse: Reverse, loop: WhileOp) -> None:
    """The loop with a count of its turns, and a tape for each part of its state that the body reads."""
    builder = reverse.builder
    kept = [i for i, argument in enumerate(loop.body.block.args) if argument.uses.get_length()]
    shapes = [_fixed(loop, i) for i in kept]
    tapes = [builder.emit(op.zeros([0, *shape], dtype)) for shape, dtype in shapes]
    size = f"turns_{len(builder._scopes.defined)}"
    n = len(loop.inits)

    def arguments(block: Block, values: Sequence[Value]) -> dict[SSAValue, Value]:
        return dict(zip(block.args, values))

    def condition(*values: Value) -> Any:
        inner = reverse.inside(arguments(loop.condition.block, values))
        inner.forward(loop.condition.block)
        return inner.values[inner.terminator(loop.condition.block).operands[0]]

    def body(*values: Value) -> Any:
        state, turn, grown = values[:n], values[n], []
        for i, tape, (shape, dtype) in zip(kept, values[n + 1 :], shapes):
            known = builder.match_cast(tape, TensorType([size, *shape], dtype))
            grown.append(builder.emit(op.concat([known, op.expand_dims(state[i], [0])], axis=0)))
        inner = reverse.inside(arguments(loop.body.block, state))
        inner.tapeless = True
        inner.forward(loop.body.block)
        following = [inner.values[v] for v in inner.terminator(loop.body.block).operands]
        return [*following, turn + 1, *grown]

    zero = builder.emit(np.zeros((), np.int64))
    types = [*loop.result_types, zero.type, *(TensorType([None, *s], d) for s, d in shapes)]
    results = builder.while_(
        condition, body, *(reverse.values[v] for v in loop.inits), zero, *tapes, types=types
    )
    for result, value in zip(loop.results, results):
        reverse.define(result, value)
    reverse.tapes[loop] = Tape(results[n], dict(zip(kept, results[n + 1 :])))


def _fixed(loop: WhileOp, index: int) -> tuple[Sequence[Any], Any]:
    """The sizes and element type of a part of the state, the same in all turns."""
    type = loop.results[index].type
    if not isinstance(type, TensorType) or type.shape is None or None in type.shape:
        raise GradientError(
            f"relax.while: expected a state of tensors whose sizes stay the same in all turns, found {type}; "
            "carry a tensor of the final size with what is filled so far"
        )
    return type.shape, type.dtype


def back_through_loop(reverse: Reverse, loop: WhileOp, given: Sequence[Given]) -> None:
    """A loop over the turns from the last to the first: each is computed anew from the tape.

    Its state is the cotangent of the state before the turn, and the sums for all from outside that the body
    uses.
    """
    builder, tape, block = reverse.builder, reverse.tapes[loop], loop.body.block
    carried = places_in(
        [a for a, r in zip(block.args, loop.results) if any(True for _ in leaves(r.type))]
    )
    outer = places_in(
        [v for v in captured(loop) if v in reverse.varied and v not in set(loop.inits)]
        + [v for v in dict.fromkeys(loop.inits) if v in reverse.varied and _used_inside(loop, v)]
    )
    size = f"turns_{len(builder._scopes.defined)}"
    states = {
        i: builder.match_cast(kept, TensorType([size, *kept.type.shape[1:]], kept.type.dtype))
        for i, kept in tape.states.items()
    }
    seeds = []
    for argument, path in carried:
        index = argument.index
        seeds.append(reverse.materialized(loop.results[index], given[index])[path])
    sums = [builder.emit(op.zeros_like(field(reverse.values[v], path))) for v, path in outer]

    def turn_back(remaining: Value, *values: Value) -> Any:
        turn = builder.emit(remaining - 1)
        arguments = {block.args[i]: builder.emit(op.take(kept, turn, axis=0)) for i, kept in states.items()}
        floats = [v for v in block.args if any(True for _ in leaves(v.type))]
        inner = reverse.inside(arguments, floats)
        inner.forward(block)
        results = inner.terminator(block).operands
        for (argument, path), found in zip(carried, values):
            inner.add(results[argument.index], path, found)
        inner.backward(block)
        before = [
            inner.total(argument, path)
            if argument in inner.values
            else builder.emit(op.zeros_like(found))
            for (argument, path), found in zip(carried, values)
        ]
        added = [
            builder.emit(known + inner.cotangents.of(v)[path]) if path in inner.cotangents.of(v) else known
            for (v, path), known in zip(outer, values[len(carried) :])
        ]
        return [turn, *before, *added]

    found = builder.while_(
        lambda remaining, *_: remaining > 0,
        turn_back,
        tape.turns,
        *seeds,
        *sums,
        types=[tape.turns.type, *(v.type for v in (*seeds, *sums))],
    )
    for (argument, path), gradient in zip(carried, found[1:]):
        reverse.add(loop.inits[argument.index], path, gradient)
    for (value, path), gradient in zip(outer, found[1 + len(carried) :]):
        reverse.add(value, path, gradient)


def _used_inside(loop: WhileOp, value: SSAValue) -> bool:
    return any(use.operation is not loop and loop.is_ancestor(use.operation) for use in value.uses)
