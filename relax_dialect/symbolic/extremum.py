"""Minimum and maximum of symbolic sizes, without arguments that never decide."""

from __future__ import annotations

from functools import lru_cache
from typing import SupportsIndex

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import interval
from relax_dialect.symbolic.caps import MAX_TERMS, SymbolicOverflow, check_cap
from relax_dialect.symbolic.expr import (
    CACHE_SIZE,
    OPERATIONS,
    Expr,
    expect,
    operation,
)


def minimum(*xs: Expr | SupportsIndex) -> Expr:
    """Return the least of the sizes."""
    return _extremum("min", tuple(map(expect, xs)))


def maximum(*xs: Expr | SupportsIndex) -> Expr:
    """Return the greatest of the sizes."""
    return _extremum("max", tuple(map(expect, xs)))


@lru_cache(CACHE_SIZE)
def _extremum(kind: str, xs: tuple[Expr, ...]) -> Expr:
    """Flatten, sort, and drop arguments that another one provably dominates."""
    if not xs:
        raise SymbolicError(f"'{kind}()' has no arguments: expected at least one")
    flat: set[Expr] = set()
    for x in xs:
        atom = x.atom
        flat.update(atom.args if atom is not None and atom.kind == kind else [x])
    check_cap(len(flat), MAX_TERMS, f"a '{kind}' with a number of arguments of")
    kept: list[Expr] = []
    for x in sorted(flat, key=str):
        if not any(_dominates(kind, y, x) for y in kept):
            kept = [y for y in kept if not _dominates(kind, x, y)] + [x]
    kept.sort(key=lambda x: (x.is_constant, str(x)))
    return kept[0] if len(kept) == 1 else operation(kind, *kept)


def _dominates(kind: str, x: Expr, y: Expr) -> bool:
    """Return whether x makes y needless in a `max` (x >= y) or `min` (x <= y) of both."""
    try:
        low, _ = (x - y if kind == "max" else y - x).bounds()
    except SymbolicOverflow:
        return False
    return low is not None and low >= 0


OPERATIONS["min"] = minimum
OPERATIONS["max"] = maximum
interval.EXTREMA |= {"min": minimum, "max": maximum}
