"""Losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op

from .case import Case, case, fixed

CASES: dict[str, Case] = {}

PAIR_LOSSES: dict[str, dict[str, Any]] = {
    "mse_loss": {},
    "l1_loss": {},
    "smooth_l1_loss": {"beta": 0.7},
    "huber_loss": {"delta": 0.8},
    "hinge_loss": {},
    "soft_margin_loss": {},
    "poisson_nll_loss": {"full": True},
    "kl_div": {},
    "binary_cross_entropy": {},
    "binary_cross_entropy_with_logits": {},
}
for name, numbers in PAIR_LOSSES.items():
    bounds = {"low": 0.2, "high": 0.8} if name.startswith(("kl", "binary")) else {}
    for how in ("none", "sum", "mean"):
        CASES[f"{name}_{how}"] = case(
            lambda p, t, f=name, n=numbers, h=how: getattr(op, f)(p, t, reduction=h, **n),
            (2, 3),
            (2, 3),
            **bounds,
        )
CASES |= {
    "hinge_embedding_loss": case(
        lambda p, t: op.hinge_embedding_loss(p, op.where(t > 0.0, 1.0, op.full_like(t, -1.0))),
        (2, 3),
        (2, 3),
    ),
    "kl_div_batchmean": case(
        lambda p, t: op.kl_div(p, t, reduction="batchmean", log_target=True), (2, 3), (2, 3)
    ),
    "binary_cross_entropy_weighted": case(
        op.binary_cross_entropy, (2, 3), (2, 3), (2, 3), low=0.2, high=0.8
    ),
    "with_logits_weighted": case(
        lambda p, t, w, q: op.binary_cross_entropy_with_logits(p, t, w, "mean", q),
        (2, 3),
        (2, 3),
        (2, 3),
        (3,),
    ),
    "cross_entropy_with_logits": case(op.cross_entropy_with_logits, (2, 3), (2, 3)),
    "cosine_similarity": case(op.cosine_similarity, (2, 3), (2, 3)),
    "nll_loss_backward": fixed(
        lambda g, p, w: op.nll_loss_backward(g, p, np.array([2, 0, -100]), w),
        *((), (3, 4), (4,)),
        low=0.5,
    ),
    "nll_loss": fixed(lambda p: op.nll_loss(p, np.array([2, 0, -100])), (3, 4)),
    "nll_loss_weighted": fixed(
        lambda p, w: op.nll_loss(p, np.array([[2, 0], [1, 1]]), w, "mean", 0),
        (2, 4, 2),
        (4,),
        low=0.3,
    ),
}
