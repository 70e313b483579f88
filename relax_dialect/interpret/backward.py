"""Gradients of operators; they add up in f64 and are rounded once."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import indexing, loss, pooling
from relax_dialect.interpret.elementwise import operator, operator_with_attributes
from relax_dialect.interpret.indices import dims, places
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.windows import in_order, slid
from relax_dialect.ops import backward as ops
from relax_dialect.ops.demands import require
from relax_dialect.ops.indexing import TakeOp
from relax_dialect.ops.loss import NllLossOp
from relax_dialect.ops.pooling import MaxPool2dWithIndicesOp, PoolOp


def _checked(op: ops.BackwardOp, gy: Array, result: Array) -> None:
    """Stop unless the cotangent has the shape of the result."""
    require(op.demands(*dims(gy, result)))


def max_pool(op: ops.MaxPool2dBackwardOp, gy: Array, x: Array) -> Array:
    """Add gradients at the position of each maximum."""
    forward: PoolOp = op.forward(MaxPool2dWithIndicesOp)
    _, numbers = pooling.largest_with_places(forward, x)  # pyright: ignore[reportArgumentType]
    _checked(op, gy, numbers)
    images = in_order(x, forward.x_layout, forward.letters)
    found = np.zeros(x.size)
    np.add.at(found, numbers[numbers >= 0], gy[numbers >= 0].astype(np.float64))
    back = found.reshape(images.shape)
    return in_order(back, forward.letters, forward.x_layout).astype(x.dtype)


def avg_pool(op: ops.AvgPool2dBackwardOp, gy: Array, x: Array) -> Array:
    """Share gradients among the elements of each window."""
    forward: PoolOp = op.forward()
    means = pooling.average(forward, np.ones(x.shape))
    _checked(op, gy, means)
    images = in_order(x, forward.x_layout, forward.letters)
    numbers = np.arange(x.size).reshape(images.shape)
    gy, means = (in_order(a, forward.result_layout, forward.letters) for a in (gy, means))
    slides = slid(numbers, forward.pool_windows(), gy.shape[2:], -1)
    seen = np.array([number for _, number in slides])
    shares = gy.astype(np.float64) * means / np.maximum(np.sum(seen >= 0, 0), 1)
    found = np.zeros(x.size)
    np.add.at(found, seen[seen >= 0], np.broadcast_to(shares, seen.shape)[seen >= 0])
    back = found.reshape(images.shape)
    return in_order(back, forward.letters, forward.x_layout).astype(x.dtype)


def take(op: ops.TakeBackwardOp, gy: Array, x: Array, indices: Array) -> Array:
    """Add gradients to the elements that were taken."""
    forward: TakeOp = op.forward()
    _checked(op, gy, indexing.take(forward, x, indices))
    axis = forward.axis_of(x.ndim)
    found = np.zeros(np.moveaxis(x, axis, 0).shape)
    read = list(range(axis, axis + indices.ndim))
    np.add.at(found, places(indices, x.shape[axis], axis), np.moveaxis(gy, read, range(len(read))))
    return np.moveaxis(found, 0, axis).astype(x.dtype)


def nll_loss(
    op: ops.NllLossBackwardOp, gy: Array, p: Array, targets: Array, weights: Array | None
) -> Array:
    """Return minus the weight at each target, over all weights for a mean."""
    forward: NllLossOp = op.forward()
    _checked(op, gy, loss.nll_loss(forward, p, targets, weights))
    used = targets != op.ignore_index
    share = used * (1.0 if weights is None else weights.astype(np.float64)[targets * used])
    with np.errstate(divide="ignore", invalid="ignore"):
        grads = gy * share / (np.sum(share) if op.reduction == "mean" else 1)
    found = np.zeros(p.shape)
    for place in np.argwhere(used):
        at = tuple(place)
        found[(*at[:1], targets[at], *at[1:])] = -grads[at]
    return found.astype(p.dtype)


@register_impls
class BackwardFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.backward`."""

    no_grad = operator(ops.NoGradOp, np.copy)
    max_pool2d_backward = operator_with_attributes(ops.MaxPool2dBackwardOp, max_pool)
    avg_pool2d_backward = operator_with_attributes(ops.AvgPool2dBackwardOp, avg_pool)
    take_backward = operator_with_attributes(ops.TakeBackwardOp, take)
    nll_loss_backward = operator_with_attributes(ops.NllLossBackwardOp, nll_loss)
