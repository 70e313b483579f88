"""Reverse mode through branches, calls and loops, whose inside is computed anew on the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.cotangents import Path, is_differentiable, leaves
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.sequences import terminator
from relax_dialect.gradient.sweep import Sweep
from relax_dialect.gradient.tapes import Tape
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import Dims, TensorType, tuple_type
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import IfOp
from relax_dialect.ops.loops import WhileOp

Place = tuple[SSAValue, Path]
"""A tensor in a value of the program."""

Given = Mapping[Path, Value]
"""The cotangents of the tensors in a value, as far as they are not zero."""


def places_in(values: Sequence[SSAValue]) -> list[Place]:
    """The tensors in values that have gradients."""
    return [(value, path) for value in values for path, _ in leaves(value.type)]


# Branches ----------------------------------------------------------------------------------------


def back_through_if(sweep: Sweep, branching: IfOp, given: Given) -> None:
    """A `relax.if` on the same condition, whose branches compute theirs anew and go back through them.

    It gives the gradients of all that one of them uses, zeros where the other does.
    """
    places = places_in([v for v in sweep.captured(branching) if v in sweep.varied])
    if not places:
        return
    for value in sweep.captured(branching):
        sweep.value(value)  # both branches use it, and what comes before

    def branch(block: Block) -> Any:
        with sweep.region():
            sweep.define_symbols(block)
            sweep.add_all(terminator(block).operands[0], (), given)
            sweep.back(block)
            return sweep.builder.emit(tuple(sweep.total(*place) for place in places))

    then, otherwise = (region.block for region in branching.regions)
    condition = sweep.value(branching.condition)
    found = sweep.builder.if_(condition, lambda: branch(then), lambda: branch(otherwise))
    for index, place in enumerate(places):
        sweep.add(*place, found[index])


# Calls -------------------------------------------------------------------------------------------


def back_through_call(sweep: Sweep, call: CallOp, given: Given) -> None:
    """A call of the function that gives the gradients of the arguments: see `sweep.Adjoints`."""
    wanted = tuple(i for i, v in enumerate(call.operands) if v in sweep.varied)
    places = places_in([call.operands[i] for i in wanted])
    callee = sweep.adjoints.prepared(call.callee_name)
    declared = call.infer_with(callee)[0]  # what its parameters are in the terms of the caller
    parameters = [declared.apply(callee.body.block.args[i].type) for i in wanted]
    found = sweep.builder.call(
        sweep.adjoints.of_function(call.callee_name, wanted),
        *(sweep.value(v) for v in call.operands),
        *sweep.every(call.result, given).values(),
        result_type=tuple_type(type for each in parameters for _, type in leaves(each)),
    )
    for index, place in enumerate(places):
        sweep.add(*place, found[index])


# Loops -------------------------------------------------------------------------------------------


def forward_loop(sweep: Sweep, loop: WhileOp, *, first: bool) -> None:
    """The loop with a count of its turns, and a tape of each part of its state that the body reads."""
    builder, count = sweep.builder, len(loop.inits)
    kept = {i: _fixed(loop, i) for i, a in enumerate(loop.body.block.args) if a.first_use}
    size = _fresh(sweep, "turns")

    def condition(*values: Value) -> Any:
        (holds,) = sweep.once_more(loop.condition.block, values, first=first)
        return holds

    def body(*values: Value) -> Any:
        grown = [
            op.concat(
                [builder.match_cast(tape, _taped(kept[i], size)), op.expand_dims(values[i], [0])],
                axis=0,
            )
            for i, tape in zip(kept, values[count + 1 :])
        ]
        grown = [builder.emit(each) for each in grown]
        following = sweep.once_more(loop.body.block, values, first=first)
        return [*following, values[count] + 1, *grown]

    zero = builder.emit(np.zeros((), np.int64))
    tapes = [builder.emit(op.zeros([0, *_sizes(type)], type.dtype)) for type in kept.values()]
    results = builder.while_(
        condition,
        body,
        *(sweep.value(v) for v in loop.inits),
        zero,
        *tapes,
        types=[*loop.result_types, zero.type, *(_taped(type, None) for type in kept.values())],
    )
    sweep.know(loop.results, results[:count])
    tape = sweep.tapes[loop] = Tape(results[count], dict(zip(kept, results[count + 1 :])))
    sweep.every_tape.append(tape)


def _fixed(loop: WhileOp, index: int) -> TensorType:
    """The type of a part of the state, which has the same sizes in all turns."""
    type = loop.results[index].type
    if not isinstance(type, TensorType) or type.shape is None or None in type.shape:
        raise GradientError(
            f"{describe(loop)}: expected a state of tensors whose sizes are the same in all turns, "
            f"found {type}; carry a tensor of the final size, and the part that is filled so far"
        )
    return type


def _taped(type: TensorType, turns: str | None) -> TensorType:
    return TensorType([turns, *_sizes(type)], type.dtype)


def _sizes(type: TensorType) -> Dims:
    assert type.shape is not None
    return type.shape


def _fresh(sweep: Sweep, name: str) -> str:
    """A symbolic variable that stands nowhere yet."""
    sweep.adjoints.sizes += 1
    return f"{name}_{sweep.adjoints.sizes}"


def back_through_loop(sweep: Sweep, loop: WhileOp, given: Sequence[Given]) -> None:
    """A loop over the turns from the last to the first: each is computed anew from the tape.

    Its state is the number of turns that are left, the cotangents of the state, and the sums of those of
    what the body uses from outside.
    """
    builder, block = sweep.builder, loop.body.block
    if loop not in sweep.tapes:
        for result in loop.results:
            sweep.value(result)
    tape, outside = sweep.tapes[loop], sweep.captured.of_block(block)
    for value in outside:
        sweep.value(value)
    carried = places_in([a for a in block.args if is_differentiable(a.type)])
    outer = places_in([v for v in outside if v in sweep.varied])
    size = _fresh(sweep, "turns")
    states = {
        i: builder.match_cast(kept, _taped(_fixed(loop, i), size))
        for i, kept in tape.states.items()
    }

    def turn_back(left: Value, *values: Value) -> Any:
        turn = builder.emit(left - 1)
        arguments = [block.args[i] for i in states]
        kept = [builder.emit(op.take(kept, turn, axis=0)) for kept in states.values()]
        with sweep.region(arguments, kept):
            sweep.define_symbols(block)
            yielded = terminator(block).operands
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

    seeds = [
        sweep.every(loop.results[_index(a)], given[_index(a)], [path])[path] for a, path in carried
    ]
    zeros = [sweep.every(value, {}, [path])[path] for value, path in outer]
    state: list[Value] = [tape.turns, *seeds, *zeros]
    types: list[Attribute] = [value.type for value in state]
    found = builder.while_(lambda left, *_: left > 0, turn_back, *state, types=types)[1:]
    for (argument, path), gradient in zip(carried, found):
        sweep.add(loop.inits[_index(argument)], path, gradient)
    for place, gradient in zip(outer, found[len(carried) :]):
        sweep.add(*place, gradient)


def _index(argument: SSAValue) -> int:
    assert isinstance(argument, BlockArgument)
    return argument.index
