"""Losses against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from optional import package

from relax_dialect.ops import loss as ops

from .peers import agree

torch = package("torch")
functional = torch.nn.functional

TOLERANCE = {"float16": 5e-3, "float32": 1e-5, "float64": 1e-11}


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def signs(*shape: int) -> np.ndarray:
    return np.sign(normal(9, *shape))


def shares(seed: int, *shape: int) -> np.ndarray:
    return 1 / (1 + np.exp(-normal(seed, *shape)))


PAIRS: dict[str, tuple[Callable, Callable, Callable, Callable]] = {
    "mse": (ops.MseLossOp, functional.mse_loss, normal, normal),
    "l1": (ops.L1LossOp, functional.l1_loss, normal, normal),
    "smooth_l1": (
        lambda *a: ops.SmoothL1LossOp(*a, beta=0.6),
        lambda *a, **how: functional.smooth_l1_loss(*a, beta=0.6, **how),
        normal,
        normal,
    ),
    "huber": (
        lambda *a: ops.HuberLossOp(*a, delta=0.6),
        lambda *a, **how: functional.huber_loss(*a, delta=0.6, **how),
        normal,
        normal,
    ),
    "hinge_embedding": (
        lambda *a: ops.HingeEmbeddingLossOp(*a, margin=0.7),
        lambda *a, **how: functional.hinge_embedding_loss(*a, margin=0.7, **how),
        normal,
        lambda seed, *shape: signs(*shape),
    ),
    "soft_margin": (
        ops.SoftMarginLossOp,
        functional.soft_margin_loss,
        normal,
        lambda seed, *shape: signs(*shape),
    ),
    "kl_div": (ops.KlDivOp, functional.kl_div, normal, shares),
    "kl_div_log": (
        lambda *a: ops.KlDivOp(*a, log_target=True),
        lambda *a, **how: functional.kl_div(*a, log_target=True, **how),
        normal,
        normal,
    ),
    "poisson": (
        lambda p, t, r: ops.PoissonNllLossOp(p, t, full=True, reduction=r),
        lambda *a, **how: functional.poisson_nll_loss(*a, full=True, **how),
        normal,
        lambda seed, *shape: np.floor(shares(seed, *shape) * 6),
    ),
    "poisson_of_means": (
        lambda p, t, r: ops.PoissonNllLossOp(p, t, log_input=False, eps=0.1, reduction=r),
        lambda *a, **how: functional.poisson_nll_loss(*a, log_input=False, eps=0.1, **how),
        shares,
        lambda seed, *shape: np.floor(shares(seed, *shape) * 6),
    ),
    "binary_cross_entropy": (
        lambda p, t, r: ops.BinaryCrossEntropyOp(p, t, reduction=r),
        functional.binary_cross_entropy,
        shares,
        shares,
    ),
    "with_logits": (
        lambda p, t, r: ops.BinaryCrossEntropyWithLogitsOp(p, t, reduction=r),
        functional.binary_cross_entropy_with_logits,
        lambda *a: 30 * normal(*a),
        shares,
    ),
}


@pytest.mark.filterwarnings("ignore:reduction")  # PyTorch's, on the mean of a kl_div
@pytest.mark.parametrize("name", PAIRS)
def test_losses_agree_with_torch(name: str):
    operator, peer, predictions, targets = PAIRS[name]
    runs = [("mean", "float32"), ("sum", "float64"), ("none", "float16"), ("mean", "float16")]
    for reduction, dtype in runs:
        p, t = (make(seed, 5, 7).astype(dtype) for seed, make in enumerate((predictions, targets)))
        expected = peer(*(torch.tensor(a) for a in (p, t)), reduction=reduction).numpy()
        tolerance = TOLERANCE[dtype]
        compiled = dtype == "float32"
        build: Any = lambda a, b, r=reduction: operator(a, b, r)  # noqa: E731
        agree(build, [p, t], expected, tolerance=tolerance, compiled=compiled)


@pytest.mark.parametrize("name", ["mse", "l1", "smooth_l1", "huber", "kl_div"])
def test_losses_of_special_numbers_agree_with_torch(name: str):
    operator, peer, _, _ = PAIRS[name]
    numbers = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, -2.5], "f")
    p, t = (a.reshape(-1) for a in np.meshgrid(numbers, numbers))
    expected = peer(torch.tensor(p), torch.tensor(t), reduction="none").numpy()
    agree(lambda a, b: operator(a, b, "none"), [p, t], expected, compiled=True)


@pytest.mark.parametrize("op", [ops.BinaryCrossEntropyOp, ops.BinaryCrossEntropyWithLogitsOp])
def test_weighted_cross_entropies_agree_with_torch(op: Any):
    p, t, w = (
        shares(seed, *shape).astype("f") for seed, shape in enumerate([(4, 5), (4, 5), (5,)])
    )
    peer = {
        ops.BinaryCrossEntropyOp: functional.binary_cross_entropy,
        ops.BinaryCrossEntropyWithLogitsOp: functional.binary_cross_entropy_with_logits,
    }[op]
    agree(op, [p, t, w], peer(*map(torch.tensor, (p, t, w))).numpy(), compiled=True)


def test_positive_weights_agree_with_torch():
    p, t, w = (shares(seed, 4, 5).astype("f") for seed in range(3))
    peer = functional.binary_cross_entropy_with_logits
    expected = peer(torch.tensor(p), torch.tensor(t), pos_weight=torch.tensor(w)).numpy()
    operator = ops.BinaryCrossEntropyWithLogitsOp
    agree(lambda p, t, w: operator(p, t, positive_weights=w), [p, t, w], expected, compiled=True)


def test_binary_cross_entropy_of_certainties_agrees_with_torch():
    p, t = np.array([0, 0, 1, 1], "f"), np.array([0, 1, 0, 1], "f")
    peer = functional.binary_cross_entropy
    expected = peer(torch.tensor(p), torch.tensor(t), reduction="none").numpy()
    operator = ops.BinaryCrossEntropyOp
    agree(lambda p, t: operator(p, t, reduction="none"), [p, t], expected, compiled=True)


def test_kl_div_of_a_batch_agrees_with_torch():
    p, t = normal(0, 4, 5).astype("f"), shares(1, 4, 5).astype("f")
    t[0] = 0
    expected = functional.kl_div(torch.tensor(p), torch.tensor(t), reduction="batchmean").numpy()
    agree(lambda p, t: ops.KlDivOp(p, t, "batchmean"), [p, t], expected, compiled=True)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("shape", [(), (6,), (6, 2, 3)])
@pytest.mark.parametrize("weighted", [True, False])
def test_nll_loss_agrees_with_torch(shape: tuple[int, ...], reduction: str, weighted: bool):
    p = normal(0, *shape[:1], 4, *shape[1:]).astype("f")
    t = np.asarray(np.random.default_rng(1).integers(0, 4, shape))
    given = [p, t, *([shares(2, 4).astype("f")] if weighted else [])]
    how: Any = {"ignore_index": 2, "reduction": reduction}
    expected = functional.nll_loss(*map(torch.tensor, given), **how).numpy()
    compiled = shape == (6,)
    agree(lambda *o: ops.NllLossOp(*o, **how), given, expected, compiled=compiled, tolerance=1e-5)


def test_nll_loss_of_ignored_targets_alone_is_no_number():
    p, t = np.zeros((2, 3), "f"), np.array([-100, -100])
    expected = functional.nll_loss(torch.tensor(p), torch.tensor(t)).numpy()
    assert np.isnan(expected)
    agree(ops.NllLossOp, [p, t], expected, compiled=True)


def test_cross_entropy_of_log_softmax_agrees_with_torch():
    logits, share = normal(0, 5, 4), np.abs(normal(1, 5, 4))
    labels = share / share.sum(1, keepdims=True)
    expected = functional.cross_entropy(torch.tensor(logits), torch.tensor(labels)).numpy()
    logs = torch.log_softmax(torch.tensor(logits), 1).numpy()
    agree(ops.CrossEntropyWithLogitsOp, [logs, labels], expected, compiled=True, tolerance=1e-10)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cosine_similarity_agrees_with_torch(axis: int):
    a, b = normal(0, 3, 4, 5).astype("f"), normal(1, 3, 4, 5).astype("f")
    a[0], b[1, 2] = 0, 1e-12
    expected = functional.cosine_similarity(torch.tensor(a), torch.tensor(b), axis).numpy()
    agree(lambda a, b: ops.CosineSimilarityOp(a, b, axis), [a, b], expected, compiled=axis == 1)
