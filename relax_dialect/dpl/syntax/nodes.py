"""The nodes that patterns are made of, one class for each kind, as data.

A pattern is a graph of these nodes: a node that occurs in it twice must match one value, so a diamond is
written by using its top twice. Nodes are immutable; their semantics are in `match_rules.py`. Users work
with the classes of `patterns.py`, without `Node` in their names, which add operators and methods.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from typing import ClassVar, Self

from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.ir.types import Dim

_SERIAL = count()

MADE: ContextVar[list[Node] | None] = ContextVar("made", default=None)
"""Collects the created nodes, if set."""


class Node:
    """A node of a pattern."""

    CONSUMES: ClassVar[bool] = False
    """Whether the matched op belongs to the match; else it is an input."""

    KIND: ClassVar[type[Node]]
    """The class of these that it is, or is made of."""

    serial: int
    """Nodes are numbered in creation order, so a node has a greater number than the nodes below it."""

    def __init_subclass__(cls) -> None:
        if not hasattr(cls, "KIND"):
            cls.KIND = cls

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        node = object.__new__(cls)
        node.__dict__["serial"] = next(_SERIAL)
        if (made := MADE.get()) is not None:
            made.append(node)
        return node

    def children(self) -> tuple[Node, ...]:
        """Return the nodes below this one."""
        return ()


@dataclass(frozen=True, eq=False, repr=False)
class WildcardNode(Node):
    """Any value."""


@dataclass(frozen=True, eq=False, repr=False)
class LiteralNode(Node):
    """This value and no other."""

    value: SSAValue | Value
    """A value, or a variable of the builder, which represents one while it is matched."""


@dataclass(frozen=True, eq=False, repr=False)
class ConstantNode(Node):
    """A constant; with a number one all of whose elements are that number."""

    number: float | int | bool | None = None


@dataclass(frozen=True, eq=False, repr=False)
class InputNode(Node):
    """A parameter of a function: it has no parents."""


@dataclass(frozen=True, eq=False, repr=False)
class VarNode(Node):
    """A variable: a parameter, or a value bound by `relax.let` or a `match_*`; of this name."""

    name: str | None = None
    in_dataflow: bool = False
    """Whether it is a variable of a dataflow block instead, whatever defines it."""


@dataclass(frozen=True, eq=False, repr=False)
class OpNode(Node):
    """An operator, or any call of it."""

    kind: type[Operation]

    CONSUMES: ClassVar[bool] = True


@dataclass(frozen=True, eq=False, repr=False)
class CallNode(Node):
    """A call: of an operator that matches `callee`, with arguments that match `args`."""

    callee: Node
    args: tuple[Node, ...]
    more: bool = False
    """Whether further arguments may follow."""
    commutes: bool = False
    """Whether two arguments may be in either order, if the operator allows it."""

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Node, ...]:
        return self.args


@dataclass(frozen=True, eq=False, repr=False)
class HasTypeNode(Node):
    """A pattern whose value has a type."""

    pattern: Node
    type: Attribute

    def children(self) -> tuple[Node, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class HasDtypeNode(Node):
    """A pattern whose value has this element type."""

    pattern: Node
    dtype: Attribute

    def children(self) -> tuple[Node, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class HasShapeNode(Node):
    """A pattern whose value has this shape; None is any size."""

    pattern: Node
    shape: tuple[Dim, ...]

    def children(self) -> tuple[Node, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class HasAttrNode(Node):
    """A pattern whose call or operator has an attribute."""

    pattern: Node
    name: str
    value: object
    """An attribute, or the Python value of one."""

    def children(self) -> tuple[Node, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class SameShapeAsNode(Node):
    """A pattern whose value has the shape of another node's."""

    pattern: Node
    other: Node

    def children(self) -> tuple[Node, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class EitherNode(Node):
    """The first pattern that matches."""

    first: Node
    second: Node

    SHOWS_FIRST: ClassVar[bool] = False
    """Whether the second is another spelling of the first, which texts leave out."""

    def children(self) -> tuple[Node, ...]:
        return (self.first, self.second)


@dataclass(frozen=True, eq=False, repr=False)
class BothNode(Node):
    """The conjunction of both patterns."""

    first: Node
    second: Node

    def children(self) -> tuple[Node, ...]:
        return (self.first, self.second)


@dataclass(frozen=True, eq=False, repr=False)
class NotNode(Node):
    """Matches where the pattern does not. Its nodes bind nothing."""

    pattern: Node

    def children(self) -> tuple[Node, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class NamedNode(Node):
    """A pattern whose value is found by name in a match."""

    name: str
    pattern: Node

    def children(self) -> tuple[Node, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class TupleNode(Node):
    """A `relax.tuple` of these fields, or of any. `ordered`: in this order."""

    fields: tuple[Node, ...] | None = None
    ordered: bool = True

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Node, ...]:
        return self.fields or ()


@dataclass(frozen=True, eq=False, repr=False)
class OutputNode(Node):
    """Output `index` of the op that the pattern matches: a result of an op with several, or a tuple's
    field."""

    pattern: Node
    index: int | None = None

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Node, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class IfNode(Node):
    """A `relax.if`: its condition, and the values that its branches yield."""

    condition: Node
    then: Node
    orelse: Node

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Node, ...]:
        return (self.condition, self.then, self.orelse)


@dataclass(frozen=True, eq=False, repr=False)
class LetNode(Node):
    """A `relax.let`: the variable, the value bound to it, and the value computed with it."""

    var: Node
    value: Node
    body: Node | None = None

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Node, ...]:
        return (self.var, self.value, *(() if self.body is None else (self.body,)))


