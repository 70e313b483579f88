"""Training steps of a small language model, data-parallel: losses and weights of one rank."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from relax_dialect import training
from relax_dialect.ops.core import FuncOp
from sharding.models import sharded

EXAMPLE = Path(__file__).parents[3] / "examples" / "lm"


def step_of_the_example() -> tuple[ModuleOp, list[object]]:
    """The training step of examples/lm with clipped gradients, alone in its module, and arguments."""
    sys.path.insert(0, str(EXAMPLE))
    try:
        from network import Config, build
    finally:
        sys.path.remove(str(EXAMPLE))
    config, optimizer = Config(7), training.AdamW(0.01, weight_decay=0.1)
    module = build(config, optimizer)
    for function in list(module.ops):
        if isinstance(function, FuncOp) and function.sym_name.data in ("loss", "sample"):
            function.detach()
    weights = tuple(config.start(0).values())
    text, following = np.random.default_rng(0).integers(0, 7, (2, 4, 5))
    return module, [weights, optimizer.init(weights), text, following]


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 4])
def test_all_gradients_of_a_step_are_one_flat_sum(ranks: int):
    module, args = step_of_the_example()
    rows = {"text": ["dp", ""], "following": ["dp", ""]}
    moves, traffic, _ = sharded(module, args, {"dp": ranks}, rows, "loss_step")
    assert [m.kind for m in moves] == ["allreduce"] * len(moves)
    gradients = 4 * sum(w.size for w in args[0])  # pyright: ignore
    scalars = sum(m.bytes.value for m in moves if m.bytes.value < 100)  # pyright: ignore
    assert len([m for m in moves if m.bytes.value >= 100]) == 1  # pyright: ignore
    sent = max(traffic.sent.values())
    assert sent <= 1.05 * 2 * (ranks - 1) / ranks * (gradients + scalars)
