"""Branches and loops: `If`, `Loop` and `Scan` as `relax.if` and `relax.while`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.control_flow.control import graph_results, graph_values
from relax_dialect.frontends.onnx.control_flow.if_nodes import emit_if
from relax_dialect.frontends.onnx.control_flow.loops import run
from relax_dialect.frontends.onnx.control_flow.sequences import growing, is_tensor, unrolled
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.symbolic import Expr


@converter("If")
def if_(node: OnnxNode) -> Any:
    """Convert an `If`; if its condition is known, the branch taken replaces the node."""
    known = node.known(0)
    if known is not None:
        graph = node.attr("then_branch" if known.all() else "else_branch")
        return tuple(graph_results(node, graph, {}))

    found = emit_if(node, node.scalar(0))
    if isinstance(found, tuple):
        return found
    count = len(node.attr("then_branch").output)
    return found if count == 1 else tuple(op.tuple_get_item(found, i) for i in range(count))


@converter("Loop")
def loop(node: OnnxNode) -> Any:
    """Convert a `Loop`: the state is the iteration number, the condition, and the values of the body."""
    body = node.attr("body")
    names = [value.name for value in body.input]
    carried = [node.input(i) for i in range(2, len(node.inputs))]
    count = len(carried)
    if len(names) != count + 2 or len(body.output) <= count:
        found = f"{len(names)} inputs and {len(body.output)} outputs"
        node.fail(
            f"a body with {count + 2} inputs and more than {count} outputs", found, "correct it"
        )
    has_tensors = all(map(is_tensor, carried))
    if not has_tensors and (found := unrolled(node, carried)) is not None:
        return found
    limit = node.scalar(0) if node.has(0) else None
    first = node.scalar(1) if node.has(1) else node.emit(np.array(True))
    if not has_tensors:
        return growing(node, carried, first, limit)

    def turn(i: Value, go: Value, *state: Value) -> list[Value]:
        given = dict(zip(names, (i, go, *map(node.with_known_sizes, state))))
        return graph_values(node, body, given)

    state = [node.context.placed(value) for value in carried]
    return run(node, turn, state, first, limit, len(body.output) - 1 - count)


@converter("Scan", since=9)
def scan(node: OnnxNode) -> Any:
    """Convert a `Scan`: a loop over slices of its last inputs."""
    inputs, count = node.tensors(), node.attr("num_scan_inputs")
    states = _states(node, len(inputs))
    carried, scanned = inputs[:states], inputs[states:]
    outputs = len(node.attr("body").output) - states
    axes = [
        node.checked_axis(axis, len(node.shape_of(x)))
        for x, axis in zip(scanned, _numbers(node, "scan_input_axes", count))
    ]
    backward = _numbers(node, "scan_input_directions", count)
    results = _scanned(node, carried, scanned, axes, backward)
    into = _numbers(node, "scan_output_axes", outputs)
    reversed_ = _numbers(node, "scan_output_directions", outputs)
    for place, (axis, reverse) in enumerate(zip(into, reversed_), states):
        joined = results[place]
        if reverse:
            joined = node.emit(op.flip(joined, 0))
        rank = len(node.shape_of(joined))
        axis = node.checked_axis(axis, rank)
        order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
        results[place] = node.emit(op.permute_dims(joined, order)) if axis else joined
    return tuple(results)


@converter("Scan", since=8)
def scan_of_batches(node: OnnxNode) -> Any:
    """Convert a `Scan` of opset 8: a scan for each element of a batch, which is the first axis of all."""
    if node.has(0):
        node.unsupported("sequence_lens", "export the model for opset 9 or newer")
    inputs, count = node.tensors(1), node.attr("num_scan_inputs")
    states = _states(node, len(inputs))
    backward = _numbers(node, "directions", count)
    limit = _number_of(node, node.shape_of(inputs[0])[0])

    def batch(i: Value, go: Value) -> list[Value]:
        parts = [node.emit(op.take(x, i, 0)) for x in inputs]
        return [go, *_scanned(node, parts[:states], parts[states:], [0] * count, backward)]

    outputs = len(node.attr("body").output)
    found = run(node, batch, [], node.emit(np.array(True)), limit, outputs, level=1)
    size = node.shape_of(inputs[0])[0]
    return tuple(node.with_first_size(value, size) for value in found)


def _states(node: OnnxNode, inputs: int) -> int:
    """Return the number of inputs that are state; the others are scanned."""
    body, count = node.attr("body"), node.attr("num_scan_inputs")
    states = inputs - count
    if count < 1 or not 0 <= states <= len(body.output) or len(body.input) != inputs:
        node.fail(
            f"a body with {inputs} inputs, {count} of them scanned, and at least {states} outputs",
            f"one with {len(body.input)} inputs and {len(body.output)} outputs",
            "correct the model",
        )
    return states


def _scanned(
    node: OnnxNode,
    carried: Sequence[Value],
    scanned: Sequence[Value],
    axes: Sequence[int],
    backward: Sequence[int],
) -> list[Value]:
    """Return the last state, and the results of iterations over slices of `scanned`, joined along a first
    axis."""
    body = node.attr("body")
    names = [value.name for value in body.input]
    length = node.shape_of(scanned[0])[axes[0]]
    limit = _number_of(node, length)

    def turn(i: Value, go: Value, *state: Value) -> list[Value]:
        slices = []
        for x, axis, reverse in zip(scanned, axes, backward):
            place = op.subtract(op.subtract(limit, i), 1) if reverse else i
            slices.append(node.emit(op.take(x, place, axis)))
        given = dict(zip(names, (*map(node.with_known_sizes, state), *slices)))
        return [go, *graph_values(node, body, given)]

    go = node.emit(np.array(True))
    states = len(carried)
    found = run(node, turn, carried, go, limit, len(body.output) - states)
    joined = [node.with_first_size(value, length) for value in found[states:]]
    return [*found[:states], *joined]


def _number_of(node: OnnxNode, size: Expr) -> Value:
    return node.emit(op.reshape(op.shape_to_tensor(op.shape([size])), []))


def _numbers(node: OnnxNode, name: str, count: int) -> list[int]:
    """Return an attribute with so many numbers; the default is zeros."""
    found = node.attr(name, None) or [0] * count
    if len(found) != count:
        node.fail(f"{count} numbers in {name}", str(found), "correct the model")
    return list(found)
