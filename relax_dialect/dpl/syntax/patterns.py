"""Patterns as users hold them: the nodes of `nodes.py`, with operators and methods that make further ones.

The functions that make patterns, spelled as in the design document, are in `language.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import reduce
from numbers import Number
from typing import Any, NoReturn

from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.builder.values import Value, element_type
from relax_dialect.dpl import matching
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.rewriter.partition import outline_matches
from relax_dialect.dpl.search import satisfiability
from relax_dialect.dpl.search.match import Match
from relax_dialect.dpl.search.satisfiability import checked
from relax_dialect.dpl.syntax import arguments, nodes, pattern_names
from relax_dialect.dpl.syntax.attribute_kinds import require_value
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.dpl.syntax.pattern_text import pattern_text
from relax_dialect.dpl.syntax.signatures import operand_counts
from relax_dialect.dpl.syntax.suggestions import asking, found_text, no_pattern
from relax_dialect.dpl.syntax.type_text import read_type
from relax_dialect.errors import RelaxError
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.core import TupleOp
from relax_dialect.ops.kinds import is_commutative


class Pattern(Node):
    """A pattern of the dataflow pattern language.

    `p(a, b)` is a call of what p matches with arguments that match a and b, `p[i]` its output i; `p | q`
    either, `p & q` both, `~p` neither; `p ^ q` is q that uses p, `p >> q` is q that is the only user of p.
    `+ - * /` are `is_op` of add, subtract, multiply and divide.
    """

    # Matching ---------------------------------------------------------------------------------

    def match(self, expr: object) -> bool:
        """Return whether the pattern matches a value, an expression of the builder, or an operator."""
        return matching.match(self, expr)

    def extract(self, expr: object) -> Match | None:
        """Return the match of the pattern, with the value of each node, or None if it does not match."""
        return matching.extract(self, expr)

    def find_all(self, where: object) -> list[Match]:
        """All matches in a block, function or module, in the order of their roots."""
        return matching.find_all(self, where)

    def extract_matched_expr(self, expr: object) -> Match | None:
        """`extract` as TVM calls it."""
        return matching.extract(self, expr)

    def partition(self, where: Any, attrs: Any = None, check: Any = None, **options: Any) -> Any:
        """Outline all matches in a function or module into functions; returns `where`. See `partition`."""
        outline_matches(self, where, attrs, check, **options)
        return where

    # Patterns made of it ----------------------------------------------------------------------

    def __call__(
        self,
        *args: object,
        varg_default_wildcard: bool = False,
        in_order: bool = False,
        **attributes: object,
    ) -> Pattern:
        more = varg_default_wildcard
        if len(args) == 1 and args[0] is None:  # any arguments
            args, more = (), True
        arguments.flag(self, "varg_default_wildcard", more)
        arguments.flag(self, "in_order", in_order)
        arguments.no_attributes(self, attributes)
        _one_root(self)
        given = tuple(as_pattern(a, self) for a in args)
        if isinstance(self, Function):
            kinds = ("relax.call", "relax.call_closure")
            return checked(SymbolCall(kinds, self, given, more))
        if isinstance(self, SymbolCall) and self.args is None:
            return checked(replace(self, args=given, more=more))
        satisfiability.require_operator(self)
        kinds = satisfiability.possible_ops(self)
        if not more and _stands_for_tuple(given, kinds or ()):
            return checked(Spelled(Call(self, given), Call(self, (), True)))
        given, more = _one_by_one(given, more, kinds or ())
        commutes = not in_order and not more and len(given) == 2
        if kinds is not None and not any(is_commutative(kind) for kind in kinds):
            commutes = False
        return _reassociated(checked(Call(self, given, more, commutes)), in_order)

    def __getitem__(self, index: int | None) -> Pattern:
        found = _one_root(self, "is_tuple_get_item")
        arguments.index(
            lambda: f"{pattern_text(found)}[...]",
            "an output",
            index,
            "is_tuple_get_item(p) matches any",
        )
        return checked(Output(found, index))

    def __or__(self, other: object) -> Pattern:
        return Either(_one_root(self, "p | q"), as_pattern(other, "p | q"))

    def __ror__(self, other: object) -> Pattern:
        return as_pattern(other, "p | q") | self

    def __and__(self, other: object) -> Pattern:
        return checked(Both(_one_root(self, "p & q"), as_pattern(other, "p & q")))

    def __rand__(self, other: object) -> Pattern:
        return as_pattern(other, "p & q") & self

    def __invert__(self) -> Pattern:
        return Not(_one_root(self, "~p"))

    def __xor__(self, other: object) -> Pattern:
        return self.used_by(other)

    def __rshift__(self, other: object) -> Pattern:
        return self.only_used_by(other)

    def __add__(self, other: object) -> Pattern:
        return operator("add")(self, other)

    def __radd__(self, other: object) -> Pattern:
        return operator("add")(other, self)

    def __sub__(self, other: object) -> Pattern:
        return operator("subtract")(self, other)

    def __rsub__(self, other: object) -> Pattern:
        return operator("subtract")(other, self)

    def __mul__(self, other: object) -> Pattern:
        return operator("multiply")(self, other)

    def __rmul__(self, other: object) -> Pattern:
        return operator("multiply")(other, self)

    def __truediv__(self, other: object) -> Pattern:
        return operator("divide")(self, other)

    def __rtruediv__(self, other: object) -> Pattern:
        return operator("divide")(other, self)

    __array_ufunc__ = None  # numpy leaves `array + pattern` to us

    def __bool__(self) -> NoReturn:
        raise PatternError(
            f"{self}: expected p & q, p | q or ~p, found a pattern asked for its truth; Python's and, or, "
            "not and if ask for it: p.match(value) returns whether it matches"
        )

    def __iter__(self) -> NoReturn:
        raise PatternError(
            f"{self}: expected a pattern to be indexed, p[0], found it unpacked; a pattern does not "
            "know how many outputs it has"
        )

    def has_type(self, type: Attribute | str) -> Pattern:
        """The value also has this type, or a narrower one."""
        found = read_type(type) if isinstance(type, str) else type
        found = arguments.type_of_value("has_type", found)
        return checked(HasType(_one_root(self, "has_type"), found))

    def has_dtype(self, dtype: Attribute | str) -> Pattern:
        """The value is also a tensor of this element type: `f32` or `float32`."""
        try:
            found = element_type(dtype)
        except RelaxError as error:
            raise PatternError(f"has_dtype: {error}") from None
        return checked(HasDtype(_one_root(self, "has_dtype"), found))

    def has_shape(self, shape: Any) -> Pattern:
        """The value also has this shape: symbolic sizes, numbers, and None for any size."""
        sizes = arguments.sizes("has_shape", shape)
        return checked(HasShape(_one_root(self, "has_shape"), sizes))

    def has_attr(self, attr: str | Mapping[str, object], *value: object) -> Pattern:
        """The call, or the operator itself, also has attributes: a name and a value, or a dict.

        `p.has_attr("axis", 1)`, `p.has_attr({"axis": 1})`, `p.has_attr("TOpPattern", K_ELEMWISE)`. The
        value None requires an omitted attribute, which has its default. Raises `PatternError` if no
        operator that p may match has the attribute.
        """
        found = _one_root(self, "has_attr")
        for name, wanted in arguments.attributes(attr, value).items():
            kinds = satisfiability.possible_ops(found)
            pattern_names.require_attribute(name, kinds)
            require_value(name, wanted, kinds)
            found = checked(HasAttr(found, name, wanted))
        return found

    def same_shape_as(self, other: object) -> Pattern:
        """The value also has the shape of the value that another node of the pattern matches."""
        first, second = _one_root(self, "same_shape_as"), as_pattern(other, "same_shape_as")
        return checked(SameShapeAs(first, second))

    def optional(self, wrap: Callable[[Pattern], Pattern]) -> Pattern:
        """`wrap(self)` where that matches, else `self`: `conv.optional(lambda p: is_op("relu")(p))`."""
        base = _one_root(self, "optional")
        wrapped = as_pattern(arguments.wrapped("optional", wrap, base), "optional")
        return Either(wrapped, base)

    def repeat(
        self,
        wrap: Callable[[Pattern], Pattern],
        at_least: int = 0,
        at_most: int | None = None,
    ) -> Pattern:
        """`self` wrapped any number of times, the most that match.

        `wildcard().repeat(lambda p: is_op("relu")(p), at_least=1)` matches any depth of relu. A node made
        inside `wrap` is a new one each time; one from outside must match the same value every time.
        """
        base = _one_root(self, "repeat")
        counts = (at_least, 0 if at_most is None else at_most)
        if not all(map(arguments.is_count, counts)) or (
            at_most is not None and at_most < max(at_least, 1)
        ):
            raise PatternError(
                f"repeat: expected 0 <= at_least <= at_most and at_most >= 1, found at_least={at_least!r} "
                f"and at_most={at_most!r}; at_most=None matches any number"
            )
        hole = Hole()
        wrapped = as_pattern(arguments.wrapped("repeat", wrap, hole), "repeat")
        if wrapped is hole:
            raise PatternError(
                "repeat: expected wrap to put an op around its pattern, found it bare; "
                'write lambda p: is_op("relu")(p)'
            )
        return checked(Repeat(base, hole, wrapped, at_least, at_most))

    def used_by(self, consumer: object, index: int | None = None) -> Pattern:
        """The consumer, which uses this (as operand `index`)."""
        return self._chained("used_by", consumer, index, False)

    def only_used_by(self, consumer: object, index: int | None = None) -> Pattern:
        """The consumer, which uses this (as operand `index`) and is its only user."""
        return self._chained("only_used_by", consumer, index, True)

    def fork_to(self, *consumers: object, one_to_one: bool = True) -> Pattern:
        """Several consumers that all use this: a pattern with a root for each."""
        chains = [self._chained("fork_to", consumer, None, False) for consumer in consumers]
        return with_roots("fork_to", chains, one_to_one)

    def _chained(self, what: str, second: object, index: int | None, only: bool) -> Pattern:
        producer, consumer = _one_root(self, what), as_pattern(second, what)
        arguments.index(what, "an operand", index, "leave it out for any")
        links: list[nodes.UsedByNode] = []
        while isinstance(consumer, nodes.UsedByNode):
            links.append(consumer)
            consumer = consumer.producer
        found = checked(UsedBy(producer, consumer, index, only))
        for link in reversed(links):
            found = checked(UsedBy(found, link.consumer, link.index, link.only))
        return found

    def dominates(
        self, parent: object, path: object = None, side_inputs: bool | str = True
    ) -> Pattern:
        """This, where all ways lead to it from the parent through the path (of anything).

        Matches at the child, which is this. Every op between the two matches `path`; every user of the
        parent and of the path is one of these ops or the child. `side_inputs`: whether the ops of the path
        and the child may have operands from elsewhere, such as a bias; "leaves", Relay's rule: only
        parameters and constants from elsewhere. The path may be the same pattern as the parent or the
        child, and then matches other ops like them.
        """
        arguments.side_inputs(side_inputs)
        parent = as_pattern(parent, "dominates")
        path = Wildcard() if path is None else as_pattern(path, "dominates")
        child = _one_root(self, "dominates")
        if path is parent or path is child:
            path = path.dup()
        return checked(Dominates(parent, path, child, side_inputs))

    def dup(self) -> Pattern:
        """A pattern of the same form with nodes of its own, which may match another value."""
        made: dict[object, Any] = {}
        for node in sorted(satisfiability.nodes_of(self), key=lambda node: node.serial):
            changed: dict[str, Any] = {}
            for field in fields(node):  # pyright: ignore[reportArgumentType]
                value = getattr(node, field.name)
                if isinstance(value, tuple) and any(v in made for v in value):
                    changed[field.name] = tuple(made.get(v, v) for v in value)
                elif isinstance(value, Node) and value in made:
                    changed[field.name] = made[value]
            made[node] = replace(node, **changed)  # pyright: ignore[reportArgumentType]
        return made[self]

    def named(self, name: str) -> Pattern:
        """The same, found by name in a match."""
        if not isinstance(name, str) or not name:
            raise PatternError(
                f"named: expected a name and a pattern, found {found_text(name)} as the name; write "
                'p.named("x")'
            )
        return Named(name, _one_root(self, "named"))

    def __repr__(self) -> str:
        return pattern_text(self)


class Wildcard(nodes.WildcardNode, Pattern): ...


class Literal(nodes.LiteralNode, Pattern): ...


class Constant(nodes.ConstantNode, Pattern): ...


class Input(nodes.InputNode, Pattern): ...


class Var(nodes.VarNode, Pattern): ...


class Op(nodes.OpNode, Pattern): ...


class Call(nodes.CallNode, Pattern): ...


class HasType(nodes.HasTypeNode, Pattern): ...


class HasDtype(nodes.HasDtypeNode, Pattern): ...


class HasShape(nodes.HasShapeNode, Pattern): ...


class HasAttr(nodes.HasAttrNode, Pattern): ...


class SameShapeAs(nodes.SameShapeAsNode, Pattern): ...


class Either(nodes.EitherNode, Pattern): ...


class Spelled(Either):
    """A call as it was written, or the same in another spelling."""

    SHOWS_FIRST = True


class Both(nodes.BothNode, Pattern): ...


class Not(nodes.NotNode, Pattern): ...


class Named(nodes.NamedNode, Pattern): ...


class Tuple(nodes.TupleNode, Pattern): ...


class Output(nodes.OutputNode, Pattern): ...


class If(nodes.IfNode, Pattern): ...


class Let(nodes.LetNode, Pattern): ...


class Function(nodes.FunctionNode, Pattern): ...


class SymbolCall(nodes.SymbolCallNode, Pattern): ...


class Hole(nodes.HoleNode, Pattern): ...


class Repeat(nodes.RepeatNode, Pattern): ...


class Dominates(nodes.DominatesNode, Pattern): ...


class UsedBy(nodes.UsedByNode, Pattern): ...


class Together(nodes.TogetherNode, Pattern): ...


def operator(name: str | type[Operation]) -> Op:
    """The pattern of an operator, by name or as its class."""
    return Op(pattern_names.operator(name) if isinstance(name, str) else pattern_names.known(name))


def as_pattern(given: object, what: str | Pattern = "") -> Pattern:
    """Convert to a pattern: a value or an operator is itself, a number a constant.

    `what` is the calling function, or the pattern that is called with it.
    """
    if isinstance(given, Pattern):
        return _one_root(given, what)
    if isinstance(given, Value):
        return Literal(given)
    if isinstance(given, type) and issubclass(given, Operation):
        return Op(given)
    if isinstance(given, SSAValue):
        return Literal(given)
    if isinstance(given, Operation) and len(given.results) == 1:
        return Literal(given.results[0])
    if isinstance(given, Number):
        return Constant(arguments.number(what, given))
    raise no_pattern(what, given)


def _one_root(pattern: Pattern, what: str | Pattern = "") -> Pattern:
    """A pattern that may be a part of others."""
    if isinstance(pattern, Together):
        raise PatternError(
            f"{asking(what)}expected a pattern with one root, found {pattern_text(pattern)}; "
            "together and fork_to make a whole pattern, no part of one"
        )
    return pattern


def _one_by_one(
    args: tuple[Pattern, ...], more: bool, kinds: Sequence[type[Operation]]
) -> tuple[tuple[Pattern, ...], bool]:
    """The fields of `is_tuple` as operands of ops that take any number of them, where TVM has a tuple."""
    only = args[0] if len(args) == 1 else None
    if not (isinstance(only, Tuple) and only.ordered and kinds):
        return args, more
    if any(operand_counts(kind) != (0, None) for kind in kinds):
        return args, more
    return ((), True) if only.fields is None else (tuple(map(as_pattern, only.fields)), more)


def _stands_for_tuple(args: tuple[Pattern, ...], kinds: Sequence[type[Operation]]) -> bool:
    """Whether `p(wildcard())` asks for anything where TVM has a tuple: `concat(wildcard())`."""
    is_any = len(args) == 1 and isinstance(args[0], Wildcard)
    return is_any and bool(kinds) and all(map(_takes_tuple_in_tvm, kinds))


def _takes_tuple_in_tvm(kind: type[Operation]) -> bool:
    is_operator = issubclass(kind, OperatorOp) and not issubclass(kind, TupleOp)
    return is_operator and operand_counts(kind) == (0, None)


def _reassociated(call: Call, in_order: bool) -> Pattern:
    """A product with a quotient, and the quotient of a product: each matches the other one, too.

    x * (y / z)  ->  x * (y / z) | (y * x) / z
    (x * y) / z  ->  (x * y) / z | y * (x / z) | x * (y / z)
    """
    forms: list[Pattern] = []
    if in_order or len(call.args) != 2:
        return call
    if _calls(call, "relax.multiply") is not None:
        for quotient, other in (call.args, call.args[::-1]):
            if (inner := _calls(quotient, "relax.divide")) is not None:
                product = Call(call.callee, (inner.args[0], other), commutes=True)
                forms.append(Call(inner.callee, (product, inner.args[1])))
    elif (
        _calls(call, "relax.divide") is not None
        and (inner := _calls(call.args[0], "relax.multiply")) is not None
    ):
        for first, other in (inner.args, inner.args[::-1]):
            quotient = Call(call.callee, (first, call.args[1]))
            forms.append(Call(inner.callee, (other, quotient), commutes=True))
    return reduce(Spelled, filter(_is_possible, forms), call)


def _is_possible(pattern: Pattern) -> bool:
    """Whether the types in a pattern let it match."""
    try:
        return checked(pattern) is pattern
    except PatternError:
        return False


def _calls(pattern: nodes.Node, name: str) -> Call | None:
    """The call of two arguments that a pattern is, in the order in which it was written."""
    while isinstance(pattern, Spelled):
        pattern = pattern.first
    if not isinstance(pattern, Call) or not isinstance(pattern.callee, nodes.OpNode):
        return None
    return pattern if pattern.callee.kind.name == name and len(pattern.args) == 2 else None


def with_roots(what: str, roots: Sequence[object], one_to_one: bool) -> Pattern:
    """Several roots, at least two."""
    arguments.flag(what, "one_to_one", one_to_one)
    if len(roots) < 2:
        mend = "used_by takes one" if what == "fork_to" else "one is a whole pattern already"
        raise PatternError(f"{what}: expected two patterns or more, found {len(roots)}; {mend}")
    found = tuple(as_pattern(root, what) for root in roots)
    return checked(Together(found, one_to_one))
