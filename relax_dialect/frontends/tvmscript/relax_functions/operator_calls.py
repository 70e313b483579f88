"""Calls of TVM's operators as ours, by the table of `operators/`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from types import UnionType
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TupleType, f32
from xdsl.ir.affine import AffineExpr, AffineMap

from relax_dialect.builder.constant_values import const
from relax_dialect.builder.values import Expression, Value
from relax_dialect.frontends.tvmscript.operators import TABLE, Operator, OperatorParameter
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_sizes import as_size, said
from relax_dialect.frontends.tvmscript.script_values import ScriptScalar, Several, Shape
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ops.binary import AddOp
from relax_dialect.ops.fields import MISSING
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.ops.operator import plan_of
from relax_dialect.symbolic import as_expr
from relax_dialect.text.wording import nearest

_MEMORY = "memory is no part of a program here: read the module as it was before TVM planned memory"
_DEVICES = "programs here run on one device: read the module as it was before it was distributed"
_PYTHON = "it runs Python, and nothing of a script is run: read what mod.script() of TVM prints"
ELSEWHERE: Mapping[str, str] = {
    **dict.fromkeys(("memory.", "vm."), _MEMORY),
    "dist.": _DEVICES,
    **dict.fromkeys(("emit_te", "call_py_func", "macro"), _PYTHON),
}
"""Replacements of TVM's operators that have no counterpart, by the prefixes of their names."""

NOTHING = "R.tuple()"
"""TVM's text for an operand that is left out."""

PRINTED = ("grad.take_backward", "mode", "''")
"""An attribute that TVM prints and does not read again."""

SMALLEST_SCALE = sys.float_info.min
"""The smallest scale whose inverse a float holds: regions are shifted by half of it."""

MOST, STARTS = "max_seqlen_q", "seqstart_k"


def call_operator(reader: Expressions, node: ast.Call, name: str) -> Any:
    """Read a call of one of TVM's operators."""
    operator = TABLE.get(name)
    if operator is None:
        meant = nearest(name, TABLE.lines)
        mend = f"is R.{meant} meant?" if meant else "docs/from-tvm-names.md lists the operators"
        mend = next((why for first, why in ELSEWHERE.items() if name.startswith(first)), mend)
        raise Unreadable(node, f"expected an operator that we have, found R.{name[:60]}; {mend}")
    given = bound(operator, node)
    named: dict[str, Any] = {}
    for parameter in operator.parameters:
        value = parameter.default
        if (argument := given.get(parameter.name)) is not None:
            value = _argument(reader, operator, parameter, argument)
        elif value is MISSING:
            raise Unreadable(
                node,
                f"R.{name}: expected '{parameter.name}', found no argument for it; write {operator.text}",
            )
        elif parameter.kind == "dtype" and value is not None:
            value = reader.types.dtype_named(node, value)
        if parameter.kind == "none":
            _require_default(node, operator, parameter, value)
        elif value is not None:
            named[parameter.ours] = value
    if operator.name == "vision.roi_align" and named.get("aligned") and "rois" in named:
        named["rois"] = _shifted(reader, node, named["rois"], named.get("spatial_scale"))
    if STARTS in named and getattr(getattr(named.get(MOST), "type", None), "rank", None) == 1:
        named[MOST], named[STARTS] = named[STARTS], named[MOST]  # as TVM prints attention_var_len
    found = reader.made(node, _expression(operator, named))
    if isinstance(found, tuple):
        return Several(found)
    return Several((found,)) if operator.gives_tuple else found


def _shifted(reader: Expressions, node: ast.AST, rois: Value, scale: Any) -> Value:
    """Shift regions by half an element: our aligned ones begin half an element earlier than TVM's."""
    is_number = isinstance(
        scale, int | float
    )  # also a NaN and numbers whose inverse no float holds
    if not is_number or not abs(scale) <= sys.float_info.max or not abs(scale) >= SMALLEST_SCALE:
        raise Unreadable(
            node,
            "R.vision.roi_align: expected a number other than 0 as spatial_scale with aligned=True, found "
            f"{said(scale)}; correct it",
        )
    dtype = getattr(rois.type, "dtype", None)
    half = const(np.array([0, *[0.5 / scale] * 4], numpy_dtype(dtype or f32)))
    return reader.made(node, Expression(AddOp, (rois, half), {}))


def _expression(operator: Operator, named: dict[str, Any]) -> Expression:
    """Return the call with its leading arguments positional, as the builder looks only at these for
    operands."""
    placed: list[Any] = []
    for name in operator.constructor_names:
        if name not in named:
            break
        placed.append(named.pop(name))
    return Expression(operator.op, placed, named)


def bound(operator: Operator, node: ast.Call) -> dict[str, ast.expr]:
    """Return the arguments by the names of TVM's parameters."""
    parameters, name = operator.parameters, operator.name
    if len(node.args) > len(parameters) or any(isinstance(a, ast.Starred) for a in node.args):
        raise Unreadable(
            node,
            f"R.{name}: expected at most {len(parameters)} arguments, found more; write {operator.text}",
        )
    given = {p.name: a for p, a in zip(parameters, node.args)}
    for keyword in node.keywords:
        if keyword.arg == "ty":  # the types that TVM infers, if it prints types in full
            continue
        if (name, keyword.arg, ast.unparse(keyword.value)) == PRINTED:
            continue
        if keyword.arg is None or keyword.arg not in operator.places or keyword.arg in given:
            raise Unreadable(
                keyword.value,
                f"R.{name}: expected each of its arguments once, found '{keyword.arg or '**'}'; write "
                f"{operator.text}",
            )
        given[keyword.arg] = keyword.value
    return given


