"""Function values as tuples: the captures alone, or a tag and the captures of all possible functions.

A value that may be `@f` with a scalar bound, `@g` with a scalar, or `@h` with a shape:
`tuple<tag, tuple<scalar>, tuple<shape>>`.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute

from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import describe
from relax_dialect.ir.type_variables import map_dims
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.transform.function_values.function_flow import (
    FlowNode,
    FunctionFlow,
    FunctionTarget,
    Tree,
    nodes_of,
)

TAG = TensorType.get((), i64)
NOTHING = tuple_type([])


class EndlessCaptureError(RelaxError):
    """A function value that may capture one like itself, through the functions in `cycle`."""

    def __init__(self, message: str, cycle: list[str], targets: list[FunctionTarget]):
        super().__init__(message)
        self.cycle = cycle
        self.targets = targets


class FunctionLayout:
    """The types of function values as tuples; handles keep theirs."""

    def __init__(self, flow: FunctionFlow):
        self.handles = flow.handles
        self.number_of = {target: number for number, target in enumerate(flow.makers)}
        self.captures: dict[FunctionTarget, Attribute] = {}
        """The captures of each target, as one tuple."""
        self._members: dict[FlowNode, tuple[FunctionTarget, ...]] = {}
        self._types: dict[FlowNode, Attribute] = {}
        kinds: dict[Attribute, Attribute] = {}  # equal types become one, which compares at once
        for target in _innermost_first(flow):
            params = flow.functions[target.callee].function_type.inputs.data
            type = tuple_type(
                self.type(map_dims(type, lambda dim: None), tree)
                for type, tree in zip(params, flow.captures(target))
            )
            self.captures[target] = kinds.setdefault(type, type)

    def members(self, node: FlowNode) -> tuple[FunctionTarget, ...]:
        """Return the targets of a node, in the order of their numbers."""
        if node not in self._members:
            self._members[node] = tuple(sorted(node.targets, key=self.number_of.__getitem__))
        return self._members[node]

    def kinds(self, node: FlowNode) -> tuple[Attribute, ...]:
        """Return the captures of a node's targets; captures of equal types share a field, as only one is
        live."""
        return tuple(dict.fromkeys(self.captures[target] for target in self.members(node)))

    def type(self, type: Attribute, tree: Tree) -> Attribute:
        """Return a type with tuples for the functions in it."""
        if tree is None or tree in self.handles:
            return type
        if isinstance(tree, FlowNode):
            if tree not in self._types:
                kinds = self.kinds(tree)
                tagged = len(self.members(tree)) > 1
                self._types[tree] = tuple_type([TAG, *kinds]) if tagged else (*kinds, NOTHING)[0]
            return self._types[tree]
        fields = type.types  # pyright: ignore[reportAttributeAccessIssue]
        return tuple_type(self.type(t, sub) for t, sub in zip(fields, tree))

    def differ(self, source: Tree, into: Tree) -> bool:
        """Return whether a value must be rebuilt between two nodes; handles have one layout."""
        if isinstance(source, FlowNode) and isinstance(into, FlowNode):
            if source in self.handles:
                return False
            tagged = [len(self.members(node)) > 1 for node in (source, into)]
            return tagged[0] != tagged[1] or self.kinds(source) != self.kinds(into)
        if isinstance(source, tuple) and isinstance(into, tuple):
            return source is not into and any(map(self.differ, source, into))
        return False


def _innermost_first(flow: FunctionFlow) -> list[FunctionTarget]:
    """Return the targets, each after the targets it may capture; none may capture itself."""
    graph = {
        target: [
            t
            for node in nodes_of(flow.captures(target))
            if node not in flow.handles
            for t in node.targets
        ]
        for target in flow.makers
    }
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        cycle: list[FunctionTarget] = error.args[1]
        names = list(dict.fromkeys(target.callee for target in cycle))
        through = ", ".join(f"@{name}" for name in names)
        raise EndlessCaptureError(
            f"{describe(flow.makers[cycle[0]])}: expected a function value of finite size, found "
            f"one that may capture one like itself (through {through}); write the recursion as a "
            "function that calls itself, or inline the functions that it passes through with "
            "relax-inline-private-functions before relax-lambda-lift",
            names,
            cycle,
        ) from None
