"""Error messages for an argument that is no pattern, and the pattern that they suggest."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.builder.values import Expression, Operators
from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.dpl.syntax.pattern_names import operators
from relax_dialect.dpl.syntax.pattern_text import DEEPEST, pattern_text
from relax_dialect.text import wording


def found_text(given: object) -> str:
    """Return an argument as shown in errors, on one line."""
    if isinstance(given, Expression) and _op_name(given) is None:
        return "an expression of a constant"
    return wording.found_text(given)


def asking(what: str | Node) -> str:
    """Return the prefix of an error: the calling function, or the text of a called pattern."""
    name = what if isinstance(what, str) else f"{pattern_text(what)}(...)"
    return f"{name}: " if name else ""


def no_pattern(
    what: str | Node, given: object, expected: str = "a pattern, a value or a number"
) -> PatternError:
    """Return the error for an argument that is no pattern and converts to none, with a suggestion."""
    mend = next(text(given) for kinds, text in _SUGGESTIONS if isinstance(given, kinds))
    return PatternError(f"{asking(what)}expected {expected}, found {found_text(given)}; {mend}")


def _of_expression(given: Expression) -> str:
    return f"{_called(given)} is its pattern" if _op_name(given) else "is_constant() matches one"


def _op_name(given: Expression) -> str | None:
    """Return the name of the op that an expression makes; None for a constant."""
    return getattr(given.make, "name", None)


def _called(given: object, depth: int = DEEPEST) -> str:
    """Return the pattern of an expression as a user writes it."""
    if isinstance(given, Expression):
        if (name := _op_name(given)) is None:
            return "is_constant()"
        is_plain = depth > 0 and all(isinstance(a, Operators | Node) for a in given.arguments)
        operands = [_called(a, depth - 1) for a in given.arguments] if is_plain else ["..."]
        return f'is_op("{_short(name)}")({", ".join(operands)})'
    if isinstance(given, Node):
        return pattern_text(given)
    return getattr(given, "name", None) or "..."


def _short(name: str) -> str:
    return name.removeprefix("relax.")


def _of_text(given: str) -> str:
    short = _short(given)
    if f"relax.{short}" in operators():
        return f'is_op("{short}") matches the operator'
    name = given.removeprefix("%")
    if kept_name(name) != name or not name:
        return "wildcard() matches anything"
    return f'is_var("{name}") matches a variable of that name'


def kept_name(name: str) -> str | None:
    """Return the name hint that a value keeps: without `_` and digits at its end; None for an invalid
    name."""
    try:
        return SSAValue.extract_valid_name(name)
    except ValueError:
        return None


_SUGGESTIONS: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    (Expression, _of_expression),
    (Node, lambda given: "it is a pattern already"),
    (Number, lambda given: f"is_constant({given}) matches a constant"),
    (str, _of_text),
    (
        Operation,
        lambda given: (
            f"it has {len(given.results) or 'no'} results: pass one value, or is_op(name)"
        ),
    ),
    (list | tuple, lambda given: "is_tuple([...]) matches a tuple of patterns"),
    (np.ndarray, lambda given: "is_constant() matches a constant, whatever its elements"),
    (Attribute, lambda given: "has_type(wildcard(), type) matches a value of a type"),
    (object, lambda given: "wildcard() matches anything"),
)
"""The pattern to suggest for each kind of thing that is no pattern."""
