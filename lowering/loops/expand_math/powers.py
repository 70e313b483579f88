"""Powers and cube roots."""

from __future__ import annotations

import math

from lowering.ir.arith_emitter import Bool, Float
from lowering.loops.expand_math.coefficients import (
    ATANH,
    ATANH_DOUBLE,
    DOUBLE,
    EXP2,
    HALF,
    SINGLE,
)
from lowering.loops.expand_math.exponentials import bias, precision, scaled, series
from lowering.loops.expand_math.logarithms import split

CUBE_ROOT = (1 / 3, 2 / 9, 14 / 81)
"""p with (1 - e)**(-1/3) = 1 + e * p(e) + 35/243 * e**4 + ..."""

SCALE = {SINGLE: 63, DOUBLE: 510}
"""Numbers less than 2**-SCALE are multiplied by 2**SCALE before their cube root is taken."""


LINEAR_LACKS = 0.0861
"""The maximum of log2(1 + m) - m, for m from 0 to 1."""


def is_unusual(x: Float, y: Float) -> Bool:
    """Return whether x is no positive number, or x, or x**y, may be other than normal. By the bits of x,
    its logarithm is known to `LINEAR_LACKS`; those of a negative number or NaN act as a huge one."""
    p = precision(x)
    one = p.bias << p.digits
    size = (x.bits() - one).to_float().abs() * 2.0**-p.digits + LINEAR_LACKS
    factor = (y.abs() < 1.0).select(1.0, y.abs())
    return (size * factor).not_less(p.bias - 2.0)


def power(x: Float, y: Float, usual: bool = False) -> Float:
    """2**(y * log2 |x|), with the logarithm in two parts; then the sign, and C's results for zeros,
    infinities and NaN."""
    if usual:
        return _usual_power(x, y)
    a, p = x.abs(), precision(x)
    high, low = _log2_in_parts(a)
    exponent = y * high
    near = exponent.clamp(*p.power_ends)
    rounder = p.rounder + bias(p)
    rounded = near + rounder
    r = y.times_plus(high, rounder - rounded) + y * low
    r = near.equals(exponent).select(r, near * 0.0)
    result = a.equals(1.0).select(1.0, scaled(_exp2_less_one(r), rounded))
    half = y * 0.5
    odd = half.floor() < half
    signed = odd.select(result.with_sign_of(x), result)
    fraction = (x < 0.0).select((x > -math.inf).select(math.nan, result), result)
    defined = y.equals(y.floor()).select(signed, fraction)
    return y.equals(0.0).select(1.0, defined)


def _usual_power(x: Float, y: Float) -> Float:
    """Return the same for usual arguments only."""
    p = precision(x)
    high, low = _log2_in_parts(x, usual=True)
    rounder = p.rounder + bias(p, normal=True)
    rounded = y.times_plus(high, rounder)
    r = y.times_plus(high, rounder - rounded) + y * low
    return scaled(_exp2_less_one(r), rounded, normal=True)


def _exp2_less_one(r: Float) -> Float:
    """2**r - 1 for |r| <= 1/2."""
    return series(r * math.log(2)) if precision(r) is DOUBLE else r.polynomial(EXP2) * r


def _log2_in_parts(a: Float, usual: bool = False) -> tuple[Float, Float]:
    """log2(a) = n + 2 / ln(2) * atanh(s) with s = f / (2 + f) of a number that is not negative, and the
    error of the sum."""
    f, n = split(a, usual)
    divisor = f + 2.0
    inverse = 1.0 / divisor
    s = f * inverse
    rest = (s.times_plus(-divisor, f) - s * (f - (divisor - 2.0))) * inverse
    s, small = (_atanh_in_parts if precision(a) is DOUBLE else _atanh)(s, rest)
    high, low = precision(a).two_over_ln2
    main, dropped = _exact_product(s, high)
    y = n + main
    after = main - (y - n) + dropped + (small * high + s * low)
    whole = y + after
    after = after - (whole - y)
    if usual:
        return whole, after
    defined = (a < math.inf).select(a.equals(0.0).select(-math.inf, whole), a)
    return defined, after


def _atanh(s: Float, rest: Float) -> tuple[Float, Float]:
    """Return the inverse hyperbolic tangent of s and a little rest, as s and a small correction."""
    z = s * s
    return s, z.polynomial(ATANH) * z * s + rest


def _atanh_in_parts(s: Float, rest: Float) -> tuple[Float, Float]:
    """Return the same to more than the digits of f64: s + s**3 / 3 and a small correction."""
    z, z_dropped = _exact_product(s, s)
    cube, cube_dropped = _exact_product(z, s)
    third, third_dropped = _exact_product(cube, 1 / 3)
    tail = z.polynomial(ATANH_DOUBLE) * (z * cube)
    cube_dropped = cube_dropped + (z_dropped * s + z * rest * 3.0)
    third_dropped = third_dropped + (cube_dropped * (1 / 3) + cube * THIRD_DROPPED)
    y = s + third
    return y, third - (y - s) + (third_dropped + (rest + tail))


THIRD_DROPPED = 2.0**-54 / 3
"""1/3 less the nearest f64."""


def _exact_product(x: Float, y: Float | float) -> tuple[Float, Float]:
    """x * y rounded, which no compiler contracts with a sum after it, and its rounding error."""
    product = x.times_plus(y, 0.0)
    return product, x.times_plus(y, -product)


def cbrt(x: Float) -> Float:
    """a * r * r with r = a**(-1/3) and a = |x|: a guess from the bits is improved by the difference of a *
    r**3 and 1, in f64 twice; at the end the root is corrected by the rest of a."""
    p, a = precision(x), x.abs()
    if p is HALF:
        r = _better(_guess(a), a)
        return (a < math.inf).select(a * r * r, x).with_sign_of(x)
    tiny = a < 2.0 ** -SCALE[p]
    a = tiny.select(a * 2.0 ** SCALE[p], a)
    r = _better(_guess(a), a)
    if p is DOUBLE:
        r = _better(r, a)
    y = a * r * r
    square = y * y
    low = y.times_plus(y, -square)
    rest = y.times_plus(-square, a) - y * low
    y = rest * (r * r * (1 / 3)) + y
    y = y * tiny.select(2.0 ** (-SCALE[p] // 3), 1.0)
    return (x.abs() < math.inf).select(y, x).with_sign_of(x)


def _guess(a: Float) -> Float:
    """a**(-1/3), with a relative error of three hundredths."""
    half = a.emitter.real.bitwidth // 2
    third = (a.bits() >> half) * (2**half // 3)
    return (a.emitter.int(precision(a).cube_root_guess) - third).as_float()


def _better(r: Float, a: Float) -> Float:
    """Return an approximation of a**(-1/3) from one with a quarter of its digits."""
    e = 1.0 - (a * r) * (r * r)
    return e.polynomial(CUBE_ROOT) * e * r + r
