"""The nodes that patterns are made of, one class for each kind.

A pattern is a graph of these nodes: a node that stands in it twice is one that must match one
value, so a diamond is written by using its top twice. Nodes are immutable; what they match is in
`steps.py`, and functions that make them, spelled as in the design document, in `language.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.ir.types import Dim

if TYPE_CHECKING:
    from relax_dialect.builder.values import Value
    from relax_dialect.dpl.match import Match


_SERIAL = count()

MADE: ContextVar[list[Pattern] | None] = ContextVar("made", default=None)
"""Takes up the patterns that are made, where someone asks for them."""


class Pattern:
    """A pattern of the dataflow pattern language.

    `p(a, b)` is a call of what p matches with arguments that match a and b, `p[i]` its output i;
    `p | q` either, `p & q` both, `~p` neither; `p ^ q` is q that uses p, `p >> q` one that is the
    only user of p. `+ - * /` are `is_op` of add, subtract, multiply and divide.
    """

    CONSUMES: ClassVar[bool] = False
    """Whether what it matches belongs to the match; else it is only looked at, as an input."""

    serial: int
    """Nodes are numbered as they are made, so a node has a greater number than those below it."""

    LANGUAGE: ClassVar[Any]
    """The module `language`, for the operators and methods that make further patterns."""

    DRIVERS: ClassVar[Any]
    """The module `drivers`, for the methods that change programs."""

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        node = object.__new__(cls)
        node.__dict__["serial"] = next(_SERIAL)
        if (made := MADE.get()) is not None:
            made.append(node)
        return node

    def children(self) -> tuple[Pattern, ...]:
        """The nodes below this one."""
        return ()

    # What it matches, see `language.py` -------------------------------------------------------

    def match(self, expr: object) -> bool:
        """Whether the pattern matches a value, an expression of the builder, or an operator."""
        return _language().match(self, expr)

    def extract(self, expr: object) -> Match | None:
        """What each node of the pattern matched, or None where the pattern does not match."""
        return _language().extract(self, expr)

    def find_all(self, where: object) -> list[Match]:
        """All matches in a block, function or module, in the order of their roots."""
        return _language().find_all(self, where)

    def extract_matched_expr(self, expr: object) -> Match | None:
        """`extract` as TVM calls it."""
        return _language().extract(self, expr)

    def partition(self, where: Any, attrs: Any = None, check: Any = None, **options: Any) -> Any:
        """Make functions of all matches in a function or module, which is given back; see `partition`."""
        self.DRIVERS.partition(self, where, attrs, check, **options)
        return where

    # Patterns made of it ----------------------------------------------------------------------

    def __call__(
        self,
        *args: object,
        varg_default_wildcard: bool = False,
        in_order: bool = False,
        **attributes: object,
    ) -> Pattern:
        return _language().call(self, args, varg_default_wildcard, in_order, attributes)

    def __getitem__(self, index: int | None) -> Pattern:
        return _language().is_tuple_get_item(self, index)

    def __or__(self, other: object) -> Pattern:
        return _language().either(self, other)

    def __ror__(self, other: object) -> Pattern:
        return _language().either(other, self)

    def __and__(self, other: object) -> Pattern:
        return _language().both(self, other)

    def __rand__(self, other: object) -> Pattern:
        return _language().both(other, self)

    def __invert__(self) -> Pattern:
        return _language().neither(self)

    def __xor__(self, other: object) -> Pattern:
        return self.used_by(other)

    def __rshift__(self, other: object) -> Pattern:
        return self.only_used_by(other)

    def __add__(self, other: object) -> Pattern:
        return _language().is_op("add")(self, other)

    def __radd__(self, other: object) -> Pattern:
        return _language().is_op("add")(other, self)

    def __sub__(self, other: object) -> Pattern:
        return _language().is_op("subtract")(self, other)

    def __rsub__(self, other: object) -> Pattern:
        return _language().is_op("subtract")(other, self)

    def __mul__(self, other: object) -> Pattern:
        return _language().is_op("multiply")(self, other)

    def __rmul__(self, other: object) -> Pattern:
        return _language().is_op("multiply")(other, self)

    def __truediv__(self, other: object) -> Pattern:
        return _language().is_op("divide")(self, other)

    def __rtruediv__(self, other: object) -> Pattern:
        return _language().is_op("divide")(other, self)

    __array_ufunc__ = None  # numpy leaves `array + pattern` to us

    def __bool__(self) -> NoReturn:
        raise _language().PatternError(
            f"{self}: expected p & q, p | q or ~p, found a pattern asked for its truth; Python's and, or, "
            "not and if ask for it: p.match(value) tells whether it matches"
        )

    def __iter__(self) -> NoReturn:
        raise _language().PatternError(
            f"{self}: expected a pattern to be indexed, p[0], found it unpacked; a pattern does not "
            "know how many outputs it has"
        )

    def has_type(self, type: Attribute | str) -> Pattern:
        """The value also has this type, or one that is narrower."""
        return _language().has_type(self, type)

    def has_dtype(self, dtype: Attribute | str) -> Pattern:
        """The value is also a tensor of this element type: `f32` or `float32`."""
        return _language().has_dtype(self, dtype)

    def has_shape(self, shape: Any) -> Pattern:
        """The value also has this shape: symbolic sizes, numbers, and None for any size."""
        return _language().has_shape(self, shape)

    def has_attr(self, attr: str | Mapping[str, object], *value: object) -> Pattern:
        """The call, or the operator itself, also has attributes: a name and a value, or a dict."""
        return _language().has_attr(self, attr, *value)

    def same_shape_as(self, other: Pattern) -> Pattern:
        """The value also has the shape of what another node of the pattern matches."""
        return _language().same_shape_as(self, other)

    def optional(self, wrap: Callable[[Pattern], Pattern]) -> Pattern:
        """`wrap(self)` where that matches, else `self`: `conv.optional(lambda p: is_op("relu")(p))`."""
        return _language().optional(self, wrap)

    def repeat(
        self,
        wrap: Callable[[Pattern], Pattern],
        at_least: int = 0,
        at_most: int | None = None,
    ) -> Pattern:
        """`self` wrapped any number of times, the most that match."""
        return _language().repeat(self, wrap, at_least, at_most)

    def used_by(self, consumer: object, index: int | None = None) -> Pattern:
        """The consumer, which uses this (as operand `index`)."""
        return _language().used_by(self, consumer, index)

    def only_used_by(self, consumer: object, index: int | None = None) -> Pattern:
        """The consumer, which uses this (as operand `index`) and is its only user."""
        return _language().only_used_by(self, consumer, index)

    def fork_to(self, *consumers: object, one_to_one: bool = True) -> Pattern:
        """Several consumers that all use this: a pattern with a root for each."""
        return _language().fork_to(self, *consumers, one_to_one=one_to_one)

    def dominates(
        self, parent: object, path: object = None, side_inputs: bool | str = True
    ) -> Pattern:
        """This, where all ways lead to it from the parent through the path (of anything)."""
        path = Wildcard() if path is None else path
        return _language().dominates(parent, path, self, side_inputs)

    def dup(self) -> Pattern:
        """A pattern of the same form with nodes of its own, which may match another value."""
        return _language().dup(self)

    def named(self, name: str) -> Pattern:
        """The same, found by name in a match."""
        return _language().named(name, self)

    def __repr__(self) -> str:
        return _language().pattern_text(self)


def _language() -> Any:
    """The functions of `language.py`, which stands above this file and hands itself down."""
    return Pattern.LANGUAGE


@dataclass(frozen=True, eq=False, repr=False)
class Wildcard(Pattern):
    """Any value."""


@dataclass(frozen=True, eq=False, repr=False)
class Literal(Pattern):
    """This value and no other."""

    value: SSAValue | Value
    """A value, or a variable of the builder, which stands for one while it is matched."""


@dataclass(frozen=True, eq=False, repr=False)
class Constant(Pattern):
    """A constant; with a number one all of whose elements are that number."""

    number: float | int | bool | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Input(Pattern):
    """A parameter of a function: it has no parents."""


@dataclass(frozen=True, eq=False, repr=False)
class Var(Pattern):
    """A variable: a parameter, or a value bound by `relax.let` or a `match_*`; of this name."""

    name: str | None = None
    in_dataflow: bool = False
    """Whether it is one of a dataflow block instead, whatever gives it."""


@dataclass(frozen=True, eq=False, repr=False)
class Op(Pattern):
    """An operator, or any call of it."""

    kind: type[Operation]

    CONSUMES: ClassVar[bool] = True


@dataclass(frozen=True, eq=False, repr=False)
class Call(Pattern):
    """A call: of an operator that matches `callee`, with arguments that match `args`."""

    callee: Pattern
    args: tuple[Pattern, ...]
    more: bool = False
    """Whether further arguments may follow."""
    commutes: bool = False
    """Whether two arguments may stand in either order, where the operator allows it."""

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Pattern, ...]:
        return self.args


@dataclass(frozen=True, eq=False, repr=False)
class HasType(Pattern):
    """What the pattern matches, of a type."""

    pattern: Pattern
    type: Attribute

    def children(self) -> tuple[Pattern, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class HasDtype(Pattern):
    """What the pattern matches, with this element type."""

    pattern: Pattern
    dtype: Attribute

    def children(self) -> tuple[Pattern, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class HasShape(Pattern):
    """What the pattern matches, with this shape; None is any size."""

    pattern: Pattern
    shape: tuple[Dim, ...]

    def children(self) -> tuple[Pattern, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class HasAttr(Pattern):
    """What the pattern matches, with an attribute of its call or of its operator."""

    pattern: Pattern
    name: str
    value: object
    """An attribute, or the Python value of one."""

    def children(self) -> tuple[Pattern, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class SameShapeAs(Pattern):
    """What the pattern matches, with the shape of what another node matches."""

    pattern: Pattern
    other: Pattern

    def children(self) -> tuple[Pattern, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class Either(Pattern):
    """The first pattern that matches."""

    first: Pattern
    second: Pattern

    def children(self) -> tuple[Pattern, ...]:
        return (self.first, self.second)


@dataclass(frozen=True, eq=False, repr=False)
class Both(Pattern):
    """Both patterns at once."""

    first: Pattern
    second: Pattern

    def children(self) -> tuple[Pattern, ...]:
        return (self.first, self.second)


@dataclass(frozen=True, eq=False, repr=False)
class Not(Pattern):
    """What the pattern does not match. Its nodes bind nothing."""

    pattern: Pattern

    def children(self) -> tuple[Pattern, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class Named(Pattern):
    """What the pattern matches, found by name in a match."""

    name: str
    pattern: Pattern

    def children(self) -> tuple[Pattern, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class Tuple(Pattern):
    """A `relax.tuple` of fields; of any where none are given. `ordered`: as they stand."""

    fields: tuple[Pattern, ...] | None = None
    ordered: bool = True

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Pattern, ...]:
        return self.fields or ()


@dataclass(frozen=True, eq=False, repr=False)
class Output(Pattern):
    """Output `index` of what the pattern matches: a result of an op with several, or a tuple's field."""

    pattern: Pattern
    index: int | None = None

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Pattern, ...]:
        return (self.pattern,)


