"""Recurrent networks against PyTorch, whose layouts and gate orders are ours: one direction for each of its
parameters, which lie one behind the other in ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import package

from relax_dialect.ops.recurrent import GruCellOp, GruOp, LstmCellOp, LstmOp, RnnCellOp, RnnOp

from .peers import agree

torch = package("torch")

STEPS, BATCH, INPUTS, HIDDEN = 9, 4, 5, 7
CELLS = {
    "rnn": (RnnCellOp, torch.nn.RNNCell, 1),
    "gru": (GruCellOp, torch.nn.GRUCell, 1),
    "lstm": (LstmCellOp, torch.nn.LSTMCell, 2),
}
SEQUENCES = {
    "rnn": (RnnOp, torch.nn.RNN, 1),
    "gru": (GruOp, torch.nn.GRU, 1),
    "lstm": (LstmOp, torch.nn.LSTM, 2),
}
PARAMETERS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
TOLERANCE = {"float32": 1e-5, "float64": 1e-12}


def normal(seed: int, *shape: int, dtype: str = "float32") -> np.ndarray:
    return np.asarray(np.random.default_rng(seed).standard_normal(shape)).astype(dtype)


def call(module: Any, x: np.ndarray, states: list[np.ndarray]) -> Any:
    """What a module of PyTorch gives for arrays; several states go in as a tuple."""
    given = [torch.tensor(state) for state in states]
    with torch.no_grad():
        return module(torch.tensor(x), tuple(given) if len(given) > 1 else given[0])


def flat(results: Any) -> list[np.ndarray]:
    """The arrays of nested tuples of tensors."""
    if isinstance(results, tuple):
        return [array for result in results for array in flat(result)]
    return [results.numpy()]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("network", CELLS)
def test_cells_agree_with_torch(network: str, bias: bool, dtype: str):
    operator, module_type, count = CELLS[network]
    module = module_type(INPUTS, HIDDEN, bias=bias, dtype=getattr(torch, dtype))
    x = normal(0, BATCH, INPUTS, dtype=dtype)
    states = [normal(seed, BATCH, HIDDEN, dtype=dtype) for seed in range(1, 1 + count)]
    parameters = [p.detach().numpy() for p in module.parameters()]
    assert [name for name, _ in module.named_parameters()] == list(PARAMETERS[: len(parameters)])
    expected = flat(call(module, x, states))
    arrays, tolerance = [x, *states, *parameters], TOLERANCE[dtype]
    agree(operator, arrays, expected, compiled=bias, tolerance=tolerance)


VARIANTS = {
    "forward": {},
    "both": {"bidirectional": True},
    "batch_first": {"bidirectional": True, "batch_first": True},
    "no_bias": {"bias": False},
    "double": {"bidirectional": True, "dtype": torch.float64},
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("network", SEQUENCES)
def test_sequences_agree_with_torch(network: str, variant: str):
    options = VARIANTS[variant]
    operator, module_type, count = SEQUENCES[network]
    module = module_type(INPUTS, HIDDEN, **options)
    dtype = "float64" if variant == "double" else "float32"
    directions = ["", "_reverse"] if "bidirectional" in options else [""]
    batch_first = "batch_first" in options
    x = normal(0, *((BATCH, STEPS) if batch_first else (STEPS, BATCH)), INPUTS, dtype=dtype)
    states = [normal(s, len(directions), BATCH, HIDDEN, dtype=dtype) for s in range(1, 1 + count)]
    named = {name: p.detach().numpy() for name, p in module.named_parameters()}
    used = PARAMETERS[:2] if variant == "no_bias" else PARAMETERS
    parameters = [np.stack([named[f"{name}_l0{d}"] for d in directions]) for name in used]
    expected = flat(call(module, x, states))
    direction = "bidirectional" if directions[1:] else "forward"
    agree(
        lambda *a: operator(*a, direction=direction, batch_first=batch_first),
        [x, *states, *parameters],
        expected,
        compiled=variant in ("forward", "batch_first"),
        tolerance=TOLERANCE[dtype],
    )


def test_relu_agrees_with_torch():
    module = torch.nn.RNN(INPUTS, HIDDEN, nonlinearity="relu")
    x, h = normal(0, STEPS, BATCH, INPUTS), normal(1, 1, BATCH, HIDDEN)
    parameters = [p.detach().numpy()[None] for p in module.parameters()]
    expected = flat(call(module, x, [h]))
    agree(lambda *a: RnnOp(*a, nonlinearity="relu"), [x, h, *parameters], expected, compiled=True)


@pytest.mark.parametrize("network", SEQUENCES)
def test_nan_and_infinities_agree_with_torch(network: str):
    """They stay with their samples: gates are cut off, or NaN from that step on."""
    operator, module_type, count = SEQUENCES[network]
    module = module_type(INPUTS, HIDDEN)
    x = normal(0, STEPS, BATCH, INPUTS)
    x[2, 0, 1], x[4, 1, 0], x[5, 2, :2] = np.nan, np.inf, (-np.inf, np.inf)
    states = [normal(seed, 1, BATCH, HIDDEN) for seed in range(1, 1 + count)]
    expected = flat(call(module, x, states))
    assert np.isnan(expected[0][2:, 0]).all()
    assert np.isfinite(expected[0][:, (1, 3)]).all()
    parameters = [p.detach().numpy()[None] for p in module.parameters()]
    arrays = [x, *states, *parameters]
    agree(operator, arrays, expected, compiled=True, tolerance=1e-5)
