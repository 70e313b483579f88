"""What TVM's operators ask for beyond ours: where a script would be refused, the op is refused by name."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from relax_dialect.frontends.tvmscript.writing.types import Unwritable
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops.attention import AttentionOp
from relax_dialect.ops.indexing import GatherNdOp
from relax_dialect.ops.layout import PixelShuffleOp
from relax_dialect.ops.scattering import IndexPutOp
from relax_dialect.ops.slicing import DynamicStridedSliceOp
from relax_dialect.ops.vision import RoiPoolOp

KNOWN = frozenset(
    f"relax.{name}"
    for name in (
        *("affine_grid", "attention", "attention_var_len", "batch_flatten", "batch_norm", "dequantize"),
        *("einsum", "eye_like", "full", "grid_sample", "layer_norm", "layout_transform", "meshgrid"),
        *("pad", "pixel_shuffle", "quantize", "resize2d", "resize3d", "rms_norm", "scatter_nd", "stack"),
        *("permute_dims", "tensor_to_shape"),
    )
)  # fmt: skip
"""Operators that take no tensor or shape of unknown rank and no tensor of unknown element type."""
LEGALIZE = "make it a call of a prim func by relax-legalize"


def check_demands(op: Operation, name: str) -> None:
    """Refuse an op that TVM's operator of this name does not take."""
    if op.name in KNOWN:
        for operand in op.operands:
            if _is_unknown(operand):
                raise Unwritable(
                    f"expected known ranks and element types, as TVM's R.{name} asks for, found "
                    f"{operand.type}; match it with them by relax.match_cast"
                )
    indices: Iterable[SSAValue] = ()
    match op:
        case GatherNdOp():
            indices = [op.indices]
        case DynamicStridedSliceOp():
            indices = [op.begin, op.end, op.strides]
        case PixelShuffleOp() if not _is_number(op.x, -3):
            raise Unwritable(
                f"expected channels whose number is known, as TVM's R.{name} asks for, found {op.x.type}; "
                f"{LEGALIZE}"
            )
        case AttentionOp():
            for each in (op.query, op.key, op.value):
                if isinstance(each.type, TensorType) and None in (each.type.shape or ()):
                    raise Unwritable(
                        f"expected sizes with names, as TVM's R.{name} asks for, found {each.type}; match "
                        "it with them by relax.match_cast"
                    )
        case RoiPoolOp() if op.layout != "NCHW":
            raise Unwritable(
                f"expected the layout NCHW, as TVM's R.{name} has no other, found {op.layout}; permute the "
                "dimensions before"
            )
        case IndexPutOp():
            rank = op.data.type.rank if isinstance(op.data.type, TensorType) else None
            if rank != len(op.indices):
                raise Unwritable(
                    f"expected indices for each of {rank} dimensions, as TVM's R.{name} asks for, "
                    f"found {len(op.indices)}; {LEGALIZE}"
                )
    for value in indices:
        if isinstance(value.type, TensorType) and value.type.dtype != i64:
            raise Unwritable(
                f"expected indices of type i64, as TVM's R.{name} asks for, found {value.type}; "
                "convert them by relax.astype"
            )


def _is_number(value: SSAValue, axis: int) -> bool:
    """Whether the size of a tensor along an axis is a number."""
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    size = shape[axis] if shape else None
    return size is not None and size.value is not None


def _is_unknown(value: SSAValue) -> bool:
    match value.type:
        case TensorType() as type:
            return type.shape is None or type.dtype is None
        case ShapeType() as type:
            return type.shape is None
    return False
