"""Floor division and remainder of symbolic sizes, simplified as far as holds for all integers."""

from __future__ import annotations

from functools import lru_cache
from math import gcd
from typing import SupportsIndex

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic.expr import (
    CACHE_SIZE,
    OPERATIONS,
    Atom,
    Expr,
    Term,
    const,
    expect,
    from_terms,
    operation,
    total,
)
from relax_dialect.symbolic.printing import parenthesized


def floordiv(a: Expr | SupportsIndex, b: Expr | SupportsIndex) -> Expr:
    """Return a divided by b, rounded down."""
    return _floordiv(expect(a), expect(b))


def floormod(a: Expr | SupportsIndex, b: Expr | SupportsIndex) -> Expr:
    """Return the remainder of `floordiv`: a - b * (a floordiv b)."""
    return _floormod(expect(a), expect(b))


def ceildiv(a: Expr | SupportsIndex, b: Expr | SupportsIndex) -> Expr:
    """Return a divided by b, rounded up."""
    x, y = expect(a), expect(b)
    low, _ = y.bounds()
    if y.is_constant or low is None or low < 0:
        return -_floordiv(-x, y)
    return _floordiv(x + y - 1, y)


@lru_cache(CACHE_SIZE)
def _floordiv(a: Expr, b: Expr) -> Expr:
    """Divide term by term by a constant; a symbolic divisor stays as it is.

    (c * q + r) floordiv c -> q + r floordiv c
    (g * x + k) floordiv (g * c) -> (x + k floordiv g) floordiv c
    (x floordiv b + k) floordiv c -> (x + b * k) floordiv (b * c)
    (-x) floordiv c -> -((x + c - 1) floordiv c)
    (-x + x mod c) floordiv c -> -(x floordiv c), and its like: see `_without_remainder`
    """
    c = b.value
    if c is None:
        return operation("floordiv", a, b)
    if c <= 0:
        _refuse_zero(a, c, "floordiv")
        return _floordiv(-a, const(-c))
    quotient, rest = _split(a, c)
    if rest.is_constant:
        return quotient
    g, x, _ = _common_factor(rest, c)
    if g > 1:
        return quotient + _floordiv(x, const(c // g))
    low, high = rest.bounds()
    if low is not None and high is not None and low // c == high // c:
        return quotient + low // c
    if (cancelled := _without_remainder(rest, c)) is not None:
        return quotient + cancelled
    k = _constant_term(rest)
    if _mostly_negative(rest):
        return quotient - _floordiv(c - 1 - rest, b)
    inner = (rest - k).atom
    if inner is not None and inner.kind == "floordiv" and (d := inner.args[1].value) is not None:
        return quotient + _floordiv(inner.args[0] + d * k, const(d * c))
    return quotient + operation("floordiv", rest, b)


@lru_cache(CACHE_SIZE)
def _floormod(a: Expr, b: Expr) -> Expr:
    """Take the remainder term by term by a constant; a symbolic modulus stays as it is.

    (c * q + r) mod c -> r mod c
    (x mod (k * c)) mod c -> x mod c
    (g * x + k) mod (g * c) -> g * ((x + k floordiv g) mod c) + k mod g
    """
    c = b.value
    if c is None:
        return operation("mod", a, b)
    if c <= 0:
        _refuse_zero(a, c, "mod")
        return -_floormod(-a, const(-c))
    _, rest = _split(a, c)
    unnested = total(_without_mod(term, c) for term in rest.terms)
    if unnested is not rest:
        return _floormod(unnested, b)
    if rest.is_constant:
        return rest
    g, x, k = _common_factor(rest, c)
    if g > 1:
        return g * _floormod(x, const(c // g)) + k
    low, high = rest.bounds()
    if low is not None and high is not None and low // c == high // c:
        return rest - low // c * c
    return operation("mod", rest, b)


def exact_quotient(a: Expr, b: Expr) -> Expr | None:
    """Return the q with a = q * b for all values of the variables, if b is one product and divides a.

    (2 * n * m + 4 * m) / (2 * m) -> n + 2
    """
    if len(b.terms) != 1:
        return None
    divisor, c = b.terms[0]
    quotient: dict[tuple[Atom, ...], int] = {}
    for factors, k in a.terms:
        rest = list(factors)
        for atom in divisor:
            if atom not in rest:
                return None
            rest.remove(atom)
        if k % c:
            return None
        quotient[tuple(rest)] = k // c
    return from_terms(quotient)


def _refuse_zero(a: Expr, c: int, op: str) -> None:
    if c == 0:
        raise SymbolicError(
            f"'{parenthesized(a)} {op} 0' divides by zero: expected another divisor"
        )


def _constant_term(expr: Expr) -> int:
    """Return the integer summand."""
    return expr.terms[-1].coefficient if expr.terms and not expr.terms[-1].factors else 0


def _split(a: Expr, c: int) -> tuple[Expr, Expr]:
    """Return quotient and rest with a = c * quotient + rest, the rest's constant in [0, c).

    Other coefficients round towards zero, so that no term changes its sign.
    """
    quotient: dict[tuple[Atom, ...], int] = {}
    rest: dict[tuple[Atom, ...], int] = {}
    for factors, k in a.terms:
        q = -(-k // c) if factors and k < 0 else k // c
        quotient[factors], rest[factors] = q, k - c * q
    return from_terms(quotient), from_terms(rest)


def _common_factor(a: Expr, c: int) -> tuple[int, Expr, int]:
    """Return g, x and k with a = g * x + k and 0 <= k < g, g the greatest that also divides c."""
    g = gcd(c, *(k for factors, k in a.terms if factors))
    return g, from_terms({f: k // g for f, k in a.terms}), _constant_term(a) % g


def _without_mod(term: Term, c: int) -> Expr:
    """Return the term, or one equal to it modulo c that lacks an inner `mod`."""
    factors, k = term
    if len(factors) == 1 and factors[0].kind == "mod":
        inner, modulus = factors[0].args
        if modulus.value is not None and k * modulus.value % c == 0:
            return k * inner
    return from_terms({factors: k})


def _without_remainder(a: Expr, c: int) -> Expr | None:
    """Return `a floordiv c` with one remainder in `a` expanded if that cancels terms, else None.

    k * (x mod d) is k * x - k * d * (x floordiv d), and c divides k * d:

    (n + m + (-n) mod c) floordiv c -> m floordiv c + (n + c - 1) floordiv c
    """
    for factors, k in a.terms:
        if len(factors) != 1 or factors[0].kind != "mod":
            continue
        inner, modulus = factors[0].args
        if modulus.value is None or k * modulus.value % c:
            continue
        quotient, rest = _split(a - from_terms({factors: k}) + k * inner, c)
        if len(rest.terms) < len(a.terms):
            whole = k * modulus.value // c
            return quotient + _floordiv(rest, const(c)) - whole * _floordiv(inner, modulus)
    return None


def _mostly_negative(a: Expr) -> bool:
    """Return whether more terms have a negative coefficient than a positive one, the constant aside."""
    signs = [1 if k > 0 else -1 for factors, k in a.terms if factors]
    return sum(signs) < 0


OPERATIONS["floordiv"] = _floordiv
OPERATIONS["mod"] = _floormod
