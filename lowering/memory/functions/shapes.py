"""Shape values made of tensors, and tensors of shape values and scalars, in a Relax function's body."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Operation, SSAValue

from lowering.memory.functions.body import FunctionLowering
from lowering.memory.functions.lowered_signature import LoweredTensor, ShapeSizes
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ops.shape_value import ExpressionOp, PrimValueOp, SymbolicValueOp
from relax_dialect.ops.shapes import ScalarToTensorOp, ShapeToTensorOp, TensorToShapeOp
from relax_dialect.ops.type_rules import tensor_type


def lower_tensor_to_shape(lowering: FunctionLowering, op: TensorToShapeOp) -> None:
    """Load every size and check that it is none below 0."""
    value, add = lowering.values[op.x], lowering.add
    assert isinstance(value, LoweredTensor)
    (rank,) = value.type.shape or (None,)
    if rank is None or rank.value is None:
        raise RelaxError(
            f"{lowering.where}: {op.name}: expected a vector of known length, found one of type "
            f"{value.type}; insert a relax.match_cast to a constant length"
        )
    sizes = []
    for d in range(rank.value):
        load = memref.LoadOp.get(value.memref, [lowering.sizes.constant(d)])
        size = add(arith.IndexCastOp(add(load), IndexType()))
        lowering.require_not_negative(size, describe(op))
        lowering.require_extent(f"{lowering.where}: {describe(op)}", d, size)
        sizes.append(size)
    lowering.values[op.result] = ShapeSizes(sizes)


def lower_shape_to_tensor(lowering: FunctionLowering, op: ShapeToTensorOp) -> None:
    """Store every size into a fresh vector."""
    value = lowering.values[op.shape]
    assert isinstance(value, ShapeSizes)
    lowering.values[op.result] = lowering.stored_sizes(value.sizes, op.result.name_hint)


def lower_expression(lowering: FunctionLowering, op: ExpressionOp) -> None:
    """Compute the size as an index, and convert it."""
    size = lowering.sizes.size(op.expression.data)
    lowering.values[op.results[0]] = lowering.add(arith.IndexCastOp(size, i64))


def lower_scalar_to_tensor(lowering: FunctionLowering, op: ScalarToTensorOp) -> None:
    """Store the scalar into a fresh tensor of rank 0."""
    value = lowering.values[op.value]
    if isinstance(value, SSAValue):
        buffer = lowering.allocate(tensor_type(op.value), [], op.result.name_hint)
        lowering.block.add_op(memref.StoreOp.get(value, buffer.memref, []))
        value = buffer
    lowering.values[op.result] = value


LOWERINGS: Mapping[type[Operation], Callable[..., None]] = {
    TensorToShapeOp: lower_tensor_to_shape,
    ShapeToTensorOp: lower_shape_to_tensor,
    ScalarToTensorOp: lower_scalar_to_tensor,
    SymbolicValueOp: lower_expression,
    PrimValueOp: lower_expression,
}
