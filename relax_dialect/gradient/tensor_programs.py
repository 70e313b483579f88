"""Reverse mode through tensor expressions: prim funcs, raised to them, and operators defined by them.

```mlir
%y = relax.call_tir @f(%x, %w)      ->    %gx, %gw = relax.call_tir @f_gradient(%x, %w, %gy)
```

The prim func of the gradients recomputes the values inside of `@f` that it needs. `te.gradient` makes it,
or for `relax.call_tir_with_grad` a registered function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from relax_dialect import te
from relax_dialect.builder.te_calls import ValueTensor, te_tensor
from relax_dialect.builder.values import Value
from relax_dialect.errors import RelaxError
from relax_dialect.gradient.cotangents import Path, field, leaves, tensors
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.registry import TE_GRADIENTS, why_refused
from relax_dialect.gradient.sweep_state import Sweep
from relax_dialect.interpret.calls import literal
from relax_dialect.ir.order import describe
from relax_dialect.ops.calls import CallTirWithGradOp, TirCallOp
from relax_dialect.prim.signature import signature
from relax_dialect.te.raising import raised
from relax_dialect.tensor_definitions import definition

Given: TypeAlias = Sequence[Mapping[Path, Value]]
"""The cotangents of the tensors in each result."""

Gradients: TypeAlias = Callable[
    [Sequence[te.Tensor], Mapping[int, te.Tensor], Sequence[int]], Sequence[te.Tensor | None]
]
"""`gradients(inputs, heads, wanted)` returns the gradients of some inputs by their numbers, None for
zero; the heads are the nonzero cotangents of results by their numbers."""


def back_through_call_tir(sweep: Sweep, call: TirCallOp, given: Given) -> None:
    """Call the prim func of the gradients of the arguments."""
    if isinstance(call, CallTirWithGradOp):
        every = [sweep.every(result, found) for result, found in zip(call.results, given)]
        _emit(sweep, call, every, partial(_registered, call), call.callee_name)
        return
    callee = sweep.adjoints.prim_func(call.callee_name)

    def outputs(inputs: Sequence[te.Tensor]) -> Sequence[te.Tensor]:
        bindings = call.infer_with(callee)[0].bindings
        sizes = {s: bindings[s] for s in signature(callee).symbols}
        return raised(callee, inputs, {s: size for s, size in sizes.items() if size is not None})

    try:
        _emit(sweep, call, given, partial(_differentiated, outputs), call.callee_name)
    except RelaxError as error:
        raise GradientError(
            f"{describe(call)}: expected a prim func that can be differentiated; {error}; or call it by "
            "relax.call_tir_with_grad, which names a gradient of yours"
        ) from None


def _registered(
    call: CallTirWithGradOp,
    inputs: Sequence[te.Tensor],
    heads: Mapping[int, te.Tensor],
    wanted: Sequence[int],
) -> Sequence[te.Tensor | None]:
    """Return the results of the registered gradient that a call names."""
    name = call.te_grad_name.data
    if name not in TE_GRADIENTS:
        known = ", ".join(map(repr, sorted(TE_GRADIENTS))) or "there is none"
        raise GradientError(
            f"{describe(call)}: expected the name of a registered gradient ({known}), found {name!r}; "
            "register it with relax_dialect.gradient.register_te_gradient"
        )
    cotangents = list(heads.values())
    kwargs = call.te_grad_kwargs.data if call.te_grad_kwargs is not None else {}
    made = TE_GRADIENTS[name](
        cotangents[0] if len(cotangents) == 1 else cotangents,
        *inputs,
        **{key: literal(value) for key, value in kwargs.items()},
    )
    found = list(made) if isinstance(made, list | tuple) else [made]
    types = [(t.shape, t.dtype) for t in inputs]
    given = [(t.shape, t.dtype) if isinstance(t, te.Tensor) else t for t in found]
    if len(given) != len(types) or any(g not in (None, t) for g, t in zip(given, types)):
        told = ", ".join("None" if t is None else str(t) for t in found)
        raise GradientError(
            f"{describe(call)}: expected of the gradient {name!r} a tensor for each argument, of its shape "
            f"and element type ({', '.join(map(str, inputs))}), or None, found {told}; correct it"
        )
    return [found[i] for i in wanted]


def back_through_definition(sweep: Sweep, operator: Operation, given: Given) -> None:
    """The gradients of the tensor expressions that define an operator without an adjoint."""
    why = why_refused(type(operator))
    outputs = definition(operator) if why is None else None
    if outputs is None:
        raise _without_adjoint(operator, f" ({why})" if why else "")
    try:
        differentiated = partial(_differentiated, outputs)
        _emit(sweep, operator, given, differentiated, operator.name.rpartition(".")[2])
    except RelaxError as error:
        more = f", and no gradient of its tensor expressions: {error}"
        raise _without_adjoint(operator, more) from None


def _without_adjoint(operator: Operation, more: str) -> GradientError:
    return GradientError(
        f"{describe(operator)}: expected an operator with an adjoint between the targets and the "
        f"result, found none{more}; register one with relax_dialect.gradient."
        f"adjoint({type(operator).__name__}), or pass what it computes in as a parameter"
    )


def _differentiated(
    outputs: Callable[[Sequence[te.Tensor]], Sequence[te.Tensor]],
    inputs: Sequence[te.Tensor],
    heads: Mapping[int, te.Tensor],
    wanted: Sequence[int],
) -> Sequence[te.Tensor | None]:
    made = outputs(inputs)
    return te.gradient([made[i] for i in heads], [inputs[i] for i in wanted], list(heads.values()))


def _emit(sweep: Sweep, op: Operation, given: Given, gradients: Gradients, name: str) -> None:
    """Call the prim func of the gradients of an op's operands, and accumulate its results."""
    places = _places(op.operands)
    inputs = [te_tensor(field(sweep.value(v), path)) for v, path in places]
    numbers = {place: i for i, place in enumerate(_places(op.results))}
    heads = {
        numbers[result, path]: te_tensor(cotangent, f"d_{result.name_hint or 'y'}")
        for result, found in zip(op.results, given)
        for path, cotangent in found.items()
    }
    floats = {(v, path) for v in op.operands if v in sweep.varied for path, _ in leaves(v.type)}
    wanted = [i for i, place in enumerate(places) if place in floats]
    found = gradients(inputs, heads, wanted)
    values = _called(sweep, [t for t in found if t is not None], f"{name}_gradient")
    for i, gradient in zip(wanted, found):
        if gradient is not None:
            sweep.add(*places[i], values[gradient])


def _places(values: Sequence[SSAValue]) -> list[tuple[SSAValue, Path]]:
    """Return the tensors in values, of any element type."""
    return [(value, path) for value in values for path, _ in tensors(value.type)]


def _called(sweep: Sweep, found: Sequence[te.Tensor], name: str) -> dict[te.Tensor, Value]:
    """Return the values of tensors, computed by one prim func, except for tensors that are existing
    values."""
    values: dict[te.Tensor, Value] = {
        t: t.value for t in found if isinstance(t, ValueTensor) and t.value is not None
    }
    computed = [t for t in dict.fromkeys(found) if t not in values]
    if computed:

        def made() -> list[te.Tensor]:
            return computed

        made.__name__ = name
        results = sweep.builder.emit_te(made)
        values.update(zip(computed, results if isinstance(results, tuple) else (results,)))
    return values