@dataclass(frozen=True, eq=False, repr=False)
class If(Pattern):
    """A `relax.if`: its condition, and what its branches yield."""

    condition: Pattern
    then: Pattern
    orelse: Pattern

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Pattern, ...]:
        return (self.condition, self.then, self.orelse)


@dataclass(frozen=True, eq=False, repr=False)
class Let(Pattern):
    """A `relax.let`: the variable, the value bound to it, and what is computed with it."""

    var: Pattern
    value: Pattern
    body: Pattern | None = None

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Pattern, ...]:
        return (self.var, self.value, *(() if self.body is None else (self.body,)))


@dataclass(frozen=True, eq=False, repr=False)
class Function(Pattern):
    """A function value, or a function that is called: its parameters and what it returns."""

    params: tuple[Pattern, ...] | None
    body: Pattern

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Pattern, ...]:
        return (*(self.params or ()), self.body)


@dataclass(frozen=True, eq=False, repr=False)
class SymbolCall(Pattern):
    """A call by name: `relax.call`, `relax.call_tir`, `relax.call_packed` and its kin."""

    ops: tuple[str, ...]
    name: str | Function | None
    """The name of the callee, or a pattern for the `relax.func`; None is any."""
    args: tuple[Pattern, ...] | None = None
    more: bool = False
    """Whether further arguments may follow."""

    CONSUMES: ClassVar[bool] = True

    def children(self) -> tuple[Pattern, ...]:
        callee = (self.name,) if isinstance(self.name, Function) else ()
        return (*callee, *(self.args or ()))


