"""Common readers of the syntax of TIR: the names of `T.`, and its statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from relax_dialect.frontends.tvmscript.script.script_source import Unreadable


class TirCalls:
    """The name that `tvm.script.tirx` goes by in a function."""

    def __init__(self, alias: str):
        self.alias = alias

    def of(self, node: ast.AST) -> str | None:
        """Return `"axis.remap"` of the node `T.axis.remap`; None for other nodes."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id == self.alias and parts:
            return ".".join(reversed(parts))
        return None

    def called(self, node: ast.AST) -> str | None:
        """Return `"axis.remap"` of the call `T.axis.remap(...)`."""
        return self.of(node.func) if isinstance(node, ast.Call) else None


def prim_func_alias(node: ast.FunctionDef) -> str | None:
    """Return the name before `.prim_func` among a function's decorators, or None."""
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (
            isinstance(target, ast.Attribute)
            and target.attr == "prim_func"
            and isinstance(target.value, ast.Name)
        ):
            return target.value.id
    return None


def text(node: ast.AST, limit: int = 60) -> str:
    """Return a fragment of the script, shortened."""
    found = ast.unparse(node).replace("\n", " ")
    return found if len(found) <= limit else found[: limit - 3] + "..."


def elements(node: ast.AST) -> list[ast.expr]:
    """Return the parts of a tuple or list; anything else is a single part."""
    return list(node.elts) if isinstance(node, ast.Tuple | ast.List) else [node]  # pyright: ignore


def keywords(call: ast.Call) -> dict[str, ast.expr]:
    """Return the keyword arguments of a call."""
    found: dict[str, ast.expr] = {}
    for word in call.keywords:
        if word.arg is None or word.arg in found:
            raise Unreadable(
                call, f"expected each argument once, found {word.arg or '**'!r}; correct it"
            )
        found[word.arg] = word.value
    return found


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, without `pass` and standalone strings."""
    for each in body:
        is_text = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        if not isinstance(each, ast.Pass) and not is_text:
            yield each
