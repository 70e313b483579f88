"""Recurrent networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter

ACTIVATIONS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}


def in_our_order(node: Node, place: int, order: Sequence[int], parts: int) -> Any:
    """A weight or bias whose rows, those of each gate, stand in the order of our operators."""
    known = node.known(place)
    if order == sorted(order):
        return node.tensor(place)
    if known is not None:
        gates = np.split(known, parts, 1)
        return np.concatenate([gates[i] for i in order], 1)
    gates = node.emit(op.split(node.tensor(place), parts, 1))
    return op.concat([gates[i] for i in order], 1)


def recurrent(node: Node, make: Any, order: Sequence[int], states: int, **options: Any) -> Any:
    """The results of a network: what every step gives, and the last states."""
    direction = node.attr("direction")
    directions = 2 if direction == "bidirectional" else 1
    gates, batch_first = len(order), bool(node.attr("layout", 0))
    x: Any = node.tensor(0)
    steps, batch, _ = node.shape(0)
    if batch_first:
        x, steps, batch = op.permute_dims(x, [1, 0, 2]), batch, steps
    hidden = node.shape(2)[2]
    _refuse_forms(node, directions, steps.value)
    dtype = node.dtype(0).name
    first: list[Any] = []
    for place in (5, 6)[:states]:
        if not node.has(place):
            first.append(op.zeros([directions, batch, hidden], dtype))
        else:
            given: Any = node.tensor(place)
            first.append(op.permute_dims(given, [1, 0, 2]) if batch_first else given)
    weights = [in_our_order(node, place, order, gates) for place in (1, 2)]
    biases: list[Any] = []
    if node.has(3):
        both = in_our_order(node, 3, [*order, *(gates + i for i in order)], 2 * gates)
        both = both if isinstance(both, np.ndarray) else node.emit(both)
        rows = hidden * gates
        biases = [
            op.strided_slice(both, [1], [0], [rows]),
            op.strided_slice(both, [1], [rows], [2 * rows]),
        ]
    found = node.emit(make(x, *first, *weights, *biases, direction=direction, **options))
    every, *last = found
    every = op.reshape(every, [steps, batch, directions, hidden])
    every = op.permute_dims(every, [1, 0, 2, 3] if batch_first else [0, 2, 1, 3])
    if batch_first:
        last = [op.permute_dims(value, [1, 0, 2]) for value in last]
    return (every, *last)[: len(node.outputs)]


def _refuse_forms(node: Node, directions: int, steps: int | None) -> None:
    """Refuse what our operators do not have."""
    expected = ACTIVATIONS[node.op_type] * directions
    given = node.attr("activations", None) or expected
    if node.op_type != "RNN" and given != expected:
        node.unsupported(f"activations {', '.join(given)}")
    if node.attr("clip", None):
        node.unsupported("clip")
    if node.attr("input_forget", 0):
        node.unsupported("input_forget")
    if node.has(7):
        node.unsupported("peepholes")
    if node.has(4):
        lengths = node.known(4)
        if lengths is None or steps is None or (lengths != steps).any():
            node.unsupported("lengths of sequences", "pad the sequences")


@converter("RNN")
def rnn(node: Node) -> Any:
    given = {name.lower() for name in node.attr("activations", None) or ["Tanh"]}
    if given not in ({"tanh"}, {"relu"}):
        node.unsupported(f"activations {', '.join(sorted(given))}")
    return recurrent(node, op.rnn, [0], 1, nonlinearity=given.pop())


@converter("GRU")
def gru(node: Node) -> Any:
    """ONNX has the gates z, r, h, we have r, z, h."""
    linear = bool(node.attr("linear_before_reset", 0))
    return recurrent(node, op.gru, [1, 0, 2], 1, linear_before_reset=linear)


@converter("LSTM")
def lstm(node: Node) -> Any:
    """ONNX has the gates i, o, f, c, we have i, f, c, o."""
    return recurrent(node, op.lstm, [0, 2, 3, 1], 2)
