"""Operators as calls of TVM's, by the table of `operators/`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, Signedness, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from relax_dialect.frontends.tvmscript.operators import TABLE, Operator, OperatorParameter
from relax_dialect.frontends.tvmscript.writing.attribute_writer import number_text, python_text
from relax_dialect.frontends.tvmscript.writing.demands import LEGALIZE, check_demands
from relax_dialect.frontends.tvmscript.writing.type_writer import (
    SizeWriter,
    Unwritable,
    dtype_name,
    tuple_text,
)
from relax_dialect.ir.types import ShapeType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.ccl import AllgatherOp, CommunicationOp, ScatterFromWorker0Op
from relax_dialect.ops.create import EyeOp
from relax_dialect.ops.fields import MISSING
from relax_dialect.ops.joining import SplitOp
from relax_dialect.ops.linear_algebra import EinsumOp
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.ops.operator import attribute_value, default_of, meant_by, plan_of
from relax_dialect.ops.pooling import AdaptiveAvgPool3dOp
from relax_dialect.ops.ranges import ArangeOp, HammingWindowOp, OneHotOp
from relax_dialect.ops.slicing import SliceScatterOp, SlicingOp, StridedSliceOp
from relax_dialect.ops.ternary import ClipOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.ops.vision import RoiAlignOp
from relax_dialect.symbolic import Expr, as_expr

Read = Callable[[SSAValue], str]
"""The expression of a value."""
OUTLINE = (
    "make prim funcs of such ops by relax-outline-tensor-ops, loops by relax-convert-scf-to-relax"
)
COLLECTIVES = "TVM has allreduce, allgather, broadcast_from_worker0 and scatter_from_worker0"


def operator_text(op: Operation, read: Read, sizes: SizeWriter) -> str:
    """Write the call of TVM's counterpart of our operator; raises `Unwritable` if it has none."""
    operator = TABLE.by_op.get(type(op))
    if operator is None:
        mend = LEGALIZE if isinstance(op, OperatorOp) else OUTLINE
        mend = COLLECTIVES if isinstance(op, CommunicationOp) else mend
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


# Arguments that our operators have in another form than TVM's -----------------------------------


REPLACED: Mapping[type[Operation], Sequence[str]] = {
    ArangeOp: ("bounds",),
    EyeOp: ("shape",),
    HammingWindowOp: ("shape",),
    SplitOp: ("sections", "indices"),
    AllgatherOp: ("num_workers",),
    ScatterFromWorker0Op: ("num_workers",),
    SliceScatterOp: ("axes", "begin", "end", "strides", "bounds"),
    StridedSliceOp: ("bounds",),
}
"""The parameters of our operators that special arguments replace."""


def special_arguments(op: Operation) -> dict[str, Any]:
    """Return the arguments, by TVM's names, that our operator has in another form."""
    match op:
        case ClipOp() if op.min is None or op.max is None:
            least, most = _limits(tensor_type(op.x).dtype)
            return {
                "min": least if op.min is None else op.min,
                "max": most if op.max is None else op.max,
            }
        case AdaptiveAvgPool3dOp() if op.output_size is not None and len(op.output_size) == 1:
            return {"output_size": [*op.output_size] * 3}  # TVM makes two of one
        case AllgatherOp() | ScatterFromWorker0Op():
            return {"num_workers": _count(op.num_workers)}
        case SplitOp():
            return {"indices_or_sections": op.indices if op.sections is None else op.sections}
        case EyeOp():
            rows, columns = _shape(op.shape, 2)
            return {"n": rows, "m": columns}
        case ArangeOp():
            count = (op.start is None) + (op.end is None)
            start, end = op.interval([] if op.bounds is None else _shape(op.bounds, count))
            return {"start": start, "end": end}
        case OneHotOp():
            return {"on_value": op.properties["on_value"], "off_value": op.properties["off_value"]}
        case HammingWindowOp():
            return {"window_size": _shape(op.operands[0], 1)[0]}
        case SliceScatterOp():
            (start,), (end,) = _bounds(op)
            return {"start": start, "end": end, "step": op.steps()[0], "axis": op.axes[0]}
        case EinsumOp() if op.out_dtype in (None, tensor_type(op.operands[0]).dtype):
            return {"out_dtype": None}  # TVM's default
        case StridedSliceOp():
            begin, end = _bounds(op)
            return {"begin": begin, "end": end}
    return {}


def _limits(dtype: Attribute | None) -> tuple[float, float]:
    """Return the bounds of all elements: TVM's clip has both bounds."""
    match dtype:
        case IntegerType(width=width, signedness=sign) if sign.data == Signedness.UNSIGNED:
            return 0, 2**width.data - 1
        case IntegerType(width=width):
            return -(2 ** (width.data - 1)), 2 ** (width.data - 1) - 1
        case _ if isinstance(dtype, AnyFloat):
            return -math.inf, math.inf
    raise Unwritable(
        f"expected both bounds for elements of type {dtype}, found one; write the other"
    )


def _shape(value: SSAValue, count: int) -> Sequence[Expr]:
    """Return the sizes of a shape operand."""
    dims = value.type.shape if isinstance(value.type, ShapeType) else None
    if dims is None or len(dims) != count or None in dims:
        raise Unwritable(
            f"expected a shape of {count} known sizes, found one of type {value.type}; match it"
        )
    return [dim for dim in dims if dim is not None]


def _count(shape: SSAValue) -> int:
    """Return the constant number of workers that TVM's operators have."""
    (size,) = _shape(shape, 1)
    if size.value is None:
        raise Unwritable(
            f"expected a constant as num_workers, as TVM has no other, found {size}; bind it by "
            "relax-bind-symbolic-vars"
        )
    return size.value


def _bounds(op: SlicingOp) -> Sequence[Sequence[Any]]:
    """Return the begins and ends of slices."""
    if isinstance(op, SliceScatterOp) and len(op.axes) != 1:
        raise Unwritable(
            f"expected one axis, found {len(op.axes)}; make it a call of a prim func by relax-legalize"
        )
    if op.begin is not None and op.end is not None:
        return op.begin, op.end
    return [
        _shape(value, len(op.axes)) for value in op.operands if isinstance(value.type, ShapeType)
    ]
