"""The size of a broadcast: the proved result, or else an operation of its own.

`broadcast(m, n)` is the size that is not 1, or 1 if both are. It has no other value: if two sizes other
than 1 differ it is undefined, and code that computes it checks that they do not. No arithmetic expresses
it: `max(m, n)` is wrong for 0 with 1, which broadcast to 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import SupportsIndex

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic.caps import MAX_TERMS, check_cap
from relax_dialect.symbolic.expr import (
    CACHE_SIZE,
    ONE,
    OPERATIONS,
    Expr,
    expect,
    operation,
)
from relax_dialect.symbolic.interval import at_least
from relax_dialect.symbolic.relations import differ_unless_empty, provably_different


def broadcast(*xs: Expr | SupportsIndex) -> Expr:
    """Return the size that sizes broadcast to; `SymbolicError` if they provably do not."""
    return _broadcast(tuple(map(expect, xs)))


@lru_cache(CACHE_SIZE)
def _broadcast(xs: tuple[Expr, ...]) -> Expr:
    """Flatten and sort; a size that is never 1 decides, and equals every other such one.

    broadcast(n, n, 1) -> n
    broadcast(broadcast(n, m), k) -> broadcast(k, m, n)
    broadcast(n, 4) -> 4
    broadcast(min(n, 64), n) -> n
    """
    flat: set[Expr] = set()
    for x in xs:
        flat.update(broadcast_parts(x))
    flat.discard(ONE)
    flat -= {x for x in flat if _is_cut_off(x, flat)}
    check_cap(len(flat), MAX_TERMS, "a 'broadcast' with a number of arguments of")
    values = sorted(flat, key=lambda x: (not x.is_constant, len(str(x)), str(x)))
    deciding = [x for x in values if provably_different(x, ONE)]
    if deciding:
        for other in deciding[1:]:
            if differ_unless_empty(deciding[0], other):
                raise SymbolicError(
                    f"sizes '{deciding[0]}' and '{other}' do not broadcast: expected equal sizes, "
                    "or one of them 1"
                )
        return deciding[0]
    if len(values) <= 1:
        return values[0] if values else ONE
    return operation("broadcast", *sorted(values, key=str))


def _is_cut_off(x: Expr, others: set[Expr]) -> bool:
    """Return whether a size is the minimum of another one and sizes above 1: it is 1 only if the other one
    is, and else equal to it."""
    atom = x.atom
    if atom is None or atom.kind != "min":
        return False
    return any(
        other in others and all(at_least(y, 2) for y in atom.args if y is not other)
        for other in atom.args
    )


def broadcast_parts(x: Expr) -> Sequence[Expr]:
    """Return the sizes that a size is broadcast from; itself alone if it is no broadcast."""
    atom = x.atom
    return atom.args if atom is not None and atom.kind == "broadcast" else (x,)


def _of_two(x: Expr, y: Expr) -> Expr:
    return _broadcast((x, y))


OPERATIONS["broadcast"] = _of_two
