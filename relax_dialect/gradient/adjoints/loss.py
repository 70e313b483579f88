"""Losses as compositions to differentiate: elementwise expressions and a reduction."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import f16, f64

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint, expansion
from relax_dialect.ops import loss as ops


def smooth_l1(p: Any, t: Any, beta: float) -> Any:
    error = op.abs(p - t)
    if beta == 0:
        return error
    return op.where(error < beta, op.square(error) * (0.5 / beta), error - 0.5 * beta)


def huber(p: Any, t: Any, delta: float) -> Any:
    error = op.abs(p - t)
    return op.where(error <= delta, 0.5 * op.square(error), delta * (error - 0.5 * delta))


def hinge_embedding(p: Any, t: Any, margin: float) -> Any:
    near = op.where(t == -1.0, 0.0, p)
    return near + op.where(t == 1.0, 0.0, op.maximum(margin - p, 0.0))


def kl_div(p: Any, t: Any, log_target: bool) -> Any:
    if log_target:
        return op.exp(t) * (t - p)
    entropy = op.where(t == 0.0, 0.0, t * op.log(op.where(t == 0.0, 1.0, t)))
    return entropy - t * p


def poisson(p: Any, t: Any, log_input: bool, full: bool, eps: float) -> Any:
    found = op.exp(p) - t * p if log_input else p - t * op.log(p + eps)
    if not full:
        return found
    counted = op.maximum(t, 1.0)
    stirling = counted * op.log(counted) - counted + 0.5 * op.log(2 * math.pi * counted)
    return found + op.where(t > 1.0, stirling, 0.0)


def cross_entropy(p: Any, t: Any, weights: Any) -> Any:
    """A logarithm that is cut off, or whose slope is no number, has the slope 0."""
    least = {f16: 1.6e-5, f64: 4e-44}.get(p.dtype, 1.2e-38)

    def log(x: Any) -> Any:
        slopes = x > least
        cut = op.no_grad(op.maximum(op.log(x), -100.0))
        return op.where(slopes, op.log(op.where(slopes, x, 1.0)), cut)

    logs = log(p), log(1.0 - p)
    found = -(t * logs[0] + (1.0 - t) * logs[1])
    return found if weights is None else found * weights


def cross_entropy_with_logits(p: Any, t: Any, weights: Any, positive: Any) -> Any:
    minus_log = op.softplus(-p)
    found = (1.0 - t) * (p + minus_log)
    found = found + t * (minus_log if positive is None else positive * minus_log)
    return found if weights is None else found * weights


LOSSES: dict[type[ops.LossOp], Callable[..., Any]] = {
    ops.MseLossOp: lambda p, t: op.square(p - t),
    ops.L1LossOp: lambda p, t: op.abs(p - t),
    ops.SmoothL1LossOp: smooth_l1,
    ops.HuberLossOp: huber,
    ops.HingeLossOp: lambda p, t: op.maximum(1.0 - t * p, 0.0),
    ops.HingeEmbeddingLossOp: hinge_embedding,
    ops.SoftMarginLossOp: lambda p, t: op.softplus(-t * p),
    ops.KlDivOp: kl_div,
    ops.PoissonNllLossOp: poisson,
    ops.BinaryCrossEntropyOp: cross_entropy,
    ops.BinaryCrossEntropyWithLogitsOp: cross_entropy_with_logits,
}
"""The loss of every element, by predictions, targets, other tensors and the operator's numbers."""


@expansion(*LOSSES)
def loss(of: Applied[ops.LossOp]) -> Any:
    return _reduced(of, LOSSES[type(of.op)](*of.arguments(), **of.op.coefficients))


def _reduced(of: Applied[ops.LossOp], losses: Any) -> Any:
    match of.op.reduction:
        case "none":
            return losses
        case "sum":
            return op.sum(losses)
        case "mean":
            return op.mean(losses)
        case _:  # batchmean
            return op.sum(op.mean(losses, [0]))


@expansion(ops.CrossEntropyWithLogitsOp)
def cross_entropy_of_logs(of: Applied[ops.CrossEntropyWithLogitsOp]) -> Any:
    found = -(of.inputs[0] * of.inputs[1])
    return op.sum(op.mean(found, [0]) if len(of.shape()) > 1 else found)


@expansion(ops.CosineSimilarityOp)
def cosine_similarity(of: Applied[ops.CosineSimilarityOp]) -> Any:
    a, b = of.inputs
    axes, eps = [of.op.axis], of.op.eps
    lengths = [op.maximum(op.reduce_l2(x, axes), eps) for x in (a, b)]
    return op.sum(a * b, axes) / (lengths[0] * lengths[1])


@adjoint(ops.NllLossOp)
def nll_loss(of: Applied[ops.NllLossOp], gy: Any) -> Any:
    """By `nll_loss_backward`; a weight gets the sum of its targets' losses, for a mean that of their
    differences from the mean, divided by the total weight."""
    predictions, targets, weights = of.arguments()
    how = of.op.reduction, of.op.ignore_index
    found = op.nll_loss_backward(gy, predictions, targets, weights, *how)
    if weights is None:
        return found, None
    axis = 0 if len(of.shape()) == 1 else 1
    used = op.not_equal(targets, of.op.ignore_index)
    chosen = op.where(used, targets, op.zeros_like(targets))
    losses = -op.squeeze(
        op.gather_elements(predictions, op.expand_dims(chosen, [axis]), axis), [axis]
    )
    if of.op.reduction == "mean":
        losses = (losses - of.y) / op.sum(op.where(used, op.take(weights, chosen, 0), 0.0))
    given = op.flatten(op.where(used, gy * losses, 0.0))
    return found, None, op.index_put(op.zeros_like(weights), [op.flatten(chosen)], given, True)
