"""Calls of `T.` in a Relax function: sizes, and numbers with their element type."""

from __future__ import annotations

import ast
from typing import Any, Protocol

from relax_dialect.builder.values import Value
from relax_dialect.frontends.tvmscript.relax_functions.annotations import Annotations
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_sizes import as_size, chosen, computed, function, said
from relax_dialect.frontends.tvmscript.script_values import ScriptScalar, SizeComparison
from relax_dialect.ops.number_operands import BOOL, dense_number
from relax_dialect.symbolic import Expr, as_expr

SPECIAL_NUMBERS = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}


class ArgumentReader(Protocol):
    """The reader of the arguments."""

    types: Annotations

    def read(self, node: ast.AST) -> Any: ...


def call_of_tir(reader: ArgumentReader, node: ast.Call, word: str) -> Any:
    """Read `T.word(...)`: a size, a number with its element type, or the dict of a target."""
    if word == "index_map":
        return node.args[0] if node.args else None
    if word == "target" and len(node.args) == 1:
        return reader.read(node.args[0])
    arguments = [reader.read(a) for a in node.args]
    if (found := function(node, word, arguments)) is not None:
        return found
    match word, arguments:
        case "if_then_else" | "Select", [bool(holds), if_true, if_false]:
            return if_true if holds else if_false
        case "if_then_else" | "Select", [SizeComparison() as test, *given]:
            sizes = [as_expr(as_size(*pair)) for pair in zip(node.args[1:], given, strict=True)]
            return computed(node, chosen, test.word, test.left, test.right, *sizes)
        case "Cast", [dtype, value]:
            word = str(dtype)
        case "cast", [value, str(dtype)]:
            word = dtype
        case _, [value]:
            pass
        case _:
            value = None
    dtype = reader.types.dtype_of_tir(node.func, word)
    if isinstance(value, str):
        value = SPECIAL_NUMBERS.get(value)
    if isinstance(value, ScriptScalar):
        value = value.value
    if isinstance(value, bool | int | float):
        if dtype == BOOL and value in (0, 1):
            value = bool(value)
        if dense_number(value, dtype) is None:
            raise Unreadable(
                node,
                f"expected a number that {dtype} holds in T.{word[:40]}, found {said(value)}; write "
                "another",
            )
        return ScriptScalar(value, dtype)
    if isinstance(value, Expr) or (isinstance(value, Value) and word == "int64"):
        return value
    raise Unreadable(node, f"expected a number in T.{word[:40]}, found {said(value)}; write one")
