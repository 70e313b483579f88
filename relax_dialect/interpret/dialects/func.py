"""Prim funcs and other builtin functions: on tensors they return, on memrefs they write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    MemRefType,
    StringAttr,
)
from xdsl.dialects.builtin import (
    TensorType as BuiltinTensorType,
)
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret.machine import RelaxInterpreter, Sizes, machine
from relax_dialect.interpret.stored_values import memory_of, read
from relax_dialect.interpret.type_matching import TypedValue, match_types
from relax_dialect.ir.locations import prefixed
from relax_dialect.ir.type_variables import bare_variables, defined_variables
from relax_dialect.ir.types import PrimType, TensorType
from relax_dialect.prim.run_time_checks import negative_size, place_of, placed
from relax_dialect.prim.signature import DIMS, ENTRY, RESULT, SYMBOL, VALUE

NAME = "relax.name"
"""The name that an argument had at graph level."""


@dataclass
class FuncArgument:
    """An argument of a `func.func`: a value, the size of a symbol, or an output parameter."""

    kind: Literal["value", "symbol", "result"]
    name: str
    type: Attribute
    """The declared type, in the symbolic variables that `relax.dims` names."""


def _declared(type: Attribute, attributes: dict[str, Attribute]) -> Attribute:
    """Return the type of an argument or result with the sizes that `relax.dims` or `relax.value` names."""
    if isinstance(value := attributes.get(VALUE), StringAttr):
        return PrimType(symbolic.parse(value.data))
    dims = attributes.get(DIMS)
    if not isinstance(dims, ArrayAttr) or not isinstance(type, BuiltinTensorType | MemRefType):
        return type
    texts = [d.data for d in dims if isinstance(d, StringAttr)]
    shape = tuple(None if text == "?" else symbolic.parse(text) for text in texts)
    return TensorType.get(shape, type.element_type)


def parameters(function: func.FuncOp) -> list[FuncArgument]:
    """Return the arguments of a function, as their attributes describe them."""
    found: list[FuncArgument] = []
    types = function.function_type.inputs.data
    attributes = [a.data for a in function.arg_attrs or ()] or [{}] * len(types)
    block = function.body.first_block
    for index, (type, entries) in enumerate(zip(types, attributes)):
        hint = block.args[index].name_hint if block is not None else None
        match entries.get(NAME), entries.get(SYMBOL):
            case _, StringAttr(data=symbol):
                found.append(FuncArgument("symbol", symbol, type))
                continue
            case StringAttr(data=given), _:
                hint = given
        kind = "result" if RESULT in entries else "value"
        declared = _declared(type, dict(entries))
        found.append(FuncArgument(kind, hint or f"#{index}", declared))
    return found


def passed(function: func.FuncOp, params: Sequence[FuncArgument]) -> list[FuncArgument]:
    """Return the arguments that callers pass: values, then the symbols that no value defines. Calls of a
    prim func pass those that are solved for, too."""
    values = [p for p in params if p.kind == "value"]
    types = [p.type for p in values]
    if ENTRY in function.attributes:
        told = set(defined_variables(types))
    else:
        told = {symbol for type in types for symbol in bare_variables(type)}
    return [*values, *(p for p in params if p.kind == "symbol" and p.name not in told)]


def call_prim(
    interpreter: RelaxInterpreter,
    function: func.FuncOp,
    args: PythonValues,
    is_checked: bool = True,
) -> PythonValues:
    """Call a function by its values, then the symbols that they do not define.

    Symbols are read from the values, and output parameters are allocated. A function that `is_checked`
    reports sizes below 0 itself.
    """
    name = function.sym_name.data
    params = parameters(function)
    expected = passed(function, params)
    if len(args) != len(expected):
        names = ", ".join(f"'{p.name}'" for p in expected) or "none"
        raise ExecutionError(
            f"@{name}: expected {len(expected)} arguments ({names}), found {len(args)}"
        )
    given = {id(p): arg for p, arg in zip(expected, args)}
    sizes: Sizes = {p.name: given[id(p)] for p in expected if p.kind == "symbol"}
    _match_arguments(name, expected, args, sizes)
    _require_results(function, sizes, is_checked)

    def argument(p: FuncArgument) -> object:
        if p.kind == "symbol":
            return sizes[p.name]
        return given[id(p)] if p.kind == "value" else _place(name, p, sizes)

    all_args = tuple(argument(p) for p in params)
    written = tuple(a for p, a in zip(params, all_args) if p.kind == "result")
    results = _run(interpreter, function, all_args, sizes)
    return (*map(read, written), *results)


@contextmanager
def reported_at(place: str) -> Iterator[None]:
    """Report errors of a prim func with the label of the op that it implements."""
    try:
        yield
    except ExecutionError as error:
        message = placed(str(error), place)
        if message == str(error):
            raise
        raise ExecutionError(message) from error


def call_directly(
    interpreter: RelaxInterpreter, function: func.FuncOp, args: PythonValues
) -> PythonValues:
    """Call a function by all its arguments in order, as `func.call` does."""
    name = function.sym_name.data
    params = parameters(function)
    sizes: Sizes = {p.name: int(arg) for p, arg in zip(params, args) if p.kind == "symbol"}
    _match_arguments(name, params, args, sizes)
    return _run(interpreter, function, args, sizes)


def _match_arguments(
    name: str, params: Sequence[FuncArgument], args: PythonValues, sizes: Sizes
) -> None:
    entries = [
        TypedValue(f"@{name}: argument '{p.name}'", p.type, arg) for p, arg in zip(params, args)
    ]
    match_types(entries, sizes)


def _require_results(function: func.FuncOp, sizes: Sizes, is_checked: bool) -> None:
    """Raise an error for results whose sizes are undefined or exceed memory; negative sizes only if the
    function does not check them itself."""
    types = function.function_type.outputs.data
    attributes = [a.data for a in function.res_attrs or ()] or [{}] * len(types)
    for type, entries in zip(types, attributes):
        declared = _declared(type, dict(entries))
        dims = declared.shape or () if isinstance(declared, TensorType) else ()
        known = [d for d in dims if d is not None and sizes.keys() >= set(d.free_variables)]
        found = [dim.evaluate(sizes, as_size=True) for dim in known]
        if not is_checked and (wrong := negative_size(found)):
            raise RelaxError(wrong)


def _place(name: str, parameter: FuncArgument, sizes: Sizes) -> object:
    """Allocate memory for an output parameter."""
    type = parameter.type
    if isinstance(type, MemRefType) and DYNAMIC_INDEX not in type.get_shape():
        return memory_of(type.get_shape(), type.element_type)
    shape = type.shape if isinstance(type, TensorType) else None
    if not isinstance(type, TensorType) or type.dtype is None or shape is None or None in shape:
        raise ExecutionError(
            f"@{name}: result '{parameter.name}': expected memory with sizes in terms of symbols "
            f"({DIMS}), found {type}"
        )
    return memory_of([d.evaluate(sizes, as_size=True) for d in shape if d is not None], type.dtype)


def _run(
    interpreter: RelaxInterpreter, function: func.FuncOp, args: PythonValues, sizes: Sizes
) -> PythonValues:
    """Run the body and check its results."""
    name = function.sym_name.data
    if function.body.first_block is None:
        raise ExecutionError(
            f"@{name}: expected a function with a body, found a declaration; write its body, or "
            "call it with relax.call_packed"
        )
    results = interpreter.run_body(name, function, args, dict(sizes))
    types = function.function_type.outputs.data
    attributes = [a.data for a in function.res_attrs or ()] or [{}] * len(types)
    match_types(
        [
            TypedValue(f"@{name}: result {i}", _declared(type, dict(entries)), value)
            for i, (type, entries, value) in enumerate(zip(types, attributes, results))
        ],
        sizes,
    )
    return results


@register_impls
class FuncFunctions(InterpreterFunctions):
    """Calls and returns of the func dialect."""

    @impl(func.CallOp)
    def run_call(
        self, interpreter: Interpreter, op: func.CallOp, args: PythonValues
    ) -> PythonValues:
        callee = interpreter.get_op_for_symbol(op.callee)
        if not isinstance(callee, func.FuncOp):
            raise RelaxError(f"expected a func.func, found {callee.name} {op.callee}")
        place = place_of(op)
        with reported_at(prefixed(place, op.location) if place else ""):
            return call_directly(machine(interpreter), callee, args)

    @impl_terminator(func.ReturnOp)
    def run_return(
        self, interpreter: Interpreter, op: func.ReturnOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(tuple(map(read, args))), ()
