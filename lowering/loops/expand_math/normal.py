"""x times the normal distribution function, which is gelu, computed as a whole.

    %z = arith.mulf %x, %minus_root_of_half
    %c = math.erfc %z fastmath<contract>
    %p = arith.mulf %half, %c
    %y = arith.mulf %x, %p
->
    %y = relu(%x) - |%x| * tail(|%x|)

The tail P(X <= -a) of a normal X is exp(-a * a / 2) * P(a) / Q(a), so that no digits cancel for
negative x: y is off by at most 1e-6 of it down to x = -13, beyond which the tail is denormal. The form
with `relu` takes neither the complement for positive x nor a selection.
"""

from __future__ import annotations

from math import isclose, sqrt

from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from lowering.ir.arith_emitter import Float
from lowering.ir.constants import known_float
from lowering.loops.expand_math.coefficients import HALF_EXP, NORMAL_TAIL, SINGLE, TWO_LN2
from lowering.loops.expand_math.exponentials import LOG2_E

END = 14.3
"""From where on the tail is rounded to 0."""

END_BITS = 0x4164CCCD

RAISED = 32
"""The power of two by which the exponential is raised, so that it is normal up to END."""


def product_with_normal(erfc: Operation) -> tuple[arith.MulfOp, SSAValue] | None:
    """Return the product that ends `x * (0.5 * erfc(x * -sqrt(1/2)))`, and x, if its parts may be
    contracted."""
    x = contracted_argument(erfc)
    half = _only_product(erfc)
    whole = None if half is None else _only_product(half)
    if x is None or half is None or whole is None:
        return None
    is_half = 0.5 in map(known_float, half.operands)
    return (whole, x) if is_half and x in whole.operands else None


def contracted_argument(erfc: Operation) -> SSAValue | None:
    """x of `erfc(x * -sqrt(1/2))`, if the product may be contracted with the function."""
    match erfc.properties.get("fastmath"), erfc.operands[0].owner:
        case FastMathFlagsAttr(data=flags), arith.MulfOp(lhs=x, rhs=factor):
            number = known_float(factor)
            is_root = number is not None and isclose(number, -sqrt(0.5), rel_tol=1e-7)
            return x if is_root and FastMathFlag.ALLOW_CONTRACT in flags else None
        case _:
            return None


def _only_product(op: Operation) -> arith.MulfOp | None:
    """Return the product that is the only use of an op's result."""
    use = op.results[0].get_user_of_unique_use()
    return use if isinstance(use, arith.MulfOp) else None


def gelu(x: Float, *, has_fma: bool) -> Float:
    """relu(x) - |x| * tail(|x|), with -0 as relu of negative numbers, whose sign then stays if the product
    is 0. An infinite |x| is kept if x is negative: times 0 it is NaN, as x * P(X <= x) is."""
    relu, size, a = _bounded_by_bits(x) if has_fma else _bounded(x)
    return relu - size * _tail(a, has_fma)


def _bounded(x: Float) -> tuple[Float, Float, Float]:
    """relu(x), |x| if x is at most END, and |x| up to END."""
    return x.at_least(-0.0), x.at_most(END).abs(), x.abs().at_most(END)


def _bounded_by_bits(x: Float) -> tuple[Float, Float, Float]:
    """Return the same by minima of the bits as integers: gcc makes one instruction of each, in plain
    loops too, instead of comparing and selecting floats. SSE2 has none. At least one of the factors
    keeps a NaN."""
    relu = x.bits().at_most_unsigned(-(1 << 31)).as_float()
    size = x.bits().at_most(END_BITS).as_float().abs()
    return relu, size, x.abs().bits().at_most(END_BITS).as_float()


def _tail(a: Float, has_fma: bool) -> Float:
    """P(X <= -a) as 2**n * exp(-r / 2) * P(a) / Q(a), where r is a * a + n * 2 ln(2) and |r| <= ln(2)."""
    square, lost = _square(a, has_fma)
    rounder = SINGLE.rounder + RAISED
    rounded = (square if has_fma else square + lost) * (-LOG2_E / 2) + rounder
    n = rounded - rounder
    high, low = TWO_LN2
    near = n.times_plus(high + low, square) if has_fma else n * high + square
    r = near + (lost if has_fma else n * low + lost)
    power = r.polynomial(HALF_EXP).bits() + (rounded.bits() << SINGLE.digits)
    return power.as_float() * _ratio(a, square if has_fma else a * a)


def _square(a: Float, has_fma: bool) -> tuple[Float, Float]:
    """a * a in two parts: the square and its rounding error, or the square of the first half of the digits
    and the rest."""
    if has_fma:
        square = a * a
        return square, a.times_plus(a, -square)
    high = (a.bits() & -(1 << 12)).as_float()
    return high * high, (a - high) * (a + high)


def _ratio(a: Float, square: Float) -> Float:
    """P(a) / Q(a) / 2**RAISED by pairs of terms, whose chains are shorter than Horner's. Q begins with
    a**4: an addition, which some machines do besides multiplications."""
    numerator, denominator = NORMAL_TAIL
    scale = 1 / denominator[-1]
    p0, p1, p2, p3 = (c * scale * 2.0**-RAISED for c in numerator)
    q0, q1, q2, q3, _ = (c * scale for c in denominator)
    p = (a * p3 + p2) * square + (a * p1 + p0)
    q = (a * q3 + q2 + square) * square + (a * q1 + q0)
    return p / q
