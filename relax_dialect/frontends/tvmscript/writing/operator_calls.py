"""Operators as calls of TVM's, by the table of `operators/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from relax_dialect.frontends.tvmscript.operators import TABLE, Operator, Parameter
from relax_dialect.frontends.tvmscript.writing.attributes import python_text
from relax_dialect.frontends.tvmscript.writing.types import (
    Sizes,
    Unwritable,
    dtype_name,
    tuple_text,
)
from relax_dialect.ir.types import ShapeType
from relax_dialect.ops.create import EyeOp
from relax_dialect.ops.fields import MISSING
from relax_dialect.ops.joining import SplitOp
from relax_dialect.ops.operator import attribute_value, default_of, plan_of
from relax_dialect.ops.ranges import HammingWindowOp
from relax_dialect.ops.slicing import SliceScatterOp, SlicingOp, StridedSliceOp
from relax_dialect.symbolic import Expr, as_expr

Read = Callable[[SSAValue], str]
"""The expression of a value."""


def operator_text(op: Operation, read: Read, sizes: Sizes) -> str:
    """The call of TVM's operator that is ours; `Unwritable` where TVM has none."""
    operator = TABLE.by_op.get(type(op))
    if operator is None:
        raise Unwritable(
            f"expected an operator that TVM has, found {op.name}; make it a call of a prim func by relax-legalize"
        )
    special = _special(op)
    _check_others(op, operator, special)
    words: list[str] = []
    left_out = False
    for parameter in operator.parameters:
        value = special.get(parameter.name, MISSING)
        if value is MISSING:
            value = getattr(op, parameter.ours) if parameter.ours else parameter.default
        if parameter.kind == "none" or _is_default(op, parameter, value):
            left_out = True
            continue
        text = _text(parameter, value, read, sizes)
        words.append(f"{parameter.name}={text}" if left_out or not _by_place(parameter) else text)
    return f"R.{operator.name}({', '.join(words)})"


def _by_place(parameter: Parameter) -> bool:
    return parameter.kind in ("value", "values", "shape") and parameter.default is MISSING


_REPLACED = {SplitOp: ("sections", "indices"), SliceScatterOp: ("begin", "end", "strides", "bounds"), StridedSliceOp: ("bounds",)}
"""What our operators have in the place of special arguments."""


def _special(op: Operation) -> dict[str, Any]:
    """The arguments by TVM's names that our operator has in another form."""
    match op:
        case SplitOp():
            return {"indices_or_sections": op.indices if op.sections is None else op.sections}
        case EyeOp():
            rows, columns = _shape(op.shape, 2)
            return {"n": rows, "m": columns, "shape": None}
        case HammingWindowOp():
            return {"window_size": _shape(op.operands[0], 1)[0], "shape": None}
        case SliceScatterOp():
            (start,), (end,) = _bounds(op)
            return {"start": start, "end": end, "step": op.steps()[0], "axis": op.axes[0], "axes": None}
        case StridedSliceOp():
            begin, end = _bounds(op)
            return {"begin": begin, "end": end}
    return {}


def _shape(value: SSAValue, count: int) -> Sequence[Expr]:
    """The sizes of a shape operand."""
    dims = value.type.shape if isinstance(value.type, ShapeType) else None
    if dims is None or len(dims) != count or None in dims:
        raise Unwritable(f"expected a shape of {count} known sizes, found one of type {value.type}; match it")
    return [dim for dim in dims if dim is not None]


def _bounds(op: SlicingOp) -> Sequence[Sequence[Any]]:
    """Where slices begin and end."""
    if isinstance(op, SliceScatterOp) and len(op.axes) != 1:
        raise Unwritable(f"expected one axis, found {len(op.axes)}; make it a call of a prim func by relax-legalize")
    if op.begin is not None and op.end is not None:
        return op.begin, op.end
    return [_shape(value, len(op.axes)) for value in op.operands if isinstance(value.type, ShapeType)]


def _is_default(op: Operation, parameter: Parameter, value: Any) -> bool:
    if value is None:
        return True
    if parameter.default is MISSING or parameter.default is None:
        return False
    if parameter.kind == "dtype":
        return dtype_name(value) == parameter.default
    if isinstance(value, SSAValue | Attribute):
        return False
    default = parameter.default
    same = value == default or (isinstance(value, list | tuple) and list(value) == _listed(default, value))
    return bool(same) and type(value) is not bool or value is default


def _listed(default: Any, like: Sequence[Any]) -> list[Any]:
    return list(default) if isinstance(default, list | tuple) else [default] * len(like)


def _text(parameter: Parameter, value: Any, read: Read, sizes: Sizes) -> str:
    if parameter.kind == "dtype":
        return f'"{dtype_name(value)}"'
    if isinstance(value, SSAValue):
        return read(value)
    if parameter.kind == "values":
        return tuple_text(map(read, value))
    if isinstance(value, AffineMap):
        return index_map_text(value)
    if isinstance(value, Expr):
        return sizes.text(value)
    if isinstance(value, list | tuple) and any(isinstance(each, Expr) for each in value):
        return f"[{', '.join(sizes.text(as_expr(each)) for each in value)}]"
    return python_text(value)


def index_map_text(map: AffineMap) -> str:
    """An affine map as a lambda."""
    if map.num_symbols:
        raise Unwritable(f"expected an index map without symbols, found {map}; write the numbers")
    names = [f"i{i}" for i in range(map.num_dims)]
    results = [str(result).replace("floordiv", "//").replace("mod", "%") for result in map.results]
    results = [text.replace("d", "i") for text in results]
    return f"lambda {', '.join(names)}: {tuple_text(results)}"


def _check_others(op: Operation, operator: Operator, special: Mapping[str, Any]) -> None:
    """Refuse attributes and operands that TVM's operator lacks, unless they mean nothing."""
    plan = plan_of(op)
    if plan is None:
        return
    ours = {*(parameter.ours for parameter in operator.parameters), *special, *_REPLACED.get(type(op), ())}
    for _, field in plan.attributes:
        if field.name in ours:
            continue
        value, default = attribute_value(op, field.name), default_of(op, field)
        if value is not None and value != default:
            raise Unwritable(
                f"expected {field.name} = {default} as TVM's R.{operator.name} has no other, found {value}; make it "
                "a call of a prim func by relax-legalize"
            )
    for _, field in plan.operands:
        name = field.part_of or field.name
        if name not in ours and field.name not in ours and getattr(op, name, None):
            raise Unwritable(
                f"expected no '{name}' as TVM's R.{operator.name} has none, found one; make it a call of a prim "
                "func by relax-legalize"
            )
