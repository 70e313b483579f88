"""Recurrent networks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.ops.recurrent_activations import PARAMETERS, Activation

ACTIVATIONS = {name.replace("_", ""): name for name in PARAMETERS}
"""Our names of the functions, by ONNX's in small letters."""


def in_our_order(node: OnnxNode, place: int, order: Sequence[int], parts: int) -> Any:
    """Return a weight or bias with the rows of its gates in the order of our operators."""
    known = node.known(place)
    if order == sorted(order):
        return node.tensor(place)
    if known is not None:
        gates = np.split(known, parts, 1)
        return np.concatenate([gates[i] for i in order], 1)
    gates = node.emit(op.split(node.tensor(place), parts, 1))
    return op.concat([gates[i] for i in order], 1)


def recurrent(node: OnnxNode, make: Any, order: Sequence[int], states: int, **options: Any) -> Any:
    """Return the results of a recurrent network: the output of every step, and the last states."""
    direction = node.attr("direction")
    directions = 2 if direction == "bidirectional" else 1
    gates, batch_first = len(order), bool(node.attr("layout", 0))
    x: Any = node.tensor(0)
    steps, batch, _ = node.shape(0, 3)
    if batch_first:
        x, steps, batch = op.permute_dims(x, [1, 0, 2]), batch, steps
    hidden = node.shape(2, 3)[2]
    dtype = node.dtype(0).name
    first: list[Any] = []
    for place in (5, 6)[:states]:
        if not node.has(place):
            first.append(op.zeros([directions, batch, hidden], dtype))
        else:
            given: Any = node.tensor(place)
            first.append(op.permute_dims(given, [1, 0, 2]) if batch_first else given)
    weights = [in_our_order(node, place, order, gates) for place in (1, 2)]
    further = _further(node, order, [directions, hidden * gates], batch)
    options |= {"activations": " ".join(map(str, _activations(node)))}
    options |= {"clip": node.attr("clip", 0.0), "direction": direction}
    found = node.emit(make(x, *first, *weights, **further, **options))
    every, *last = found
    every = op.reshape(every, [steps, batch, directions, hidden])
    every = op.permute_dims(every, [1, 0, 2, 3] if batch_first else [0, 2, 1, 3])
    if batch_first:
        last = [op.permute_dims(value, [1, 0, 2]) for value in last]
    return (every, *last)[: len(node.outputs)]


def _further(
    node: OnnxNode, order: Sequence[int], rows: Sequence[Any], batch: Any
) -> dict[str, Any]:
    """Return the optional operands as values: if one is present, the preceding ones are, too."""
    gates, dtype = len(order), node.dtype(0).name
    found: dict[str, Any] = {}
    if node.has(3):
        both = in_our_order(node, 3, [*order, *(gates + i for i in order)], 2 * gates)
        both = both if isinstance(both, np.ndarray) else node.emit(both)
        found["b_ih"] = op.strided_slice(both, [1], [0], [rows[1]])
        found["b_hh"] = op.strided_slice(both, [1], [rows[1]], [2 * rows[1]])
    elif node.has(4) or node.has(7):
        found["b_ih"] = found["b_hh"] = op.zeros(rows, dtype)
    if node.has(4):
        found["lengths"] = node.tensor(4)
    elif node.has(7):
        found["lengths"] = op.full([batch], np.asarray(np.iinfo(np.int32).max, np.int32))
    if node.has(7):
        found["peepholes"] = in_our_order(node, 7, [0, 2, 1], 3)
    return {name: node.emit(value) for name, value in found.items()}


def _activations(node: OnnxNode) -> Iterator[Activation]:
    """Yield the functions of the gates; alphas and betas are for functions with such a parameter, in
    order."""
    names = "activation_alpha", "activation_beta"
    alphas, betas = (iter(node.attr(name, None) or ()) for name in names)
    for given in node.attr("activations", None) or ():
        name = ACTIVATIONS.get(given.lower())
        if name is None:
            node.fail(f"an activation among {', '.join(ACTIVATIONS)}", given, "correct the model")
        usual = PARAMETERS[name]
        yield Activation(name, tuple(next(*each) for each in zip((alphas, betas), usual)))


@converter("RNN")
def rnn(node: OnnxNode) -> Any:
    return recurrent(node, op.rnn, [0], 1)


@converter("GRU")
def gru(node: OnnxNode) -> Any:
    """Convert a `GRU`: ONNX has the gates z, r, h, we have r, z, h."""
    linear = bool(node.attr("linear_before_reset", 0))
    return recurrent(node, op.gru, [1, 0, 2], 1, linear_before_reset=linear)


@converter("LSTM")
def lstm(node: OnnxNode) -> Any:
    """Convert an `LSTM`: ONNX has the gates i, o, f, c, we have i, f, c, o."""
    return recurrent(
        node, op.lstm, [0, 2, 3, 1], 2, input_forget=bool(node.attr("input_forget", 0))
    )
