"""Scopes of names: a graph, the graphs inside of it, and the bodies of functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect.frontends.onnx.imported_values import Imported


class GraphScope:
    """The values of a graph by name, and the scope around it whose values it may use too."""

    def __init__(self, outer: GraphScope | None = None):
        self.outer = outer
        self.values: dict[str, Imported] = {}
        self.initializers: dict[str, Any] = {}
        """The tensors of the graph, which become values on first use."""
        self.left_out: frozenset[str] = frozenset()
        """The names of inputs that a call of a function leaves out."""
        self.nodes: Sequence[Any] = ()
        """The nodes of the graph, in the order in which they are converted."""
        self.declared: dict[str, Any] = {}
        """The types that the graph declares for its values."""
        self.results: frozenset[str] = frozenset()
        """The outputs of the graph."""
        self.converted: set[int] = set()
        """The positions of the nodes that are converted."""

    @classmethod
    def of(cls, graph: Any, outer: GraphScope | None = None) -> GraphScope:
        """Return the scope of a graph whose nodes are not converted yet."""
        scope = cls(outer)
        scope.initializers = {tensor.name: tensor for tensor in graph.initializer}
        scope.results = frozenset(value.name for value in graph.output)
        scope.declared = {value.name: value.type for value in [*graph.value_info, *graph.output]}
        return scope

    def declared_rank(self, name: str) -> int | None:
        """Return the rank that the graph declares for a tensor, or None."""
        dims = self.declared_dims(name)
        return None if dims is None else len(dims)

    def declared_dims(self, name: str) -> Sequence[Any] | None:
        """Return the sizes that the graph declares for a tensor, or None."""
        type = self.declared.get(name)
        if type is None or not type.HasField("tensor_type"):
            return None
        tensor = type.tensor_type
        return tensor.shape.dim if tensor.HasField("shape") else None

    def holder(self, name: str) -> GraphScope | None:
        """Return the scope that has a name, or None."""
        scope: GraphScope | None = self
        while scope is not None and name not in scope.values and name not in scope.initializers:
            scope = scope.outer
        return scope


class PlacedValues:
    """Emitted values, by the open region that holds them: those of a branch end with it."""

    def __init__(self) -> None:
        self._stack: list[dict[Any, Any]] = [{}]

    def find(self, value: Any) -> Any:
        return next((made[value] for made in self._stack if value in made), None)

    def add(self, value: Any, placed: Any) -> None:
        self._stack[-1][value] = placed

    def open(self) -> None:
        self._stack.append({})

    def close(self) -> None:
        self._stack.pop()
