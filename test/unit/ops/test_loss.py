"""Losses, as compiled C, against numpy's f64."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import exp, log, log1p, pi
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ops import loss as ops

from .compiled import Case, Sizes, check, compile_cases, each_case, keep, tensor
from .inputs import ranked, refused, x
from .stopping import both_stop

SIZES: Sequence[Sizes] = (
    {"n": 7, "m": 5, "k": 3},
    {"n": 1, "m": 1, "k": 1},
    {"n": 0, "m": 3, "k": 2},
)
FEW = (SIZES[0], SIZES[2])


def averaged(each: Callable[..., float], reduction: str = "mean", batch: bool = False) -> Callable:
    """A loss of two numbers and their weights: called number by number, then reduced."""

    def meaning(p: np.ndarray, *others: np.ndarray) -> np.ndarray:
        wide = np.broadcast_arrays(*(a.astype("d") for a in (p, *others)))
        flat = [each(*values) for values in zip(*(a.reshape(-1).tolist() for a in wide))]
        losses = np.array(flat).reshape(p.shape)
        if reduction == "none":
            return losses.astype(p.dtype)
        count = np.float64(len(p) if batch else losses.size)
        return np.asarray(losses.sum() / (count if reduction == "mean" else 1)).astype(p.dtype)

    return meaning


def probability(p: np.ndarray) -> np.ndarray:
    return (1 / (1 + np.exp(-p))).astype(p.dtype)


def signs(t: np.ndarray) -> np.ndarray:
    return np.where(t > 0, 1, -1).astype(t.dtype)


def counts(t: np.ndarray) -> np.ndarray:
    return np.floor(np.abs(t) * 2).astype(t.dtype)


def certain(p: np.ndarray) -> np.ndarray:
    """Probabilities, of which some are 0 and some are 1."""
    return np.where(p > 1, 1, np.where(p < -1, 0, probability(p))).astype(p.dtype)


def smooth_l1(beta: float) -> Callable:
    return lambda p, t: min(abs(p - t) ** 2 / (2 * beta), max(abs(p - t) - beta / 2, beta / 2))


def poisson(p: float, t: float) -> float:
    stirling = t * log(t) - t + log(2 * pi * t) / 2 if t > 1 else 0
    return p - t * log(p + 0.5) + stirling


def cross_entropy(p: float, t: float, w: float = 1) -> float:
    near, far = (max(log(q), -100) if q else -100 for q in (p, 1 - p))
    return -w * (t * near + (1 - t) * far)


def with_logits(p: float, t: float, w: float = 1, positive: float = 1) -> float:
    return w * (positive * t * log(1 + exp(-p)) + (1 - t) * log(1 + exp(p)))


def nll(reduction: str, ignored: int = -100) -> Callable:
    """The rows of predictions with the classes last, chosen by arrays of indices."""

    def meaning(p: np.ndarray, t: np.ndarray, w: np.ndarray | None = None) -> np.ndarray:
        rows = np.moveaxis(p, 0 if p.ndim == 1 else 1, -1).astype("d")
        keep = t != ignored
        at = np.where(keep, t, 0)
        weights = keep * (1 if w is None else w.astype("d")[at])
        chosen = np.take_along_axis(rows, at[..., None].astype("i8"), -1)[..., 0]
        losses = -chosen * weights
        if reduction == "none":
            return losses.astype(p.dtype)
        total = losses.sum() / (weights.sum() if reduction == "mean" else 1)
        return np.asarray(total).astype(p.dtype)

    return meaning


def classes(count: int, ignored: int | None = None) -> Callable:
    def targets(t: np.ndarray) -> np.ndarray:
        found = (t % count).astype(t.dtype)
        return found if ignored is None else np.where(t % 3 == 0, ignored, found).astype(t.dtype)

    return targets


def pair(
    op: Callable,
    each: Callable,
    *dims: Any,
    reduction: str = "mean",
    dtype: str = "f32",
    **more: Any,
) -> Case:
    """A loss of two tensors of one shape."""
    type = tensor(*(dims or ("n", "m")), dtype=dtype)
    more = {"tolerance": {"f16": 3e-3, "f64": 1e-11}.get(dtype, 3e-5), "sizes": SIZES, **more}
    return Case(op, [type] * 2, averaged(each, reduction), **more)


def case(op: Callable, meaning: Callable, *types: Any, **more: Any) -> Case:
    return Case(op, types, meaning, **{"tolerance": 3e-5, "sizes": FEW, **more})


CASES: dict[str, Case] = {
    "mse": pair(ops.MseLossOp, lambda p, t: (p - t) ** 2),
    "mse_sum": pair(
        lambda p, t: ops.MseLossOp(p, t, "sum"), lambda p, t: (p - t) ** 2, reduction="sum"
    ),
    "mse_none": pair(
        lambda p, t: ops.MseLossOp(p, t, "none"), lambda p, t: (p - t) ** 2, reduction="none"
    ),
    "mse_f16": pair(ops.MseLossOp, lambda p, t: (p - t) ** 2, "n", dtype="f16"),
    "mse_bf16": pair(ops.MseLossOp, lambda p, t: (p - t) ** 2, "n", dtype="bf16", tolerance=1e-2),
    "mse_f64": pair(ops.MseLossOp, lambda p, t: (p - t) ** 2, "n", dtype="f64"),
    "mse_unproved": case(
        ops.MseLossOp,
        averaged(lambda p, t: (p - t) ** 2),
        tensor("n", "m"),
        tensor("n", "k"),
        sizes=[{"n": 2, "m": 3, "k": 3}],
    ),
    "l1": pair(ops.L1LossOp, lambda p, t: abs(p - t), "n", "m", "k"),
    "l1_number": case(
        ops.L1LossOp, averaged(lambda p, t: abs(p - t)), tensor(), tensor(), sizes=[{}]
    ),
    "smooth_l1": pair(ops.SmoothL1LossOp, smooth_l1(1.0)),
    "smooth_l1_beta": pair(
        lambda p, t: ops.SmoothL1LossOp(p, t, "none", 0.3), smooth_l1(0.3), reduction="none"
    ),
    "smooth_l1_zero": pair(
        lambda p, t: ops.SmoothL1LossOp(p, t, beta=0.0), lambda p, t: abs(p - t)
    ),
    "huber": pair(ops.HuberLossOp, smooth_l1(1.0)),
    "huber_delta": pair(
        lambda p, t: ops.HuberLossOp(p, t, "sum", delta=0.4),
        lambda p, t: 0.4 * smooth_l1(0.4)(p, t),
        reduction="sum",
    ),
    "hinge": pair(ops.HingeLossOp, lambda p, t: max(1 - t * p, 0), values=[keep, signs]),
    "hinge_embedding": pair(
        lambda p, t: ops.HingeEmbeddingLossOp(p, t, margin=0.5),
        lambda p, t: p if t == 1 else max(0.5 - p, 0),
        values=[np.abs, signs],
    ),
    "soft_margin": pair(
        ops.SoftMarginLossOp, lambda p, t: log1p(exp(-t * p)), values=[keep, signs]
    ),
    "kl_div": pair(ops.KlDivOp, lambda p, t: t * (log(t) - p) if t else 0, values=[keep, np.abs]),
    "kl_div_batch": case(
        lambda p, t: ops.KlDivOp(p, t, "batchmean", log_target=True),
        averaged(lambda p, t: exp(t) * (t - p), batch=True),
        *[tensor("n", "m")] * 2,
    ),
    "poisson": pair(ops.PoissonNllLossOp, lambda p, t: exp(p) - t * p, values=[keep, counts]),
    "poisson_full": pair(
        lambda p, t: ops.PoissonNllLossOp(p, t, False, True, 0.5), poisson, values=[np.abs, counts]
    ),
    "binary_cross_entropy": case(
        ops.BinaryCrossEntropyOp,
        averaged(cross_entropy),
        *[tensor("n", "m")] * 2,
        values=[certain, probability],
    ),
    "binary_cross_entropy_weighted": case(
        lambda p, t, w: ops.BinaryCrossEntropyOp(p, t, w, "none"),
        averaged(cross_entropy, "none"),
        tensor("n", "m"),
        tensor("n", "m"),
        tensor("m"),
        values=[probability, probability, keep],
    ),
    "with_logits": case(
        ops.BinaryCrossEntropyWithLogitsOp,
        averaged(with_logits),
        *[tensor("n", "m")] * 2,
        values=[keep, probability],
    ),
    "with_logits_weighted": case(
        ops.BinaryCrossEntropyWithLogitsOp,
        averaged(with_logits),
        tensor("n", "m"),
        tensor("n", "m"),
        tensor("k", 1),
        sizes=[{"n": 4, "m": 3, "k": 4}, {"n": 4, "m": 3, "k": 1}],
        values=[keep, probability, keep],
    ),
    "with_logits_positive": case(
        lambda p, t, w: ops.BinaryCrossEntropyWithLogitsOp(p, t, positive_weights=w),
        averaged(lambda p, t, w: with_logits(p, t, 1, w)),
        tensor("n", "m"),
        tensor("n", "m"),
        tensor("m"),
        values=[keep, probability, keep],
    ),
    "cross_entropy_of_logs": case(
        ops.CrossEntropyWithLogitsOp,
        averaged(lambda p, t: -p * t, batch=True),
        *[tensor("n", "m", "k")] * 2,
        sizes=SIZES[:2],
    ),
    "cross_entropy_of_vector": case(
        ops.CrossEntropyWithLogitsOp, lambda p, t: -p @ t, *[tensor("n")] * 2
    ),
    "cosine_similarity": case(
        ops.CosineSimilarityOp,
        lambda a, b: np.diagonal(a @ b.T) / np.hypot.reduce(a, 1) / np.hypot.reduce(b, 1),
        *[tensor("n", "m")] * 2,
    ),
    "cosine_similarity_short": case(
        lambda a, b: ops.CosineSimilarityOp(a, b, axis=0, eps=10.0),
        lambda a, b: np.diagonal(a.T @ b) / np.float32(100),
        *[tensor(3, "m")] * 2,
    ),
    "nll": case(
        ops.NllLossOp,
        nll("mean"),
        tensor("n", 5),
        tensor("n", dtype="i64"),
        values=[keep, classes(5)],
    ),
    "nll_weighted": case(
        lambda p, t, w: ops.NllLossOp(p, t, w, ignore_index=-1),
        nll("mean", -1),
        tensor("n", 5, "k", 2),
        tensor("n", "k", 2, dtype="i32"),
        tensor(5),
        values=[keep, classes(5, -1), np.abs],
    ),
    "nll_none": case(
        lambda p, t, w: ops.NllLossOp(p, t, w, "none", 2),
        nll("none", 2),
        tensor("n", 4),
        tensor("n", dtype="ui8"),
        tensor(4),
        values=[keep, classes(4), keep],
    ),
    "nll_sum_f16": case(
        lambda p, t: ops.NllLossOp(p, t, reduction="sum"),
        nll("sum"),
        tensor("n", 4, dtype="f16"),
        tensor("n", dtype="i8"),
        values=[keep, classes(4)],
        tolerance=3e-3,
    ),
    "nll_vector": case(
        ops.NllLossOp,
        nll("mean"),
        tensor("m"),
        tensor(dtype="i64"),
        values=[keep, classes(3)],
        sizes=[{"m": 3}],
    ),
    "nll_unproved": case(
        ops.NllLossOp,
        nll("mean"),
        tensor("n", "c"),
        tensor("j", dtype="i64"),
        tensor("k"),
        values=[keep, classes(3), np.abs],
        sizes=[{"n": 4, "j": 4, "c": 3, "k": 3}],
    ),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(ops.OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


@pytest.mark.parametrize("target", [-1, 5, 2**40])
def test_a_target_that_is_no_class_is_an_error(model: CompiledModule, target: int):
    p, t = np.zeros((3, 5), np.float32), np.array([0, target, 1])
    module = ModuleOp([CASES["nll"].function("nll")])
    message = "relax.nll_loss: expected targets that are classes of predictions, or -100 for none"
    for attempt in (lambda: run(module, "nll", p, t), lambda: model.nll(p, t)):
        with pytest.raises(RelaxError, match=re.escape(message)):
            attempt()


def test_sizes_that_do_not_fit_are_an_error(model: CompiledModule):
    message = "relax.mse_loss: expected two tensors of one shape (C2), found 4 for 3; reshape or broadcast"
    both_stop(model, CASES, "mse_unproved", (2, 3), (2, 4), message=message)
    message = "relax.binary_cross_entropy_with_logits: expected weights that broadcast to predict"
    both_stop(model, CASES, "with_logits_weighted", (4, 3), (4, 3), (2, 1), message=message)


def test_what_is_unknown_stays_unknown():
    def type(op: Any) -> str:
        return str(op.result.type)

    assert type(ops.MseLossOp(ranked(), x("n", None), "none")) == "!relax.tensor<[n, ?], f32>"
    assert type(ops.MseLossOp(ranked(None), ranked())) == "!relax.tensor<[]>"
    assert type(ops.CosineSimilarityOp(ranked(), ranked())) == "!relax.tensor<*, f32>"
    assert type(ops.NllLossOp(ranked(), x("n", dtype="i32"), None, "none")).endswith("[n], f32>")


def test_refused():
    a, b, t = x("n", 3), x("n", 4), x("n", dtype="i32")
    refused("C2", lambda: ops.MseLossOp(a, b))
    refused("C2", lambda: ops.MseLossOp(a, x("n")))
    refused("C3", lambda: ops.KlDivOp(a, a, "average"))
    refused("C3", lambda: ops.MseLossOp(a, a, "batchmean"))
    refused("C4", lambda: ops.KlDivOp(x(), x(), "batchmean"))
    refused("C4", lambda: ops.BinaryCrossEntropyOp(a, a, x(1, 1, 1)))
    refused("C4", lambda: ops.BinaryCrossEntropyOp(a, a, x(2)))
    refused("C2", lambda: ops.NllLossOp(a, x("n", 3, dtype="i32")))
    refused("C2", lambda: ops.NllLossOp(a, t, x(1, 3)))
    refused("C2", lambda: ops.NllLossOp(a, t, x(4)))
    refused("C1", lambda: ops.NllLossOp(a, x("n")))
