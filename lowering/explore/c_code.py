"""The C of a program in pieces: each function with the places that it comes from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from lowering.explore.places import Places

START = re.compile(r"^/\* @(.*?)\(")
"""The comment that the C target writes before the definition of a function."""
HEAD = re.compile(r"(\w+)\(")


@dataclass(frozen=True)
class Piece:
    """A function in C, or what stands between functions."""

    name: str
    symbol: str
    """The function in the IR, or nothing."""
    text: str
    places: tuple[int, ...]


def function_places(module: ModuleOp, places: Places) -> dict[str, tuple[int, ...]]:
    """Where each function of the last IR comes from, by symbol: its ops, and those that call it."""
    found = {op.sym_name.data: places.of_all(op) for op in module.ops if isinstance(op, FuncOp)}
    for op in module.walk():
        if isinstance(op, CallOp) and (callee := op.callee.string_value()) in found:
            found[callee].update(places.of(op.location))
    return {symbol: tuple(sorted(numbers)) for symbol, numbers in found.items()}


def pieces(c: str, origins: Mapping[str, tuple[int, ...]]) -> list[Piece]:
    """A file of C as the functions that come from the program, and the rest."""
    found: list[Piece] = []
    rest: list[str] = []
    symbol: str | None = None
    for line in c.split("\n"):
        if symbol is None and (start := START.match(line)) is not None:
            found += _rest(rest)
            symbol, rest = start[1], []
        rest.append(line)
        if symbol is not None and line == "}":
            text = "\n".join(rest)
            head = HEAD.search(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
            name = symbol if head is None else head[1]
            found.append(Piece(name, symbol, text, origins.get(symbol, ())))
            symbol, rest = None, []
    return found + _rest(rest)


def _rest(lines: list[str]) -> list[Piece]:
    text = "\n".join(lines).strip("\n")
    return [Piece("declarations and helpers", "", text, ())] if text else []
