"""Powers of e and of 2, and functions based on them: hyperbolic functions and `erf`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import f64

from lowering.ir.arith_emitter import Float, Int
from lowering.loops.expand_math.coefficients import (
    DOUBLE,
    ERF,
    ERFCX,
    HALF,
    SINGLE,
    TANH,
    FloatLayout,
)

LOG2_E = math.log2(math.e)


class ExponentialSplit(NamedTuple):
    """An exponential as `(1 + rest) * 2**n`."""

    rest: Float
    rounded: Float
    """n is in its low bits, with a bias."""


def precision(x: Float) -> FloatLayout:
    """Return the precision of a value's type."""
    return DOUBLE if x.emitter.real == f64 else HALF if x.emitter.coarse else SINGLE


def series(r: Float) -> Float:
    """exp(r) - 1 for |r| <= ln(2) / 2."""
    return r.polynomial(precision(r).exp) * (r * r) + r


def _split_exp(x: Float, bias: int, rest: Float | None = None) -> ExponentialSplit:
    """exp(x + rest) with n = round((x + rest) / ln 2) as the exponent, and the rest from
    r = x - n * ln 2 + rest."""
    p = precision(x)
    high, low = p.ln2
    rounded = (x if rest is None else x + rest) * LOG2_E + (p.rounder + bias)
    n = rounded - (p.rounder + bias)
    r = n * -low + (n * -high + x)
    return ExponentialSplit(series(r if rest is None else r + rest), rounded)


def bias(p: FloatLayout, normal: bool = False) -> int:
    """Return the bias that `scaled` expects to have been added to an exponent."""
    return p.bias if normal or p is HALF else 2 * p.bias


def scaled(rest: Float, rounded: Float, normal: bool = False) -> Float:
    """`(1 + rest) * 2**n` for the integer n in the low bits of `rounded`, biased by `bias`, in two factors,
    so that neither overflows and a denormal result is rounded once, unless that is known to be `normal`."""
    p, biased = precision(rest), rounded.bits()
    if normal or p is HALF:
        return _times_power(rest, biased)
    half = biased >> 1
    return _times_power(rest, half) * (biased - half << p.digits).as_float()


def _times_power(rest: Float, biased: Int) -> Float:
    """`(1 + rest) * 2**n`, where the low bits are those of the power's exponent: the product with `rest`
    is exact, and so the sum is rounded as `1 + rest` would be."""
    power = (biased << precision(rest).digits).as_float()
    return rest * power + power


def exp(x: Float) -> Float:
    """Compute exp(x). The clamp keeps the exponent small; its ends yield +inf and 0."""
    p = precision(x)
    return scaled(*_split_exp(x.clamp(*p.exp_ends), bias(p)))


def exp_up_to_one(x: Float) -> Float:
    """exp of an argument that is not above 0."""
    return _raised_exp(x.at_least(precision(x).exp_ends[0]))


def _raised_exp(x: Float, rest: Float | None = None) -> Float:
    """exp(x + rest) that is not above 1: the power is raised until it is normal, and taken back at the
    end."""
    p = precision(x)
    raised = p.bias // 2
    split = _split_exp(x, p.bias + raised, rest)
    return _times_power(split.rest, split.rounded.bits()) * 2.0**-raised


def exp2(x: Float) -> Float:
    """2**n * exp(r * ln 2) with n = round(x) and r = x - n, which is exact."""
    p = precision(x)
    rounder = p.rounder + bias(p)
    x = x.clamp(*p.exp2_ends)
    rounded = x + rounder
    r = (x - (rounded - rounder)) * math.log(2)
    return scaled(series(r), rounded)


def _quarter_expm1(x: Float) -> Float:
    """(exp(x) - 1) / 4 from where that is -1/4: it and twice it overflow for no x that sinh and cosh
    do not overflow for."""
    p = precision(x)
    rest, rounded = _split_exp(x, p.bias - 2)
    quarter = (rounded.bits() << p.digits).as_float()
    return quarter * rest + (quarter - 0.25)


def expm1(x: Float) -> Float:
    """Next to zero it is x."""
    p = precision(x)
    return (x.abs() < p.tiny).select(x, _quarter_expm1(x.clamp(*p.expm1_ends)) * 4.0)


def sinh(x: Float) -> Float:
    """(e - 1 / e) / 2 with e = exp(|x|), from e - 1: small results keep their digits."""
    p, a = precision(x), x.abs()
    quarter = _quarter_expm1(a.at_most(p.expm1_ends[1]))
    large = (quarter + quarter / (quarter * 4.0 + 1.0)) * 2.0
    return (a < math.sqrt(p.tiny)).select(a, large).with_sign_of(x)


def cosh(x: Float) -> Float:
    """(e + 1 / e) / 2 with e = exp(|x|)."""
    half = _quarter_expm1(x.abs().at_most(precision(x).expm1_ends[1])) * 2.0 + 0.5
    return half + 0.25 / half


def tanh_by_expm1(x: Float) -> Float:
    """e / (e + 2) with e = exp(2 |x|) - 1; 1 from 22 on in f64."""
    e = expm1(x.abs().at_most(22.0) * 2.0)
    return (e / (e + 2.0)).with_sign_of(x)


def _odd(coefficients: Sequence[Sequence[float]], end: float) -> Callable[[Float], Float]:
    """x * P(x * x) / Q(x * x), which passes 1 before `end` and is cut off there. It is computed from |x|,
    which has one end: for two ends, gcc creates masks for all later ops."""
    numerator, denominator = coefficients

    def expand(x: Float) -> Float:
        a = x.abs().at_most(end)
        u = a * a
        return (
            (a * u.polynomial(numerator) / u.polynomial(denominator)).at_most(1.0).with_sign_of(x)
        )

    return expand


def erfc(x: Float, scale: float = 1.0) -> Float:
    """erfc(x * sqrt(scale)), by exp(-x * x * scale): of x * x the square of the first half of its digits is
    exact, the rest is small. Where that is 0, its factor is cut off."""
    end = -precision(x).exp_ends[0] / scale
    a = x.abs().at_most(math.sqrt(end))
    high = (a.bits() & -(1 << 12)).as_float()
    power = _raised_exp(high * high * -scale, (high - a) * (high + a) * scale)
    a = a * math.sqrt(scale)
    numerator, denominator = ERFCX
    tail = power * a.polynomial(numerator) / a.polynomial(denominator)
    return (x < 0).select(2.0 - tail, tail)


tanh = _odd(TANH, 9.4)
erf = _odd(ERF, 4.1)
