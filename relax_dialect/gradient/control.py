"""Reverse mode through branches, which are recomputed in the backward pass, and calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.ir import Block, SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.gradient.cotangents import Path, field, leaves
from relax_dialect.gradient.free_values import terminator
from relax_dialect.gradient.of_functions.forms import ForwardBackward
from relax_dialect.gradient.sweep_state import Sweep
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import IfOp
from relax_dialect.ops.core import TupleGetItemOp, TupleOp
from relax_dialect.transform.regions import erase, replace_uses, set_type

Place = tuple[SSAValue, Path]
"""A tensor in a value of the program."""

Given = Mapping[Path, Value]
"""The cotangents of the tensors in a value, as far as they are not zero."""


def places_in(values: Sequence[SSAValue]) -> list[Place]:
    """Return the tensors in values that have gradients."""
    return [(value, path) for value in values for path, _ in leaves(value.type)]


# Branches ----------------------------------------------------------------------------------------


def back_through_if(sweep: Sweep, branching: IfOp, given: Given) -> None:
    """Emit a `relax.if` on the same condition, whose branches recompute the originals and go back through
    them.

    It yields the gradients of all values that either branch uses, added to their cotangents so far; a
    branch that does not use a value yields the cotangent so far, or zeros.
    """
    places = places_in([v for v in sweep.captured(branching) if v in sweep.varied])
    if not places:
        return
    for value in sweep.captured(branching):
        sweep.value(value)  # it dominates both branches
    found_before = {(v, path): sweep.cotangents.of(v).get(path) for v, path in places}
    before = {place: known for place, known in found_before.items() if known is not None}

    def branch(block: Block) -> Any:
        with sweep.region():
            for place, known in before.items():
                sweep.cotangents.begin(*place, known)
            _know_result(sweep, branching, terminator(block).operands[0])
            sweep.define_symbols(block)
            sweep.add_all(terminator(block).operands[0], (), given)
            sweep.back(block)
            return sweep.builder.emit(tuple(sweep.total(*place) for place in places))

    then, otherwise = (region.block for region in branching.regions)
    condition = sweep.value(branching.condition)
    found = sweep.builder.if_(condition, lambda: branch(then), lambda: branch(otherwise))
    for index, place in enumerate(places):
        if (known := before.get(place)) is None:
            sweep.add(*place, found[index])
        else:
            total = sweep.builder.emit(found[index])
            is_same = is_subtype(total.type, known.type)
            total = total if is_same else sweep.builder.match_cast(total, known.type)
            sweep.cotangents.begin(*place, total)


def _know_result(sweep: Sweep, branching: IfOp, yielded: SSAValue) -> None:
    """Reuse the known results of the branch that was taken, so that they are not recomputed."""
    if not sweep.is_known(branching.result):
        return
    result = sweep.value(branching.result)
    if isinstance(yielded.owner, TupleOp):
        parts = [(v, sweep.builder.emit(result[i])) for i, v in enumerate(yielded.owner.operands)]
    else:
        parts = [(yielded, result)]
    same = [(v, known) for v, known in parts if v.type == known.type]
    sweep.know([v for v, _ in same], [known for _, known in same])


# Calls -------------------------------------------------------------------------------------------


def forward_call(sweep: Sweep, call: CallOp, *, first: bool) -> bool:
    """Emit a call of the augmented forward function; returns false if there is none."""
    form = sweep.adjoints.form(call.callee_name, sweep.wanted(call))
    if form is None:
        return False
    keeping = CallOp(form.forward, [sweep.value(v).value for v in call.operands])
    if not first:
        sweep.adjoints.silence(keeping)
    keeping.location = call.location
    found = sweep.builder.emit(keeping)
    result, *kept = (sweep.builder.emit(found[i]) for i in range(1 + form.keeps))
    result.value.name_hint = call.result.name_hint
    sweep.know(call.results, [result])
    sweep.kept[call] = kept
    sweep.keeping.append((keeping, call, first))
    return True


def without_unused(sweep: Sweep) -> bool:
    """Replace calls whose kept values are unused by plain calls; returns whether there were any."""
    found = False
    for keeping, call, first in sweep.keeping:
        fields = [use.operation for use in keeping.result.uses]
        is_unused = all(isinstance(op, TupleGetItemOp) and op.index == 0 for op in fields)
        if keeping.parent is None or not is_unused:
            continue
        found = True
        plain = call.clone(dict(zip(call.operands, keeping.operands)))
        if not first:
            sweep.adjoints.silence(plain)
        keeping.parent.insert_op_before(plain, keeping)
        for op in fields:
            set_type(plain.result, op.results[0].type)
            replace_uses({op.results[0]: plain.result})
        for op in (*fields, keeping):
            erase(op)
    return found


def back_through_call(sweep: Sweep, call: CallOp, given: Given) -> None:
    """Call the function of the gradients of the arguments: see `adjoint_provider.Adjoints`."""
    wanted = sweep.wanted(call)
    places = places_in([call.operands[i] for i in wanted])
    callee = sweep.adjoints.prepared(call.callee_name)
    declared = call.infer_with(callee)[0]  # the types of its parameters in the caller's variables
    parameters = [declared.apply(callee.body.block.args[i].type) for i in wanted]
    types = [type for each in parameters for _, type in leaves(each)]
    form = sweep.adjoints.form(call.callee_name, wanted)
    if form is None:
        found = sweep.builder.call(
            sweep.adjoints.of_function(call.callee_name, wanted),
            *(sweep.value(v) for v in call.operands),
            *sweep.every(call.result, given).values(),
            result_type=tuple_type(types),
        )
        gradients = [found[index] for index in range(len(places))]
    else:
        gradients = _with_kept(sweep, call, form, given, types)
    for place, gradient in zip(places, gradients):
        sweep.add(*place, gradient)


def _with_kept(
    sweep: Sweep, call: CallOp, form: ForwardBackward, given: Given, types: Sequence[TensorType]
) -> Sequence[Value]:
    """Return the gradients of the arguments of a call, of these types, from its kept values."""
    if call not in sweep.kept:  # though its result may be known, from the tape of a loop around it
        forward_call(sweep, call, first=False)
    found = sweep.builder.call(
        form.back,
        *(sweep.value(call.operands[i]) for i in form.arguments),
        *sweep.every(call.result, given).values(),
        *(field(sweep.value(call.result), path) for path in form.results),
        *sweep.kept[call],
    )
    gradients = [sweep.builder.emit(found[index]) for index in range(len(types))]
    return [
        each if is_subtype(each.type, type) else sweep.builder.match_cast(each, type)
        for each, type in zip(gradients, types)
    ]
