"""The text of symbolic sizes, spelt as MLIR spells affine expressions; `parse` reads it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Factor(Protocol):
    """An atom, as far as its text needs it."""

    kind: str
    text: str


class Printed(Protocol):
    """An expression, as far as its text needs it."""

    @property
    def terms(self) -> Sequence[tuple[Sequence[Factor], int]]: ...
    @property
    def value(self) -> int | None: ...
    @property
    def atom(self) -> Factor | None: ...


INFIX = ("floordiv", "mod")
"""The operations written between their operands; the others are written as calls."""


def parenthesized(expr: Printed) -> str:
    """Return the text of an operand of `floordiv` and `mod`."""
    atom = expr.atom
    simple = atom is not None and atom.kind not in INFIX
    if simple or (expr.value is not None and expr.value >= 0):
        return str(expr)
    return f"({expr})"


def text_of(expr: Printed) -> str:
    """Return the text of an expression as MLIR spells affine expressions."""
    parts: list[str] = []
    for factors, coefficient in expr.terms:
        magnitude = abs(coefficient)
        words = [str(magnitude)] if magnitude != 1 or not factors else []
        negative_first = coefficient < 0 and not parts
        single = len(words) + len(factors) == 1 and not negative_first
        for atom in factors:
            bare = single or atom.kind not in INFIX
            words.append(atom.text if bare else f"({atom.text})")
        if parts:
            parts.append(" - " if coefficient < 0 else " + ")
        elif negative_first:
            parts.append("-")
        parts.append(" * ".join(words))
    return "".join(parts) or "0"


def text_of_operation(kind: str, args: Sequence[Printed]) -> str:
    """Return the text of an operation, not parenthesised itself."""
    if kind in INFIX:
        return f" {kind} ".join(map(parenthesized, args))
    return f"{kind}({', '.join(map(str, args))})"
