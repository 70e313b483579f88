"""The nodes of a graph that its outputs need, in topological order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from relax_dialect.frontends.onnx.errors import OnnxError, shown


def graphs_of(node: Any) -> Iterator[Any]:
    """Yield the graphs inside of a node: branches and bodies."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def used_names(node: Any) -> list[str]:
    """Return the names that a node reads, including the captures of its nested graphs."""
    found = [name for name in node.input if name]
    work = [(graph, frozenset[str]()) for graph in graphs_of(node)]
    while work:
        graph, around = work.pop()
        own = {v.name for v in graph.input} | {t.name for t in graph.initializer}
        own |= around | {name for inner in graph.node for name in inner.output}
        for inner in graph.node:
            found += [name for name in inner.input if name and name not in own]
            work += [(g, frozenset(own)) for g in graphs_of(inner)]
        found += [v.name for v in graph.output if v.name not in own]
    return found


def in_order(
    graph: Any, model: str, is_outside: Callable[[str], bool] = lambda name: False
) -> list[Any]:
    """Return the nodes that the outputs need, in order; refuses undefined names, and cycles."""
    given = {value.name for value in graph.input} | {tensor.name for tensor in graph.initializer}
    producer = _producers(graph, given, model)
    uses = [used_names(node) for node in graph.node]
    done: list[int] = []
    is_open = dict[int, bool]()
    """For the visited nodes, whether their dependencies are still being visited."""
    stack = [producer[v.name] for v in reversed(graph.output) if v.name in producer]
    while stack:
        number = stack[-1]
        if number in is_open:
            stack.pop()
            if is_open[number]:
                is_open[number] = False
                done.append(number)
            continue
        is_open[number] = True
        for name in uses[number]:
            if name in given:
                continue
            where = f"{model}: {describe(graph.node[number], number)}"
            other = producer.get(name)
            if other is None and is_outside(name):
                continue
            if other is None:
                raise OnnxError(
                    f"{where}: expected the value {shown(name)} to be defined, found no such value; "
                    "correct the model"
                )
            if is_open.get(other):
                raise OnnxError(
                    f"{where}: expected a graph without circles, found that {shown(name)} needs a result "
                    "of this node; correct the model"
                )
            if other not in is_open:
                stack.append(other)
    ordered = sorted(done)
    if any(producer.get(name, -1) >= number for number in ordered for name in uses[number]):
        ordered = done
    return [graph.node[number] for number in ordered]


def _producers(graph: Any, given: set[str], model: str) -> dict[str, int]:
    """Return the producer of each value; values have a single definition."""
    found: dict[str, int] = {}
    for number, node in enumerate(graph.node):
        for name in node.output:
            if name and (name in found or name in given):
                raise OnnxError(
                    f"{model}: {describe(node, number)}: expected every value to be defined once, found "
                    f"{shown(name)} twice; correct the model"
                )
            if name:
                found[name] = number
    return found


def describe(node: Any, number: int) -> str:
    """Describe a node in an error: name, operator, index in the graph."""
    domain = f"{node.domain}." if node.domain else ""
    name = f" {shown(node.name)}" if node.name else ""
    return f"node{name} ({domain}{node.op_type}, number {number})"
