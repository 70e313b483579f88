"""Sequences of tensors: of a known length, or stacked along the first axis of one tensor."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.control_flow.control import graph_results
from relax_dialect.frontends.onnx.imported_values import Growing, Stack, kind_of, of_exprs
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


def elements(node: OnnxNode, place: int = 0) -> list[Any]:
    """Return the values of a sequence."""
    found = node.input(place)
    if not isinstance(found, tuple):
        node.unsupported(
            f"{kind_of(found)}, input {node.input_text(place)}, where the length must be known",
            "set the sizes on which it depends (dims={...}), or bind the inputs",
        )
    return list(found)


def position(node: OnnxNode, place: int, length: int, last: int) -> int:
    """Return an index of at most `last`; a negative one counts from the end."""
    given = node.array(place)
    if given.size != 1:
        node.fail("one position", f"{given.size}", "correct the model")
    index = int(given.item())
    if not -length <= index <= last:
        node.fail(f"an index within -{length}..{last}", str(index), "correct the model")
    return index + length if index < 0 else index


@converter("SequenceEmpty")
def sequence_empty(node: OnnxNode) -> Any:
    return []


@converter("SequenceConstruct")
def sequence_construct(node: OnnxNode) -> Any:
    return [node.input(i) for i in range(len(node.inputs))]


@converter("SequenceAt")
def sequence_at(node: OnnxNode) -> Any:
    """Convert a `SequenceAt`; at a position known only at run time the elements must have one type."""
    found = node.input(0)
    if not isinstance(found, Stack) and node.known(1) is not None:
        values = elements(node)
        return (values[position(node, 1, len(values), len(values) - 1)],)
    if isinstance(found, Stack):
        stacked = found.tensor
    else:
        stacked = node.emit(op.stack([node.context.placed(value) for value in elements(node)]))
    return op.take(stacked, node.scalar(1), 0)


@converter("SequenceLength")
def sequence_length(node: OnnxNode) -> Any:
    found = node.input(0)
    if not isinstance(found, Stack):
        return np.array(len(elements(node)), np.int64)
    length = np.empty((), object)
    length[()] = node.shape_of(found.tensor)[0]
    return of_exprs(length)


@converter("SequenceInsert")
def sequence_insert(node: OnnxNode) -> Any:
    found = node.input(0)
    if isinstance(found, Growing) and not node.has(2):
        return Growing((*found.items, node.input(1)))
    values = elements(node)
    count = len(values)
    place = position(node, 2, count, count) if node.has(2) else count
    return [*values[:place], node.input(1), *values[place:]]


@converter("SequenceErase")
def sequence_erase(node: OnnxNode) -> Any:
    values = elements(node)
    last = len(values) - 1
    if last < 0:
        node.fail("a sequence with elements", "an empty one", "correct the model")
    place = position(node, 1, len(values), last) if node.has(1) else last
    return [*values[:place], *values[place + 1 :]]


@converter("SequenceMap")
def sequence_map(node: OnnxNode) -> Any:
    """Inline the body of the node, once for each element."""
    body, first = node.attr("body"), elements(node)
    names = [value.name for value in body.input]
    if len(names) != len(node.inputs):
        found = f"{len(names)} inputs"
        node.fail(f"a body with {len(node.inputs)} inputs", found, "correct the model")
    results: list[list[Any]] = [[] for _ in body.output]
    for number in range(len(first)):
        given = {}
        for place, name in enumerate(names):
            value = node.input(place)
            if isinstance(value, tuple) and len(value) != len(first):
                found = f"{len(first)} and {len(value)} elements"
                node.fail("sequences of one length", found, "correct the model")
            given[name] = value[number] if isinstance(value, tuple) else value
        for made, value in zip(results, graph_results(node, body, given)):
            made.append(value)
    return tuple(results)


@converter("SplitToSequence")
def split_to_sequence(node: OnnxNode) -> Any:
    """Split into parts of explicit lengths, of one length, or of length 1, optionally without the axis."""
    shape = node.shape(0)
    axis, x = node.axis(len(shape)), node.tensor(0)
    given = node.array(1) if node.has(1) else np.array(1)
    size, keeps = shape[axis].value, node.has(1) or node.attr("keepdims")
    if given.ndim:
        lengths = [int(v) for v in given]
        if min(lengths, default=0) < 0 or (size is not None and sum(lengths) != size):
            node.fail(f"lengths with the sum {size}", str(lengths), "correct the model")
        ends = np.cumsum(lengths)[:-1].tolist()
    else:
        step = int(given)
        if step < 1:
            node.fail("parts of at least 1", str(step), "correct the model")
        is_many = size is None or size // step > node.context.nodes_left
        if is_many and step == 1:
            order = [axis, *(i for i in range(len(shape)) if i != axis)]
            rows = node.emit(op.permute_dims(x, order)) if axis else x
            return Stack(node.emit(op.expand_dims(rows, [axis + 1])) if keeps else rows)
        if size is None:
            node.unsupported(
                f"parts of a size {shape[axis]} that is not known", "fix it (dims={...})"
            )
        if is_many:
            most = f"at most {node.context.nodes_left} parts"
            node.fail(most, f"{size // step}", "split into rows, one by one, or into larger parts")
        ends = list(range(step, size, step))
    found = node.emit(op.split(x, ends, axis)) if ends else x
    parts = list(found) if isinstance(found, tuple) else [found]
    return parts if keeps else [node.emit(op.squeeze(part, [axis])) for part in parts]


@converter("ConcatFromSequence")
def concat_from_sequence(node: OnnxNode) -> Any:
    found, new = node.input(0), node.attr("new_axis")
    if isinstance(found, Stack):
        return _joined(node, found, new)
    values = [node.context.placed(value) for value in elements(node)]
    if not values:
        node.fail("a sequence with elements", "an empty one", "correct the model")
    rank = len(node.shape_of(values[0]))
    make = op.stack if new else op.concat
    return make(values, node.checked_axis(node.attr("axis"), rank + new))


def _joined(node: OnnxNode, stack: Stack, new: int) -> Any:
    """Join the elements of a stack along a new or an existing axis."""
    shape = node.shape_of(stack.tensor)
    rank = len(shape)
    axis = node.checked_axis(node.attr("axis"), rank - 1 + new)
    order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
    moved = node.emit(op.permute_dims(stack.tensor, order)) if axis else stack.tensor
    if new:
        return moved
    sizes = [shape[i] for i in order]
    return op.reshape(
        moved, [*sizes[:axis], prod(sizes[axis : axis + 2], start=1), *sizes[axis + 2 :]]
    )
