"""Laws of IEEE arithmetic by which terms get one form, so that z3 need not multiply bits to see them.

    (-x) * y       ->  -(x * y)            x * 1   ->  x
    abs(x) * abs(x) ->  x * x              x / 1   ->  x
    (-x) / y       ->  -(x / y)            x + -0  ->  x
    x / (-y)       ->  -(x / y)
    x - y          ->  x + (-y)
    floor(ceil(x)) ->  ceil(x)             f64(f32(x: f16))  ->  f64(x)

Each is proved by z3 for each element type, bit by bit: `LAWS` states them for the test that does so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from relax_dialect.prove.scalars.scalar_types import ScalarType, number
from relax_dialect.prove.scalars.terms import Terms
from relax_dialect.prove.z3_package import z3

RNE = z3.RNE()


def _unsigned(x: Any) -> tuple[Any, bool]:
    """Return a term without its negation, and whether it had one."""
    return (x.arg(0), True) if z3.is_app_of(x, z3.Z3_OP_FPA_NEG) else (x, False)


def _is_number(x: Any, value: float, type: ScalarType) -> bool:
    return x.eq(z3.simplify(number(value, type)))


def _with_sign(x: Any, is_negative: bool) -> Any:
    return z3.simplify(z3.fpNeg(x)) if is_negative else x


def product(terms: Terms, type: ScalarType, a: Any, b: Any) -> Any:
    """`a * b`."""
    (x, minus_x), (y, minus_y) = (_unsigned(z3.simplify(each)) for each in (a, b))
    if x.eq(y) and z3.is_app_of(x, z3.Z3_OP_FPA_ABS):
        x = y = x.arg(0)
    for one, other in ((x, y), (y, x)):
        if _is_number(one, 1.0, type) or _is_number(one, -1.0, type):
            return _with_sign(other, minus_x ^ minus_y ^ _is_number(one, -1.0, type))
    multiply = lambda a, b: z3.fpMul(RNE, a, b)  # noqa: E731
    found = terms.costly(("multiply", str(type)), (x, y), multiply, commutes=True)
    return _with_sign(found, minus_x ^ minus_y)


def quotient(terms: Terms, type: ScalarType, a: Any, b: Any) -> Any:
    """`a / b`."""
    (x, minus_x), (y, minus_y) = (_unsigned(z3.simplify(each)) for each in (a, b))
    is_minus_one = _is_number(y, -1.0, type)
    if is_minus_one or _is_number(y, 1.0, type):
        return _with_sign(x, minus_x ^ minus_y ^ is_minus_one)
    divide = lambda a, b: z3.fpDiv(RNE, a, b)  # noqa: E731
    found = terms.costly(("divide", str(type)), (x, y), divide)
    return _with_sign(found, minus_x ^ minus_y)


def sum(terms: Terms, type: ScalarType, a: Any, b: Any) -> Any:
    """`a + b`."""
    a, b = z3.simplify(a), z3.simplify(b)
    for zero, other in ((a, b), (b, a)):
        if _is_number(zero, -0.0, type):
            return other
    add = lambda a, b: z3.fpAdd(RNE, a, b)  # noqa: E731
    return terms.costly(("add", str(type)), (a, b), add, commutes=True)


def difference(terms: Terms, type: ScalarType, a: Any, b: Any) -> Any:
    """`a - b`."""
    return sum(terms, type, a, z3.fpNeg(b))


def rounded(mode: Any, x: Any) -> Any:
    """Return a number rounded to a whole one, in the way of a rounding mode."""
    x = z3.simplify(x)
    if z3.is_app_of(x, z3.Z3_OP_FPA_ROUND_TO_INTEGRAL):
        return x
    return z3.fpRoundToIntegral(mode, x)


def resized(x: Any, target: ScalarType) -> Any:
    """Return a float as one of another type."""
    x = z3.simplify(x)
    is_cast = z3.is_app_of(x, z3.Z3_OP_FPA_TO_FP) and x.num_args() == 2 and z3.is_fp(x.arg(1))
    if is_cast and _is_within(x.arg(1).sort(), x.sort()):
        return resized(x.arg(1), target)
    return x if x.sort() == target.sort else z3.fpFPToFP(RNE, x, target.sort)


def _is_within(small: Any, large: Any) -> bool:
    """Return whether all numbers of a float sort are numbers of another one."""
    return small.ebits() <= large.ebits() and small.sbits() <= large.sbits()


Law = Callable[[ScalarType, Any, Any], Any]

MODES = {"round": RNE, "trunc": z3.RTZ(), "floor": z3.RTN(), "ceil": z3.RTP()}


def _whole(inner: str, outer: str) -> Law:
    """Rounding is idempotent, also between modes."""

    def law(t: ScalarType, x: Any, y: Any) -> Any:
        once = z3.fpRoundToIntegral(MODES[inner], x)
        return z3.fpRoundToIntegral(MODES[outer], once) == once

    return law


LAWS: Mapping[str, Law] = {
    "x * y = y * x": lambda t, x, y: z3.fpMul(RNE, x, y) == z3.fpMul(RNE, y, x),
    "-x * y = -(x * y)": lambda t, x, y: (
        z3.fpMul(RNE, z3.fpNeg(x), y) == z3.fpNeg(z3.fpMul(RNE, x, y))
    ),
    "|x| * |x| = x * x": lambda t, x, y: (
        z3.fpMul(RNE, z3.fpAbs(x), z3.fpAbs(x)) == z3.fpMul(RNE, x, x)
    ),
    "x * 1 = x": lambda t, x, y: z3.fpMul(RNE, x, number(1, t)) == x,
    "x * -1 = -x": lambda t, x, y: z3.fpMul(RNE, x, number(-1, t)) == z3.fpNeg(x),
    "-x / y = -(x / y)": lambda t, x, y: (
        z3.fpDiv(RNE, z3.fpNeg(x), y) == z3.fpNeg(z3.fpDiv(RNE, x, y))
    ),
    "x / -y = -(x / y)": lambda t, x, y: (
        z3.fpDiv(RNE, x, z3.fpNeg(y)) == z3.fpNeg(z3.fpDiv(RNE, x, y))
    ),
    "x / 1 = x": lambda t, x, y: z3.fpDiv(RNE, x, number(1, t)) == x,
    "x / -1 = -x": lambda t, x, y: z3.fpDiv(RNE, x, number(-1, t)) == z3.fpNeg(x),
    "x + y = y + x": lambda t, x, y: z3.fpAdd(RNE, x, y) == z3.fpAdd(RNE, y, x),
    "x + -0 = x": lambda t, x, y: z3.fpAdd(RNE, x, number(-0.0, t)) == x,
    "x - y = x + -y": lambda t, x, y: z3.fpSub(RNE, x, y) == z3.fpAdd(RNE, x, z3.fpNeg(y)),
    **{f"{b}({a}(x)) = {a}(x)": _whole(a, b) for a in MODES for b in MODES},
}
"""The laws that the functions above use, of two numbers of a type; `widening` is the one about casts."""


def widening(source: ScalarType, middle: ScalarType, target: ScalarType, x: Any) -> Any:
    """Return the law that a number may skip a type which has it."""
    through = z3.fpFPToFP(RNE, z3.fpFPToFP(RNE, x, middle.sort), target.sort)
    direct = x if source == target else z3.fpFPToFP(RNE, x, target.sort)
    return through == direct
