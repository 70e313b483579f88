"""Recurrent networks against ONNX Runtime, which has the reverse direction and the reset before the
product; its gates stand in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from relax_dialect.ops.recurrent import GruOp, LstmOp, RnnOp

from .peers import agree
from .test_rearranging_onnx import floats, peer

STEPS, BATCH, INPUTS, HIDDEN = 6, 3, 4, 5
NODES = {
    "rnn": (RnnOp, "RNN", [0], {}, {}),
    "gru": (GruOp, "GRU", [1, 0, 2], {}, {"linear_before_reset": 1}),
    "gru_before": (GruOp, "GRU", [1, 0, 2], {"linear_before_reset": False}, {}),
    "lstm": (LstmOp, "LSTM", [0, 3, 1, 2], {}, {}),
}
"""Ours, ONNX's, the places of its gates in ours, attributes of ours and of ONNX's."""


def ordered(parameter: np.ndarray, gates: Sequence[int]) -> np.ndarray:
    """A parameter [directions, gates * hidden, ...] with its gates in another order."""
    blocks = np.split(parameter, len(gates), axis=1)
    return np.concatenate([blocks[gate] for gate in gates], axis=1)


@pytest.mark.parametrize("direction", ("forward", "reverse", "bidirectional"))
@pytest.mark.parametrize("network", NODES)
def test_agrees_with_onnx_runtime(network: str, direction: str):
    operator, node, gates, own, theirs = NODES[network]
    directions, rows = 1 + (direction == "bidirectional"), HIDDEN * len(gates)
    x = floats(STEPS, BATCH, INPUTS)
    states = [floats(directions, BATCH, HIDDEN) for _ in range(1 + (network == "lstm"))]
    weights = [floats(directions, rows, INPUTS), floats(directions, rows, HIDDEN)]
    biases = [floats(directions, rows), floats(directions, rows)]
    turned: list[Any] = [ordered(weight, gates) for weight in weights]
    turned.append(np.concatenate([ordered(bias, gates) for bias in biases], axis=1))
    lengths = np.full(BATCH, STEPS, np.int32)
    output, *last = peer(
        node,
        [x, *turned, lengths, *states],
        1 + len(states),
        hidden_size=HIDDEN,
        direction=direction,
        **({"activations": ["Tanh"] * directions} if network == "rnn" else {}),
        **theirs,
    )
    agree(
        lambda *a: operator(*a, direction=direction, **own),
        [x, *states, *weights, *biases],
        [output.transpose(0, 2, 1, 3).reshape(STEPS, BATCH, -1), *last],
        compiled=direction == "reverse",
        tolerance=1e-5,
    )