@dataclass(frozen=True, eq=False, repr=False)
class Hole(Pattern):
    """Where a repetition goes on: what `wrap` is called with."""


@dataclass(frozen=True, eq=False, repr=False)
class Repeat(Pattern):
    """The base wrapped `at_least` to `at_most` times; the most that match.

    The nodes made inside `wrap` are those between the hole and this node by their numbers.
    """

    base: Pattern
    hole: Hole
    wrapped: Pattern
    at_least: int
    at_most: int | None

    def children(self) -> tuple[Pattern, ...]:
        return (self.wrapped, self.base)


@dataclass(frozen=True, eq=False, repr=False)
class Dominates(Pattern):
    """A child all of whose ways up to the parent go through the path, and nowhere else.

    Every op strictly between parent and child matches `path` (asked of its first result); every user of
    the parent, and of an op of the path, is an op of the path or the child. With `side_inputs` the ops of
    the path and the child may have operands that do not come from the parent, such as a bias; with
    "leaves", as in Relay, only parameters and constants.
    """

    parent: Pattern
    path: Pattern
    child: Pattern
    side_inputs: bool | str = True

    def children(self) -> tuple[Pattern, ...]:
        return (self.child, self.path, self.parent)


@dataclass(frozen=True, eq=False, repr=False)
class UsedBy(Pattern):
    """The consumer, one of whose operands matches the producer; `only`: which nothing else uses."""

    producer: Pattern
    consumer: Pattern
    index: int | None
    only: bool

    def children(self) -> tuple[Pattern, ...]:
        return (self.consumer, self.producer)


@dataclass(frozen=True, eq=False, repr=False)
class Together(Pattern):
    """Several roots, which share nodes: the first is matched, the others are found from it."""

    roots: tuple[Pattern, ...]
    one_to_one: bool = True
    """Whether no value is matched at two places, but for constants and shapes."""

    def children(self) -> tuple[Pattern, ...]:
        return self.roots


__all__ = [
    "Both",
    "Call",
    "Constant",
    "Dominates",
    "Either",
    "Function",
    "HasAttr",
    "HasDtype",
    "HasShape",
    "HasType",
    "Hole",
    "If",
    "Input",
    "Let",
    "Literal",
    "Named",
    "Not",
    "Op",
    "Output",
    "Pattern",
    "Repeat",
    "SameShapeAs",
    "SymbolCall",
    "Together",
    "Tuple",
    "UsedBy",
    "Var",
    "Wildcard",
]
