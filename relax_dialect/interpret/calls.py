"""Calls: of functions of the module, of prim funcs, and of Python functions by their names."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr, TupleType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Attribute, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.core import TailCall, call_function
from relax_dialect.interpret.dialects.func import call_prim, reported_at
from relax_dialect.interpret.foreign import from_python
from relax_dialect.interpret.machine import frame_of, machine
from relax_dialect.interpret.runtime_values import constant, numpy_dtype
from relax_dialect.interpret.type_matching import TypedValue, match_types
from relax_dialect.ir.locations import prefixed
from relax_dialect.ir.types import DeviceAttr
from relax_dialect.ops.calls import (
    CallOp,
    CallPackedOp,
    CallTirOp,
    CallTirWithGradOp,
    PackedOp,
    TirCallOp,
)
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.literal_value import LiteralOp
from relax_dialect.prim.run_time_checks import place_of
from relax_dialect.text.wording import nearest

PackedFunction = TypeVar("PackedFunction", bound=Callable[..., Any])

_PACKED: dict[str, Callable[..., Any]] = {}


def register_packed(name: str, function: PackedFunction) -> PackedFunction:
    """Register the Python function that `relax.call_packed "name"` calls; a later one replaces it."""
    _PACKED[name] = function
    return function


@register_impls
class CallFunctions(InterpreterFunctions):
    """The ops of `relax_dialect.ops.calls`."""

    @impl(LiteralOp)
    def run_literal(
        self, interpreter: Interpreter, op: LiteralOp, args: PythonValues
    ) -> PythonValues:
        return (literal(op.value),)

    @impl(CallOp)
    def run_call(self, interpreter: Interpreter, op: CallOp, args: PythonValues) -> PythonValues:
        callee = interpreter.get_op_for_symbol(op.callee)
        if isinstance(callee, func.FuncOp):
            return _call_prim_directly(interpreter, op, callee, args)
        if not isinstance(callee, FuncOp):
            raise RelaxError(f"expected a relax.func, found {callee.name} @{op.callee_name}")
        own = machine(interpreter)
        if own.is_turn(op):
            return (TailCall(callee, args),)
        return (call_function(own, callee, args),)

    @impl(CallTirOp)
    def run_call_tir(
        self, interpreter: Interpreter, op: CallTirOp, args: PythonValues
    ) -> PythonValues:
        return call_prim_func(interpreter, op, args)

    @impl(CallTirWithGradOp)
    def run_call_tir_with_grad(
        self, interpreter: Interpreter, op: CallTirWithGradOp, args: PythonValues
    ) -> PythonValues:
        return call_prim_func(interpreter, op, args)

    @impl(CallPackedOp)
    def run_call_packed(
        self, interpreter: Interpreter, op: CallPackedOp, args: PythonValues
    ) -> PythonValues:
        results = (from_python(packed(op)(*arguments(op, map(read_only, args)))),)
        check_results(interpreter, op, f'"{op.func_name.data}"', results)
        return results


def read_only(value: Any) -> Any:
    """Return a value as passed to an external function: read-only, as it may be shared."""
    if isinstance(value, np.ndarray):
        view = value.view()
        view.flags.writeable = False
        return view
    return tuple(map(read_only, value)) if isinstance(value, tuple) else value


def arguments(op: PackedOp, values: Iterable[Any]) -> list[Any]:
    """Return the arguments of an external function, literals among them: a string as str, an element type
    as numpy's, a device by DLPack's numbers."""
    rest = iter(values)
    return [next(rest) if isinstance(a, SSAValue) else literal(a) for a in op.all_arguments()]


def literal(attribute: Attribute) -> Any:
    """Return a literal as Python has it."""
    match attribute:
        case StringAttr():
            return attribute.data
        case DeviceAttr():
            return attribute.dlpack_numbers
        case IntegerAttr() | FloatAttr():
            return constant(attribute)
        case _:
            return numpy_dtype(attribute)


def packed(op: PackedOp) -> Callable[..., Any]:
    """Return the registered function that a call names."""
    return lookup_packed(op.func_name.data)


def lookup_packed(name: str) -> Callable[..., Any]:
    """Return the function registered under a name."""
    if name not in _PACKED:
        near = nearest(name, _PACKED)
        raise RelaxError(
            "expected the name of a registered function, "
            f"found {json.dumps(name, ensure_ascii=False)}; "
            + (f"the nearest is {json.dumps(near, ensure_ascii=False)}; " if near else "")
            + "register it with relax_dialect.interpret.register_packed"
        )
    return _PACKED[name]


def call_prim_func(interpreter: Interpreter, op: TirCallOp, args: PythonValues) -> PythonValues:
    """Call the prim func of an op; return fresh results, checked against its types."""
    callee = interpreter.get_op_for_symbol(op.callee)
    if not isinstance(callee, func.FuncOp):
        raise RelaxError(f"expected a func.func, found {callee.name} @{op.callee_name}")
    frame = frame_of(interpreter)
    dims = op.symbols.data or () if op.symbols is not None else ()
    sizes = tuple(dim.evaluate(frame.sizes, as_size=True) for dim in dims if dim is not None)
    place = place_of(op)
    given = _flat(op.operand_types, args)
    with reported_at(prefixed(frame.located(place), op.location) if place else ""):
        flat = iter(call_prim(machine(interpreter), callee, (*given, *sizes), bool(place)))
    results = tuple(_nested(type, flat) for type in op.result_types)
    check_results(interpreter, op, f"@{op.callee_name}", results)
    return results


def _flat(types: Iterable[Attribute], values: PythonValues) -> Iterator[Any]:
    """Yield values, the fields of tuples one by one."""
    for type, value in zip(types, values):
        if isinstance(type, TupleType):
            yield from _flat(type.types, value)
        else:
            yield value


def _nested(type: Attribute, flat: Iterator[Any]) -> Any:
    """Return the next value, or as many as a tuple has fields."""
    return (
        tuple(_nested(t, flat) for t in type.types) if isinstance(type, TupleType) else next(flat)
    )


def _call_prim_directly(
    interpreter: Interpreter, op: CallOp, callee: func.FuncOp, args: PythonValues
) -> PythonValues:
    """Return a prim func called like any function: several results are a tuple."""
    given = call_prim(machine(interpreter), callee, tuple(_flat(op.operand_types, args)))
    results = (given[0] if len(given) == 1 else tuple(given),)
    check_results(interpreter, op, f"@{op.callee_name}", results)
    return results


def check_results(
    interpreter: Interpreter, op: TirCallOp | CallOp | PackedOp, callee: str, results: PythonValues
) -> None:
    """Check results against the declared types, in the caller's variables."""
    frame = frame_of(interpreter)
    what = frame.located(f"{op.name} {callee}: result")
    numbered = len(results) > 1
    match_types(
        [
            TypedValue(f"{what} {i}" if numbered else what, type, value)
            for i, (type, value) in enumerate(zip(op.result_types, results))
        ],
        dict(frame.sizes),
        frame.definitions,
    )
