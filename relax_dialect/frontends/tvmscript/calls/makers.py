"""Constants, shapes and tuples, and words that denote one of their operands."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from relax_dialect.builder.constant_values import const
from relax_dialect.builder.values import Value
from relax_dialect.frontends.tvmscript.calls.arguments import Special, argument, op_made, optional
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_sizes import said
from relax_dialect.frontends.tvmscript.script_values import ScriptScalar, Shape
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.number_operands import BOOL


def _const(reader: Expressions, node: ast.Call) -> Any:
    given = optional(node, 1, "dtype")
    dtype = None if given is None else reader.types.dtype(given)
    value = reader.read(argument(node, 0, "value"))
    if isinstance(value, ScriptScalar):
        value, dtype = value.value, dtype or value.dtype
    if isinstance(value, Value):
        return value
    if dtype is None:
        dtype = reader.types.dtype_named(node, _default(value))
    if isinstance(value, tuple):
        return reader.made(node, const(_array(reader, node, value, dtype)))
    if value in ("inf", "-inf", "nan"):  # as TVM prints them
        value = float(value)
    if not isinstance(value, bool | int | float):
        raise Unreadable(
            node, f"expected a number or a list of numbers, found {said(value)}; write one"
        )
    if dtype == BOOL:
        value = bool(value)
    elif isinstance(value, float) and not hasattr(dtype, "bitwidth"):
        value = int(value)
    return reader.made(node, const(value, dtype))


def _default(value: object) -> str:
    """Return the default element type of a constant; for a list, as numpy infers it."""
    kinds = {type(each) for each in _numbers(value)}
    if not kinds or float in kinds or not kinds <= {bool, int}:
        return "float32"
    return "bool" if kinds == {bool} else "int32"


def _numbers(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for each in value:
            yield from _numbers(each)
    else:
        yield value.value if isinstance(value, ScriptScalar) else value


def _array(reader: Expressions, node: ast.AST, value: tuple[Any, ...], dtype: Attribute) -> Any:
    def plain(each: Any) -> Any:
        if isinstance(each, tuple):
            return [plain(part) for part in each]
        number = each.value if isinstance(each, ScriptScalar) else each
        if not isinstance(number, bool | int | float):
            raise TypeError
        return number

    try:
        return np.array(plain(value), numpy_dtype(dtype))
    except (TypeError, ValueError, OverflowError):
        raise Unreadable(
            node, "expected lists of numbers of equal lengths, found others; correct them"
        ) from None


def _shape(reader: Expressions, node: ast.Call) -> Any:
    dims = reader.types.dims(argument(node, 0, "value"))
    return Shape(list(dims or ()))


def _prim_value(reader: Expressions, node: ast.Call) -> Any:
    return reader.read(argument(node, 0, "value"))


def _str(reader: Expressions, node: ast.Call) -> Any:
    return reader.read(argument(node, 0, "value"))


def _dtype(reader: Expressions, node: ast.Call) -> Any:
    return reader.types.dtype(argument(node, 0, "value"))


def _tuple(reader: Expressions, node: ast.Call) -> Any:
    return tuple(reader.read(each) for each in node.args)


def _tuple_get_item(reader: Expressions, node: ast.Call) -> Any:
    of, index = argument(node, 0, "tuple_value"), argument(node, 1, "index")
    return reader.read(ast.copy_location(ast.Subscript(of, index, ast.Load()), node))


def _null_value(reader: Expressions, node: ast.Call) -> Any:
    return None


def _operand(reader: Expressions, node: ast.Call) -> Any:
    return reader.read(argument(node, 0, "x", "data", "input"))


def _stop_lift_params(reader: Expressions, node: ast.Call) -> Any:
    of = argument(node, 0, "x")
    value = reader.value(of, reader.read(of))
    return reader.made(node, LetOp(value.value, stop_lift_params=True))


def _wrap_param(reader: Expressions, node: ast.Call) -> Any:
    of, dtype = argument(node, 0, "data"), optional(node, 1, "dtype")
    value = reader.value(of, reader.read(of))
    type = reader.types.dtype_named(node, "float32") if dtype is None else reader.types.dtype(dtype)
    return reader.made(node, op_made(node, AstypeOp, value.value, type))


CALLS: Mapping[str, Special] = {
    "const": _const,
    "shape": _shape,
    "ShapeExpr": _shape,
    "prim_value": _prim_value,
    "str": _str,
    "dtype": _dtype,
    "tuple": _tuple,
    "TupleGetItem": _tuple_get_item,
    "null_value": _null_value,
    "wrap_param": _wrap_param,
    **dict.fromkeys(("builtin.stop_lift_params", "stop_lift_params"), _stop_lift_params),
    **dict.fromkeys(
        (
            "grad.start_checkpoint",
            "grad.end_checkpoint",
            "memory.ensure_zero_offset",
            "hint_on_device",
            "to_vdevice",
        ),
        _operand,
    ),
}
"""The last words specify where a value resides, or how it is computed; here they return their operand."""
