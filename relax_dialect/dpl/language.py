"""The functions that make patterns, spelled as in the design document and in TVM.

What is given for a pattern may be a pattern, a value of a program (matched as itself), or a number
(a constant of that value).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from numbers import Number
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from relax_dialect.builder.values import Value, element_type
from relax_dialect.dialect import Relax
from relax_dialect.dpl import arguments, feasible, names, patterns
from relax_dialect.dpl.attribute_kinds import require_value
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.matching import extract, find_all, match
from relax_dialect.dpl.meant import asking, found_text, no_pattern
from relax_dialect.dpl.patterns import Function, Hole, Pattern
from relax_dialect.dpl.text import pattern_text
from relax_dialect.errors import RelaxError
from relax_dialect.ops.kinds import is_commutative


def as_pattern(given: object, what: str | Pattern = "") -> Pattern:
    """A pattern, or what stands for one: a value or an operator is itself, a number a constant.

    `what` is who asks for it, or the pattern that is called with it.
    """
    if isinstance(given, patterns.Together):
        raise PatternError(
            f"{asking(what)}expected a pattern with one root, found {pattern_text(given)}; "
            "together and fork_to make a whole pattern, no part of one"
        )
    if isinstance(given, Pattern):
        return given
    if isinstance(given, Value):
        return patterns.Literal(given)
    if isinstance(given, type) and issubclass(given, Operation):
        return patterns.Op(given)
    if isinstance(given, SSAValue):
        return patterns.Literal(given)
    if isinstance(given, Operation) and len(given.results) == 1:
        return patterns.Literal(given.results[0])
    if isinstance(given, Number):
        return patterns.Constant(arguments.number(what, given))
    raise no_pattern(what, given)


def wildcard() -> Pattern:
    """Any value."""
    return patterns.Wildcard()


def is_expr(value: object) -> Pattern:
    """This value, or this operator, and no other."""
    if not isinstance(value, Pattern | Number):
        with suppress(PatternError):
            return as_pattern(value)
    raise no_pattern("is_expr", value, "a value of a program or an op class")


def is_op(name: str | type[Operation]) -> Pattern:
    """An operator by name, alone or called: `is_op("add")(p, q)`.

    `nn.relu`, `relax.relu` and Relay's names are understood, and so are ops of other dialects:
    `arith.addf`. The two arguments of a commutative operator may stand in either order. Raises
    `PatternError` with the nearest known name.
    """
    return patterns.Op(names.operator(name) if isinstance(name, str) else names.known(name))


def is_constant(number: float | int | bool | None = None) -> Pattern:
    """A constant; given a number, one all of whose elements are that number."""
    return patterns.Constant(arguments.number("is_constant", number))


is_const = is_constant


def is_input() -> Pattern:
    """An input: a variable without parents, which is a parameter of a function."""
    return patterns.Input()


def is_var(name: str | None = None) -> Pattern:
    """A variable, of that name if one is given: a parameter, or bound by `relax.let` or `match_*`."""
    return patterns.Var(arguments.name_of_variable("is_var", name))


def is_dfv(name: str | None = None) -> Pattern:
    """A variable of a dataflow block, of that name if one is given: what an op in it gives."""
    return patterns.Var(arguments.name_of_variable("is_dfv", name), True)


def is_gv(name: str | None = None) -> Pattern:
    """A function of the module by name, to be called: `is_gv("f")(a, b)`; any, where none is given."""
    return _symbol_call("is_gv", ("relax.call",), name or None, None)


def call(
    callee: Pattern,
    args: Sequence[object],
    more: bool,
    in_order: bool,
    attributes: Mapping[str, object],
) -> Pattern:
    """What `callee(*args)` makes; `callee(None)` is a call with any arguments.

    Attributes are refused: `has_attr` asks for them.
    """
    if len(args) == 1 and args[0] is None:
        args, more = (), True
    arguments.flag(callee, "varg_default_wildcard", more)
    arguments.flag(callee, "in_order", in_order)
    for name, value in attributes.items():
        text = found_text(value)
        raise PatternError(
            f"{asking(callee)}expected patterns of the operands, found {name}={text}; ask for "
            f'attributes by has_attr: p.has_attr("{name}", {text})'
        )
    callee = as_pattern(callee)
    given = tuple(as_pattern(a, callee) for a in args)
    if isinstance(callee, Function):
        kinds = ("relax.call", "relax.call_closure")
        return feasible.checked(patterns.SymbolCall(kinds, callee, given, more))
    if isinstance(callee, patterns.SymbolCall) and callee.args is None:
        return feasible.checked(replace(callee, args=given, more=more))
    feasible.require_operator(callee)
    commutes = not in_order and not more and len(given) == 2
    kinds = feasible.possible_ops(callee)
    if kinds is not None and not any(is_commutative(kind) for kind in kinds):
        commutes = False
    return feasible.checked(patterns.Call(callee, given, more, commutes))


def either(first: object, second: object) -> Pattern:
    """The first pattern, or the second where that does not match."""
    return patterns.Either(as_pattern(first, "p | q"), as_pattern(second, "p | q"))


def both(first: object, second: object) -> Pattern:
    """Both patterns at once."""
    return feasible.checked(patterns.Both(as_pattern(first, "p & q"), as_pattern(second, "p & q")))


def neither(pattern: object) -> Pattern:
    """What the pattern does not match: `~pattern`."""
    return patterns.Not(as_pattern(pattern, "~p"))


def named(name: str, pattern: object) -> Pattern:
    """A pattern whose value is found by name in a match."""
    if not isinstance(name, str) or not name:
        raise PatternError(
            f"named: expected a name and a pattern, found {found_text(name)} as the name; write "
            'p.named("x")'
        )
    return patterns.Named(name, as_pattern(pattern, "named"))


def read_type(text: str, what: str = "has_type") -> Attribute:
    """A type from its text; `what` is who asks for it."""
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(Relax)
    parser = Parser(context, text)
    try:
        found = parser.parse_type()
    except (ParseError, RelaxError) as error:
        reason = [line.strip() for line in str(error).splitlines() if line.strip()][-1]
        raise PatternError(f"{what}: expected a type, found {text!r}: {reason}") from None
    if rest := text[parser.pos :].strip():
        raise PatternError(f"{what}: expected one type, found {text!r}; take {rest!r} away")
    return found


def _in_our_order(what: str, pattern: object, wanted: Any) -> tuple[object, Any]:
    """A pattern and what it must have; Relay has them the other way round, or without the pattern."""
    if isinstance(wanted, Pattern):
        return wanted, pattern
    if wanted is not None:
        return pattern, wanted
    if isinstance(pattern, Pattern):
        raise PatternError(
            f"{what}: expected a pattern and what it must have, found {pattern_text(pattern)} alone; "
            "wildcard() matches anything"
        )
    return wildcard(), pattern


def has_type(pattern: object, type: Any = None) -> Pattern:
    """What the pattern matches, of this type or a narrower one; a type may be written as text."""
    pattern, type = _in_our_order("has_type", pattern, type)
    found = read_type(type) if isinstance(type, str) else type
    found = arguments.type_of_value("has_type", found)
    return feasible.checked(patterns.HasType(as_pattern(pattern, "has_type"), found))


def has_dtype(pattern: object, dtype: Any = None) -> Pattern:
    """What the pattern matches, a tensor of this element type."""
    pattern, dtype = _in_our_order("has_dtype", pattern, dtype)
    try:
        found = element_type(dtype)
    except RelaxError as error:
        raise PatternError(f"has_dtype: {error}") from None
    return feasible.checked(patterns.HasDtype(as_pattern(pattern, "has_dtype"), found))


def has_shape(pattern: object, shape: Any = None) -> Pattern:
    """What the pattern matches, of this shape; None stands for any size."""
    return _of_shape("has_shape", *_in_our_order("has_shape", pattern, shape))


def _of_shape(what: str, pattern: object, shape: object) -> Pattern:
    sizes = arguments.sizes(what, shape)
    return feasible.checked(patterns.HasShape(as_pattern(pattern, what), sizes))


def has_attr(pattern: object, attr: Any = None, *value: object) -> Pattern:
    """What the pattern matches, with attributes of its call or its operator.

    `has_attr(p, "axis", 1)`, `has_attr(p, {"axis": 1})`, `has_attr(p, "TOpPattern", K_ELEMWISE)`. The
    value None asks for an attribute that is left out, which gives it its default. Raises `PatternError`
    where no operator that p may match has the attribute.
    """
    pattern, attr = _in_our_order("has_attr", pattern, attr)
    found = as_pattern(pattern, "has_attr")
    for name, wanted in arguments.attributes(attr, value).items():
        kinds = feasible.possible_ops(found)
        names.require_attribute(name, kinds)
        require_value(name, wanted, kinds)
        found = feasible.checked(patterns.HasAttr(found, name, wanted))
    return found


def is_tuple(fields: Iterable[object] | None = None, unordered: bool = False) -> Pattern:
    """A `relax.tuple` of these fields, in any order if `unordered`; or of any fields at all."""
    arguments.flag("is_tuple", "unordered", unordered)
    return patterns.Tuple(_patterns("is_tuple", "patterns of the fields", fields), not unordered)


def _patterns(what: str, of: str, given: object) -> tuple[Pattern, ...] | None:
    """The patterns of a list; None for any."""
    if given is None:
        return None
    items = arguments.listed(what, of, given, "None stands for any")
    return tuple(as_pattern(item, what) for item in items)


def is_shape(sizes: Iterable[Any] | None = None) -> Pattern:
    """A `relax.shape`; given sizes, of these: symbolic sizes, numbers, and None for any size."""
    shape = is_op("shape")
    return shape if sizes is None else _of_shape("is_shape", shape, sizes)


def is_tuple_get_item(pattern: object, index: int | None = None) -> Pattern:
    """Output `index` (any, for None) of what the pattern matches: what `pattern[index]` makes.

    The op may give a tuple, or have several results.
    """
    found = as_pattern(pattern, "is_tuple_get_item")
    arguments.index(
        lambda: f"{pattern_text(found)}[...]",
        "an output",
        index,
        "is_tuple_get_item(p) matches any",
    )
    return feasible.checked(patterns.Output(found, index))


def is_if(condition: object, then: object, orelse: object) -> Pattern:
    """A `relax.if`: its condition and what its branches yield."""
    return patterns.If(*(as_pattern(p, "is_if") for p in (condition, then, orelse)))


def is_let(var: object, value: object, body: object | None = None) -> Pattern:
    """A variable bound by `relax.let` to a value, and what is computed with it.

    Without a body the variable itself. The body names the variable by using the same pattern.
    """
    found = None if body is None else as_pattern(body, "is_let")
    let = patterns.Let(as_pattern(var, "is_let"), as_pattern(value, "is_let"), found)
    return feasible.checked(let)


def is_function(params: Iterable[object] | None, body: object) -> Function:
    """A closure, or called with arguments a function of the module: its parameters and its result."""
    found = _patterns("is_function", "patterns of the parameters", params)
    return Function(found, as_pattern(body, "is_function"))


def _symbol_call(
    what: str, ops: tuple[str, ...], name: str | None, args: Iterable[object] | None
) -> Pattern:
    name = arguments.name_of_function(what, name)
    return patterns.SymbolCall(ops, name, _patterns(what, "patterns of the arguments", args))


def is_call(name: str | None = None, args: Iterable[object] | None = None) -> Pattern:
    """A `relax.call` of the function of that name."""
    return _symbol_call("is_call", ("relax.call",), name, args)


def is_call_tir(name: str | None = None, args: Iterable[object] | None = None) -> Pattern:
    """A `relax.call_tir` of the prim func of that name."""
    return _symbol_call("is_call_tir", ("relax.call_tir",), name, args)


def is_call_packed(name: str | None = None, args: Iterable[object] | None = None) -> Pattern:
    """A call of the function of that name from outside, pure or not."""
    return _symbol_call(
        "is_call_packed", ("relax.call_packed", "relax.call_pure_packed"), name, args
    )


def is_call_dps_packed(name: str | None = None, args: Iterable[object] | None = None) -> Pattern:
    """A `relax.call_dps_packed` of the function of that name."""
    return _symbol_call("is_call_dps_packed", ("relax.call_dps_packed",), name, args)


def repeat(
    base: object, wrap: Callable[[Pattern], Pattern], at_least: int = 0, at_most: int | None = None
) -> Pattern:
    """The base wrapped any number of times, the most that match.

    `repeat(wildcard(), lambda p: is_op("relu")(p), at_least=1)` matches any depth of relu. A node made
    inside `wrap` is a new one each time; one from outside must match the same value every time.
    """
    base = as_pattern(base, "repeat")
    counts = (at_least, 0 if at_most is None else at_most)
    if not all(map(arguments.is_count, counts)) or (
        at_most is not None and at_most < max(at_least, 1)
    ):
        raise PatternError(
            f"repeat: expected 0 <= at_least <= at_most and at_most >= 1, found at_least={at_least!r} and "
            f"at_most={at_most!r}; at_most=None stands for any number"
        )
    hole = Hole()
    wrapped = as_pattern(arguments.wrapped("repeat", wrap, hole), "repeat")
    if wrapped is hole:
        raise PatternError(
            "repeat: expected wrap to put an op around its pattern, found it bare; "
            'write lambda p: is_op("relu")(p)'
        )
    return feasible.checked(patterns.Repeat(base, hole, wrapped, at_least, at_most))


def optional(pattern: object, wrap: Callable[[Pattern], Pattern]) -> Pattern:
    """What `wrap` makes of the pattern where that matches, else the pattern."""
    base = as_pattern(pattern, "optional")
    wrapped = as_pattern(arguments.wrapped("optional", wrap, base), "optional")
    return patterns.Either(wrapped, base)


def dup(pattern: Pattern) -> Pattern:
    """A pattern of the same form with nodes of its own, which may match another value."""
    arguments.pattern("dup", pattern)
    made: dict[object, Any] = {}
    for node in sorted(feasible.nodes(pattern), key=lambda node: node.serial):
        changed: dict[str, Any] = {}
        for field in fields(node):  # pyright: ignore[reportArgumentType]
            value = getattr(node, field.name)
            if isinstance(value, tuple) and any(v in made for v in value):
                changed[field.name] = tuple(made.get(v, v) for v in value)
            elif isinstance(value, Pattern) and value in made:
                changed[field.name] = made[value]
        made[node] = replace(node, **changed)  # pyright: ignore[reportArgumentType]
    return made[pattern]


def dominates(
    parent: object, path: object, child: object, side_inputs: bool | str = True
) -> Pattern:
    """A child that the parent reaches through the path only, and that all their users lead to.

    Matches at the child. Every op between the two matches `path`; every user of the parent and of
    the path is one of these ops or the child. `side_inputs`: whether the ops of the path and the child
    may have operands from elsewhere, such as a bias; "leaves", Relay's rule: only parameters and
    constants from elsewhere. The path may be the same pattern as the parent or
    the child, and then matches other ops like them.
    """
    arguments.side_inputs(side_inputs)
    parent, path, child = (as_pattern(p, "dominates") for p in (parent, path, child))
    if path is parent or path is child:
        path = dup(path)
    return feasible.checked(patterns.Dominates(parent, path, child, side_inputs))


def used_by(producer: object, consumer: object, index: int | None = None) -> Pattern:
    """The consumer, one of whose operands (operand `index`) the producer matches: `producer ^ consumer`.

    A chain reads from left to right: in `a ^ b >> c` and `a ^ (b >> c)` b uses a, and only c uses b.
    """
    return _chained("used_by", producer, consumer, index, False)


def only_used_by(producer: object, consumer: object, index: int | None = None) -> Pattern:
    """The consumer, the only user of what the producer matches: `producer >> consumer`.

    Where the producer is an op with several results, it is the only user of them all.
    """
    return _chained("only_used_by", producer, consumer, index, True)


def _chained(what: str, first: object, second: object, index: int | None, only: bool) -> Pattern:
    producer, consumer = as_pattern(first, what), as_pattern(second, what)
    arguments.index(what, "an operand", index, "leave it out for any")
    links: list[patterns.UsedBy] = []
    while isinstance(consumer, patterns.UsedBy):
        links.append(consumer)
        consumer = consumer.producer
    found = feasible.checked(patterns.UsedBy(producer, consumer, index, only))
    for link in reversed(links):
        found = feasible.checked(patterns.UsedBy(found, link.consumer, link.index, link.only))
    return found


def same_shape_as(pattern: object, other: object) -> Pattern:
    """What the pattern matches, of the shape of what another node of the pattern matches."""
    both = (as_pattern(p, "same_shape_as") for p in (pattern, other))
    return feasible.checked(patterns.SameShapeAs(*both))


def together(*roots: object, one_to_one: bool = True) -> Pattern:
    """Several roots that share nodes: two matmuls of one input, say.

    The first is the root of the match; each further one is another value of the same block that uses
    what the shared nodes match. Different nodes match different values, as in Relax's contexts, but for
    constants and shapes; `one_to_one=False` lets the nodes below the roots match the same. Only a whole
    pattern may have several roots.
    """
    return _roots("together", roots, one_to_one)


def fork_to(producer: object, *consumers: object, one_to_one: bool = True) -> Pattern:
    """Several consumers that all use the producer: a pattern with a root for each, see `together`."""
    chains = [_chained("fork_to", producer, consumer, None, False) for consumer in consumers]
    return _roots("fork_to", chains, one_to_one)


def _roots(what: str, roots: Sequence[object], one_to_one: bool) -> Pattern:
    arguments.flag(what, "one_to_one", one_to_one)
    if len(roots) < 2:
        mend = "used_by takes one" if what == "fork_to" else "one is a whole pattern as it stands"
        raise PatternError(f"{what}: expected two patterns or more, found {len(roots)}; {mend}")
    found = tuple(as_pattern(root, what) for root in roots)
    return feasible.checked(patterns.Together(found, one_to_one))


__all__ = [
    "as_pattern",
    "dominates",
    "dup",
    "either",
    "extract",
    "find_all",
    "fork_to",
    "has_attr",
    "has_dtype",
    "has_shape",
    "has_type",
    "is_call",
    "is_call_dps_packed",
    "is_call_packed",
    "is_call_tir",
    "is_const",
    "is_constant",
    "is_dfv",
    "is_expr",
    "is_function",
    "is_gv",
    "is_if",
    "is_input",
    "is_let",
    "is_op",
    "is_shape",
    "is_tuple",
    "is_tuple_get_item",
    "is_var",
    "match",
    "named",
    "neither",
    "only_used_by",
    "optional",
    "pattern_text",
    "repeat",
    "same_shape_as",
    "together",
    "used_by",
    "wildcard",
]

Pattern.LANGUAGE = sys.modules[__name__]
