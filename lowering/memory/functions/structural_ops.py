"""Values without memory of their own (constants, tuples, shapes, blocks), tensors of sizes and scalars."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Operation, SSAValue

from lowering.memory.functions.body import FunctionLowering, Nested
from lowering.memory.functions.emission import never_negative
from lowering.memory.functions.lowered_signature import LoweredTensor, ShapeSizes
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import blocks, core, graph
from relax_dialect.ops.shape_value import ExpressionOp, PrimValueOp, SymbolicValueOp
from relax_dialect.ops.shapes import ScalarToTensorOp, ShapeToTensorOp, TensorToShapeOp
from relax_dialect.ops.type_rules import tensor_type


def lower_constant(body: FunctionLowering, op: core.ConstantOp) -> None:
    name, type = body.module.global_for(op)
    result = body.add(memref.GetGlobalOp(name, type))
    result.name_hint = op.result.name_hint
    assert isinstance(op.result.type, TensorType)
    body.values[op.result] = LoweredTensor(result, op.result.type)


def lower_tuple(body: FunctionLowering, op: core.TupleOp) -> None:
    body.values[op.result] = tuple(body.values[f] for f in op.fields)


def lower_tuple_get_item(body: FunctionLowering, op: core.TupleGetItemOp) -> None:
    value = body.values[op.tuple]
    assert isinstance(value, tuple)
    body.values[op.result] = value[op.index]


def lower_shape(body: FunctionLowering, op: core.ShapeOp) -> None:
    sizes: list[SSAValue] = []
    for dim in op.sizes.data or ():
        if dim is not None:
            sizes.append(size := body.sizes.size(dim))
            if not never_negative(dim):
                body.require_not_negative(size, describe(op))
    body.values[op.result] = ShapeSizes(sizes)


def lower_shape_of(body: FunctionLowering, op: core.ShapeOfOp) -> None:
    value = body.values[op.x]
    assert isinstance(value, LoweredTensor)
    rank = len(value.type.shape or ())
    body.values[op.result] = ShapeSizes([body.actual_size(value, i) for i in range(rank)])


def lower_block(body: FunctionLowering, op: blocks.BlockOp) -> Nested:
    yield op.body.block
    for result, value in zip(op.results, op.output.operands):
        body.values[result] = body.values[value]


def lower_let(body: FunctionLowering, op: graph.LetOp) -> None:
    body.values[op.result] = body.values[op.value]


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


LOWERINGS: Mapping[type[Operation], Callable[..., Nested | None]] = {
    core.ConstantOp: lower_constant,
    core.TupleOp: lower_tuple,
    core.TupleGetItemOp: lower_tuple_get_item,
    core.ShapeOp: lower_shape,
    core.ShapeOfOp: lower_shape_of,
    blocks.DataflowOp: lower_block,
    blocks.BindingBlockOp: lower_block,
    graph.LetOp: lower_let,
    TensorToShapeOp: lower_tensor_to_shape,
    ShapeToTensorOp: lower_shape_to_tensor,
    ScalarToTensorOp: lower_scalar_to_tensor,
    SymbolicValueOp: lower_expression,
    PrimValueOp: lower_expression,
}
