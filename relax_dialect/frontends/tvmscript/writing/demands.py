"""Constraints of TVM's operators beyond ours: an op whose script TVM would refuse is refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    Float8E5M2Type,
    IntegerType,
    Signedness,
    f16,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.frontends.tvmscript.writing.type_writer import Unwritable
from relax_dialect.ir.types import Dims, ShapeType, TensorType
from relax_dialect.ops.attention import AttentionOp
from relax_dialect.ops.collapse import CollapseSumToOp
from relax_dialect.ops.cumulative import CumprodOp, CumsumOp
from relax_dialect.ops.detection import NonMaxSuppressionOp
from relax_dialect.ops.indexing import GatherNdOp
from relax_dialect.ops.joining import MeshgridOp, SplitOp
from relax_dialect.ops.layout import PixelShuffleOp
from relax_dialect.ops.manipulate import BatchFlattenOp
from relax_dialect.ops.memory import ViewOp
from relax_dialect.ops.moving import ReverseSequenceOp
from relax_dialect.ops.quantization import QUANTIZED, DequantizeOp, QuantizeOp
from relax_dialect.ops.ranges import ArangeOp
from relax_dialect.ops.scattering import IndexPutOp, ScatterNdOp
from relax_dialect.ops.slices import near
from relax_dialect.ops.slicing import DynamicStridedSliceOp, SliceScatterOp
from relax_dialect.ops.ternary import EwiseFmaOp, WhereOp
from relax_dialect.ops.vision import RoiAlignOp, RoiPoolOp
from relax_dialect.symbolic import Expr, ceildiv, provably_different

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
RANKED = frozenset({"relax.outer", "relax.shape_to_tensor"})
"""Operators that take no tensor or shape of unknown rank."""
SMALL = (*QUANTIZED, Float8E4M3FNType(), Float8E5M2Type())
"""The element types that floats are quantized to."""
LEGALIZE = "make it a call of a prim func by relax-legalize"
MATCH = "match it with them by relax.match_cast"
CONVERT = "convert them by relax.astype"


def check_demands(op: Operation, name: str) -> None:
    """Refuse an op that TVM's operator of this name does not take."""
    for operand in op.operands:
        if (op.name in KNOWN and _is_unknown(operand)) or (
            op.name in RANKED and _dims(operand) is None
        ):
            raise _refused("known ranks and element types", name, operand.type, MATCH)
    for value, types in _typed(op):
        if _dtype(value) is not None and _dtype(value) not in types:
            words = " or ".join(map(str, types))
            raise _refused(f"elements of type {words}", name, value.type, CONVERT)
    _check_sizes(op, name)
    match op:
        case WhereOp():
            for each in (op.condition, op.x1, op.x2):
                if not isinstance(each.type, TensorType):
                    mend = "take a tensor of rank 0 in place of the number"
                    raise _refused("tensors", name, each.type, mend)
        case AttentionOp() if op.bias is not None and str(_dtype(op.bias)) == "i1":
            mend = "make it one of 0 and minus infinity by relax.where"
            raise _refused("a bias to add", name, op.bias.type, mend)
        case SplitOp() if op.indices and not _are_parts(op, op.indices):
            mend = "slice the parts by relax.strided_slice"
            raise _refused("increasing indices inside of the axis", name, [*op.indices], mend)
        case RoiAlignOp() if op.mode == "max_addend":
            raise _refused('mode = "avg" or "max"', name, f'"{op.mode}"', LEGALIZE)
        case RoiPoolOp() if op.layout != "NCHW":
            mend = "permute the dimensions before"
            raise _refused("the layout NCHW", name, op.layout, mend)
        case IndexPutOp() if _rank(op.data) != len(op.indices):
            expected = f"indices for each of {_rank(op.data)} dimensions"
            raise _refused(expected, name, len(op.indices), LEGALIZE)
        case MeshgridOp():
            types = {tensor.type.dtype for tensor in op.tensors}  # pyright: ignore
            if len(types) > 1:
                raise _refused("one element type", name, ", ".join(map(str, types)), LEGALIZE)
        case QuantizeOp() | DequantizeOp():
            _check_quantized(op, name)
        case ViewOp() if op.dtype is None and _dtype(op.x) is None:
            raise _refused("a known element type", name, op.x.type, MATCH)


def _check_quantized(op: QuantizeOp | DequantizeOp, name: str) -> None:
    """Refuse element types that TVM's operator of this name does not take."""
    taken = [
        (op.scale, [f16, f32]),
        (op.zero_point, [*QUANTIZED, i32, IntegerType(32, Signedness.UNSIGNED)]),
    ]
    given = SMALL if isinstance(op, QuantizeOp) else [f16, f32]
    taken.append((op.data, [f16, f32] if isinstance(op, QuantizeOp) else [*SMALL, i32, f16, f32]))
    for found, types in [
        (op.out_dtype, given),
        *((_dtype(value), types) for value, types in taken),
    ]:
        if found is not None and found not in types:
            expected = f"elements of type {', '.join(map(str, types[:-1]))} or {types[-1]}"
            raise _refused(expected, name, found, LEGALIZE)


