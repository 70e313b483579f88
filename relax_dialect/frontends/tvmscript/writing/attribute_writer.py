"""Attributes of functions, modules and operators as values of Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute

from relax_dialect.frontends.tvmscript.writing.type_writer import Unwritable, dtype_name, tuple_text
from relax_dialect.ir.spelling import is_element_type
from relax_dialect.ir.types import DeviceAttr


def python_text(value: Any) -> str:
    """Write a value of Python, or an attribute, in a script's syntax."""
    match value:
        case float() if not math.isfinite(value):
            return f'T.float64("{value}")'
        case None | bool() | int() | float():
            return repr(value)
        case str():
            return string_text(value)
        case list() | tuple():
            return f"[{', '.join(map(python_text, value))}]"
        case Mapping():
            return (
                f"{{{', '.join(f'{string_text(k)}: {python_text(v)}' for k, v in value.items())}}}"
            )
        case IntegerAttr(type=IntegerType() as type) if type.width.data == 1:
            return str(bool(value.value.data))
        case IntegerAttr():
            return str(value.value.data)
        case FloatAttr():
            return python_text(float(value.value.data))
        case StringAttr():
            return string_text(value.data)
        case ArrayAttr():
            return python_text(list(value.data))
        case DenseArrayBase():
            return python_text(list(value.get_values()))
        case DictionaryAttr():
            return python_text(value.data)
        case UnitAttr():
            return "True"
        case Attribute() if is_element_type(value):
            return string_text(dtype_name(value))
    raise Unwritable(
        f"expected numbers, texts, lists and dicts as attributes, found {value}; remove it"
    )


def string_text(value: str) -> str:
    """Write a text in the double quotes that TVM prints."""
    inside = repr("'" + value)[2:-1]  # in double quotes unless it has some
    return f'"{inside}"' if repr("'" + value)[0] == '"' else repr(value)


def number_text(value: IntegerAttr | FloatAttr) -> str:
    """Write a number with its type."""
    number = value.value.data
    finite = isinstance(value, IntegerAttr) or math.isfinite(number)
    return (
        f"T.{dtype_name(value.type)}({python_text(value) if finite else string_text(str(number))})"
    )


def literal_text(value: Attribute) -> str:
    """Write a literal among the arguments of an external function."""
    match value:
        case StringAttr():
            return f"R.str({string_text(value.data)})"
        case IntegerAttr() if str(value.type) not in ("i64", "index", "i1"):
            return f"T.{dtype_name(value.type)}({value.value.data})"
        case IntegerAttr():
            return f"R.prim_value({python_text(value)})"
        case FloatAttr():
            return f"R.prim_value({number_text(value)})"
        case DeviceAttr():
            raise Unwritable(
                f"expected values, texts, element types and numbers as arguments, found {value}; "
                "TVMScript has no device there"
            )
    return f'R.dtype("{dtype_name(value)}")'


__all__ = ["literal_text", "number_text", "python_text", "string_text", "tuple_text"]
