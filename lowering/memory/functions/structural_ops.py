"""Constants, tuples, shapes and blocks: values that need no memory of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from lowering.memory.functions.body import FunctionLowering, Nested
from lowering.memory.functions.emission import never_negative
from lowering.memory.functions.lowered_signature import LoweredTensor, ShapeSizes
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import blocks, core, graph


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


LOWERINGS: Mapping[type[Operation], Callable[..., Nested | None]] = {
    core.ConstantOp: lower_constant,
    core.TupleOp: lower_tuple,
    core.TupleGetItemOp: lower_tuple_get_item,
    core.ShapeOp: lower_shape,
    core.ShapeOfOp: lower_shape_of,
    blocks.DataflowOp: lower_block,
    blocks.BindingBlockOp: lower_block,
    graph.LetOp: lower_let,
}
