"""Logarithms, and the inverse hyperbolic functions made of them."""

from __future__ import annotations

import math
from typing import NamedTuple

from lowering.ir.arith_emitter import Bool, Float, Int
from lowering.loops.expand_math.coefficients import (
    DOUBLE,
    HALF,
    LOG,
    LOG1P,
    LOG1P_DOUBLE,
    LOG_DOUBLE,
    LOG_HALF,
    SINGLE,
)
from lowering.loops.expand_math.exponentials import precision

LOG2_E_REST = math.log2(math.e) - 1
LOG10_E = math.log10(math.e)
LN2 = math.log(2)


class LogarithmSplit(NamedTuple):
    """`log(x)` as `high + low + n * log(2)`, where `low` is small against `high`."""

    high: Float
    low: Float
    n: Float

    @property
    def series(self) -> Float:
        return self.high + self.low


def is_unusual(x: Float) -> Bool:
    """Return whether x is no normal positive number."""
    return (x < math.inf).select(x, 0.0) < precision(x).least


def split(x: Float, usual: bool = False) -> tuple[Float, Float]:
    """f and n of x = (1 + f) * 2**n with 1 + f from 2/3 to 4/3; denormals are made normal before."""
    p = precision(x)
    if usual or p is HALF:
        f, exponent = _mantissa(x)
        return f, exponent.to_float()
    tiny = x < p.least
    scaled = tiny.select(x * 2.0**p.digits, x)
    f, exponent = _mantissa(scaled)
    return f, exponent.to_float() - tiny.select(float(p.digits), 0.0)


def _mantissa(x: Float) -> tuple[Float, Int]:
    """f and n of a normal number."""
    p = precision(x)
    exponent = x.bits() - p.two_thirds >> p.digits
    return (x.bits() - (exponent << p.digits)).as_float() - 1.0, exponent


def _split_log(x: Float, usual: bool = False) -> LogarithmSplit:
    f, n = split(x, usual)
    return LogarithmSplit(f, (_low_of_double if precision(x) is DOUBLE else _low)(f), n)


def _low(f: Float) -> Float:
    """log(1 + f) - f by a polynomial."""
    return f * f * (f.polynomial(LOG if precision(f) is SINGLE else LOG_HALF) * f - 0.5)


def _low_of_double(f: Float) -> Float:
    """log(1 + f) - f by the series of the inverse hyperbolic tangent of s = f / (2 + f)."""
    half_square = f * f * 0.5
    s = f / (f + 2.0)
    z = s * s
    return s * (half_square + z * z.polynomial(LOG_DOUBLE)) - half_square


def _with_ends(x: Float, y: Float, usual: bool = False) -> Float:
    """Return the logarithm y of x where x is neither infinite, zero, negative nor NaN."""
    if usual:
        return y
    y = (x < math.inf).select(y, x)
    return (x > 0.0).select(y, x.equals(0.0).select(-math.inf, math.nan))


def _natural(x: Float, usual: bool = False) -> Float:
    log = _split_log(x, usual)
    high, low = precision(x).ln2
    return log.n * high + (log.high + (log.n * low + log.low))


def log(x: Float, usual: bool = False) -> Float:
    """-inf at zero, NaN below."""
    return _with_ends(x, _natural(x, usual), usual)


def log2(x: Float, usual: bool = False) -> Float:
    """log2(x), exact for powers of two."""
    log = _split_log(x, usual)
    y = log.n + (log.series * LOG2_E_REST + log.low + log.high)
    return _with_ends(x, y, usual)


def log10(x: Float, usual: bool = False) -> Float:
    """From the natural one, with the multiple of log10(2) in two parts."""
    log = _split_log(x, usual)
    high, low = precision(x).log10_2
    return _with_ends(x, log.n * high + (log.series * LOG10_E + log.n * low), usual)


def log1p(x: Float) -> Float:
    """log(u) for u = 1 + x, corrected by the rounding error of u; it has the sign of x."""
    u = x + 1.0
    dropped = (x - (u - 1.0)) / u
    return _with_ends(u, _natural(u) + dropped).with_sign_of(x)


def log1p_up_to_one(x: Float) -> Float:
    """For x from 0 to 1, by the series of the inverse hyperbolic tangent of s = x / (2 + x)."""
    s = x / (x + 2.0)
    z = s * s
    return x - s * (x - z * z.polynomial(LOG1P_DOUBLE if precision(x) is DOUBLE else LOG1P))


def atanh(x: Float) -> Float:
    """log1p(2 a / (1 - a)) / 2 with a = |x|."""
    a = x.abs()
    return (log1p(a * 2.0 / (1.0 - a)) * 0.5).with_sign_of(x)


def asinh(x: Float) -> Float:
    """log1p(a + a * a / (1 + sqrt(a * a + 1))) with a = |x|; large ones are log(2 a)."""
    a = x.abs()
    square = a * a
    return _log1p_or_twice(a, a + square / ((square + 1.0).sqrt() + 1.0)).with_sign_of(x)


def acosh(x: Float) -> Float:
    """log1p(t + sqrt(2 t + t * t)) with t = x - 1; large ones are log(2 x). NaN below 1."""
    t = x - 1.0
    y = _log1p_or_twice(x, t + (t * 2.0 + t * t).sqrt())
    return (x < 1.0).select(math.nan, y)


def _log1p_or_twice(x: Float, y: Float) -> Float:
    """log1p(y), or log(2 x) where x is large."""
    small = x < 1e17  # beyond, 1 + x is x in f64 too
    return log1p(small.select(y, x)) + small.select(0.0, LN2)
