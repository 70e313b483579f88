"""The C of a program in pieces: each function with its source locations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from lowering.emit_c.syntax.layout import without_comments
from lowering.explore.history import History

START = re.compile(r"^/\* @(.*?)\(")
"""The comment that the C target writes before the definition of a function."""
HEAD = re.compile(r"(\w+)\(")


@dataclass(frozen=True)
class CodeSection:
    """A C function, or the text between functions."""

    name: str
    symbol: str
    """The symbol of the function in the IR, or the empty string."""
    text: str
    places: tuple[int, ...]


def function_places(module: ModuleOp, history: History) -> dict[str, tuple[int, ...]]:
    """Return the source locations of each function of the last IR, by symbol: those of its callers, and its
    own if it was a Relax function or has no callers."""
    found: dict[str, tuple[int, ...]] = {}
    for op in module.ops:
        if isinstance(op, FuncOp):
            symbol = op.sym_name.data
            places = history.calls.get(symbol, set())
            if symbol in history.relax_functions or not places:
                places = places | history.places.of_all(op)
            found[symbol] = tuple(sorted(places))
    return found


def pieces(c: str, origins: Mapping[str, tuple[int, ...]]) -> list[CodeSection]:
    """Split a C file into the functions that come from the program, and the rest."""
    found: list[CodeSection] = []
    rest: list[str] = []
    symbol: str | None = None
    for line in c.split("\n"):
        if symbol is None and (start := START.match(line)) is not None:
            found += _rest(rest)
            symbol, rest = start[1], []
        rest.append(line)
        if symbol is not None and line == "}":
            text = "\n".join(rest)
            head = HEAD.search(without_comments(text))
            name = symbol if head is None else head[1]
            found.append(CodeSection(name, symbol, text, origins.get(symbol, ())))
            symbol, rest = None, []
    return found + _rest(rest)


def _rest(lines: list[str]) -> list[CodeSection]:
    text = "\n".join(lines).strip("\n")
    return [CodeSection("declarations and helpers", "", text, ())] if text else []
