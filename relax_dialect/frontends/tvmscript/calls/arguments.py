"""Arguments of calls of `R.`, positional or by keyword, and the ops built from them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.ir import Attribute

from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_sizes import said

Special: TypeAlias = Callable[[Expressions, ast.Call], Any]
"""Reads the calls of one word."""
TYPES = ("out_ty", "out_sinfo", "ty_args", "sinfo_args")
"""TVM's keywords for the types of a call's results, now and before 0.27."""


def argument(node: ast.Call, place: int, *names: str) -> ast.expr:
    """Return an argument by its position or one of its keywords."""
    found = optional(node, place, *names)
    if found is None:
        raise Unreadable(node, f"expected the argument '{names[0]}', found none; write it")
    return found


def optional(node: ast.Call, place: int, *names: str) -> ast.expr | None:
    """Return an argument by its position or one of its keywords, or None if omitted."""
    for keyword in node.keywords:
        if keyword.arg in names:
            return keyword.value
    return node.args[place] if 0 <= place < len(node.args) else None


def op_made(node: ast.AST, make: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Build an op; its errors are located at a node of the text."""
    try:
        return make(*arguments, **named)
    except RelaxError as error:
        raise Unreadable(node, str(error)) from None


def listed_types(reader: Expressions, node: ast.expr) -> list[Attribute]:
    """Return the types of a type argument: one type or a list of them."""
    if isinstance(node, ast.Tuple | ast.List):
        return [reader.types.read(each) for each in node.elts]
    return [reader.types.read(node)]


def text(reader: Expressions, node: ast.expr) -> str:
    """Return an argument that must be a string."""
    found = reader.read(node)
    if not isinstance(found, str):
        raise Unreadable(node, f"expected a text, found {said(found)}; write one in quotes")
    return found


def integers(reader: Expressions, node: ast.expr) -> list[int]:
    """Return an argument that is a list of integers, or an integer."""
    found = reader.read(node)
    listed = found if isinstance(found, tuple) else (found,)
    if not all(type(each) is int for each in listed):
        raise Unreadable(node, f"expected a list of integers, found {said(found)}; write [0]")
    return list(listed)
