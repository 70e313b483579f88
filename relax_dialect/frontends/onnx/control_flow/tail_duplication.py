"""`If` whose branches differ in rank: the nodes after it are converted in both branches.

```
u = If(c) { Squeeze(x) } else { x }           v = If(c) { u = Squeeze(x); r = Size(Shape(u)); v = ... }
r = Size(Shape(u))                       ->           else { u = x; r = Size(Shape(u)); v = ... }
v = If(r == 3) { u } else { Unsqueeze(u) }
y = ReduceSum(v)                              y = ReduceSum(v)
```

As few nodes as possible are duplicated: up to the first position at which all values that the other nodes
use have one rank. Nodes that do not depend on the `If` stay before it. In a branch the rank is known, and
with it the values that the model computes from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from relax_dialect.builder import Value
from relax_dialect.frontends.onnx.control_flow.control import graph_results, tried
from relax_dialect.frontends.onnx.errors import IllTypedError, OnnxError
from relax_dialect.frontends.onnx.imported_values import Imported, Known, SizeArray, tensor_type
from relax_dialect.frontends.onnx.model.node_order import used_names
from relax_dialect.frontends.onnx.name_scopes import GraphScope
from relax_dialect.frontends.onnx.node import OnnxNode

CHUNKS = (16, 128)
"""The numbers of nodes that are tried for a position of one rank before all are."""


class BranchFailsError(Exception):
    """A branch in which the nodes after it cannot be converted."""

    def __init__(self, name: str, reason: str):
        self.name, self.reason = name, reason


@dataclass
class DuplicatedTail:
    """The nodes that depend on an `If`, in order, and the live ranges of the values that they define."""

    nodes: Sequence[int]
    """Their positions in the graph."""
    defined: Mapping[str, int]
    """Each value of the `If` (-1) and of the tail, with the position in the tail that defines it."""
    last: Mapping[str, int]
    """The last position of the tail that uses a value; its length if a node outside does."""

    @classmethod
    def of(cls, node: OnnxNode) -> DuplicatedTail:
        scope = node.scope
        defined = {name: -1 for name in node.outputs if name}
        last = {name: len(scope.nodes) for name in scope.results}
        found: list[int] = []
        for number in range(node.index + 1, len(scope.nodes)):
            proto = scope.nodes[number]
            used = [] if number in scope.converted else used_names(proto)
            if defined.keys().isdisjoint(used):
                continue
            defined |= {name: len(found) for name in proto.output if name}
            for name in used:
                last[name] = max(len(found), last.get(name, -1))
            found.append(number)
        return cls(found, defined, last)

    def live(self, count: int) -> list[str]:
        """Return the values that are used after the first nodes of the tail."""
        return [
            name
            for name, position in self.defined.items()
            if position < count <= self.last.get(name, -1)
        ]


def emit_with_tail(node: OnnxNode, condition: Any, branches: Sequence[str]) -> tuple[Imported, ...]:
    """Return the outputs of an `If`; also binds the values of the tail that is converted in its branches.

    Raises `BranchFailsError` for a branch in which the tail cannot be converted.
    """
    tail = DuplicatedTail.of(node)
    _convert_operands(node, tail.nodes)
    count = _position_of_one_rank(node, tail, branches)
    live = tail.live(count)

    def values_of(name: str) -> Any:
        with node.context.region():
            inner = _converted(node, name, tail.nodes[:count], GraphScope(node.scope))
            values = [_value(node, inner, each) for each in live]
        return values[0] if len(values) == 1 else values

    emitted = node.context.builder.if_(condition, *(_call(values_of, name) for name in branches))
    node.scope.converted.update(tail.nodes[:count])
    whole = node.context.unpacked(emitted, live[0])
    found = dict(zip(live, whole if isinstance(whole, tuple) and len(live) > 1 else [whole]))
    node.scope.values.update(found)
    return tuple(found.get(name) for name in node.outputs)  # pyright: ignore


def _call(function: Any, argument: str) -> Any:
    return lambda: function(argument)


def _convert_operands(node: OnnxNode, tail: Sequence[int]) -> None:
    """Convert the nodes between the `If` and the end of its tail that the tail uses and that do not
    depend on the `If`."""
    scope = node.scope
    used = {name for number in tail for name in used_names(scope.nodes[number])}
    needed: list[int] = []
    for number in reversed(range(node.index + 1, max(tail, default=0))):
        proto = scope.nodes[number]
        if number not in scope.converted and number not in tail and used.intersection(proto.output):
            used.update(used_names(proto))
            needed.append(number)
    for number in reversed(needed):
        node.context.convert_one(scope, number)


def _converted(node: OnnxNode, name: str, tail: Sequence[int], scope: GraphScope) -> GraphScope:
    """Convert a branch and nodes of the tail in a new scope."""
    graph = node.attr(name)
    scope.values.update(zip(node.outputs, graph_results(node, graph, {})))
    scope.declared, scope.results = node.scope.declared, node.scope.results
    node.context.convert([node.scope.nodes[number] for number in tail], scope)
    return scope


def _value(node: OnnxNode, scope: GraphScope, name: str) -> Value:
    found = node.context.look_up(scope, name)
    assert found is not None
    return node.context.placed(found)


# The position of one rank ------------------------------------------------------------------------------


def _position_of_one_rank(node: OnnxNode, tail: DuplicatedTail, branches: Sequence[str]) -> int:
    """Return the length of the shortest part of the tail after which no live value has two ranks; all of it
    if there is none."""
    for most in (*(n for n in CHUNKS if n < len(tail.nodes)), len(tail.nodes)):
        tries = [_tried(node, name, tail.nodes[:most]) for name in branches]
        for count in range(1, most + 1):
            if all(_have_one_rank(name, tries) for name in tail.live(count)):
                return count
        for name, (_, error) in zip(branches, tries):
            if isinstance(error, IllTypedError):
                raise BranchFailsError(name, str(error))
            if error is not None:
                raise error
    return len(tail.nodes)


Tried = tuple[Mapping[str, Any], OnnxError | None]
"""The ranks of values as far as a branch could be converted, and the error that ended it."""


def _have_one_rank(name: str, tries: Sequence[Tried]) -> bool:
    ranks = [found.get(name) for found, _ in tries]
    return ranks[0] is not None and ranks[0] == ranks[1]


def _tried(node: OnnxNode, name: str, tail: Sequence[int]) -> Tried:
    """Return the ranks of values in a branch, which is converted and discarded."""
    scope, errors = GraphScope(node.scope), list[OnnxError]()

    def emit() -> list[Value]:
        try:
            _converted(node, name, tail, scope)
        except OnnxError as error:
            errors.append(error)
        return []

    tried(node, emit)
    ranks = {each: _rank(value) for each, value in scope.values.items()}
    return ranks, errors[0] if errors else None


def _rank(value: Imported) -> Any:
    """Return the rank of a tensor, or the ranks of the tensors of a sequence; None if unknown."""
    if isinstance(value, Known | SizeArray):
        return value.array.ndim
    if isinstance(value, tuple):
        ranks = tuple(map(_rank, value))
        return None if None in ranks else ranks
    type = tensor_type(value) if isinstance(value, Value) else None
    return None if type is None or type.shape is None else len(type.shape)
