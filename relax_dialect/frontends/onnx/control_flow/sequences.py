"""Loops over sequences: unrolled if the trip count is known, else with sequences that only grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.control_flow.control import as_value, graph_results
from relax_dialect.frontends.onnx.control_flow.loops import run
from relax_dialect.frontends.onnx.imported_values import Growing, Imported, Known, SizeArray, Stack
from relax_dialect.frontends.onnx.node import OnnxNode


def is_tensor(value: Imported) -> bool:
    """Returns whether a value is a tensor, no sequence and no optional."""
    return isinstance(value, Known | SizeArray | Value)


def unrolled(node: OnnxNode, carried: Sequence[Imported]) -> tuple[Any, ...] | None:
    """Return the results of an unrolled loop; None if its trip count is not known at import."""
    body, limit = node.attr("body"), node.known(0)
    go: Any = node.known(1) if node.has(1) else np.array(True)
    if limit is None or go is None or limit.size != 1:
        return None
    turns = max(int(limit.item()), 0)
    if turns * len(body.node) > node.context.nodes_left:
        return None
    node.context.nodes_left -= turns * len(body.node)
    names = [value.name for value in body.input]
    state, count = list(carried), len(carried)
    scanned: list[list[Imported]] = [[] for _ in body.output[count + 1 :]]
    for i in range(turns):
        if not go.all():
            break
        given = dict(zip(names, (Known(np.array(i, np.int64)), Known(np.array(True)), *state)))
        more, *found = graph_results(node, body, given)
        if not isinstance(more, Known):
            return None
        go, state = more.array, found[:count]
        for elements, element in zip(scanned, found[count:]):
            elements.append(element)
    if scanned and not scanned[0]:
        node.unsupported("scan outputs of a loop with sequences that has no iterations")
    return *state, *(node.emit(op.stack(list(map(node.context.placed, s)))) for s in scanned)


def growing(
    node: OnnxNode, carried: Sequence[Imported], first: Value, limit: Value | None
) -> tuple[Any, ...]:
    """Return the results of a loop each of whose iterations appends one tensor to each sequence.

    The appended tensors are elements of scan outputs, from which the sequences are built after the loop.
    """
    body = node.attr("body")
    names = [value.name for value in body.input]
    count = len(carried)
    grown = [place for place, value in enumerate(carried) if not is_tensor(value)]
    kept = [place for place in range(count) if place not in grown]

    def turn(i: Value, go: Value, *state: Value) -> list[Value]:
        given: dict[str, Imported] = dict(zip(names, (i, go)))
        given |= {names[place + 2]: Growing() for place in grown}
        tensors = zip(kept, map(node.with_known_sizes, state))
        given |= {names[place + 2]: value for place, value in tensors}
        found = graph_results(node, body, given)
        appended = [_appended(node, found[place + 1], names[place + 2]) for place in grown]
        others = [0, *(place + 1 for place in kept), *range(count + 1, len(found))]
        values = [as_value(node, found[place], body.output[place]) for place in others]
        return [*values, *map(node.context.placed, appended)]

    adds = len(body.output) - 1 - len(kept)
    state = [node.context.placed(carried[place]) for place in kept]
    found = run(node, turn, state, first, limit, adds)
    tensors: Mapping[int, Any] = dict(zip(kept, found))
    stacks = dict(zip(grown, found[len(found) - len(grown) :]))
    results = [
        tensors[place] if place in tensors else _after(node, carried[place], stacks[place])
        for place in range(count)
    ]
    return *results, *found[len(kept) : len(found) - len(grown)]


def _appended(node: OnnxNode, value: Imported, name: str) -> Imported:
    """Return the tensor that an iteration appends to a sequence."""
    if not isinstance(value, Growing) or len(value.items) != 1:
        node.unsupported(
            f"the sequence {name!r}, to which not each iteration appends one tensor",
            "append in each iteration (SequenceInsert without a position), or bind the trip count",
        )
    return value.items[0]


def _after(node: OnnxNode, before: Imported, added: Value) -> Stack:
    """Return a sequence with the elements that the iterations appended."""
    added = node.with_known_sizes(added)
    if isinstance(before, tuple) and not before:
        return Stack(added)
    if isinstance(before, Stack):
        return Stack(node.emit(op.concat([before.tensor, added], 0)))
    if not isinstance(before, tuple):
        node.unsupported("an optional as state of a loop of unknown trip count")
    return Stack(node.emit(op.concat([op.stack(list(map(node.context.placed, before))), added], 0)))
