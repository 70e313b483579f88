"""Recurrent networks: layers are sequences one after the other."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import Value, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode


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
    if node.rank(0) != 3 or each not in (2, 4):
        node.unsupported("sequences without a batch, or projections of the state")
    x, last = node.tensor(0), []
    for layer in range(layers):
        first = layer * ways
        own = [op.strided_slice(s, [0], [first], [first + ways]) for s in states]
        parts = [weights[(first + way) * each : (first + way + 1) * each] for way in range(ways)]
        x, *state = _layer(node, x, own, [op.stack(list(w), 0) for w in zip(*parts)])
        last.append(state)
    return [x, *(op.concat([s[i] for s in last], 0) for i in range(len(states)))]


def _layer(node: TorchNode, x: Value, states: list[Any], weights: list[Any]) -> list[Value]:
    """Emit a layer in one direction or both; returns its outputs and last states."""
    options: dict[str, Any] = {
        "direction": "bidirectional" if node.arg("bidirectional") else "forward",
        "batch_first": bool(node.arg("batch_first")),
    }
    kind, _, activation = node.operator.partition("_")
    if activation:
        options["nonlinearity"] = activation
    found = node.emit(getattr(op, kind)(x, *states, *weights, **options))
    return [node.emit(field) for field in found]


@converter("mkldnn_rnn_layer")
def one_direction(node: TorchNode) -> Any:
    """One layer of an LSTM in one direction, which `torch.compile` makes of LSTMs if it traces them."""
    if node.arg("mode") != 2 or node.arg("batch_sizes") or node.arg("num_layers") != 1:
        node.unsupported("another layer than that of an LSTM, or sequences that are packed")
    weights = [f"weight{i}" for i in range(4 if node.arg("has_biases") else 2)]
    operands: list[Any] = [node.tensor(key) for key in ("input", "hx_", "cx_")]
    operands += [op.expand_dims(node.tensor(weight), [0]) for weight in weights]
    direction = "reverse" if node.arg("reverse") else "forward"
    found = node.emit(op.lstm(*operands, direction=direction))
    return [node.emit(field) for field in found]
