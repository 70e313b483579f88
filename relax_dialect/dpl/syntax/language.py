"""The functions that make patterns, spelled as in the design document and in TVM.

An argument for a pattern may be a pattern, a value of a program (matched as itself), or a number (a
constant of that value).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from numbers import Number
from typing import Any

from xdsl.ir import Operation

from relax_dialect.builder.values import Expression
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.search.satisfiability import checked
from relax_dialect.dpl.syntax import arguments
from relax_dialect.dpl.syntax.expression_patterns import expression_pattern
from relax_dialect.dpl.syntax.pattern_text import pattern_text
from relax_dialect.dpl.syntax.patterns import (
    Constant,
    Function,
    HasShape,
    If,
    Input,
    Let,
    Pattern,
    SymbolCall,
    Tuple,
    Var,
    Wildcard,
    as_pattern,
    operator,
    with_roots,
)
from relax_dialect.dpl.syntax.suggestions import no_pattern


def wildcard() -> Pattern:
    """Any value."""
    return Wildcard()


def is_expr(value: object) -> Pattern:
    """This value, or this operator, and no other; of an expression that is not emitted, its ops."""
    if isinstance(value, Expression):
        return expression_pattern(value)
    if not isinstance(value, Pattern | Number):
        with suppress(PatternError):
            return as_pattern(value)
    raise no_pattern("is_expr", value, "a value of a program or an op class")


def is_op(name: str | type[Operation]) -> Pattern:
    """An operator by name, alone or called: `is_op("add")(p, q)`.

    `nn.relu`, `relax.relu` and Relay's names are understood, and so are ops of other dialects:
    `arith.addf`. The two arguments of a commutative operator may be in either order. Raises `PatternError`
    with the nearest known name.
    """
    return operator(name)


def is_constant(number: float | int | bool | None = None) -> Pattern:
    """A constant; with a number, a constant all of whose elements equal it."""
    return Constant(arguments.number("is_constant", number))


is_const = is_constant


def is_input() -> Pattern:
    """An input: a variable without parents, which is a parameter of a function."""
    return Input()


def is_var(name: str | None = None) -> Pattern:
    """A variable, optionally of this name: a parameter, or bound by `relax.let` or `match_*`."""
    return Var(arguments.name_of_variable("is_var", name))


def is_dfv(name: str | None = None) -> Pattern:
    """A variable of a dataflow block, optionally of this name: the result of an op in it."""
    return Var(arguments.name_of_variable("is_dfv", name), True)


def is_gv(name: str | None = None) -> Pattern:
    """A call of a function of the module by name: `is_gv("f")(a, b)`; of any without a name."""
    return _symbol_call("is_gv", ("relax.call",), name or None, None)


def either(first: object, second: object) -> Pattern:
    """The first pattern, or the second where that does not match."""
    return as_pattern(first, "p | q") | second


def both(first: object, second: object) -> Pattern:
    """The conjunction of both patterns."""
    return as_pattern(first, "p & q") & second


def neither(pattern: object) -> Pattern:
    """Matches values that the pattern does not match: `~pattern`."""
    return ~as_pattern(pattern, "~p")


def named(name: str, pattern: object) -> Pattern:
    """A pattern whose value is found by name in a match."""
    return as_pattern(pattern, "named").named(name)


def _in_our_order(what: str, pattern: object, wanted: Any) -> tuple[object, Any]:
    """Return a pattern and its required property; Relay has them in the other order, or without the
    pattern."""
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
    """The pattern, for values of this type or a narrower one; a type may be written as text."""
    pattern, type = _in_our_order("has_type", pattern, type)
    return as_pattern(pattern, "has_type").has_type(type)


def has_dtype(pattern: object, dtype: Any = None) -> Pattern:
    """The pattern, for tensors of this element type."""
    pattern, dtype = _in_our_order("has_dtype", pattern, dtype)
    return as_pattern(pattern, "has_dtype").has_dtype(dtype)


def has_shape(pattern: object, shape: Any = None) -> Pattern:
    """The pattern, for values of this shape; None matches any size."""
    pattern, shape = _in_our_order("has_shape", pattern, shape)
    return as_pattern(pattern, "has_shape").has_shape(shape)


def has_attr(pattern: object, attr: Any = None, *value: object) -> Pattern:
    """The pattern, for calls or operators with these attributes: `has_attr(p, "axis", 1)`."""
    pattern, attr = _in_our_order("has_attr", pattern, attr)
    return as_pattern(pattern, "has_attr").has_attr(attr, *value)


def is_tuple(fields: Iterable[object] | None = None, unordered: bool = False) -> Pattern:
    """A `relax.tuple` of these fields, in any order if `unordered`; or of any fields at all."""
    arguments.flag("is_tuple", "unordered", unordered)
    return Tuple(_patterns("is_tuple", "patterns of the fields", fields), not unordered)


def _patterns(what: str, of: str, given: object) -> tuple[Pattern, ...] | None:
    """The patterns of a list; None for any."""
    if given is None:
        return None
    items = arguments.listed(what, of, given, "None matches any")
    return tuple(as_pattern(item, what) for item in items)


def is_shape(sizes: Iterable[Any] | None = None) -> Pattern:
    """A `relax.shape`, optionally of these sizes: symbolic sizes, numbers, and None for any size."""
    shape = is_op("shape")
    if sizes is None:
        return shape
    return checked(HasShape(shape, arguments.sizes("is_shape", sizes)))


def is_tuple_get_item(pattern: object, index: int | None = None) -> Pattern:
    """Output `index` (any, for None) of the op that the pattern matches: the same as `pattern[index]`.

    The op may return a tuple, or have several results.
    """
    return as_pattern(pattern, "is_tuple_get_item")[index]


def is_if(condition: object, then: object, orelse: object) -> Pattern:
    """A `relax.if`: its condition and the values that its branches yield."""
    return If(*(as_pattern(p, "is_if") for p in (condition, then, orelse)))


def is_let(var: object, value: object, body: object | None = None) -> Pattern:
    """A variable bound by `relax.let` to a value, and the value computed with it.

    Without a body the variable itself. The body refers to the variable by using the same pattern.
    """
    found = None if body is None else as_pattern(body, "is_let")
    let = Let(as_pattern(var, "is_let"), as_pattern(value, "is_let"), found)
    return checked(let)


def is_function(params: Iterable[object] | None, body: object) -> Function:
    """A closure, or called with arguments a function of the module: its parameters and its result."""
    found = _patterns("is_function", "patterns of the parameters", params)
    return Function(found, as_pattern(body, "is_function"))


def _symbol_call(
    what: str, ops: tuple[str, ...], name: str | None, args: Iterable[object] | None
) -> Pattern:
    name = arguments.name_of_function(what, name)
    return SymbolCall(ops, name, _patterns(what, "patterns of the arguments", args))


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
    return as_pattern(base, "repeat").repeat(wrap, at_least, at_most)


def optional(pattern: object, wrap: Callable[[Pattern], Pattern]) -> Pattern:
    """`wrap` of the pattern where that matches, else the pattern."""
    return as_pattern(pattern, "optional").optional(wrap)


def dup(pattern: Pattern) -> Pattern:
    """A pattern of the same form with nodes of its own, which may match another value."""
    if not isinstance(pattern, Pattern):
        raise no_pattern("dup", pattern, "a pattern")
    return pattern.dup()


def dominates(
    parent: object, path: object, child: object, side_inputs: bool | str = True
) -> Pattern:
    """A child that the parent reaches through the path only, and that all their users lead to."""
    return as_pattern(child, "dominates").dominates(
        parent, as_pattern(path, "dominates"), side_inputs
    )


def used_by(producer: object, consumer: object, index: int | None = None) -> Pattern:
    """The consumer, one of whose operands (operand `index`) the producer matches: `producer ^ consumer`.

    A chain reads from left to right: in `a ^ b >> c` and `a ^ (b >> c)` b uses a, and only c uses b.
    """
    return as_pattern(producer, "used_by").used_by(consumer, index)


def only_used_by(producer: object, consumer: object, index: int | None = None) -> Pattern:
    """The consumer, the only user of the value that the producer matches: `producer >> consumer`.

    If the producer is an op with several results, it is the only user of them all.
    """
    return as_pattern(producer, "only_used_by").only_used_by(consumer, index)


def same_shape_as(pattern: object, other: object) -> Pattern:
    """The pattern, for values of the same shape as the value of another node."""
    return as_pattern(pattern, "same_shape_as").same_shape_as(other)


def together(*roots: object, one_to_one: bool = True) -> Pattern:
    """Several roots that share nodes, such as two matmuls of one input.

    The first is the root of the match; each further one is another value of the same block that uses the
    values matched by the shared nodes. Different nodes match different values, as in Relax's contexts,
    except for constants and shapes; `one_to_one=False` lets the nodes below the roots match the same. Only
    a whole pattern may have several roots.
    """
    return with_roots("together", roots, one_to_one)


def fork_to(producer: object, *consumers: object, one_to_one: bool = True) -> Pattern:
    """Several consumers that all use the producer: a pattern with a root for each, see `together`."""
    return as_pattern(producer, "fork_to").fork_to(*consumers, one_to_one=one_to_one)
