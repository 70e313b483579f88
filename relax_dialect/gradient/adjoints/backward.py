"""Adjoints of pools in two dimensions, by dedicated operators, and of these operators: all are linear in
the cotangent, and the maximum of a window depends on x only by its order."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint, constant, expansion
from relax_dialect.ops import backward as ops
from relax_dialect.ops.pooling import AvgPool2dOp, MaxPool2dOp, PoolOp

constant("it is there to let none through", ops.NoGradOp)


def pool_arguments(pool: PoolOp) -> list[Any]:
    """The arguments of a pool after x, as the constructors of all pools take them."""
    words = ("pool_size", "strides", "padding", "dilation", "ceil_mode", "count_include_pad")
    return [*(getattr(pool, word) for word in words), pool.x_layout, pool.result_layout]


@adjoint(MaxPool2dOp)
def of_max_pool(of: Applied[MaxPool2dOp], gy: Any) -> Any:
    """By `max_pool2d_backward`: to the first of the equal maxima of a window, whose index is recomputed."""
    return op.max_pool2d_backward(gy, of.x, *pool_arguments(of.op))


@adjoint(AvgPool2dOp)
def of_avg_pool(of: Applied[AvgPool2dOp], gy: Any) -> Any:
    """By `avg_pool2d_backward`: the cotangent over the number of elements, spread over the window."""
    return op.avg_pool2d_backward(gy, of.x, *pool_arguments(of.op))


@adjoint(ops.AvgPool2dBackwardOp)
def avg_pool(of: Applied[ops.AvgPool2dBackwardOp], given: Any) -> Any:
    """The mean of the incoming cotangent."""
    return op.avg_pool2d(given, *pool_arguments(of.op.forward())), None


@adjoint(ops.MaxPool2dBackwardOp)
def max_pool(of: Applied[ops.MaxPool2dBackwardOp], given: Any) -> Any:
    """The incoming cotangent at the index of each maximum."""
    forward = of.op.forward()
    places = op.max_pool2d_with_indices(of.inputs[1], *pool_arguments(of.op.forward()))[1]
    order = [forward.x_layout.index(letter) for letter in forward.letters]
    found = op.take(op.flatten(op.permute_dims(given, order)), places, 0, "clip")
    return op.where(places >= 0, found, 0.0), None


@adjoint(ops.TakeBackwardOp)
def take(of: Applied[ops.TakeBackwardOp], given: Any) -> Any:
    """The incoming cotangent at the indices."""
    return op.take(given, of.inputs[2], of.op.axis), None, None


@expansion(ops.NllLossBackwardOp)
def nll_loss(of: Applied[ops.NllLossBackwardOp]) -> Any:
    """The share of each target, scattered to its class; 0 for an ignored target, even if all are
    ignored."""
    gy, predictions, targets, weights = of.arguments()
    axis = 0 if len(of.shape(1)) == 1 else 1
    used = op.not_equal(targets, of.op.ignore_index)
    chosen = op.where(used, targets, op.zeros_like(targets))
    share = used.astype(of.type(1).dtype)
    if weights is not None:
        share = share * op.take(weights, chosen, 0)
    if of.op.reduction == "mean":
        share = op.where(used, share / op.sum(share), 0.0)
    zeros = op.zeros_like(predictions)
    put = op.expand_dims(-(share * gy), [axis])
    return op.scatter_elements(zeros, op.expand_dims(chosen, [axis]), put, axis, "add")
