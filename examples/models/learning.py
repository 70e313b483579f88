"""The networks of `models.py` in training: their targets, optimizers, and losses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from models import MODELS, Model, Weights
from xdsl.dialects.builtin import ModuleOp

from relax_dialect import interpret, training

SIZES: dict[str, tuple[int, ...]] = {
    "encoder_block": (8, 16),
    "residual_block": (8, 16, 16),
    "tagger": (12, 8),
}
"""The sizes of a batch: n and l; n, h and w; l and n."""

OPTIMIZERS: dict[str, tuple[training.Optimizer, str, dict[str, Any]]] = {
    "encoder_block": (training.AdamW(1e-3, weight_decay=0.01), "AdamW", {"lr": 1e-3}),
    "residual_block": (
        training.SGD(0.05, momentum=0.9, nesterov=True),
        "SGD",
        {"lr": 0.05, "momentum": 0.9, "nesterov": True},
    ),
    "tagger": (training.AdamW(1e-2, weight_decay=0.01), "AdamW", {"lr": 1e-2}),
}
"""Ours, and PyTorch's by its name and arguments."""


def batches(model: Model, sizes: tuple[int, ...], count: int) -> Iterator[list[np.ndarray]]:
    """Yield random inputs, with the results of the network with other weights as targets."""
    random = np.random.default_rng(1)
    teacher = model.build(model.weights(seed=1))
    is_class = str(model.target.dtype) == "i64"
    for _ in range(count):
        inputs = model.inputs(random, *sizes)
        found = interpret.run(teacher, "main", *inputs)
        apart = found - found.mean(
            axis=tuple(range(found.ndim - 1))
        )  # else one class is the most likely
        yield [*inputs, apart.argmax(-1) if is_class else found]


def losses(
    name: str,
    weights: Weights,
    given: Iterable[list[np.ndarray]],
    prepared: Callable[[ModuleOp], Callable[..., Any]],
) -> Iterator[float]:
    """Yield the loss of every training step, whose function `prepared` makes of a module with
    `@loss_step`."""
    model, optimizer = MODELS[name], OPTIMIZERS[name][0]
    module = model.loss()
    moved = [n for n in weights if n in model.states]
    trained = [n for n in weights if n not in moved]

    def named(names: list[str]) -> list[str]:
        """Convert names to those of the program's parameters."""
        return [n.replace(".", "_") for n in names]

    training.make_step(module, "loss", optimizer, parameters=named(trained), states=named(moved))
    step = prepared(module)
    parameters = tuple(weights[n].copy() for n in trained)  # a step writes over them
    state: list[Any] = [optimizer.init(parameters)]
    if moved:
        state.append(tuple(weights[n].copy() for n in moved))
    for batch in given:
        parameters, *state, loss = step(parameters, *state, *batch)
        yield float(loss)
