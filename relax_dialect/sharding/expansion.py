"""Operators as others that sums over ranks can come between: what is added, or divided by, follows them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from relax_dialect.builder.constant_values import scalar
from relax_dialect.ops.backward import NllLossBackwardOp
from relax_dialect.ops.binary import AddOp, DivideOp, NotEqualOp
from relax_dialect.ops.core import FuncOp, ShapeOp
from relax_dialect.ops.create import ZerosOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.linear_algebra import LinearOp
from relax_dialect.ops.loss import NllLossOp
from relax_dialect.ops.scattering import IndexPutOp
from relax_dialect.ops.statistical import SumOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.sharding.rules.scattering import is_zero


def expand(function: FuncOp) -> None:
    """Replace products with biases, and mean losses, in the body of a function without blocks."""
    for operation in list(function.body.block.ops):
        match operation:
            case LinearOp() if operation.bias is not None:
                product = LinearOp(operation.x, operation.weight, out_dtype=operation.out_dtype)
                _replace(operation, [product, AddOp(product, operation.bias)])
            case NllLossOp() if operation.reduction == "mean" and operation.weights is None:
                counted = _counted(operation)
                total = _summed(operation, operation.operands)
                _replace(operation, [*counted, total, DivideOp(total, counted[-1])])
            case NllLossBackwardOp() if operation.reduction == "mean" and operation.weights is None:
                counted = _counted(operation)
                part = DivideOp(operation.output_grad, counted[-1])
                total = _summed(operation, [part.result, *operation.operands[1:]])
                _replace(operation, [*counted, part, total])
            case IndexPutOp() if operation.accumulate and not is_zero(operation.data):
                _replace(operation, _added_apart(operation))
            case _:
                pass


def _replace(operation: Operation, new: Sequence[Operation]) -> None:
    if not new:
        return
    new[-1].results[0].name_hint = operation.results[0].name_hint
    Rewriter.replace_op(operation, list(new))
    for each in new[:-1]:  # a name is that of one value
        each.results[0].name_hint = None


def _added_apart(put: IndexPutOp) -> list[Operation]:
    """Return the ops that add values to zeros, and the sums to the data; none if sizes are unknown."""
    type = tensor_type(put.data)
    if type.shape is None or None in type.shape or type.dtype is None:
        return []
    shape = ShapeOp(size for size in type.shape if size is not None)
    zeros = ZerosOp(shape, type.dtype)
    sums = IndexPutOp(zeros, put.indices, put.values, accumulate=True)
    return [shape, zeros, sums, AddOp(put.data, sums)]


def _counted(loss: NllLossOp | NllLossBackwardOp) -> list[Operation]:
    """Return the ops that count the targets that are not ignored, in the type of the predictions."""
    dtype, targets = tensor_type(loss.predictions).dtype, tensor_type(loss.targets).dtype
    assert dtype is not None and targets is not None
    ignored = scalar(loss.ignore_index, targets)
    counts = NotEqualOp(loss.targets, ignored)
    numbers = AstypeOp(counts, dtype)
    return [ignored, counts, numbers, SumOp(numbers)]


def _summed(loss: NllLossOp | NllLossBackwardOp, operands: Sequence[SSAValue]) -> Operation:
    return type(loss)(*operands, reduction="sum", ignore_index=loss.ignore_index)
