"""Recurrent networks: layers and directions are sequences one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect.builder import Value, op
from relax_dialect.frontends.torch.node import TorchNode
from relax_dialect.frontends.torch.registry import converter


@converter("lstm.input", "gru.input", "rnn_tanh.input", "rnn_relu.input")
def recurrent(node: TorchNode) -> Any:
    """All layers, by the weights w_ih, w_hh, b_ih, b_hh of each layer and direction."""
    if node.arg("train") and node.arg("dropout"):
        node.unsupported("dropout between layers", "export the model in eval mode")
    states = node.tensors("hx") if node.operator == "lstm" else [node.tensor("hx")]
    weights = node.tensors("params")
    ways = 2 if node.arg("bidirectional") else 1
    layers = int(node.number("num_layers"))
    each = len(weights) // (layers * ways)
    x, last, batch_first = node.tensor(0), [], bool(node.arg("batch_first"))
    if node.rank(0) != 3 or each not in (2, 4):
        node.unsupported("sequences without a batch, or projections of the state")
    for layer in range(layers):
        outputs = []
        for way in range(ways):
            index = layer * ways + way
            own = [_state(node, state, index) for state in states]
            part = weights[index * each : (index + 1) * each]
            found = _sequence(node, x, own, part, "reverse" if way else "forward", batch_first)
            outputs.append(found[0])
            last.append(found[1:])
        x = outputs[0] if ways == 1 else node.emit(op.concat(outputs, 2))
    return [x, *(op.stack([state[i] for state in last], 0) for i in range(len(states)))]


def _state(node: TorchNode, states: Value, index: int) -> Any:
    """Return the initial state of a layer and direction."""
    return node.emit(op.take(states, node.as_tensor(index, "i64"), 0))


def _sequence(
    node: TorchNode, x: Value, states: Sequence[Any], weights: Sequence[Any], direction: str, batch_first: bool
) -> list[Value]:
    """Emit one layer in one direction; returns its outputs and last states."""
    options: dict[str, Any] = {"direction": direction, "batch_first": batch_first}
    kind = node.operator
    if kind.startswith("rnn"):
        options["nonlinearity"] = kind.removeprefix("rnn_")
        kind = "rnn"
    found = node.emit(getattr(op, kind)(x, *states, *weights, **options))
    return [node.emit(field) for field in found]
