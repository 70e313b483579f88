"""Inverse circular functions."""

from __future__ import annotations

from collections.abc import Sequence

from lowering.arith_emitter import Float
from lowering.expand_math.coefficients import ASIN, ATAN

HALF_PI = 1.57079637
HALF_PI_LOW = -4.37113883e-08
"""pi / 2 - HALF_PI."""


def _odd(x: Float, coefficients: Sequence[Sequence[float]]) -> Float:
    numerator, denominator = coefficients
    u = x * x
    return x * (u.polynomial(numerator) / u.polynomial(denominator))


def atan(x: Float) -> Float:
    """pi / 2 - atan(1 / x) where |x| > 1."""
    a = x.abs()
    outside = a > 1.0
    angle = _odd(outside.select(1.0 / a, a), ATAN)
    return outside.select(HALF_PI - (angle - HALF_PI_LOW), angle).with_sign_of(x)


def asin(x: Float) -> Float:
    """pi / 2 - 2 asin(sqrt((1 - |x|) / 2)) where |x| > 1/2; NaN beyond 1."""
    a = x.abs()
    outside = a > 0.5
    angle = _odd(outside.select(((1.0 - a) * 0.5).sqrt(), a), ASIN)
    return outside.select(HALF_PI - (angle * 2.0 - HALF_PI_LOW), angle).with_sign_of(x)


def acos(x: Float) -> Float:
    """From asin, in such a way that nothing cancels next to 1; NaN beyond 1."""
    a = x.abs()
    outside = a > 0.5
    angle = _odd(outside.select(((1.0 - a) * 0.5).sqrt(), a), ASIN)
    near = (x < 0.0).select(HALF_PI * 2.0 - (angle * 2.0 - 2.0 * HALF_PI_LOW), angle * 2.0)
    signed = angle.with_sign_of(x)
    return outside.select(near, HALF_PI - (signed - HALF_PI_LOW))
