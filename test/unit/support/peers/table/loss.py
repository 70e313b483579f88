"""Losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from peers.drawing import Draw, Values, finite, normal, positive, some_special, unit
from peers.libraries import by_torch, functional, torch
from peers.registry import Build, Meaning, peer
from relax_dialect.ops import loss as ops

TYPES = ("float32", "float64", "float16")
REDUCTIONS = ("mean", "sum", "none")
AVERAGED: dict[str, float] = {"cancels": 10, "digits": 10}


def signs(x: np.ndarray, d: Draw) -> np.ndarray:
    return np.where(normal(x, d) < 0, -1, 1)


def counts(x: np.ndarray, d: Draw) -> np.ndarray:
    return d.numbers.integers(0, 6, x.shape)


PAIRS: dict[str, tuple[Callable[[Draw], tuple[Build, Callable]], Values, Values]] = {
    "mse_loss": (lambda d: (ops.MseLossOp, functional.mse_loss), finite, finite),
    "l1_loss": (lambda d: (ops.L1LossOp, functional.l1_loss), finite, finite),
    "smooth_l1_loss": (
        lambda d: with_number(
            ops.SmoothL1LossOp, functional.smooth_l1_loss, "beta", d.whole(0, 8) / 4
        ),
        finite,
        finite,
    ),
    "huber_loss": (
        lambda d: with_number(ops.HuberLossOp, functional.huber_loss, "delta", d.whole(1, 8) / 4),
        finite,
        finite,
    ),
    "hinge_embedding_loss": (
        lambda d: with_number(
            ops.HingeEmbeddingLossOp, functional.hinge_embedding_loss, "margin", d.whole(0, 8) / 4
        ),
        finite,
        signs,
    ),
    "soft_margin_loss": (
        lambda d: (ops.SoftMarginLossOp, functional.soft_margin_loss),
        finite,
        signs,
    ),
    "hinge_loss": (
        lambda d: (
            ops.HingeLossOp,
            lambda p, t, reduction: reduced(torch.clamp(1 - t * p, min=0), reduction),
        ),
        finite,
        signs,
    ),
}


def reduced(x: Any, reduction: str) -> Any:
    return x if reduction == "none" else getattr(x, reduction)()


def with_number(
    build: Build, function: Callable, name: str, value: float
) -> tuple[Build, Callable]:
    return (
        lambda *a, **how: build(*a, **how, **{name: value}),
        lambda *a, **how: function(*a, **how, **{name: value}),
    )


@peer(*PAIRS, **AVERAGED)
def errors(d: Draw) -> tuple[Build, Meaning]:
    drawn, first, second = PAIRS[d.operator]
    build, function = drawn(d)
    shape, dtype, reduction = d.shape(), d.one(TYPES), d.one(REDUCTIONS)
    if reduction == "none" and second is finite and dtype != "float16":
        first = second = some_special
    d.array(shape, dtype, first)
    d.array(shape, dtype, second)
    return lambda p, t: build(p, t, reduction=reduction), by_torch(
        lambda p, t: function(p, t, reduction=reduction)
    )


@peer("kl_div", **AVERAGED)
def kl_div(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(1), d.one(TYPES)
    logs, reduction = d.flag(), d.one((*REDUCTIONS, "batchmean"))
    d.array(shape, dtype, finite)
    d.array(shape, dtype, finite if logs else unit)
    return lambda p, t: ops.KlDivOp(p, t, reduction, logs), by_torch(
        lambda p, t: functional.kl_div(p, t, reduction=reduction, log_target=logs)
    )


@peer("poisson_nll_loss", **AVERAGED)
def poisson_nll_loss(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(), d.one(("float32", "float64"))
    logs, full, reduction = d.flag(), d.flag(), d.one(REDUCTIONS)
    d.array(shape, dtype, normal if logs else positive)
    d.array(shape, dtype, counts)
    return lambda p, t: ops.PoissonNllLossOp(p, t, logs, full, 0.125, reduction), by_torch(
        lambda p, t: functional.poisson_nll_loss(
            p, t, log_input=logs, full=full, eps=0.125, reduction=reduction
        )
    )


@peer("binary_cross_entropy", "binary_cross_entropy_with_logits", **AVERAGED)
def cross_entropies(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype, reduction = d.shape(1), d.one(("float32", "float64")), d.one(REDUCTIONS)
    logits = d.operator.endswith("logits")
    thirty: Values = lambda x, d: 30 * normal(x, d)  # noqa: E731
    d.array(shape, dtype, thirty if logits else unit)
    d.array(shape, dtype, unit)
    weights = d.one(([], ["weight"], ["pos_weight"], ["weight", "pos_weight"]))
    if not logits:
        weights = weights[:1] if weights[:1] == ["weight"] else []
    for _ in weights:
        d.array(shape[-1:] if d.flag() else shape, dtype, positive)
    names = {"weight": "weights", "pos_weight": "positive_weights"}

    def build(p: Any, t: Any, *more: Any) -> Any:
        given = {names[name]: value for name, value in zip(weights, more)}
        op = ops.BinaryCrossEntropyWithLogitsOp if logits else ops.BinaryCrossEntropyOp
        return op(p, t, reduction=reduction, **given)

    function = getattr(functional, d.operator)
    return build, by_torch(
        lambda p, t, *more: function(p, t, reduction=reduction, **dict(zip(weights, more)))
    )


@peer("cross_entropy_with_logits", **AVERAGED)
def cross_entropy_with_logits(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = [d.size(), d.size()], d.one(("float32", "float64"))
    d.array(shape, dtype, normal)
    d.array(shape, dtype, unit)
    return ops.CrossEntropyWithLogitsOp, by_torch(lambda p, t: -(p * t).sum() / p.shape[0])


@peer("cosine_similarity", **AVERAGED)
def cosine_similarity(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(1), d.one(("float32", "float64"))
    axis = d.axis(len(shape))
    d.array(shape, dtype, finite)
    d.array(shape, dtype, finite)
    return lambda a, b: ops.CosineSimilarityOp(a, b, axis), by_torch(
        lambda a, b: functional.cosine_similarity(a, b, axis)
    )


@peer("nll_loss", **AVERAGED)
def nll_loss(d: Draw) -> tuple[Build, Meaning]:
    dtype, classes, single = d.one(("float32", "float64")), d.fixed(1, 5), d.build.random() < 0.2
    batch = [] if single else [d.size()]
    more = [] if single else d.shape(0, 2)
    ignored, reduction = d.one((-100, 0, 2)), d.one(REDUCTIONS)
    d.array([*batch, classes, *more], dtype, normal)
    d.array([*batch, *more], "int64", lambda x, d: d.numbers.integers(0, classes, x.shape))
    if d.flag():
        d.array([classes], dtype, positive)
    how: Any = {"reduction": reduction, "ignore_index": ignored}
    return lambda *o: ops.NllLossOp(*o, **how), by_torch(lambda *o: functional.nll_loss(*o, **how))
