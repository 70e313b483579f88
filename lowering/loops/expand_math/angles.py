"""Inverse circular functions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lowering.ir.arith_emitter import Float
from lowering.loops.expand_math.coefficients import ASIN, ASIN_DOUBLE, ATAN, ATAN_DOUBLE, DOUBLE
from lowering.loops.expand_math.exponentials import precision


def _rational(x: Float, coefficients: Sequence[Sequence[float]]) -> Float:
    numerator, denominator = coefficients
    u = x * x
    return x * (u.polynomial(numerator) / u.polynomial(denominator))


def _series(x: Float, coefficients: Sequence[float]) -> Float:
    u = x * x
    return u.polynomial(coefficients) * u * x + x


def _atan_up_to_one(x: Float) -> Float:
    """In f64 pi / 4 + atan((x - 1) / (x + 1)) where x is large."""
    if precision(x) is not DOUBLE:
        return _rational(x, ATAN)
    large = x > math.tan(math.pi / 8)
    angle = _series(large.select((x - 1.0) / (x + 1.0), x), ATAN_DOUBLE)
    high, low = (part / 2 for part in precision(x).half_pi)
    return large.select(angle + low + high, angle)


def _asin_up_to_half(x: Float) -> Float:
    return _rational(x, ASIN) if precision(x) is not DOUBLE else _series(x, ASIN_DOUBLE)


def _less(angle: Float, quarters: int) -> Float:
    """`quarters * pi / 2 - angle`."""
    high, low = precision(angle).half_pi
    return quarters * high - (angle - quarters * low)


def atan(x: Float) -> Float:
    """pi / 2 - atan(1 / x) where |x| > 1."""
    a = x.abs()
    outside = a > 1.0
    angle = _atan_up_to_one(outside.select(1.0 / a, a))
    return outside.select(_less(angle, 1), angle).with_sign_of(x)


def atan2(y: Float, x: Float) -> Float:
    """atan of the lesser of |x| and |y| by the greater, rotated to the quadrant of the point."""
    a, b = y.abs(), x.abs()
    steep = a > b
    ratio = steep.select(b, a) / steep.select(a, b)
    ratio = a.equals(b).select(a.equals(0.0).select(0.0, 1.0), ratio)  # zeros, infinities
    angle = _atan_up_to_one(ratio)
    angle = steep.select(_less(angle, 1), angle)
    is_left = x.emitter.float(1.0).with_sign_of(x) < 0.0
    return is_left.select(_less(angle, 2), angle).with_sign_of(y)


def asin(x: Float) -> Float:
    """pi / 2 - 2 asin(sqrt((1 - |x|) / 2)) where |x| > 1/2; NaN beyond 1."""
    a = x.abs()
    outside = a > 0.5
    angle = _asin_up_to_half(outside.select(((1.0 - a) * 0.5).sqrt(), a))
    return outside.select(_less(angle * 2.0, 1), angle).with_sign_of(x)


def acos(x: Float) -> Float:
    """From asin, in such a way that nothing cancels next to 1; NaN beyond 1."""
    a = x.abs()
    outside = a > 0.5
    angle = _asin_up_to_half(outside.select(((1.0 - a) * 0.5).sqrt(), a))
    twice = angle * 2.0
    near = (x < 0.0).select(_less(twice, 2), twice)
    return outside.select(near, _less(angle.with_sign_of(x), 1))
