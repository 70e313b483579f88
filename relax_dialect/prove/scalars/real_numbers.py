"""The numbers of programs as real numbers: those that formulas mean."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from relax_dialect.prove.z3_package import z3

LOW = -1e4
"""Numbers of this and below hide a score as minus infinity does: its share is less than 1e-4000."""
HIDING = "hiding "
STEEPNESS = z3.Real("sqrt(2 / pi)")

TOLERANCE = 2.0**-20
"""The relative difference up to which numbers are equal: `formula_numbers.TOLERANCE` of f32."""

SMALL = 100
"""The greatest denominator of a fraction that a number near it is taken for."""


def real_number(value: Any) -> Any:
    """Return a number: a fraction, a root of one, its decimals, or a symbol if it hides scores."""
    found = float(value)
    if found <= LOW:
        return z3.Real(f"{HIDING}{found}")
    if math.isclose(abs(found), math.sqrt(2 / math.pi), rel_tol=TOLERANCE):
        return STEEPNESS if found > 0 else -STEEPNESS
    decimals = Fraction(str(value))
    for power in (1, 2):
        near = (decimals**power).limit_denominator(SMALL)
        if near and math.isclose(abs(found), abs(near) ** (1 / power), rel_tol=TOLERANCE):
            return real(near) if power == 1 else root_of(near)
    return real(decimals)


def is_hiding(term: Any) -> bool:
    """Return whether a term is a number that hides a score: its exponential is 0."""
    return z3.is_const(term) and term.decl().name().startswith(HIDING)


def root_of(square: Fraction) -> Any:
    """Return the root of a fraction, with the root of a number that no square divides as a symbol."""
    whole = square.numerator * square.denominator
    factor = max(k for k in range(1, math.isqrt(whole) + 1) if whole % (k * k) == 0)
    outside, inside = real(Fraction(factor, square.denominator)), whole // factor**2
    return outside if inside == 1 else outside * z3.Real(f"sqrt {inside}")


def real(number: Fraction | int) -> Any:
    """Return a rational number as a term."""
    number = Fraction(number)
    return z3.Q(number.numerator, number.denominator)


def square_of(term: Any) -> int | None:
    """Return the number whose root a symbol is."""
    name = str(term) if z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED else ""
    return int(name.removeprefix("sqrt ")) if name.startswith("sqrt ") else None
