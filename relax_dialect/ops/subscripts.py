"""Subscripts of Einstein's notation, such as `bij,bjk->bik`: which axes are multiplied and summed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_letters
from typing import TypeAlias

Labels: TypeAlias = tuple[str, ...]
"""The axes of a tensor: letters, and `.0`, `.1`, ... for those of the ellipsis, from the last one."""

ELLIPSIS = "..."


class SubscriptsError(Exception):
    """Invalid subscripts: with the expected and found text, and the fix."""


@dataclass(frozen=True)
class Subscripts:
    """The terms of the operands, and that of the result."""

    terms: tuple[str, ...]
    result: str

    @staticmethod
    @lru_cache
    def parse(text: str) -> Subscripts:
        """Read subscripts; without `->` the result has the letters that occur once, in alphabetical
        order."""
        left, arrow, right = text.replace(" ", "").partition("->")
        terms = tuple(left.split(","))
        for term in (*terms, right):
            _check_term(term)
        if not arrow:
            once = sorted(c for c in set(left) if c in ascii_letters and left.count(c) == 1)
            right = ELLIPSIS * (ELLIPSIS in left) + "".join(once)
        if len(set(_letters(right))) != len(_letters(right)):
            raise SubscriptsError("each letter once in the result (C4)", right, "name it once")
        if strange := [c for c in _letters(right) if c not in left]:
            expected = "letters of the operands in the result (C4)"
            raise SubscriptsError(expected, ", ".join(strange), "name axes of the operands")
        if (ELLIPSIS in left) != (ELLIPSIS in right):
            expected = "'...' in the result just where operands have it (C4)"
            raise SubscriptsError(expected, text, f"write '{ELLIPSIS}' on both sides, or on none")
        return Subscripts(terms, right)

    def rank(self, operand: int) -> tuple[int, bool]:
        """Return the number of letters of an operand's axes, and whether it has more: those of `...`."""
        return len(_letters(self.terms[operand])), ELLIPSIS in self.terms[operand]

    def labels(self, ranks: Sequence[int]) -> tuple[list[Labels], Labels]:
        """Return the axes of operands of some ranks, and those of the result."""
        more = [rank - len(_letters(term)) for rank, term in zip(ranks, self.terms)]
        operands = [_labels(term, extra) for term, extra in zip(self.terms, more)]
        return operands, _labels(self.result, max(more, default=0))


def _letters(term: str) -> str:
    return term.replace(ELLIPSIS, "")


def _check_term(term: str) -> None:
    if term.count(ELLIPSIS) > 1 or any(c not in ascii_letters for c in _letters(term)):
        expected = "letters, with '...' at most once, between commas and '->' (C2)"
        raise SubscriptsError(expected, f"'{term}'", "write them as in 'bij,bjk->bik'")


def _labels(term: str, extra: int) -> Labels:
    before, ellipsis, after = term.partition(ELLIPSIS)
    middle = [f".{place}" for place in reversed(range(extra))] if ellipsis else []
    return (*before, *middle, *after)