def _check_sizes(op: Operation, name: str) -> None:
    """Refuse sizes that TVM's operator of this name does not take."""
    match op:
        case PixelShuffleOp() if not _is_number(op.x, -3):
            raise _refused("channels whose number is known", name, op.x.type, LEGALIZE)
        case ScatterNdOp() if not _is_number(op.indices, -1):
            raise _refused("a number as the last size of indices", name, op.indices.type, MATCH)
        case AttentionOp():
            for each in (op.query, op.key, op.value):
                if None in (_dims(each) or ()):
                    raise _refused("sizes with names", name, each.type, MATCH)
        case DynamicStridedSliceOp():
            for each in (op.begin, op.end, op.strides):
                if None in (_dims(each) or (None,)):
                    raise _refused("bounds whose number is known", name, each.type, MATCH)
        case SliceScatterOp() if not _may_fill(op):
            found = f"{op.begin} and {op.end} for {op.src.type}"
            raise _refused("bounds as far apart as 'src' is long", name, found, LEGALIZE)
        case BatchFlattenOp() if (_rank(op.x) or 2) < 2:
            raise _refused("at least two dimensions", name, op.x.type, LEGALIZE)
        case EwiseFmaOp():
            ranks = [_rank(each) for each in (op.x1, op.x2, op.x3)]
            if len({*ranks} - {None}) > 1:
                raise _refused("operands of one rank", name, ranks, LEGALIZE)
        case CumsumOp() | CumprodOp() if op.axis is None and None in (_dims(op.x) or ()):
            mend = "flatten it by relax.flatten, with axis = 0"
            raise _refused("an axis, or sizes with names", name, op.x.type, mend)
        case CollapseSumToOp():
            whole, parts = _dims(op.x) or (), _dims(op.shape) or ()
            for own, left in zip(reversed(whole), reversed(parts)):
                if left is not None and own is not left and left.value != 1:
                    raise _refused("sizes that are equal or 1", name, f"{own} and {left}", MATCH)
        case QuantizeOp() if _rank(op.scale) == 1 and _rank(op.data) is not None:
            along, scales = _size(op.data, op.axis), _size(op.scale, 0)
            if along is not scales and (scales is None or scales.value != 1):
                found = f"{along} and {scales}"
                raise _refused("as many scales as the axis is long", name, found, MATCH)
        case ArangeOp() if op.bounds is not None and op.step < 0:
            raise _refused("a step upwards of symbolic bounds", name, op.step, LEGALIZE)


def _are_parts(op: SplitOp, indices: Sequence[int]) -> bool:
    """Returns whether parts of an axis end in order, and inside of it as far as its size is known."""
    size = _size(op.x, op.axis)
    last = None if size is None else size.value
    is_rising = all(a < b for a, b in pairwise((0, *indices)))
    return is_rising and (last is None or indices[-1] <= last)


def _may_fill(op: SliceScatterOp) -> bool:
    """Returns whether the replaced part may be as long as TVM assumes: as long as the distance of its
    bounds."""
    if op.begin is None or op.end is None or len(op.axes) != 1:
        return True
    length = _size(op.src, op.axes[0])
    apart = near(op.end[0]) - near(op.begin[0])
    return length is None or not provably_different(length, ceildiv(apart, op.steps()[0]))


def _typed(op: Operation) -> Iterable[tuple[SSAValue, Sequence[Attribute]]]:
    """Return operands with the element types that TVM's operator takes there."""
    match op:
        case GatherNdOp():
            return [(op.indices, [i64])]
        case DynamicStridedSliceOp():
            return [(each, [i64]) for each in (op.begin, op.end, op.strides)]
        case NonMaxSuppressionOp():
            return [(op.valid_count, [i32]), (op.indices, [i32])]
        case ReverseSequenceOp():
            return [(op.seq_lengths, [i32, i64])]
    return ()


def _refused(expected: str, name: str, found: object, mend: str) -> Unwritable:
    return Unwritable(f"expected {expected}, as TVM's R.{name} asks for, found {found}; {mend}")


def _dims(value: SSAValue) -> Dims | None:
    return value.type.shape if isinstance(value.type, TensorType | ShapeType) else None


def _rank(value: SSAValue) -> int | None:
    dims = _dims(value)
    return None if dims is None else len(dims)


def _dtype(value: SSAValue) -> Attribute | None:
    return value.type.dtype if isinstance(value.type, TensorType) else None


def _is_number(value: SSAValue, axis: int) -> bool:
    """Returns whether the size of a tensor along an axis is a number."""
    size = _size(value, axis)
    return size is not None and size.value is not None


def _size(value: SSAValue, axis: int) -> Expr | None:
    dims = _dims(value)
    return dims[axis] if dims else None


def _is_unknown(value: SSAValue) -> bool:
    is_tensor = isinstance(value.type, TensorType)
    return isinstance(value.type, TensorType | ShapeType) and (
        _dims(value) is None or (is_tensor and _dtype(value) is None)
    )
