"""Symbolic sizes as integers of z3: variables are at least 0, `floordiv` and `mod` round down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from relax_dialect.prove.z3_package import z3
from relax_dialect.symbolic import Expr


def floordiv(a: Any, b: Any) -> Any:
    """Return the quotient rounded down, for every sign of the divisor; z3's remainder is at least 0."""
    return z3.If(b > 0, a / b, (-a) / (-b))


def floormod(a: Any, b: Any) -> Any:
    """Return the remainder of `floordiv`."""
    return z3.If(b > 0, a % b, -((-a) % (-b)))


def _broadcast(a: Any, b: Any) -> Any:
    return z3.If(a == 1, b, a)


OPERATIONS: Mapping[str, Any] = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "floordiv": floordiv,
    "mod": floormod,
    "min": lambda a, b: z3.If(a <= b, a, b),
    "max": lambda a, b: z3.If(a >= b, a, b),
    "broadcast": _broadcast,
}


def integer(expr: Expr) -> Any:
    """Return a size as a term."""
    return expr.fold(z3.IntVal, z3.Int, lambda name, a, b: OPERATIONS[name](a, b))


def facts(exprs: Iterable[Expr]) -> list[Any]:
    """Return the facts that hold wherever sizes have a value: variables are at least 0, divisors are not
    0, and sizes that broadcast differ only if one is 1."""
    names = {name for expr in exprs for name in expr.free_variables}
    found = [z3.Int(name) >= 0 for name in sorted(names)]
    for expr in exprs:
        expr.fold(z3.IntVal, z3.Int, lambda name, a, b: _defined(name, a, b, found))
    return found


def _defined(name: str, a: Any, b: Any, found: list[Any]) -> Any:
    if name in ("floordiv", "mod"):
        found.append(b != 0)
    if name == "broadcast":
        found.append(z3.Or(a == b, a == 1, b == 1))
    return OPERATIONS[name](a, b)
