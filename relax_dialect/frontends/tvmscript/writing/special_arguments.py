"""Arguments that our operators have in another form than TVM's: sizes in shapes, split attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.frontends.tvmscript.writing.type_writer import Unwritable
from relax_dialect.ir.types import ShapeType
from relax_dialect.ops.create import EyeOp
from relax_dialect.ops.joining import SplitOp
from relax_dialect.ops.linear_algebra import EinsumOp
from relax_dialect.ops.pooling import AdaptiveAvgPool3dOp
from relax_dialect.ops.ranges import ArangeOp, HammingWindowOp, OneHotOp
from relax_dialect.ops.slicing import SliceScatterOp, SlicingOp, StridedSliceOp
from relax_dialect.ops.ternary import ClipOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.symbolic import Expr

REPLACED: Mapping[type[Operation], Sequence[str]] = {
    ArangeOp: ("bounds",),
    EyeOp: ("shape",),
    HammingWindowOp: ("shape",),
    SplitOp: ("sections", "indices"),
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
