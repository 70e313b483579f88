"""Operators as calls of TVM's, by the table of `operators/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from relax_dialect.frontends.tvmscript.operators import TABLE, Operator, OperatorParameter
from relax_dialect.frontends.tvmscript.writing.attribute_writer import number_text, python_text
from relax_dialect.frontends.tvmscript.writing.demands import LEGALIZE, check_demands
from relax_dialect.frontends.tvmscript.writing.special_arguments import (
    REPLACED,
    special_arguments,
)
from relax_dialect.frontends.tvmscript.writing.type_writer import (
    SizeWriter,
    Unwritable,
    dtype_name,
    tuple_text,
)
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import MISSING
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.ops.operator import attribute_value, default_of, meant_by, plan_of
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.ops.vision import RoiAlignOp
from relax_dialect.symbolic import Expr, as_expr

Read = Callable[[SSAValue], str]
"""The expression of a value."""
OUTLINE = (
    "make prim funcs of such ops by relax-outline-tensor-ops, loops by relax-convert-scf-to-relax"
)


def operator_text(op: Operation, read: Read, sizes: SizeWriter) -> str:
    """Write the call of TVM's counterpart of our operator; raises `Unwritable` if it has none."""
    operator = TABLE.by_op.get(type(op))
    if operator is None:
        mend = LEGALIZE if isinstance(op, OperatorOp) else OUTLINE
        raise Unwritable(f"expected an operator that TVM has, found {op.name}; {mend}")
    check_demands(op, operator.name)
    special = special_arguments(op)
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
        if isinstance(op, RoiAlignOp) and op.aligned and parameter.name == "rois":
            half = -0.5 / op.spatial_scale  # TVM's regions that are aligned do not begin before
            dtype = dtype_name(tensor_type(op.rois).dtype or f32)
            text = f'R.add({text}, R.const({[0.0, *[half] * 4]}, "{dtype}"))'
        words.append(f"{parameter.name}={text}" if left_out or not _by_place(parameter) else text)
    return f"R.{operator.name}({', '.join(words)})"


def _by_place(parameter: OperatorParameter) -> bool:
    return parameter.kind in ("value", "values", "shape") and parameter.default is MISSING


def _is_default(op: Operation, parameter: OperatorParameter, value: Any) -> bool:
    if value is None or (parameter.name == "roi" and not value):
        return True
    if parameter.default is MISSING or parameter.default is None:
        return False
    if parameter.kind == "dtype":
        return dtype_name(value) == parameter.default
    if isinstance(value, SSAValue | Attribute):
        return False
    default = parameter.default
    return value == default or (
        isinstance(value, list | tuple) and list(value) == _listed(default, value)
    )


def _listed(default: Any, like: Sequence[Any]) -> list[Any]:
    return list(default) if isinstance(default, list | tuple) else [default] * len(like)


def _text(parameter: OperatorParameter, value: Any, read: Read, sizes: SizeWriter) -> str:
    if parameter.kind == "dtype":
        return f'"{dtype_name(value)}"'
    if isinstance(value, SSAValue):
        return _in_order(parameter.order, value, read) if parameter.order else read(value)
    if parameter.kind == "values":
        return tuple_text(map(read, value))
    if isinstance(value, FloatAttr | IntegerAttr):
        return number_text(value)
    if isinstance(value, bool) and type(parameter.default) is int:
        return str(int(value))
    if isinstance(value, AffineMap):
        return index_map_text(value)
    if isinstance(value, Expr):
        return sizes.text(value)
    if isinstance(value, list | tuple) and any(isinstance(each, Expr) for each in value):
        return f"[{', '.join(sizes.text(as_expr(each)) for each in value)}]"
    return python_text(value)


def _in_order(order: Sequence[int], value: SSAValue, read: Read) -> str:
    """Write a value whose axes have another order in TVM."""
    owner = value.owner
    if isinstance(owner, PermuteDimsOp) and owner.axes == tuple(order):
        return read(owner.x)
    axes = [order.index(axis) for axis in range(len(order))]
    return f"R.permute_dims({read(value)}, axes={axes})"


def is_only_order(op: Operation) -> bool:
    """Returns whether a permutation only moves axes into our order, which no call of TVM's needs."""
    if not isinstance(op, PermuteDimsOp) or not list(op.result.uses):
        return False
    for use in op.result.uses:
        operator = TABLE.by_op.get(type(use.operation))
        parameters = operator.parameters if operator is not None else ()
        orders = [
            p.order
            for p in parameters
            if p.order and getattr(use.operation, p.ours, None) is op.result
        ]
        if not orders or any(op.axes != order for order in orders):
            return False
    return True


def index_map_text(map: AffineMap) -> str:
    """Write an affine map as a lambda."""
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
    ours = {
        *(parameter.ours for parameter in operator.parameters),
        *special,
        *REPLACED.get(type(op), ()),
    }
    for _, field in plan.attributes:
        if field.name in ours:
            continue
        default = default_of(op, field)
        if getattr(op, field.name) in (None, default):
            continue
        value = attribute_value(op, field.name)
        if value != (default if default is MISSING else meant_by(op, field.name, default)):
            raise Unwritable(
                f"expected {field.name} = {default} as TVM's R.{operator.name} has no other, "
                f"found {value}; {LEGALIZE}"
            )
    for _, field in plan.operands:
        name = field.part_of or field.name
        if name not in ours and field.name not in ours and getattr(op, name, None):
            raise Unwritable(
                f"expected no '{name}' as TVM's R.{operator.name} has none, found one; " + LEGALIZE
            )
