"""Powers of f32, computed in f64."""

from __future__ import annotations

import math

from lowering.arith_emitter import Float
from lowering.expand_math.exponentials import exp
from lowering.expand_math.logarithms import log


def power(x: Float, y: Float) -> Float:
    """exp(y * log |x|), which has digits enough in f64; then the sign and what C defines for zeros, ones,
    infinities and NaN."""
    x, y = x.widened(), y.widened()
    a = x.abs()
    result = exp(y * log(a))
    one = a.equals(1.0).select(y.abs().equals(math.inf).select(1.0, result), result)
    half = y * 0.5
    odd = half.floor() < half
    whole = y.equals(y.floor())
    signed = whole.select(odd.select(one.with_sign_of(x), one), _of_fraction(x, one))
    defined = x.equals(1.0).select(1.0, signed)
    return y.equals(0.0).select(1.0, defined).narrowed()


def _of_fraction(x: Float, result: Float) -> Float:
    """NaN for a finite number below zero."""
    below = x < 0.0
    return below.select(x.equals(-math.inf).select(result, math.nan), result)
