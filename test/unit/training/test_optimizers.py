"""Optimizers, clipping and schedules over many steps against PyTorch's, in f32 and f64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from optional import amount, package, shortened

from relax_dialect import interpret, training
from relax_dialect.builder import BlockBuilder, op, var

STEPS = amount(50, 12)

PAIRS: dict[str, tuple[training.Optimizer, Callable[[Any, list[Any]], Any]]] = {
    "plain": (training.SGD(0.1), lambda o, p: o.SGD(p, 0.1)),
    "momentum": (
        training.SGD(0.1, 0.9, 0.2, 0.01),
        lambda o, p: o.SGD(p, 0.1, 0.9, 0.2, 0.01),
    ),
    "nesterov": (
        training.SGD(0.1, 0.8, nesterov=True),
        lambda o, p: o.SGD(p, 0.1, 0.8, nesterov=True),
    ),
    "adam": (training.Adam(0.01), lambda o, p: o.Adam(p, 0.01)),
    "amsgrad": (
        training.Adam(0.02, (0.8, 0.99), 1e-6, 0.1, amsgrad=True),
        lambda o, p: o.Adam(p, 0.02, (0.8, 0.99), 1e-6, 0.1, amsgrad=True),
    ),
    "adamw": (training.AdamW(0.01), lambda o, p: o.AdamW(p, 0.01)),
    "rmsprop": (training.RMSprop(0.01), lambda o, p: o.RMSprop(p, 0.01)),
    "centered": (
        training.RMSprop(0.01, 0.9, 1e-6, 0.1, 0.7, centered=True),
        lambda o, p: o.RMSprop(p, 0.01, 0.9, 1e-6, 0.1, 0.7, centered=True),
    ),
    "adagrad": (
        training.Adagrad(0.1, 0.05, 0.01, 0.2),
        lambda o, p: o.Adagrad(p, 0.1, 0.05, 0.01, 0.2),
    ),
}
CLIPS: dict[str, tuple[Any, Callable[[Any, Any], Any]]] = {
    "norm": (training.clip_by_norm(0.5), lambda u, p: u.clip_grad_norm_(p, 0.5)),
    "value": (training.clip_by_value(0.1), lambda u, p: u.clip_grad_value_(p, 0.1)),
}


def regression(dtype: str) -> BlockBuilder:
    """A loss of two parameters, the second of which is in a tuple."""
    bb = BlockBuilder()
    x, y = var("x", shape=["n", 4], dtype=dtype), var("y", shape=["n", 3], dtype=dtype)
    w, b = var("w", shape=[4, 3], dtype=dtype), var("b", shape=[3], dtype=dtype)
    with bb.function("loss", [x, w, y, b]):
        bb.emit_func_output(bb.emit(op.mse_loss(op.tanh(x @ w + b), y)))
    return bb


def stepped(
    optimizer: training.Optimizer, theirs: Any, dtype: str, clip: Any = None, clipped: Any = None
) -> float:
    """The largest difference of the parameters from PyTorch's after any step."""
    torch = package("torch")
    module = regression(dtype).get()
    step = training.make_step(module, "loss", optimizer, parameters=["b", "w"], clip=clip)
    rng = np.random.default_rng(0)

    def drawn(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype({"f32": "f4", "f64": "f8"}[dtype])

    weights = (drawn(3), drawn(4, 3))
    state = optimizer.init(weights)
    tensors = [torch.tensor(w, requires_grad=True) for w in weights]
    optim = theirs(torch.optim, tensors)
    worst = 0.0
    for _ in range(STEPS):
        x, y = drawn(5, 4), drawn(5, 3)
        weights, state, loss = interpret.run(module, step, weights, state, x, y)
        optim.zero_grad()
        b, w = tensors
        found = torch.nn.functional.mse_loss(torch.tanh(torch.tensor(x) @ w + b), torch.tensor(y))
        found.backward()
        if clipped is not None:
            clipped(torch.nn.utils, tensors)
        optim.step()
        differences = [np.abs(a - t.detach().numpy()).max() for a, t in zip(weights, tensors)]
        worst = max(worst, abs(float(loss) - found.item()), *differences)
    assert state[0] == STEPS
    return worst


@shortened
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", PAIRS)
def test_an_optimizer_steps_as_pytorchs(name: str, dtype: str) -> None:
    assert stepped(*PAIRS[name], dtype) < (2e-5 if dtype == "f32" else 1e-12)


@shortened
@pytest.mark.parametrize("name", CLIPS)
def test_gradients_are_clipped_as_by_pytorch(name: str) -> None:
    assert stepped(*PAIRS["momentum"], "f64", *CLIPS[name]) < 1e-12


SCHEDULES: dict[str, tuple[Any, Callable[[Any, Any], Any]]] = {
    "constant": (training.constant(0.3), lambda s, o: s.ConstantLR(o, 1.0)),
    "step_decay": (training.step_decay(0.3, 7, 0.5), lambda s, o: s.StepLR(o, 7, 0.5)),
    "exponential": (training.exponential(0.3, 0.9), lambda s, o: s.ExponentialLR(o, 0.9)),
    "cosine": (training.cosine(0.3, 30, 0.01), lambda s, o: s.CosineAnnealingLR(o, 30, 0.01)),
    "linear_warmup": (
        training.linear_warmup(8, training.exponential(0.3, 0.8), 0.1),
        lambda s, o: s.SequentialLR(o, [s.LinearLR(o, 0.1, 1.0, 8), s.ExponentialLR(o, 0.8)], [8]),
    ),
    "one_cycle": (training.one_cycle(0.3, 30), lambda s, o: s.OneCycleLR(o, 0.3, 30)),
}


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.filterwarnings("ignore")
def test_a_schedule_gives_pytorchs_rates(name: str) -> None:
    torch = package("torch")
    schedule, theirs = SCHEDULES[name]
    optim = torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.3)
    scheduler = theirs(torch.optim.lr_scheduler, optim)
    bb = BlockBuilder()
    with bb.function("rate", [var("step", shape=[], dtype="f64")]) as (step,):
        bb.emit_func_output(bb.emit(schedule(step)))
    module = bb.get()
    for step in range(30):
        found = interpret.run(module, "rate", np.array(float(step)))
        np.testing.assert_allclose(found, optim.param_groups[0]["lr"], rtol=1e-12)
        optim.step()
        scheduler.step()
