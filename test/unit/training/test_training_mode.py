"""What networks do in training alone: dropouts draw masks, batch norms take statistics of the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED, package
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect import interpret, training
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType
from relax_dialect.training import TrainingError

ROWS, WEIGHT = TensorType(["n", 4], "f32"), TensorType([4], "f32")
SGD = training.SGD(1.0)


def dropping(first: float = 0.25, second: float = 0.5) -> BlockBuilder:
    """A loss that is linear in w, so that it is the product of w and its gradient."""
    bb = BlockBuilder()
    with bb.function("loss", {"x": ROWS, "w": WEIGHT}) as (x, w):
        with bb.dataflow():
            inner = bb.emit(op.dropout(x * w, first)[0])
            y = bb.emit_output(op.mean(op.dropout(inner, second)[0]))
        bb.emit_func_output(y)
    return bb


def after(run: Any, turn: int, x: np.ndarray) -> tuple[float, np.ndarray]:
    """The loss and the gradient in a step."""
    weights, state = (np.ones(4, np.float32),), SGD.init((np.ones(4, np.float32),))
    state[0][...] = turn
    _, _, loss = run(weights, state, x)
    assert state[0] == turn + 1
    return float(loss), 1 - weights[0]


@pytest.mark.slow
def test_dropouts_draw_other_masks_in_every_step_and_use_them_on_the_way_back() -> None:
    module = dropping().get()
    training.make_step(module, "loss", SGD, parameters=["w"], seed=1)
    assert [f.sym_name.data for f in module.ops] == ["loss", "loss_step"]  # pyright: ignore
    compiled = lowering.compile(module.clone(), extra_flags=UNOPTIMISED)
    training.make_step(module, "loss", SGD, parameters=["w"], seed=2, name="other")
    x = np.ones((500, 4), np.float32)
    assert interpret.run(module, "loss", x, np.ones(4, np.float32)) == 1
    seen: set[bytes] = set()
    for name in ("loss_step", "other"):
        for turn in (0, 1, 5):
            loss, gradient = after(lambda *a: interpret.run(module, name, *a), turn, x)  # noqa: B023
            np.testing.assert_allclose(gradient.sum(), loss, rtol=1e-4)
            share = loss * 0.375  # what stays is divided by 0.75 * 0.5
            assert abs(share - 0.375) < 4 * np.sqrt(0.375 * 0.625 / x.size)
            if name == "loss_step":
                again = after(compiled.loss_step, turn, x)
                np.testing.assert_allclose(again[0], loss, rtol=1e-5)
                np.testing.assert_allclose(again[1], gradient, rtol=1e-5)
            seen.add(gradient.tobytes())
    assert len(seen) == 6


def test_all_or_nothing_may_be_dropped() -> None:
    module = dropping(0.0, 1.0).get()
    step = training.make_step(module, "loss", SGD, parameters=["w"], seed=0)
    x = np.ones((3, 4), np.float32)
    loss, gradient = after(lambda *a: interpret.run(module, step, *a), 0, x)
    assert loss == 0 and not gradient.any()


def test_seeds_that_are_none_are_refused() -> None:
    def make(builder: BlockBuilder, seed: Any) -> None:
        training.make_step(builder.get(), "loss", SGD, parameters=["w"], seed=seed)

    with pytest.raises(
        TrainingError, match="seed: expected a whole number from 0 to 2147483647, found -1"
    ):
        make(dropping(), -1)
    with pytest.raises(TrainingError, match=r"expected a relax.dropout with a rate above 0"):
        make(dropping(0, 0), 3)
    bb = dropping()
    with bb.function("calls", {"x": ROWS, "w": WEIGHT}) as values:
        bb.emit_func_output(bb.call("loss", *values))
    with pytest.raises(
        TrainingError, match="found some in @loss, which it calls; run relax-inline"
    ):
        training.make_step(bb.get(), "calls", SGD, parameters=["w"], seed=3)
    bb = BlockBuilder()
    with bb.function("loss", {"x": ROWS, "w": WEIGHT, "k": TensorType([], "i64")}) as (x, w, k):
        _, y = bb.while_(
            lambda i, y: i < k,
            lambda i, y: (i + 1, bb.emit(op.dropout(y)[0])),
            bb.emit(k - k),
            bb.emit(x * w),
        )
        bb.emit_func_output(bb.emit(op.mean(y)))
    with pytest.raises(
        TrainingError, match=r"relax.dropout .*: expected dropouts outside of loops"
    ):
        make(bb, 3)


def normalizing() -> ModuleOp:
    """A batch norm in training mode, with its moving statistics as states."""
    bb = BlockBuilder()
    types = dict.fromkeys(("gamma", "mean", "beta", "var"), WEIGHT)
    with bb.function("loss", {"x": ROWS, **types, "y": ROWS}) as (x, gamma, mean, beta, var, y):
        found, *moving = bb.emit(op.batch_norm(x, gamma, beta, mean, var, axis=1, training=True))
        bb.emit_func_output([bb.emit(op.mse_loss(op.tanh(found), y)), *moving])
    return bb.get()


def test_moving_statistics_are_states() -> None:
    torch = package("torch")
    module = normalizing()
    optimizer = training.Adam(0.1)
    training.make_step(
        module, "loss", optimizer, parameters=["gamma", "beta"], states=["mean", "var"]
    )
    compiled = lowering.compile(module.clone(), extra_flags=UNOPTIMISED)
    rng = np.random.default_rng(3)
    layer = torch.nn.BatchNorm1d(4)
    theirs = torch.optim.Adam(layer.parameters(), 0.1)

    def start() -> list[Any]:
        weights = (np.ones(4, np.float32), np.zeros(4, np.float32))
        moving = (np.zeros(4, np.float32), np.ones(4, np.float32))
        return [weights, optimizer.init(weights), moving]

    ours, interpreted, var = start(), start(), np.ones(4)
    for _ in range(5):
        x, y = (rng.normal(size=(6, 4)).astype("f4") for _ in range(2))
        *_, moving, loss = compiled.loss_step(*ours, x, y)
        assert moving is ours[2]
        again = interpret.run(module, "loss_step", *interpreted, x, y)[-1]
        theirs.zero_grad()
        expected = torch.nn.functional.mse_loss(torch.tanh(layer(torch.tensor(x))), torch.tensor(y))
        expected.backward()
        theirs.step()
        var = 0.9 * var + 0.1 * x.var(axis=0)  # PyTorch's has n - 1 in it
        np.testing.assert_allclose([loss, again], expected.item(), rtol=1e-5)
    for weights, _, (mean, moved) in (ours, interpreted):
        np.testing.assert_allclose(weights[0], layer.weight.detach(), rtol=1e-4)
        np.testing.assert_allclose(weights[1], layer.bias.detach(), rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(mean, layer.running_mean, rtol=1e-5)
        np.testing.assert_allclose(moved, var, rtol=1e-5)


def test_new_values_of_states_have_their_types() -> None:
    bb = BlockBuilder()
    with bb.function("loss", {"x": ROWS, "w": WEIGHT, "kept": WEIGHT}) as (x, w, kept):
        bb.emit_func_output([bb.emit(op.sum(x * w)), bb.emit(op.sum(kept))])
    message = "states: expected a new value of 'kept' of its type, .*, found .*; convert it"
    with pytest.raises(TrainingError, match=message):
        training.make_step(bb.get(), "loss", SGD, parameters=["w"], states=["kept"])
