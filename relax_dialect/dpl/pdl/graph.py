"""One reading of a pattern as PDL: ops with operands, attributes and types, and plain operands.

Nodes that match one value (`p`, `p.has_type(t)`, `named("x", p)`) are unified into one `GraphNode`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation, VariadicDef

from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.pdl.choices import Choices, ImpossibleError
from relax_dialect.dpl.pdl.pdl_attributes import full_constants, wanted_attribute
from relax_dialect.dpl.pdl.refusals import is_whole, refuse, refuse_kind
from relax_dialect.dpl.search.satisfiability import nodes_of
from relax_dialect.dpl.syntax import nodes
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.dpl.syntax.pattern_text import pattern_text
from relax_dialect.dpl.syntax.signatures import gives_several
from relax_dialect.ops.core import ConstantOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.kinds import is_commutative

MOST_NODES = 256
"""A pattern of PDL is matched by recursion over it."""


@dataclass(eq=False)
class GraphNode:
    """An op of the program, or a value that is only used, for which `kind` is None."""

    kind: type[Operation] | None = None
    operands: tuple[Seen, ...] = ()
    results: int = 1
    attributes: dict[str, Attribute] = field(default_factory=dict)
    types: dict[int, Attribute] = field(default_factory=dict)
    """The required types, by result."""
    name: str | None = None
    same: GraphNode | None = None
    """The `GraphNode` that this one was unified with."""


@dataclass(frozen=True)
class Seen:
    """A value of a `GraphNode`; without an index any result of an op that has several."""

    at: GraphNode
    index: int | None = 0

    @property
    def place(self) -> GraphNode:
        place = self.at
        while place.same is not None:
            place = place.same
        return place

    @property
    def key(self) -> tuple[GraphNode, int]:
        """Equal for one value, different for two."""
        return self.place, self.index or 0

    @property
    def type(self) -> Attribute | None:
        """Return the required type."""
        return self.place.types.get(self.index or 0)


class PatternGraph:
    """The graph of `GraphNode`s of a pattern, for one combination of its choices."""

    def __init__(self, pattern: Node, choices: Choices):
        self._choices = choices
        self._seen: dict[Node, Seen] = {}
        everything = nodes_of(pattern)
        if len(everything) > MOST_NODES:
            raise PatternError(
                f"to_pdl: expected a pattern of at most {MOST_NODES} nodes, found {len(everything)} in "
                f"{pattern_text(pattern)}; split it"
            )
        self._users = Counter(child for node in everything for child in node.children())
        self._numbers: list[tuple[nodes.ConstantNode, Seen]] = []
        self.root = self.value(pattern)
        if self.root.place.kind is None:
            refuse(pattern, "a root that is no op", "start it with is_op(...)(...)")
        for node, seen in self._numbers:
            found = full_constants(node, seen.type)
            self._ask(seen.place, "value", found[choices.take(len(found))])

    def value(self, node: Node) -> Seen:
        """Return the value that a node matches."""
        if node not in self._seen:
            self._seen[node] = self._read(node)
        return self._seen[node]

    def known(self, node: Node) -> Seen | None:
        """Return the value of a node that takes part."""
        return self._seen.get(node)

    def _read(self, node: Node) -> Seen:
        match node:
            case nodes.WildcardNode():
                return Seen(GraphNode())
            case nodes.NamedNode(name, inner):
                seen = self.value(inner)
                seen.place.name = seen.place.name or name
                return seen
            case nodes.EitherNode():
                return self.value(node.children()[self._choices.take(2)])
            case nodes.BothNode(first, second):
                return self._both(node, self.value(first), self.value(second))
            case nodes.HasTypeNode(inner, type):
                return self._typed(node, self.value(inner), type)
            case nodes.HasAttrNode(inner, name, wanted):
                seen = self.value(inner)
                self._has_attr(node, seen.place, name, wanted)
                return seen
            case nodes.ConstantNode(number):
                seen = Seen(GraphNode(ConstantOp))
                if number is not None:
                    self._numbers.append((node, seen))
                return seen
            case nodes.OpNode() | nodes.CallNode():
                return self._call(node)
            case nodes.TupleNode(fields):
                if fields is None:
                    refuse(node, "is_tuple of any number of fields", "list the fields")
                return Seen(GraphNode(TupleOp, self._operands(fields)))
            case nodes.OutputNode(inner, index):
                return self._output(node, inner, index)
            case _:
                refuse_kind(node)

    def _operands(self, args: tuple[Node, ...]) -> tuple[Seen, ...]:
        return tuple(map(self._operand, args))

    def _operand(self, node: Node) -> Seen:
        seen = self.value(node)
        if seen.index is None:
            refuse(node, "any result of an op that has several", "choose one: p[0]")
        return seen

    # Ops --------------------------------------------------------------------------------------

    def _call(self, node: nodes.OpNode | nodes.CallNode) -> Seen:
        place = GraphNode()
        self._operator(node, node if isinstance(node, nodes.OpNode) else node.callee, place)
        kind = place.kind
        if kind is None:
            refuse(
                node,
                "a call of any operator, with any number of results",
                "name the operator by is_op",
            )
        definition = kind.get_irdl_definition() if issubclass(kind, IRDLOperation) else None
        if definition is None or any(isinstance(d, VariadicDef) for _, d in definition.results):
            refuse(node, f"{kind.name}, with any number of results", "keep the rule in Python")
        place.results = len(definition.results)
        if isinstance(node, nodes.OpNode):
            if any(isinstance(d, VariadicDef) for _, d in definition.operands):
                refuse(
                    node, f"{kind.name} with any number of arguments", "call it: is_op(name)(...)"
                )
            place.operands = tuple(Seen(GraphNode()) for _ in definition.operands)
        else:
            if node.more:
                refuse(node, "any number of further arguments", "list the arguments")
            swaps = node.commutes and is_commutative(kind) and self._orders_differ(node.args)
            swapped = swaps and self._choices.take(2) == 1
            operands = self._operands(node.args)
            place.operands = operands[::-1] if swapped else operands
        return Seen(place, 0 if place.results == 1 else None)

    def _orders_differ(self, args: tuple[Node, ...]) -> bool:
        """Return whether the other order of two arguments can match where the first one does not."""
        free = all(isinstance(a, nodes.WildcardNode) and self._users[a] == 1 for a in args)
        return args[0] is not args[1] and not free

    def _operator(self, node: Node, callee: Node, place: GraphNode) -> None:
        """Read the callee: a name, attributes, alternatives."""
        match callee:
            case nodes.OpNode(kind):
                if place.kind is not None and place.kind.name != kind.name:
                    raise ImpossibleError
                place.kind = kind
                place.results = len(kind.get_irdl_definition().results)  # pyright: ignore
            case nodes.EitherNode():
                self._operator(node, callee.children()[self._choices.take(2)], place)
            case nodes.BothNode(first, second):
                self._operator(node, first, place)
                self._operator(node, second, place)
            case nodes.HasAttrNode(inner, name, wanted):
                self._operator(node, inner, place)
                self._has_attr(callee, place, name, wanted)
            case nodes.NamedNode(_, inner):
                self._operator(node, inner, place)
            case nodes.WildcardNode():
                pass
            case _:
                refuse_kind(callee)

    def _output(self, node: Node, inner: Node, index: int | None) -> Seen:
        seen = self.value(inner)
        kind = seen.place.kind
        if kind is None:
            refuse(
                node,
                "an output of any op, of a tuple or of several results",
                "say of which: is_op(...)(...)[0]",
            )
        if not gives_several(kind):
            if index is None:
                refuse(node, "any output", "choose one: p[0]")
            place = GraphNode(TupleGetItemOp, (seen,))
            self._has_attr(node, place, "index", index)
            return Seen(place)
        if index is None:
            refuse(node, "any output", "choose one: p[0]")
        if index >= seen.place.results or seen.index not in (None, index):
            raise ImpossibleError
        return Seen(seen.place, index)

    # Constraints ------------------------------------------------------------------------------

    def _typed(self, node: Node, seen: Seen, type: Attribute) -> Seen:
        if not is_whole(type):
            refuse(
                node,
                f"has_type({type}), which narrower types are too",
                "state a type without ?, * and !relax.object",
            )
        if seen.index is None:
            refuse(node, "has_type of any result of an op that has several", "choose one: p[0]")
        if seen.place.types.setdefault(seen.index, type) != type:
            raise ImpossibleError
        return seen

    def _has_attr(self, node: Node, place: GraphNode, name: str, wanted: object) -> None:
        if place.kind is None:
            refuse(node, "has_attr of any op", "name the operator by is_op")
        self._ask(place, name, wanted_attribute(place.kind, name, wanted, node))

    @staticmethod
    def _ask(place: GraphNode, name: str, wanted: Attribute) -> None:
        if place.attributes.setdefault(name, wanted) != wanted:
            raise ImpossibleError

    def _both(self, node: Node, first: Seen, second: Seen) -> Seen:
        """Two nodes of one value: one of them a plain value, or both the same."""
        one, two = first.place, second.place
        if one is two:
            return first if first.index is not None else second
        if two.kind is not None:
            first, second, one, two = second, first, two, one
        if two.kind is not None:
            refuse(node, "& of two ops", "write one op with the attributes and arguments of both")
        if first.index != 0:
            refuse(node, "& of an op that has several results", "write p[1] alone")
        for type in two.types.values():
            self._typed(node, first, type)
        one.name = one.name or two.name
        two.same = one
        return first
