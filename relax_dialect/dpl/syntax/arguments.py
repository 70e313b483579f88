"""Checks of the arguments of the pattern language; each error names the calling function.

A check returns its argument, or raises `PatternError` with what was expected, what was found and the
remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np
from xdsl.ir import Attribute, TypeAttribute

from relax_dialect.builder.values import Operators
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.dpl.syntax.suggestions import asking, found_text, kept_name, no_pattern
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.types import Dim, ShapeType
from relax_dialect.ops.kinds import OpPatternKind


def pattern(what: str, given: object) -> Node:
    """Return a pattern, without converting values or numbers."""
    if not isinstance(given, Node):
        raise no_pattern(what, given, "a pattern")
    return given


def listed(what: str, of: str, given: Any, mend: str) -> tuple[Any, ...]:
    """Return the items of a list; a text, a dict, a set, a pattern and a value of a program are none."""
    is_list = isinstance(given, Iterable) and not isinstance(
        given, str | bytes | Mapping | Set | Node | Operators | type
    )
    if not is_list:
        raise PatternError(f"{what}: expected a list of {of}, found {found_text(given)}; {mend}")
    return tuple(given)


def flag(what: str | Node, name: str, given: object) -> bool:
    """True or False."""
    if not isinstance(given, bool):
        raise PatternError(
            f"{asking(what)}expected {name}=True or {name}=False, found {found_text(given)}; "
            "write patterns before it"
        )
    return given


def no_attributes(what: Node, given: Mapping[str, object]) -> None:
    """Refuse attributes in a call: `has_attr` matches them."""
    for name, value in given.items():
        text = found_text(value)
        raise PatternError(
            f"{asking(what)}expected patterns of the operands, found {name}={text}; ask for "
            f'attributes by has_attr: p.has_attr("{name}", {text})'
        )


def side_inputs(given: object) -> None:
    """Check True, False or "leaves": the operands from elsewhere that the paths of `dominates` may use."""
    if not isinstance(given, bool) and not (isinstance(given, str) and given == "leaves"):
        raise PatternError(
            'dominates: expected side_inputs=True, side_inputs=False or side_inputs="leaves", found '
            f"{found_text(given)}; write patterns before it"
        )


def is_count(given: object, least: int = 0) -> bool:
    """Return whether it is a whole number from `least` on."""
    return isinstance(given, int) and not isinstance(given, bool) and given >= least


def index(what: str | Callable[[], str], of: str, given: Any, mend: str) -> int | None:
    """Return the number of an output or operand, counted from 0; None for any."""
    if given is not None and not is_count(given):
        raise PatternError(
            f"{what if isinstance(what, str) else what()}: expected the number of {of}, counted from 0, "
            f"found {found_text(given)}; {mend}"
        )
    return given


def name_of_function(what: str, given: Any) -> str | None:
    """Return the name of a function; None for any."""
    if given is not None and (not isinstance(given, str) or not given):
        raise PatternError(
            f"{what}: expected the name of a function as text, or None, found {found_text(given)}; the "
            "arguments follow as a list"
        )
    return given


def name_of_variable(what: str, given: Any) -> str | None:
    """Return a name that a value can have; None for any."""
    if given is None:
        return None
    if not isinstance(given, str) or not given:
        raise PatternError(
            f"{what}: expected the name of a variable as text, or None for any, found "
            f"{found_text(given)}; is_constant matches a number, is_expr a value"
        )
    kept = kept_name(given)
    if kept is None:
        why = "a name is made of letters, digits, _, $, . and -, without the %"
    else:
        why = f"values keep no _ and digits at the end of their names, write {kept!r}"
    if kept != given:
        raise PatternError(
            f"{what}: expected a name that a variable can have, found {given!r}; {why}"
        )
    return given


def number(what: str | Node, given: Any) -> Any:
    """Return a number of Python's or numpy's, as Python has it; None for any."""
    if given is not None and not isinstance(given, Real | np.bool_):
        raise PatternError(
            f"{asking(what)}expected a number that all elements are, or None for any constant, found "
            f"{found_text(given)}; match any constant and look at its elements in the match"
        )
    return given.item() if isinstance(given, np.generic) else given


def type_of_value(what: str, given: Any) -> Attribute:
    """Return a type as an attribute."""
    if not isinstance(given, Attribute) or not isinstance(given, TypeAttribute):
        raise PatternError(
            f"{what}: expected a type, found {found_text(given)}; write its text, "
            "'!relax.tensor<[4], f32>', or pass xDSL's attribute"
        )
    return given


def sizes(what: str, given: Any) -> tuple[Dim, ...]:
    """Return the sizes of a shape; None for any size."""
    found = listed(what, "sizes", given, "None matches any size")
    for size in found:
        if isinstance(size, Operators | Node):
            raise PatternError(
                f"{what}: expected a number, a symbolic size or None, found {found_text(size)}; "
                "p.same_shape_as(q) compares the shapes of two patterns"
            )
    try:
        return tuple(None if size is None else ShapeType([size]).shape[0] for size in found)  # pyright: ignore
    except SymbolicError as error:
        raise PatternError(f"{what}: {error}") from None


def attributes(attr: Any, values: tuple[object, ...]) -> Mapping[str, object]:
    """Return the names and values passed to `has_attr` as a dict."""
    if isinstance(attr, str):
        if len(values) != 1:
            raise PatternError(
                f"has_attr({attr!r}): expected one value, found {len(values)}; None asks for an "
                "attribute that is left out"
            )
        attr = {attr: values[0]}
    elif not isinstance(attr, Mapping):
        raise PatternError(
            f"has_attr: expected the name of an attribute, or a dict of names and values, found "
            f'{found_text(attr)}; write has_attr(p, "axis", 1)'
        )
    elif values:
        raise PatternError(
            f"has_attr: expected nothing after a dict of names and values, found {found_text(values[0])}; "
            "put it into the dict"
        )
    for name, value in attr.items():
        if not isinstance(name, str):
            raise PatternError(
                f"has_attr: expected the names of attributes as text, found {found_text(name)} in a dict; "
                'write {"axis": 1}'
            )
        if not _may_be_attribute(value):
            raise PatternError(
                f"has_attr({name!r}): expected a number, a text, a list of these, None or xDSL's "
                f"attribute, found {found_text(value)}; an element type is written as text, 'f32'"
            )
        if name == "TOpPattern" and value not in list(OpPatternKind):
            raise PatternError(
                f"has_attr({name!r}): expected the kind of an operator, found {found_text(value)}; "
                "K_ELEMWISE is one"
            )
    return attr


def _may_be_attribute(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_may_be_attribute, value))
    return value is None or isinstance(value, Real | np.bool_ | str | Attribute)


def takes(function: Callable[..., object], count: int) -> bool:
    """Return whether a function accepts `count` arguments, as far as its signature is known."""
    try:
        signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def wrapped(what: str, wrap: Any, given: Node) -> object:
    """Return the result of `wrap` on a pattern."""
    if isinstance(wrap, type) or not callable(wrap) or not takes(wrap, 1):
        raise PatternError(
            f"{what}: expected a function of one pattern that puts an op around it, found "
            f'{found_text(wrap)}; write lambda p: is_op("relu")(p)'
        )
    return wrap(given)
