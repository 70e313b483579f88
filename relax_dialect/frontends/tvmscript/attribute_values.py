"""Values of Python as attributes of functions and modules."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute

from relax_dialect.builder import constant_values
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_sizes import said
from relax_dialect.frontends.tvmscript.script_values import ScriptScalar


def attribute_value(node: ast.AST, value: Any) -> Attribute:
    """Convert a value of Python to an attribute of a function or module."""
    match value:
        case Attribute():
            return value
        case bool():
            return IntegerAttr(int(value), i1)
        case int():
            if -(2**63) <= value < 2**63:
                return IntegerAttr(value, i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case ScriptScalar():
            return value.attribute
        case tuple():
            return ArrayAttr([attribute_value(node, each) for each in value])
        case np.ndarray():
            return constant_values.array(value).value
        case dict():
            return DictionaryAttr({str(k): attribute_value(node, v) for k, v in value.items()})
    raise Unreadable(
        node, f"expected a number, text, list or dict as an attribute, found {said(value)}"
    )
