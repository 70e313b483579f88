"""Losses: a number for every element, in f32 for f16 and bf16, and their sum; the mean divides once."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from xdsl.ir import Operation

from lowering.legalize.activation import log_one_plus_exp
from lowering.legalize.demands import requirements
from lowering.legalize.registry import broadcast_index, legalize, result_shape
from lowering.legalize.windows import wide
from relax_dialect import symbolic, te
from relax_dialect.ops import loss as ops
from relax_dialect.prim.run_time_checks import hole


def smooth_l1(p: te.Scalar, t: te.Scalar, beta: float) -> te.Scalar:
    error = te.abs(p - t)
    if beta == 0:
        return error
    return te.select(error < beta, error * error * (0.5 / beta), error - beta / 2)


def huber(p: te.Scalar, t: te.Scalar, delta: float) -> te.Scalar:
    error = te.abs(p - t)
    return te.select(error <= delta, error * error / 2, delta * (error - delta / 2))


def hinge_embedding(p: te.Scalar, t: te.Scalar, margin: float) -> te.Scalar:
    near = te.select(te.equal(t, -1), 0, p)
    return near + te.select(te.equal(t, 1), 0, te.maximum(margin - p, 0))


def kl_div(p: te.Scalar, t: te.Scalar, log_target: bool) -> te.Scalar:
    if log_target:
        return te.exp(t) * (t - p)
    return te.select(te.equal(t, 0), 0, t * te.log(t)) - t * p


def poisson(p: te.Scalar, t: te.Scalar, log_input: bool, full: bool, eps: float) -> te.Scalar:
    found = te.exp(p) - t * p if log_input else p - t * te.log(p + eps)
    if not full:
        return found
    stirling = t * te.log(t) - t + 0.5 * te.log(2 * math.pi * t)
    return found + te.select(t > 1, stirling, 0)


def cross_entropy(p: te.Scalar, t: te.Scalar, weight: te.Scalar | None) -> te.Scalar:
    found = -(t * te.maximum(te.log(p), -100) + (1 - t) * te.maximum(te.log1p(-p), -100))
    return found if weight is None else found * weight


def cross_entropy_with_logits(
    p: te.Scalar, t: te.Scalar, weight: te.Scalar | None, positive: te.Scalar | None
) -> te.Scalar:
    """-log(sigmoid(p)) is log(1 + exp(-p)), and -log(1 - sigmoid(p)) is log(1 + exp(p))."""
    minus_log = log_one_plus_exp(-p)
    held = minus_log if positive is None else positive * minus_log
    found = (1 - t) * log_one_plus_exp(p) + t * held
    return found if weight is None else found * weight


ELEMENT: dict[type[Operation], Callable[..., te.Scalar]] = {
    ops.MseLossOp: lambda p, t: (p - t) * (p - t),
    ops.L1LossOp: lambda p, t: te.abs(p - t),
    ops.SmoothL1LossOp: smooth_l1,
    ops.HuberLossOp: huber,
    ops.HingeLossOp: lambda p, t: te.maximum(1 - t * p, 0),
    ops.HingeEmbeddingLossOp: hinge_embedding,
    ops.SoftMarginLossOp: lambda p, t: log_one_plus_exp(-(t * p)),
    ops.KlDivOp: kl_div,
    ops.PoissonNllLossOp: poisson,
    ops.BinaryCrossEntropyOp: cross_entropy,
    ops.BinaryCrossEntropyWithLogitsOp: cross_entropy_with_logits,
}
"""The loss of a prediction and its target, with weights if any, and the numbers by name."""


def _requires(op: ops.TensorPairOp, *operands: te.Tensor | None) -> list[te.Requirement]:
    """Return the demands on the operands' sizes that are not proved."""
    given = [operand.shape for operand in operands if operand is not None]
    return requirements(op, op.demands(given))


def _total(
    x: te.Tensor,
    element: Callable[..., te.Scalar],
    requires: list[te.Requirement],
    finish: Callable[[te.Scalar], te.Scalar],
) -> te.Tensor:
    """Return the sum of `element` over the indices of x, finished, then rounded to the type of x."""
    axes = [te.reduce_axis((0, size), f"k{place}") for place, size in enumerate(x.shape)]

    def sum() -> te.Scalar:
        return te.sum(element(*axes), axis=axes) if axes else element()

    total = te.compute((), sum, name="total", requires=requires)
    return te.compute((), lambda: finish(total[()]).astype(x.dtype), name="out")