@dataclass(frozen=True, eq=False, repr=False)
class FunctionNode(Node):
    """A function value, or a called function: its parameters and its result."""

    params: tuple[Node, ...] | None
    body: Node

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Node, ...]:
        return (*(self.params or ()), self.body)


@dataclass(frozen=True, eq=False, repr=False)
class SymbolCallNode(Node):
    """A call by name: `relax.call`, `relax.call_tir`, `relax.call_packed` and its kin."""

    ops: tuple[str, ...]
    name: str | FunctionNode | None
    """The name of the callee, or a pattern for the `relax.func`; None is any."""
    args: tuple[Node, ...] | None = None
    more: bool = False
    """Whether further arguments may follow."""

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Node, ...]:
        callee = (self.name,) if isinstance(self.name, FunctionNode) else ()
        return (*callee, *(self.args or ()))


@dataclass(frozen=True, eq=False, repr=False)
class HoleNode(Node):
    """The recursion point of a repetition: the argument of `wrap`."""


@dataclass(frozen=True, eq=False, repr=False)
class RepeatNode(Node):
    """The base wrapped `at_least` to `at_most` times; the maximum that matches.

    The nodes created inside `wrap` have numbers between the hole's and this node's.
    """

    base: Node
    hole: HoleNode
    wrapped: Node
    at_least: int
    at_most: int | None

    def children(self) -> tuple[Node, ...]:
        return (self.wrapped, self.base)


@dataclass(frozen=True, eq=False, repr=False)
class DominatesNode(Node):
    """A child all of whose paths up to the parent match `path`.

    Every op strictly between parent and child matches `path` (at its first result); every user of the
    parent, and of an op of the path, is an op of the path or the child. With `side_inputs` the ops of the
    path and the child may have operands that do not come from the parent, such as a bias; with "leaves", as
    in Relay, only parameters and constants.
    """

    parent: Node
    path: Node
    child: Node
    side_inputs: bool | str = True

    def children(self) -> tuple[Node, ...]:
        return (self.child, self.path, self.parent)


@dataclass(frozen=True, eq=False, repr=False)
class UsedByNode(Node):
    """The consumer, one of whose operands matches the producer; `only`: which nothing else uses."""

    producer: Node
    consumer: Node
    index: int | None
    only: bool

    def children(self) -> tuple[Node, ...]:
        return (self.consumer, self.producer)


@dataclass(frozen=True, eq=False, repr=False)
class TogetherNode(Node):
    """Several roots, which share nodes: the first is matched, the others are found from it."""

    roots: tuple[Node, ...]
    one_to_one: bool = True
    """Whether no value is matched twice, except for constants and shapes."""

    def children(self) -> tuple[Node, ...]:
        return self.roots