def _require_default(
    node: ast.AST, operator: Operator, parameter: OperatorParameter, value: Any
) -> None:
    if value != parameter.default and value is not None:
        raise Unreadable(
            node,
            f"R.{operator.name}: expected {parameter.name}={parameter.default!r}, found "
            f"{said(value)}; we have no other",
        )


def _argument(
    reader: Expressions, operator: Operator, parameter: OperatorParameter, node: ast.expr
) -> Any:
    """Convert an argument for our constructor."""
    match parameter.kind:
        case "dtype":
            return reader.types.dtype(node)
        case "value":
            value = _operand(reader, node)
            order = list(parameter.order)
            return reader.made(node, Expression(PermuteDimsOp, (value, order))) if order else value
        case "values":
            return _operands(reader, node)
        case "shape":
            is_left_out = parameter.default is None and ast.unparse(node) == NOTHING
            return None if is_left_out else _sizes(reader, node)
    if parameter.name == "index_map":
        return _index_map(reader, node)
    value = reader.read(node)
    if parameter.kind == "attribute":
        plan = plan_of(operator.op)
        assert plan is not None
        field = plan.by_name[parameter.ours]
        if isinstance(value, ScriptScalar) and isinstance(field.form.attributes, UnionType):
            return value.attribute
    return _plain(parameter, value)


def _plain(parameter: OperatorParameter, value: Any) -> Any:
    """Strip the element types of numbers, and the shape around sizes."""
    if isinstance(value, ScriptScalar):
        return value.value
    if isinstance(value, Shape):
        value = tuple(value.sizes)
    if isinstance(value, tuple):
        value = tuple(_plain(parameter, each) for each in value)
        if parameter.name == "roi" and not any(value):
            return None
        return list(value) or ([] if parameter.name == "axis" else None)
    if isinstance(value, str) and not value and parameter.name in ("out_layout", "causal_mask"):
        return None
    if isinstance(value, Value) and parameter.kind == "argument":
        shape = getattr(value.type, "shape", None)
        return list(shape) if shape is not None else value
    return value


def _operand(reader: Expressions, node: ast.expr) -> Any:
    """Return a value; a number becomes a constant of its neighbours' type."""
    value = reader.read(node)
    if value is None or (isinstance(value, bool | int | float)):
        return value
    if isinstance(value, tuple) and not value:  # R.tuple() denotes an operand that is left out
        return None
    return reader.value(node, value)


def _operands(reader: Expressions, node: ast.expr) -> list[Any]:
    """Return the operands in a tuple; a tensor is a single operand."""
    found = reader.read(node)
    listed = reader.values(node, found)
    if not isinstance(found, Several | tuple) and isinstance(listed[0].type, TupleType):
        return [reader.made(node, listed[0][i]) for i in range(len(listed[0].type.types))]
    return listed


def _sizes(reader: Expressions, node: ast.expr) -> Any:
    """Return the sizes of a shape operand, or a value that is one."""
    value = reader.read(node)
    if isinstance(value, int) or (isinstance(value, Value) and not hasattr(value.type, "dims")):
        value = (value,)
    if isinstance(value, Shape | tuple):
        sizes = value.sizes if isinstance(value, Shape) else value
        found = [as_size(node, size) for size in sizes]
        return [size if isinstance(size, int) and size < 0 else as_expr(size) for size in found]
    return value


def _index_map(reader: Expressions, node: ast.expr) -> Any:
    """Convert `lambda i, j: (j, i // 4, i % 4)` to an affine map."""
    if isinstance(node, ast.Call):
        node = reader.read(node)
    if not isinstance(node, ast.Lambda):
        raise Unreadable(
            node, "expected a lambda as the index map, found another expression; write it out"
        )
    names = [arg.arg for arg in node.args.args]
    dims = {name: AffineExpr.dimension(i) for i, name in enumerate(names)}
    body = node.body.elts if isinstance(node.body, ast.Tuple | ast.List) else [node.body]
    return AffineMap(len(names), 0, tuple(_affine(each, dims) for each in body))


def _affine(node: ast.AST, dims: dict[str, AffineExpr]) -> AffineExpr:
    match node:
        case ast.Name(id=name) if name in dims:
            return dims[name]
        case ast.Constant(value=int(number)):
            return AffineExpr.constant(number)
        case ast.Call(args=[argument]):  # T.int64(4)
            return _affine(argument, dims)
        case ast.BinOp(left=left, op=op, right=right):
            x, y = _affine(left, dims), _affine(right, dims)
            match op:
                case ast.Add():
                    return x + y
                case ast.Mult():
                    return x * y
                case ast.FloorDiv():
                    return x // y
                case ast.Mod():
                    return x % y
    raise Unreadable(
        node, "expected sums, products, // and % of indices, found another index; rewrite it"
    )
