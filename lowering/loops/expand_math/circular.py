"""Sine, cosine and tangent: of f32, computed in f64 for arguments of any size; of f64 less than `LARGE`. If
arguments are `usual`, less than that, f32 ones are reduced like f64 ones."""

from __future__ import annotations

import math
from typing import NamedTuple

from lowering.ir.arith_emitter import Bool, Float, Int
from lowering.loops.expand_math.coefficients import (
    COS,
    COS_DOUBLE,
    DOUBLE,
    FOLDS,
    HALF,
    HALF_PI,
    LARGE,
    SIN,
    SIN_DOUBLE,
    TAN,
)
from lowering.loops.expand_math.exponentials import precision


class Angle(NamedTuple):
    """`quarters * pi / 2 + rest`, where `rest` is pi / 4 at most (and a little more)."""

    quarters: Int
    rest: Float


def is_large(x: Float) -> Bool:
    """Return whether |x| is `LARGE` or more."""
    return x.abs() >= LARGE


def _whole(x: Float) -> tuple[Float, Float]:
    """Round x to an integer; the second result has it in its low bits."""
    rounded = x + DOUBLE.rounder
    return rounded - DOUBLE.rounder, rounded


def _reduced(x: Float, usual: bool) -> Angle:
    """Reduce the argument, in f64 and without tables: `FOLDS` reduce huge arguments in two steps.
    Subtractions of products are exact, and the error of the steps is small and known."""
    if precision(x) is HALF:
        return _reduced_once(x)
    if precision(x) is DOUBLE:
        return _reduced_small(x)
    if usual:
        quarters, rest = _reduced_small(x.widened())
        return Angle(quarters.narrowed(), rest.narrowed())
    x = x.widened()
    dropped = None
    for size, excess in FOLDS:
        n, _ = _whole(x * (1 / size))
        x = n.times_plus(-size, x)
        dropped = n * excess if dropped is None else n.times_plus(excess, dropped)
    assert dropped is not None
    high, low = DOUBLE.half_pi
    n, quarters = _whole(x * (2 / math.pi))
    rest = n.times_plus(-high, x) + n.times_plus(-low, dropped)
    return Angle(quarters.bits().narrowed(), rest.narrowed())


def _reduced_once(x: Float) -> Angle:
    """Reduce an f16, which has no more than 42000 quarters."""
    high, low = HALF.half_pi
    rounded = x * (2 / math.pi) + HALF.rounder
    n = rounded - HALF.rounder
    return Angle(rounded.bits(), n.times_plus(-low, n.times_plus(-high, x)))


def _reduced_small(x: Float) -> Angle:
    """Reduce an f64 that is less than `LARGE`: the first difference is exact, the second is rounded once,
    and the contribution of the third part is small."""
    n, quarters = _whole(x * (2 / math.pi))
    rest = x
    for part in HALF_PI:
        rest = n.times_plus(-part, rest)
    return Angle(quarters.bits(), rest)


def _sin(r: Float) -> Float:
    u = r * r
    return u.polynomial(SIN_DOUBLE if precision(r) is DOUBLE else SIN) * u * r + r


def _cos(r: Float) -> Float:
    u = r * r
    return u.polynomial(COS_DOUBLE if precision(r) is DOUBLE else COS) * u + 1.0


def top(y: Float) -> int:
    """Return the number of the highest bit."""
    return y.emitter.real.bitwidth - 1


def _flipped(y: Float, *signs: Int) -> Float:
    """y with its sign changed by every integer whose highest bit is set."""
    bits = y.bits()
    for sign in signs:
        bits = bits ^ (sign & -(2 ** top(y)))
    return bits.as_float()


def sin(x: Float, usual: bool = False) -> Float:
    """Return the sine of |x|, with the sign of x; NaN for infinities."""
    quarters, r = _reduced(x.abs(), usual)
    y = (quarters & 1).equals(0).select(_sin(r), _cos(r))
    return _flipped(y, quarters << top(x) - 1, x.bits())


def cos(x: Float, usual: bool = False) -> Float:
    """NaN for infinities."""
    quarters, r = _reduced(x.abs(), usual)
    y = (quarters & 1).equals(0).select(_cos(r), _sin(r))
    return _flipped(y, quarters + 1 << top(x) - 1)


def tan(x: Float, usual: bool = False) -> Float:
    """P / Q, and -Q / P in every other quarter. Of |x|, with the sign of x."""
    quarters, r = _reduced(x.abs(), usual)
    if precision(x) is DOUBLE:
        p, q = _sin(r), _cos(r)
    else:
        u = r * r
        p, q = r * u.polynomial(TAN[0]), u.polynomial(TAN[1])
    even = (quarters & 1).equals(0)
    return _flipped(even.select(p, q) / even.select(q, p), quarters << top(x), x.bits())
