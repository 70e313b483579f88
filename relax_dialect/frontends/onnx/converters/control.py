"""Branches and loops: `If`, `Loop` and `Scan` as `relax.if` and `relax.while`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.control import graph_results, graph_values, region_results, tried
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.frontends.onnx.values import numpy_dtype, tensor_type
from relax_dialect.symbolic import Expr


@converter("If")
def if_(node: Node) -> Any:
    """A branch whose condition is known is converted alone, in the place of the node."""
    known = node.known(0)
    if known is not None:
        graph = node.attr("then_branch" if known.all() else "else_branch")
        return tuple(graph_results(node, graph, {}))

    def branch(name: str) -> Any:
        graph = node.attr(name)
        return lambda: _packed(region_results(node, graph, {}))

    found = node.context.builder.if_(
        _boolean(node, 0), branch("then_branch"), branch("else_branch")
    )
    count = len(node.attr("then_branch").output)
    return found if count == 1 else tuple(op.tuple_get_item(found, i) for i in range(count))


def _packed(values: Sequence[Value]) -> Any:
    return values[0] if len(values) == 1 else list(values)


def _boolean(node: Node, place: int) -> Any:
    """A condition, which may be a vector of one element, as a tensor of rank 0."""
    value = node.tensor(place)
    return node.emit(op.reshape(value, [])) if node.rank(place) else value


class Growing:
    """The elements that the turns of a loop give, joined along a new first axis."""

    def __init__(self, node: Node, element: Value):
        type = tensor_type(element)
        dtype = None if type is None else numpy_dtype(type.dtype)
        if type is None or dtype is None:
            node.unsupported(f"a scan output of type {element.value.type}", "make it a tensor")
        self.shape, self.dtype = node.shape_of(element, "a scan output"), dtype

    def start(self, node: Node) -> Value:
        """What there is before the first turn."""
        defined = node.context.builder.defined_sizes()
        for size in self.shape:
            if not set(size.free_variables) <= defined:
                node.unsupported(f"a scan output of a size {size} that differs from turn to turn")
        return node.emit(op.zeros([0, *self.shape], self.dtype.name))


@converter("Loop")
def loop(node: Node) -> Any:
    """The state is the number of the turn, whether there is another, and the values of the body."""
    body = node.attr("body")
    names = [value.name for value in body.input]
    carried = [node.tensor(i) for i in range(2, len(node.inputs))]
    count = len(carried)
    if len(names) != count + 2 or len(body.output) <= count:
        found = f"{len(names)} inputs and {len(body.output)} outputs"
        node.fail(
            f"a body with {count + 2} inputs and more than {count} outputs", found, "correct it"
        )
    limit = _scalar(node, 0) if node.has(0) else None
    first = _boolean(node, 1) if node.has(1) else node.emit(np.array(True))
    zero = node.emit(np.array(0, np.int64))

    def turn(i: Value, go: Value, *state: Value) -> list[Value]:
        given = dict(zip(names, (i, go, *map(node.with_known_sizes, state))))
        return graph_values(node, body, given)

    return _run(node, turn, zero, first, carried, limit)


def _run(
    node: Node, turn: Any, zero: Value, first: Value, carried: Sequence[Value], limit: Value | None
) -> Any:
    """A loop whose turns give whether to go on, the state, and elements of scan outputs."""
    builder, count = node.context.builder, len(carried)
    elements = tried(node, lambda: turn(zero, first, *carried))[count + 1 :]
    growing = [Growing(node, element) for element in elements]
    start = [made.start(node) for made in growing]

    def condition(i: Value, go: Value, *state: Value) -> Any:
        return go if limit is None else op.logical_and(go, op.less(i, limit))

    def body(i: Value, go: Value, *state: Value) -> list[Any]:
        with node.context.region():
            go_on, *found = turn(i, go, *state[:count])
            scanned = [
                op.concat([joined, op.expand_dims(element, [0])], 0)
                for joined, element in zip(state[count:], found[count:])
            ]
            go_on = builder.emit(op.reshape(go_on, []))
            return [op.add(i, 1), go_on, *found[:count], *scanned]

    found = builder.while_(condition, body, zero, first, *carried, *start)
    return tuple(found[2:])


def _scalar(node: Node, place: int) -> Value:
    value = node.tensor(place)
    return node.emit(op.reshape(value, [])) if node.rank(place) else value


@converter("Scan", since=9)
def scan(node: Node) -> Any:
    """A loop over slices of its last inputs."""
    body, count = node.attr("body"), node.attr("num_scan_inputs")
    names = [value.name for value in body.input]
    states = len(node.inputs) - count
    carried = [node.tensor(i) for i in range(states)]
    scanned = [node.tensor(i) for i in range(states, len(node.inputs))]
    outputs = len(body.output) - states
    axes = [
        node.checked_axis(axis, node.rank(states + i))
        for i, axis in enumerate(node.attr("scan_input_axes", None) or [0] * count)
    ]
    backward = node.attr("scan_input_directions", None) or [0] * count
    length: Expr = node.shape(states)[axes[0]]
    zero = node.emit(np.array(0, np.int64))
    limit = node.emit(op.reshape(op.shape_to_tensor(op.shape([length])), []))

    def turn(i: Value, go: Value, *state: Value) -> list[Value]:
        slices = []
        for x, axis, reverse in zip(scanned, axes, backward):
            place = op.subtract(op.subtract(limit, i), 1) if reverse else i
            slices.append(node.emit(op.take(x, place, axis)))
        given = dict(zip(names, (*map(node.with_known_sizes, state), *slices)))
        return [go, *graph_values(node, body, given)]

    found = _run(node, turn, zero, node.emit(np.array(True)), carried, limit)
    results = list(found[:states])
    into = node.attr("scan_output_axes", None) or [0] * outputs
    reversed_ = node.attr("scan_output_directions", None) or [0] * outputs
    for value, axis, reverse in zip(found[states:], into, reversed_):
        joined = node.with_first_size(value, length)
        if reverse:
            joined = node.emit(op.flip(joined, 0))
        rank = len(node.shape_of(joined))
        axis = node.checked_axis(axis, rank)
        order = [*range(1, axis + 1), 0, *range(axis + 1, rank)]
        results.append(op.permute_dims(joined, order) if axis else joined)
    return tuple(results)
