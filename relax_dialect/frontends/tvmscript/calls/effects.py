"""Checks and effects: casts, prints and assertions."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from relax_dialect.builder.constant_values import const
from relax_dialect.frontends.tvmscript.calls.arguments import (
    Special,
    argument,
    op_made,
    optional,
    text,
)
from relax_dialect.frontends.tvmscript.relax_functions.annotations import as_texts
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.ops.core import MatchCastOp, MatchShapeOp
from relax_dialect.ops.effects import AssertOp, PrintOp


def _match_cast(reader: Expressions, node: ast.Call) -> Any:
    of = argument(node, 0, "value")
    type = reader.types.read(argument(node, 1, "ty", "struct_info"))
    value = reader.value(of, reader.read(of))
    if isinstance(of, ast.Call):
        value.value.name_hint = None
    return reader.made(node, op_made(node, MatchCastOp, value.value, type))


def _match_shape(reader: Expressions, node: ast.Call) -> Any:
    """The binding of the first proposal of Relax, of a tensor or a shape."""
    of = argument(node, 0, "value")
    pattern = argument(node, 1, "pattern")
    is_list = isinstance(pattern, ast.Tuple | ast.List)
    dims = reader.types.dims(as_texts(pattern, pattern.elts) if is_list else pattern)
    value = reader.value(of, reader.read(of))
    return reader.made(node, op_made(node, MatchShapeOp, value.value, dims))


def _formatted(
    reader: Expressions, node: ast.Call, args: Sequence[ast.expr]
) -> tuple[list[Any], str | None]:
    """Return the values that a format shows, and the format with string arguments substituted."""
    given = optional(node, -1, "format")
    found = [reader.read(a) for a in args]
    if given is None and found and isinstance(found[0], str):
        format, args, found = found[0], args[1:], found[1:]  # R.assert_op(c, "{}", x)
    else:
        format = "" if given is None else text(reader, given)
    if any(isinstance(each, str) for each in found):
        shown = (
            e.replace("{", "{{").replace("}", "}}") if isinstance(e, str) else "{}" for e in found
        )
        pieces = format.split("{}")
        format = pieces[0] + "".join(s + p for s, p in zip(shown, pieces[1:]))
    values = [reader.value(a, e).value for a, e in zip(args, found) if not isinstance(e, str)]
    return values, format or None


def _print(reader: Expressions, node: ast.Call) -> Any:
    args, format = _formatted(reader, node, node.args)
    reader.made(node, op_made(node, PrintOp, *args, format=format))
    return ()


def _assert(reader: Expressions, node: ast.Call) -> Any:
    condition = argument(node, 0, "condition")
    more = optional(node, -1, "format_args")
    args = node.args[1:] + ([] if more is None else [more])
    args = [e for a in args for e in (a.elts if isinstance(a, ast.Tuple | ast.List) else [a])]
    operands, format = _formatted(reader, node, args)
    test = reader.read(condition)
    given = reader.made(node, const(test, "bool")) if isinstance(test, bool) else test
    given = reader.value(condition, given).value
    reader.made(node, op_made(node, AssertOp, given, *operands, format=format))
    return ()


CALLS: Mapping[str, Special] = {
    "match_cast": _match_cast,
    "match_shape": _match_shape,
    "print": _print,
    "assert_op": _assert,
}
