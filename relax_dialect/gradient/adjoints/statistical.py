"""Adjoints of the reductions: cotangents are spread over what was reduced."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint, expansion
from relax_dialect.ops import statistical as ops


def spread(of: Applied[ops.AxesOp], value: Any) -> Any:
    """A value of the result's shape, with the axes that were reduced as size 1."""
    axes = of.op.axes(len(of.shape()))
    is_spread = of.op.keepdims or len(axes) == len(of.shape())  # a number broadcasts as it is
    return value if is_spread else op.expand_dims(value, list(axes))


def repeated(of: Applied[ops.AxesOp], value: Any) -> Any:
    """A value of the result's shape, repeated to that of the operand."""
    return op.broadcast_to(spread(of, value), op.shape_of(of.x))


@adjoint(ops.SumOp)
def sum(of: Applied[ops.SumOp], gy: Any) -> Any:
    return repeated(of, gy)


@expansion(ops.MeanOp)
def mean(of: Applied[ops.MeanOp]) -> Any:
    number = op.sum(op.ones_like(of.x), of.op.axis, keepdims=of.op.keepdims)
    return op.sum(of.x, of.op.axis, keepdims=of.op.keepdims) / number


@adjoint(ops.MaxOp, ops.MinOp)
def extreme(of: Applied[ops.MaxOp | ops.MinOp], gy: Any) -> Any:
    """Equal extremes share the cotangent, as in PyTorch's amax."""
    chosen = op.equal(of.x, spread(of, of.y)).astype(of.type().dtype)
    axes = list(of.op.axes(len(of.shape())))
    return chosen * (spread(of, gy) / op.sum(chosen, axes, keepdims=True))


@adjoint(ops.ProdOp)
def prod(of: Applied[ops.ProdOp], gy: Any) -> Any:
    """The product of the others: where one of them is zero only that one has a gradient."""
    axes = list(of.op.axes(len(of.shape())))
    zero = of.x == 0.0
    others = op.prod(op.where(zero, 1.0, of.x), axes, keepdims=True)
    zeros = op.sum(zero.astype("i64"), axes, keepdims=True)
    alone = op.where(op.logical_and(zero, zeros == 1), others, 0.0)
    return spread(of, gy) * op.where(zeros == 0, others / of.x, alone)


@expansion(ops.ReduceL1Op)
def reduce_l1(of: Applied[ops.ReduceL1Op]) -> Any:
    return op.sum(op.abs(of.x), of.op.axis, keepdims=of.op.keepdims)


@expansion(ops.ReduceSumSquareOp)
def reduce_sum_square(of: Applied[ops.ReduceSumSquareOp]) -> Any:
    return op.sum(op.square(of.x), of.op.axis, keepdims=of.op.keepdims)


@expansion(ops.VarianceOp)
def variance(of: Applied[ops.VarianceOp]) -> Any:
    return _variance(of)


@expansion(ops.StdOp)
def std(of: Applied[ops.StdOp]) -> Any:
    return op.sqrt(_variance(of))


def _variance(of: Applied[ops.AxesOp]) -> Any:
    apart = of.x - op.mean(of.x, of.op.axis, keepdims=True)
    return op.mean(op.square(apart), of.op.axis, keepdims=of.op.keepdims)


@expansion(ops.ReduceL2Op)
def reduce_l2(of: Applied[ops.ReduceL2Op]) -> Any:
    return op.sqrt(op.sum(op.square(of.x), of.op.axis, keepdims=of.op.keepdims))


@expansion(ops.ReduceLogSumOp)
def reduce_log_sum(of: Applied[ops.ReduceLogSumOp]) -> Any:
    return op.log(op.sum(of.x, of.op.axis, keepdims=of.op.keepdims))


@adjoint(ops.LogsumexpOp)
def logsumexp(of: Applied[ops.LogsumexpOp], gy: Any) -> Any:
    return spread(of, gy) * op.exp(of.x - spread(of, of.y))
