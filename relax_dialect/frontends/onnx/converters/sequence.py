"""Sequences of tensors whose length is known when the model is imported."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter


def elements(node: Node, place: int = 0) -> list[Any]:
    """The values of a sequence."""
    found = node.input(place)
    if not isinstance(found, tuple):
        node.unsupported("a sequence whose length is not known")
    return list(found)


def position(node: Node, place: int, length: int, last: int) -> int:
    """An index of at most `last`, a negative one counted from the end, as counted from the front."""
    index = int(node.array(place).item())
    if not -length <= index <= last:
        node.fail(f"an index within -{length}..{last}", str(index), "correct the model")
    return index + length if index < 0 else index


@converter("SequenceEmpty")
def sequence_empty(node: Node) -> Any:
    return []


@converter("SequenceConstruct")
def sequence_construct(node: Node) -> Any:
    return [node.input(i) for i in range(len(node.inputs))]


@converter("SequenceAt")
def sequence_at(node: Node) -> Any:
    values = elements(node)
    return values[position(node, 1, len(values), len(values) - 1)]


@converter("SequenceLength")
def sequence_length(node: Node) -> Any:
    return np.array(len(elements(node)), np.int64)


@converter("SequenceInsert")
def sequence_insert(node: Node) -> Any:
    values = elements(node)
    count = len(values)
    place = position(node, 2, count, count) if node.has(2) else count
    return [*values[:place], node.input(1), *values[place:]]


@converter("SequenceErase")
def sequence_erase(node: Node) -> Any:
    values = elements(node)
    last = len(values) - 1
    place = position(node, 1, len(values), last) if node.has(1) else last
    return [*values[:place], *values[place + 1 :]]


@converter("SplitToSequence")
def split_to_sequence(node: Node) -> Any:
    """Into parts of given lengths, of one length, or of length 1, then without the axis at will."""
    shape = node.shape(0)
    axis = node.axis(len(shape))
    size = shape[axis].value
    if size is None:
        node.unsupported(f"a size {shape[axis]} that is not known", "fix it (dims={...})")
    given = node.array(1) if node.has(1) else np.array(1)
    step = max(int(given.reshape(-1)[0]), 1) if given.size else 1
    ends = np.cumsum(given)[:-1] if given.ndim else np.arange(step, size, step)
    x = node.tensor(0)
    found = node.emit(op.split(x, ends.tolist(), axis)) if len(ends) else x
    parts = list(found) if isinstance(found, tuple) else [found]
    if node.has(1) or node.attr("keepdims"):
        return parts
    return [node.emit(op.squeeze(part, [axis])) for part in parts]


@converter("ConcatFromSequence")
def concat_from_sequence(node: Node) -> Any:
    values = [node.context.placed(value) for value in elements(node)]
    rank = len(node.shape_of(values[0])) if values else 1
    make = op.stack if node.attr("new_axis") else op.concat
    return make(values, node.checked_axis(node.attr("axis"), rank + node.attr("new_axis")))
