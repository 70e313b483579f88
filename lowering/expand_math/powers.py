"""Powers and cube roots."""

from __future__ import annotations

import math

from lowering.arith_emitter import Float
from lowering.expand_math.coefficients import ATANH, DOUBLE, EXP2, SINGLE, TWO_OVER_LN2
from lowering.expand_math.exponentials import precision, scaled
from lowering.expand_math.logarithms import split

CUBE_ROOT = (1 / 3, 2 / 9, 14 / 81)
"""p with (1 - e)**(-1/3) = 1 + e * p(e) + 35/243 * e**4 + ..."""

SCALE = {SINGLE: 63, DOUBLE: 510}
"""Numbers less than 2**-SCALE are multiplied by 2**SCALE before their cube root is taken."""


def power(x: Float, y: Float) -> Float:
    """2**(y * log2 |x|), with the logarithm in two parts; then the sign, and what C defines for zeros,
    infinities and NaN."""
    a = x.abs()
    high, low = _log2_in_parts(a)
    exponent = y * high
    near = exponent.clamp(-160.0, 160.0)
    rounded = near + SINGLE.rounder
    r = y.times_plus(high, SINGLE.rounder - rounded) + y * low
    r = near.equals(exponent).select(r, near * 0.0)
    result = scaled(r.polynomial(EXP2) * r + 1.0, rounded)
    half = y * 0.5
    odd = half.floor() < half
    result = a.equals(1.0).select(1.0, result)
    signed = odd.select(result.with_sign_of(x), result)
    negative = (x < 0.0).select(math.nan, result)
    fraction = x.equals(-math.inf).select(result, negative)
    defined = y.equals(y.floor()).select(signed, fraction)
    return y.equals(0.0).select(1.0, defined)


def _log2_in_parts(a: Float) -> tuple[Float, Float]:
    """log2(a) = n + 2 / ln(2) * (s + s * z * p(z)), s = f / (2 + f) and z = s * s, of an f32 that is not
    negative: the last terms are small, and s is corrected by the rest of the division."""
    f, n = split(a)
    divisor = f + 2.0
    inverse = 1.0 / divisor
    s = f * inverse
    rest = s.times_plus(-divisor, f) - s * (f - (divisor - 2.0))
    high, low = TWO_OVER_LN2
    main = s.times_plus(high, 0.0)  # a product that no compiler joins to the sum
    y = n + main
    z = s * s
    small = z.polynomial(ATANH) * z * s + rest * inverse
    after = main - (y - n) + s.times_plus(high, -main) + (small * high + s * low)
    whole = y + after
    defined = (a < math.inf).select(a.equals(0.0).select(-math.inf, whole), a)
    return defined, after - (whole - y)


def cbrt(x: Float) -> Float:
    """a * r * r with r = a**(-1/3) and a = |x|: a guess from the bits is made better twice by what
    a * r**3 lacks to 1; at the end the root is corrected by the rest of a."""
    p, a = precision(x), x.abs()
    tiny = a < 2.0 ** -SCALE[p]
    a = tiny.select(a * 2.0 ** SCALE[p], a)
    half = x.emitter.real.bitwidth // 2
    third = (a.bits() >> half) * (2**half // 3)
    r = (x.emitter.int(p.cube_root_guess) - third).as_float()
    for _ in range(2):
        e = 1.0 - (a * r) * (r * r)
        r = e.polynomial(CUBE_ROOT) * e * r + r
    y = a * r * r
    square = y * y
    low = y.times_plus(y, -square)
    rest = y.times_plus(-square, a) - y * low
    y = rest * (r * r * (1 / 3)) + y
    y = y * tiny.select(2.0 ** (-SCALE[p] // 3), 1.0)
    return (x.abs() < math.inf).select(y, x).with_sign_of(x)
