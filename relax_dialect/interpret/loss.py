"""Losses, computed in f64 and rounded once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops import loss as ops
from relax_dialect.ops.demands import require


def smooth_l1(p: Array, t: Array, beta: float) -> Array:
    error = np.abs(p - t)
    small = error**2 / (2 * beta) if beta else error
    return np.where(error < beta, small, error - beta / 2)


def huber(p: Array, t: Array, delta: float) -> Array:
    error = np.abs(p - t)
    return np.where(error <= delta, error**2 / 2, delta * (error - delta / 2))


def hinge_embedding(p: Array, t: Array, margin: float) -> Array:
    return np.where(t != -1, p, 0) + np.where(t != 1, np.maximum(margin - p, 0), 0)


def kl_div(p: Array, t: Array, log_target: bool) -> Array:
    if log_target:
        return np.exp(t) * (t - p)
    return np.where(t == 0, 0, t * np.log(t)) - t * p


def poisson(p: Array, t: Array, log_input: bool, full: bool, eps: float) -> Array:
    found = np.exp(p) - t * p if log_input else p - t * np.log(p + eps)
    stirling = t * np.log(t) - t + np.log(2 * np.pi * t) / 2
    return found + np.where(t > 1, stirling, 0) if full else found


def cross_entropy(p: Array, t: Array, weights: Array | None) -> Array:
    logs = [np.maximum(log, -100) for log in (np.log(p), np.log1p(-p))]
    found = -(t * logs[0] + (1 - t) * logs[1])
    return found if weights is None else found * weights


def cross_entropy_with_logits(
    p: Array, t: Array, weights: Array | None, positive: Array | None
) -> Array:
    """Use that -log(sigmoid(p)) is log(1 + exp(-p)), and -log(1 - sigmoid(p)) is log(1 + exp(p))."""
    minus_log = np.logaddexp(0, -p)
    held = minus_log if positive is None else positive * minus_log
    found = (1 - t) * np.logaddexp(0, p) + t * held
    return found if weights is None else found * weights


def _checked(op: Any, *operands: Array | None) -> list[Any]:
    """Return the operands in f64, if their sizes fit together."""
    given = [operand for operand in operands if operand is not None]
    require(op.demands([tuple(map(symbolic.const, array.shape)) for array in given]))
    return [None if operand is None else operand.astype(np.float64) for operand in operands]


def _reduced(op: ops.LossOp, losses: Array, count: Any, dtype: np.dtype[Any]) -> Array:
    """Return the losses reduced; a mean is divided by `count`."""
    if op.reduction == "none":
        return np.asarray(losses).astype(dtype)
    total = np.sum(losses)
    return np.asarray(total if op.reduction == "sum" else np.divide(total, count)).astype(dtype)


def loss(op_type: type[ops.LossOp], function: Callable[..., Array]) -> Any:
    """Return the semantics of a loss: a function of its operands, with its numbers by name, then
    reduced."""

    def run(op: ops.LossOp, *operands: Array | None) -> Array:
        assert operands[0] is not None
        losses = function(*_checked(op, *operands), **op.coefficients)
        count = len(losses) if op.reduction == "batchmean" else losses.size
        return _reduced(op, losses, count, operands[0].dtype)

    return operator_with_attributes(op_type, run)


def cross_entropy_of_logs(op: ops.CrossEntropyWithLogitsOp, *operands: Array) -> Array:
    """`-sum(predictions * labels) / n`."""
    p, t = _checked(op, *operands)
    total = np.float64(-np.sum(p * t))
    return np.asarray(total / (len(p) if p.ndim > 1 else 1)).astype(operands[0].dtype)


def cosine_similarity(op: ops.CosineSimilarityOp, *operands: Array) -> Array:
    """Return the product of the vectors, divided by their lengths."""
    a, b = _checked(op, *operands)
    axis = op.axis_of(a.ndim)
    lengths = [np.maximum(np.sqrt(np.sum(x * x, axis)), op.eps) for x in (a, b)]
    return (np.sum(a * b, axis) / (lengths[0] * lengths[1])).astype(operands[0].dtype)


def nll_loss(op: ops.NllLossOp, p: Array, targets: Array, weights: Array | None) -> Array:
    """`-weights[t] * predictions[n, t, ...]` for every target t that is not ignored."""
    given = [p, targets] if weights is None else [p, targets, weights]
    require(op.demands([tuple(map(symbolic.const, array.shape)) for array in given]))
    classes = p.shape[0 if p.ndim == 1 else 1]
    losses, used = np.zeros(targets.shape), np.zeros(targets.shape)
    for place in np.ndindex(*targets.shape):
        target = int(targets[place])
        if target == op.ignore_index:
            continue
        if not 0 <= target < classes:
            raise RelaxError(op.wrong_target(target, classes))
        used[place] = 1 if weights is None else weights[target]
        losses[place] = -used[place] * np.float64(p[(*place[:1], target, *place[1:])])
    return _reduced(op, losses, np.sum(used), p.dtype)


@register_impls
class LossFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.loss`."""

    mse_loss = loss(ops.MseLossOp, lambda p, t: (p - t) ** 2)
    l1_loss = loss(ops.L1LossOp, lambda p, t: np.abs(p - t))
    smooth_l1_loss = loss(ops.SmoothL1LossOp, smooth_l1)
    huber_loss = loss(ops.HuberLossOp, huber)
    hinge_loss = loss(ops.HingeLossOp, lambda p, t: np.maximum(1 - t * p, 0))
    hinge_embedding_loss = loss(ops.HingeEmbeddingLossOp, hinge_embedding)
    soft_margin_loss = loss(ops.SoftMarginLossOp, lambda p, t: np.logaddexp(0, -t * p))
    kl_div = loss(ops.KlDivOp, kl_div)
    poisson_nll_loss = loss(ops.PoissonNllLossOp, poisson)
    binary_cross_entropy = loss(ops.BinaryCrossEntropyOp, cross_entropy)
    with_logits = loss(ops.BinaryCrossEntropyWithLogitsOp, cross_entropy_with_logits)
    cross_entropy_with_logits = operator_with_attributes(
        ops.CrossEntropyWithLogitsOp, cross_entropy_of_logs
    )
    cosine_similarity = operator_with_attributes(ops.CosineSimilarityOp, cosine_similarity)
    nll_loss = operator_with_attributes(ops.NllLossOp, nll_loss)
