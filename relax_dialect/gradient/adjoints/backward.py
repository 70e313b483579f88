"""Gradients of gradients: all of them are linear in the cotangent, those of pools by their largest elements
depend on x by its order alone."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint, constant, expansion
from relax_dialect.ops import backward as ops

constant("it is there to let none through", ops.NoGradOp)


def _arguments(of: Applied[ops.PoolBackwardOp]) -> list[Any]:
    """The arguments of the pool after x."""
    forward = of.op.forward()
    words = ("pool_size", "strides", "padding", "dilation", "ceil_mode", "count_include_pad")
    return [*(getattr(forward, w) for w in words), forward.x_layout, forward.result_layout]


@adjoint(ops.AvgPool2dBackwardOp)
def avg_pool(of: Applied[ops.AvgPool2dBackwardOp], given: Any) -> Any:
    return op.avg_pool2d(given, *_arguments(of)), None


@adjoint(ops.MaxPool2dBackwardOp)
def max_pool(of: Applied[ops.MaxPool2dBackwardOp], given: Any) -> Any:
    """What is given at the place of each maximum."""
    forward = of.op.forward()
    places = op.max_pool2d_with_indices(of.inputs[1], *_arguments(of))[1]
    order = [forward.x_layout.index(letter) for letter in forward.letters]
    found = op.take(op.flatten(op.permute_dims(given, order)), places, 0, "clip")
    return op.where(places >= 0, found, 0.0), None


@adjoint(ops.TakeBackwardOp)
def take(of: Applied[ops.TakeBackwardOp], given: Any) -> Any:
    return op.take(given, of.inputs[2], of.op.axis), None, None


@expansion(ops.NllLossBackwardOp)
def nll_loss(of: Applied[ops.NllLossBackwardOp]) -> Any:
    """The share of each target, put to its class."""
    gy, predictions, targets, weights = of.arguments()
    axis = 0 if len(of.shape(1)) == 1 else 1
    used = op.not_equal(targets, of.op.ignore_index)
    chosen = op.where(used, targets, op.zeros_like(targets))
    share = used.astype(of.type(1).dtype)
    if weights is not None:
        share = share * op.take(weights, chosen, 0)
    if of.op.reduction == "mean":
        share = share / op.sum(share)
    zeros = op.zeros_like(predictions)
    put = op.expand_dims(-(share * gy), [axis])
    return op.scatter_elements(zeros, op.expand_dims(chosen, [axis]), put, axis, "add")
