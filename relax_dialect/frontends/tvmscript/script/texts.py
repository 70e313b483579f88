"""Expressions in texts: `"n * 2"` among sizes, and types in quotes."""

from __future__ import annotations

import ast
import copy
import warnings

from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script.syntax import unfit


class Texts:
    """Parses texts, each once."""

    def __init__(self) -> None:
        self._known: dict[str, ast.expr] = {}

    def parsed(self, node: ast.Constant) -> ast.expr:
        """Return the expression in a text, located at the text."""
        assert isinstance(node.value, str)
        if (known := self._known.get(node.value)) is None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    known = ast.parse(node.value.strip(), mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                raise Unreadable(
                    node,
                    f"expected an expression in the text, found {node.value[:60]!r}; correct it",
                ) from None
            if (found := unfit(known)) is not None:
                raise Unreadable(node, found[1])
            self._known[node.value] = known
        found = copy.deepcopy(known)
        for each in ast.walk(found):
            each.lineno, each.col_offset = node.lineno, node.col_offset  # pyright: ignore
            each.end_lineno = each.end_col_offset = None  # pyright: ignore
        return found
