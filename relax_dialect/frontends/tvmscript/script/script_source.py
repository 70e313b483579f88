"""The source text, and its unreadable parts with line and column."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.utils.lexer import Input

from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import SourceText, marked_line

MOST_LISTED, MOST_FOUND = 50, 1000
"""The number of problems listed in one error, which counts the others; and the limit that ends reading."""


class ScriptError(RelaxError):
    """A text of TVMScript that cannot be read, or not be expressed in our operators."""


class Unreadable(Exception):
    """The error at a node that cannot be read: expected, found and mend. The reader's caller records it."""

    def __init__(self, node: ast.AST, reason: str):
        super().__init__(reason)
        self.node = node
        self.reason = reason


class TooMany(Exception):
    """So many problems that no more are looked for."""


@dataclass
class Source:
    """A text and its name in errors."""

    text: str
    name: str = "<tvmscript>"

    @cached_property
    def lines(self) -> list[str]:
        """As Python counts them, which knows fewer ends of lines than `str.splitlines`."""
        return self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def message(self, line: int, column: int, reason: str) -> str:
        """Return an error at a position: `f.py:3:5: error: reason`, and the line with a caret under it.

        Line and column count from 1.
        """
        shown = ""
        if 1 <= line <= len(self.lines):
            shown = marked_line(self.lines[line - 1], column - 1)
        return f"{self.name}:{line}:{column}: error: {reason}{shown}"

    def place(self, node: ast.AST) -> tuple[int, int]:
        """Return the line and the column of a node, in characters, from 1."""
        line: int = getattr(node, "lineno", 1)
        offset: int = getattr(node, "col_offset", 0)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return line, len(text.encode()[:offset].decode(errors="ignore")) + 1

    def segment(self, node: ast.AST) -> str | None:
        """Return the text of a node on a single line; None for others."""
        line: int = getattr(node, "lineno", 0)
        end: int | None = getattr(node, "end_col_offset", None)
        if end is None or line != getattr(node, "end_lineno", None) or line > len(self.lines):
            return None
        text = self.lines[line - 1]
        return text[node.col_offset : end] if text.isascii() else None  # pyright: ignore

    @cached_property
    def _content(self) -> SourceText:
        return SourceText(Input(self.text, self.name))

    def location(self, node: ast.AST) -> FileLineColLoc:
        """Return the location of a node, as ops carry it."""
        line, column = self.place(node)
        return self._content.at(line, column)

    def error(self, node: ast.AST, reason: str) -> ScriptError:
        """Return an error about a node."""
        return ScriptError(self.message(*self.place(node), reason))


def decoded(held: bytes, name: str) -> str:
    """Decode a file. Raises `ScriptError` if it is not UTF-8."""
    try:
        return held.decode()
    except UnicodeDecodeError as error:
        before = Source(held[: error.start].decode(), name)
        reason = (
            "expected a script as UTF-8 text, found bytes that are none; pass the text of a module"
        )
        place = len(before.lines), len(before.lines[-1]) + 1
        raise ScriptError(before.message(*place, reason)) from None


@dataclass
class Problems:
    """All unreadable parts of a text, reported at once."""

    source: Source
    found: dict[tuple[int, int], str] = field(default_factory=dict)
    """The reasons by line and column: one for each position."""

    def add(self, node: ast.AST, reason: str) -> None:
        """Note that a node cannot be read."""
        self.found.setdefault(self.source.place(node), reason)
        if len(self.found) >= MOST_FOUND:
            raise TooMany

    def note(self, problem: Unreadable) -> None:
        """Record the problems of a reader."""
        self.add(problem.node, problem.reason)

    def check(self) -> None:
        """Raise a `ScriptError` that lists them, if there are any."""
        if not self.found:
            return
        listed = sorted(self.found.items())
        texts = [self.source.message(*place, reason) for place, reason in listed[:MOST_LISTED]]
        if len(listed) > MOST_LISTED:
            texts.append(f"... and {len(listed) - MOST_LISTED} more")
        raise ScriptError("\n".join(texts))
