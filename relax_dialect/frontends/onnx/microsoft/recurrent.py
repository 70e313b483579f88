"""Recurrent networks of quantized weights, whose inputs and states are quantized by their own range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.control_flow.loops import run
from relax_dialect.frontends.onnx.microsoft import DOMAIN
from relax_dialect.frontends.onnx.microsoft.delegates import delegated
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter, find

USUAL = ("Sigmoid", "Tanh", "Tanh")


@dataclass
class Direction:
    """The operands of one direction of a network."""

    node: OnnxNode
    number: int
    """Its index along the first axis of weights, biases and states."""
    functions: list[str]
    lengths: Value | None

    def part(self, place: int) -> Value:
        """Return the part of an input that belongs to the direction."""
        value, number = self.node.tensor(place), self.number
        rank = len(self.node.shape_of(value))
        kept = op.strided_slice(value, [0], [number], [number + 1])
        return self.node.emit(op.squeeze(kept, [0]) if rank else value)

    def product(self, x: Value, weight: int, scale: int) -> Any:
        """Return the product of x, quantized by its range, with a quantized weight."""
        bytes_in, x_scale, x_zero = self.node.emit(op.dynamic_quantize(x))
        zero, factor = (self.part(place) for place in (scale + 1, scale))
        sums = op.matmul_integer(bytes_in, self.part(weight), x_zero, zero)
        return op.multiply(op.astype(sums, "f32"), op.multiply(x_scale, factor))

    def activated(self, number: int, x: Any) -> Any:
        """Apply one of the functions to a value, which is clipped before if there is a clip."""
        clip = self.node.attr("clip", 0.0)
        if clip and number < 2:
            x = op.clip(x, np.float32(-clip), np.float32(clip))
        return delegated(self.node, self.functions[number], x)

    def step(self, wx: Value, h: Value, c: Value, peepholes: list[Value] | None) -> list[Value]:
        """Return the states after a step; the gates are i, o, f, c."""
        node = self.node
        sums = op.add(wx, self.product(h, 2, 10))
        i, o, f, g = node.emit(op.split(node.emit(sums), 4, 1))
        seen = peepholes or [None, None, None]
        i = self.activated(0, _with(i, seen[0], c))
        kept = (
            op.subtract(1.0, i)
            if node.attr("input_forget", 0)
            else self.activated(0, _with(f, seen[2], c))
        )
        following = node.emit(op.add(op.multiply(kept, c), op.multiply(i, self.activated(1, g))))
        o = self.activated(0, _with(o, seen[1], following))
        return [node.emit(op.multiply(o, self.activated(2, following))), following]


def _with(gate: Any, peephole: Value | None, state: Value) -> Any:
    return gate if peephole is None else op.add(gate, op.multiply(peephole, state))


@converter("DynamicQuantizeLSTM", domain=DOMAIN, loops=True)
def dynamic_quantize_lstm(node: OnnxNode) -> Any:
    """Convert a `DynamicQuantizeLSTM`: all products with the inputs at once, then the steps one by one."""
    kinds = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}
    backward = node.choice("direction", kinds, "forward")
    given = node.attr("activations", None) or USUAL * len(backward)
    if len(given) != 3 * len(backward) or any(find("", name, 17) is None for name in given):
        node.unsupported(f"the activations {', '.join(given)}")
    lengths = node.with_first_size(node.tensor(4), node.shape(0, 3)[1]) if node.has(4) else None
    found = [
        _run(Direction(node, number, list(given[3 * number :][:3]), lengths), reverse)
        for number, reverse in enumerate(backward)
    ]
    every, *last = (
        op.stack([node.emit(each) for each in values], axis)
        for values, axis in zip(zip(*found), (1, 0, 0))
    )
    return (every, *last)[: len(node.outputs)]


def _turned(direction: Direction, x: Any) -> Any:
    """Reverse the steps of each row, up to its length."""
    if direction.lengths is None:
        return op.flip(x, 0)
    return op.reverse_sequence(x, direction.lengths, seq_axis=0, batch_axis=1)


def _run(direction: Direction, reverse: bool) -> list[Any]:
    """Run all steps; returns their hidden states, and the last states."""
    node = direction.node
    steps, batch, _ = node.shape(0, 3)
    hidden = node.shape(2, 3)[1]
    wx = direction.product(node.tensor(0), 1, 8)
    if node.has(3):
        w_bias, r_bias = node.emit(op.split(direction.part(3), 2, 0))
        wx = op.add(wx, op.add(w_bias, r_bias))
    wx = node.emit(_turned(direction, wx) if reverse else wx)
    states = [
        node.with_sizes(direction.part(place), [batch, hidden])
        if node.has(place)
        else node.emit(op.zeros([batch, hidden], "f32"))
        for place in (5, 6)
    ]
    peepholes = None
    if node.has(7):
        whole = node.with_sizes(direction.part(7), [hidden * 3])
        peepholes = list(node.emit(op.split(whole, 3, 0)))

    def turn(i: Value, go: Value, h: Value, c: Value) -> list[Value]:
        found = direction.step(node.emit(op.take(wx, i, 0)), h, c, peepholes)
        if direction.lengths is None:
            return [go, *found, found[0]]
        more = op.less(
            op.reshape(i, [1, 1]), op.reshape(op.astype(direction.lengths, "i64"), [-1, 1])
        )
        more = node.emit(more)
        kept = [node.emit(op.where(more, new, old)) for new, old in zip(found, (h, c))]
        return [go, *kept, node.emit(op.where(more, found[0], np.float32(0)))]

    limit = node.emit(op.reshape(op.shape_to_tensor(op.shape([steps])), []))
    go = node.emit(np.array(True))
    h, c, every = run(node, turn, states, go, limit, 1, level=direction.number)
    every = node.with_first_size(every, steps)
    return [_turned(direction, every) if reverse else every, h, c]
