"""Reverse mode through branches and calls, whose inside is computed anew on the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.ir import Block, SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.gradient.cotangents import Path, leaves
from relax_dialect.gradient.sequences import terminator
from relax_dialect.gradient.sweep import Sweep
from relax_dialect.ir.types import tuple_type
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import IfOp

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
