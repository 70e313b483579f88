"""Graphs inside of nodes, branches and bodies, as regions of the program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.errors import shown
from relax_dialect.frontends.onnx.imported_values import Imported, tensor_type
from relax_dialect.frontends.onnx.model.node_order import in_order
from relax_dialect.frontends.onnx.name_scopes import GraphScope
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.ir.storage import is_storage
from relax_dialect.ir.types import Dim, TensorType


class _ThrownAwayError(Exception):
    """Ends a region that was only tried."""


def graph_results(node: OnnxNode, graph: Any, inputs: Mapping[str, Imported]) -> list[Imported]:
    """Convert a graph inside of a node; returns its outputs."""
    scope = GraphScope.of(graph, node.scope)
    scope.values.update(inputs)
    nodes = in_order(graph, node.context.name, lambda name: node.scope.holder(name) is not None)
    node.context.convert(nodes, scope)
    found = [node.context.look_up(scope, output.name) for output in graph.output]
    for output, value in zip(graph.output, found):
        if value is None:
            node.fail(f"a graph that returns {shown(output.name)}", "none", "correct the model")
    return [value for value in found if value is not None]


def graph_values(node: OnnxNode, graph: Any, inputs: Mapping[str, Imported]) -> list[Value]:
    """Convert a graph inside of a node; returns its outputs as values of the program."""
    found = graph_results(node, graph, inputs)
    return [as_value(node, *pair) for pair in zip(found, graph.output)]


def anything(sizes: Sequence[Dim | int], dtype: Attribute | None) -> Any:
    """Return a tensor whose elements are unused, of storage types too."""
    return op.astype(op.zeros(sizes, "f32"), dtype) if is_storage(dtype) else op.zeros(sizes, dtype)


def as_value(node: OnnxNode, found: Imported, output: Any) -> Value:
    """Return an output of a graph as a value of the program; sizes computed at run time are the declared
    ones."""
    value = node.context.placed(found)
    type, declared = tensor_type(value), output.type.tensor_type
    if type is None or type.shape is None or len(declared.shape.dim) != len(type.shape):
        return value
    known = [d.dim_value if d.HasField("dim_value") else None for d in declared.shape.dim]
    if all(d is None or own is None or own.value is not None for d, own in zip(known, type.shape)):
        return value
    sizes = [own if d is None else d for d, own in zip(known, type.shape)]
    return node.context.builder.match_cast(value, TensorType(sizes, type.dtype))


def region_results(node: OnnxNode, graph: Any, inputs: Mapping[str, Imported]) -> list[Value]:
    """Convert a graph in its own region, outside of which no value of it is visible."""
    with node.context.region():
        return graph_values(node, graph, inputs)


def tried(node: OnnxNode, emit: Callable[[], list[Value]]) -> list[Value]:
    """Build a region speculatively and discard it, to learn its result types."""
    found: list[Value] = []

    def branch() -> Value:
        with node.context.region():
            found.extend(emit())
        raise _ThrownAwayError

    names = node.context.size_names.taken()
    condition = node.emit(np.array(True))
    with suppress(_ThrownAwayError):
        node.context.builder.if_(condition, branch, branch)
    node.context.size_names.give_back(names)
    return found