@legalize(*ELEMENT)
def loss(op: ops.LossOp, *operands: te.Tensor | None) -> te.Tensor:
    """Return the loss of every element, or the sum or mean of them."""
    x, function, numbers = operands[0], ELEMENT[type(op)], op.coefficients
    assert x is not None
    requires, dtype = _requires(op, *operands), wide(x.dtype)

    def element(*i: te.IterVar) -> te.Scalar:
        values = (
            None if o is None else o[broadcast_index(o.shape, i)].astype(dtype) for o in operands
        )
        return function(*values, **numbers)

    if op.reduction == "none":
        return te.compute(
            x.shape, lambda *i: element(*i).astype(x.dtype), name="out", requires=requires
        )
    count = x.shape[0] if op.reduction == "batchmean" else symbolic.product(x.shape)
    mean = op.reduction != "sum"
    return _total(x, element, requires, lambda total: total / count if mean else total)


@legalize(ops.CrossEntropyWithLogitsOp)
def cross_entropy_of_logs(
    op: ops.CrossEntropyWithLogitsOp, p: te.Tensor, t: te.Tensor
) -> te.Tensor:
    """Return the sum of the products, divided by the size of the batch."""
    type, batch = wide(p.dtype), p.shape[0] if p.ndim > 1 else symbolic.const(1)

    def element(*i: te.IterVar) -> te.Scalar:
        return p[i].astype(type) * t[i].astype(type)

    return _total(p, element, _requires(op, p, t), lambda total: -total / batch)


@legalize(ops.CosineSimilarityOp)
def cosine_similarity(op: ops.CosineSimilarityOp, a: te.Tensor, b: te.Tensor) -> te.Tensor:
    """Three sums along the axis: the product, and the squares of both."""
    axis, type = op.axis_of(a.ndim), wide(a.dtype)
    shape = (*a.shape[:axis], *a.shape[axis + 1 :])

    def sum(x: te.Tensor, y: te.Tensor, name: str) -> te.Tensor:
        k = te.reduce_axis((0, a.shape[axis]), name="k")

        def element(*i: te.IterVar) -> te.Scalar:
            place = (*i[:axis], k, *i[axis:])
            return te.sum(x[place].astype(type) * y[place].astype(type), axis=k)

        return te.compute(shape, element, name=name, requires=_requires(op, a, b))

    products, *squares = sum(a, b, "products"), sum(a, a, "squares"), sum(b, b, "squares")

    def cosine(*i: te.IterVar) -> te.Scalar:
        first, second = (te.maximum(te.sqrt(x[i]), op.eps) for x in squares)
        return (products[i] / (first * second)).astype(a.dtype)

    return te.compute(shape, cosine, name="out")


@legalize(ops.NllLossOp)
def nll_loss(
    op: ops.NllLossOp, p: te.Tensor, targets: te.Tensor, weights: te.Tensor | None
) -> te.Tensor:
    """Return a loop over the targets, each of which is checked before anything is read at it."""
    type = wide(p.dtype)

    def kernel(ib: Any, ins: list[te.Tensor], outs: list[Any]) -> None:
        (out,) = outs
        total, used = (ib.var(0, type, name=name) for name in ("total", "used"))
        with ExitStack() as loops:
            place = tuple(loops.enter_context(ib.for_(size)) for size in targets.shape)
            target = targets[place].astype("i64")

            def add(loss: te.Scalar, weight: te.Scalar) -> None:
                if op.reduction == "none":
                    out[place] = loss.astype(p.dtype)
                else:
                    total.value, used.value = total.value + loss, used.value + weight

            with ib.if_(te.equal(target, op.ignore_index)):
                add(te.const(0, type), te.const(0, type))
            with ib.else_():
                checked_target(ib, op.name, op, target, p)
                weight = te.const(1, type) if weights is None else weights[target].astype(type)
                seen = p[(*place[:1], target.astype("index"), *place[1:])].astype(type)
                add(-weight * seen, weight)
        if op.reduction != "none":
            mean = op.reduction == "mean"
            found = total.value / used.value if mean else total.value
            out[()] = found.astype(p.dtype)

    given = [p, targets] if weights is None else [p, targets, weights]
    requires = _requires(op, *given)
    return te.extern(result_shape(op), given, kernel, dtype=p.dtype, name="out", requires=requires)


def checked_target(
    ib: Any, name: str, op: ops.NllLossOp, target: te.Scalar, predictions: te.Tensor
) -> None:
    """Check, for the operator of a name, that a target is a class."""
    classes = predictions.shape[0 if predictions.ndim == 1 else 1]
    inside = (target >= 0) & (target < te.cast(classes, "i64"))
    ib.assert_(inside, f"{name}: {op.wrong_target('{%0}', hole(classes))}", shows=True)
