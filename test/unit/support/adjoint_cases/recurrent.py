"""Recurrent networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op

from .case import Case, fixed

N, X, H, T = 2, 3, 4, 5
GATES = {"rnn": 1, "gru": 3, "lstm": 4}
CASES: dict[str, Case] = {}


def weights(gates: int, *first: int) -> list[tuple[int, ...]]:
    """The shapes of both weights and both biases."""
    rows = gates * H
    return [(*first, rows, X), (*first, rows, H), (*first, rows), (*first, rows)]


def told(results: Any, count: int) -> Any:
    """All results in one tensor."""
    return op.concat([op.flatten(results[i]) for i in range(count)], axis=0)


for name, gates in GATES.items():
    states = [(N, H)] * (2 if name == "lstm" else 1)
    CASES[f"{name}_cell"] = fixed(
        (lambda *x: told(op.lstm_cell(*x), 2))
        if name == "lstm"
        else (lambda *x, f=name: getattr(op, f"{f}_cell")(*x)),
        *((N, X), *states, *weights(gates)),
    )
VARIANTS: dict[str, tuple[str, dict[str, Any], bool, bool]] = {
    "rnn": ("rnn", {}, False, False),
    "rnn_both": ("rnn", {"direction": "bidirectional", "nonlinearity": "relu"}, True, False),
    "rnn_functions": (
        "rnn",
        {"direction": "bidirectional", "activations": "softsign scaled_tanh(0.8,1.2)", "clip": 1.5},
        False,
        False,
    ),
    "gru": ("gru", {"batch_first": True}, False, False),
    "gru_reverse": (
        "gru",
        {
            "direction": "reverse",
            "linear_before_reset": False,
            "activations": "hard_sigmoid elu(0.7)",
        },
        True,
        False,
    ),
    "lstm": ("lstm", {}, False, False),
    "lstm_all": (
        "lstm",
        {"direction": "bidirectional", "activations": "sigmoid softplus tanh", "clip": 2.0},
        True,
        True,
    ),
    "lstm_coupled": ("lstm", {"input_forget": True, "batch_first": True}, True, True),
}
for name, (called, how, has_lengths, peeps) in VARIANTS.items():
    ways = 2 if how.get("direction") == "bidirectional" else 1
    states = [(ways, N, H)] * (2 if called == "lstm" else 1)
    image = (N, T, X) if how.get("batch_first") else (T, N, X)
    more = [(ways, 3 * H)] if peeps else []

    def build(
        *x: Any, f: str = called, h: Any = how, few: bool = has_lengths, p: bool = peeps
    ) -> Any:
        head, tail = (x[:-1], x[-1:]) if p else (x, ())
        lengths = [np.array([3, T]) if few else np.array([T, T])] if few or p else []
        return told(getattr(op, f)(*head, *lengths, *tail, **h), 1 + len(head) // 7 + 1)

    CASES[name] = fixed(build, image, *states, *weights(GATES[called], ways), *more)
