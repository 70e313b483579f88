"""Reshapes in a Relax function's body: the memory of the operand under another shape, or its bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.ir import Operation

from lowering.memory.functions.body import FunctionLowering
from lowering.memory.functions.lowered_signature import LoweredTensor, ShapeSizes
from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.manipulate import ReshapeOp
from relax_dialect.ops.memory import ViewOp, byte_count


def lower_reshape(body: FunctionLowering, op: ReshapeOp) -> None:
    """View the memory of the tensor as a tensor of the new shape:

    %y = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 6, 64], strides: [384, 64, 1]
        : memref<?x384xf32> to memref<?x6x64xf32>
    """
    value, sizes, type = body.values[op.x], body.values[op.shape], op.result.type
    assert isinstance(type, TensorType)
    if (
        not isinstance(value, LoweredTensor)
        or not isinstance(sizes, ShapeSizes)
        or not _is_view(op)
    ):
        raise RelaxError(
            f"{body.where}: {describe(op)}: expected a reshape to a shape of as many elements, all "
            f"sizes known, found {op.x.type} to {type}; run relax-legalize first"
        )
    _define_view(body, op, value, sizes, type)


def lower_bytes(body: FunctionLowering, op: ViewOp) -> None:
    """The memory where a tensor of a storage type is, as its bytes, or the reverse:

    %y = memref.reinterpret_cast %x to offset: [0], sizes: [%bytes], strides: [1]
        : memref<?x?xi4> to memref<?xui8>
    """
    value, sizes, type = body.values[op.x], None, op.result.type
    counts = [byte_count(t) for t in (op.x.type, type) if isinstance(t, TensorType)]
    if op.shape is not None:
        sizes = body.values[op.shape]
    is_whole = len(counts) == 2 and None not in counts and counts[0] is counts[1]
    if not isinstance(value, LoweredTensor) or not isinstance(sizes, ShapeSizes) or not is_whole:
        raise RelaxError(
            f"{body.where}: {describe(op)}: expected a view of all bytes of a tensor, all sizes known, "
            f"found {op.x.type} to {type}; run relax-legalize first"
        )
    assert isinstance(type, TensorType)
    _define_view(body, op, value, sizes, type)


def _define_view(
    body: FunctionLowering,
    op: ReshapeOp | ViewOp,
    value: LoweredTensor,
    sizes: ShapeSizes,
    type: TensorType,
) -> None:
    body.values[op.result] = view = body.view(value, sizes.sizes, type)
    view.memref.name_hint = op.result.name_hint


def _is_view(op: ReshapeOp) -> bool:
    """Return whether the sizes on both sides are proved to agree."""
    counts = [_count(t.shape) for t in (op.x.type, op.result.type) if isinstance(t, TensorType)]
    return len(counts) == 2 and None not in counts and counts[0] is counts[1]


def _count(shape: Dims | None) -> symbolic.Expr | None:
    sizes = [size for size in shape or () if size is not None]
    return symbolic.product(sizes) if shape is not None and len(sizes) == len(shape) else None


LOWERINGS: Mapping[type[Operation], Callable[..., None]] = {
    ReshapeOp: lower_reshape,
    ViewOp: lower_bytes,
}
