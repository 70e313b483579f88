"""Elementwise operators on one tensor; the result has its shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import Operand, tensor
from relax_dialect.ops.kinds import FOLLOW, K_ELEMWISE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import BOOL
from relax_dialect.ops.type_rules import BITS, BOOLEAN, FLOAT, NUMBER, tensor_type


class UnaryOp(OperatorOp):
    """An elementwise operator of one tensor; the result has its element type.

    (C1) The element type is numeric.
    """

    PATTERN_KIND: ClassVar = K_ELEMWISE
    PRECISION: ClassVar = FOLLOW
    ELEMENTS: ClassVar = NUMBER

    x: Operand = tensor()


class FloatUnaryOp(UnaryOp):
    """An elementwise operator of one floating-point tensor.

    (C1) The element type is a floating-point type.
    """

    ELEMENTS: ClassVar = FLOAT


class FloatPredicateOp(FloatUnaryOp):
    """A question about every element of a floating-point tensor; the result is boolean.

    (C1) The element type is a floating-point type.
    """

    def infer(self) -> Sequence[Attribute]:
        return (TensorType.get(tensor_type(self.x).shape, BOOL),)


@operator("relax.negative")
class NegativeOp(UnaryOp):
    """The negation `-x`; the least integer is its own, and unsigned integers wrap around."""


@operator("relax.abs")
class AbsOp(UnaryOp):
    """The absolute value; the least integer is its own."""


@operator("relax.sign")
class SignOp(UnaryOp):
    """-1, 0 or 1 by the sign of x; NaN stays NaN."""


@operator("relax.square")
class SquareOp(UnaryOp):
    """The square `x * x`."""


@operator("relax.ceil")
class CeilOp(UnaryOp):
    """The least integer that is not less than x; integers stay."""


@operator("relax.floor")
class FloorOp(UnaryOp):
    """The greatest integer that is not greater than x; integers stay."""


@operator("relax.round")
class RoundOp(UnaryOp):
    """The nearest integer, the even one of two, as `numpy.round`; integers stay."""


@operator("relax.trunc")
class TruncOp(UnaryOp):
    """The integer next to x on the way to zero; integers stay."""


@operator("relax.reciprocal")
class ReciprocalOp(FloatUnaryOp):
    """The reciprocal `1 / x`."""


@operator("relax.exp")
class ExpOp(FloatUnaryOp):
    """The exponential function."""


@operator("relax.exp2")
class Exp2Op(FloatUnaryOp):
    """The power `2 ** x`."""


@operator("relax.expm1")
class Expm1Op(FloatUnaryOp):
    """`exp(x) - 1`, with all its digits where x is next to 0."""


@operator("relax.log")
class LogOp(FloatUnaryOp):
    """The natural logarithm; -infinity of zero, NaN below."""


@operator("relax.log2")
class Log2Op(FloatUnaryOp):
    """The logarithm to base 2."""


@operator("relax.log10")
class Log10Op(FloatUnaryOp):
    """The logarithm to base 10."""


@operator("relax.log1p")
class Log1pOp(FloatUnaryOp):
    """`log(1 + x)`, with all its digits where x is next to 0."""


@operator("relax.sqrt")
class SqrtOp(FloatUnaryOp):
    """The square root; NaN below zero."""


@operator("relax.rsqrt")
class RsqrtOp(FloatUnaryOp):
    """The reciprocal square root `1 / sqrt(x)`."""


@operator("relax.cbrt")
class CbrtOp(FloatUnaryOp):
    """The cube root, which has the sign of x."""


@operator("relax.sin")
class SinOp(FloatUnaryOp):
    """The sine of an angle in radians."""


@operator("relax.cos")
class CosOp(FloatUnaryOp):
    """The cosine of an angle in radians."""


@operator("relax.tan")
class TanOp(FloatUnaryOp):
    """The tangent of an angle in radians."""


@operator("relax.asin")
class AsinOp(FloatUnaryOp):
    """The angle from -pi/2 to pi/2 of which x is the sine; NaN beyond -1 and 1."""


@operator("relax.acos")
class AcosOp(FloatUnaryOp):
    """The angle from 0 to pi of which x is the cosine; NaN beyond -1 and 1."""


@operator("relax.atan")
class AtanOp(FloatUnaryOp):
    """The angle from -pi/2 to pi/2 of which x is the tangent."""


@operator("relax.sinh")
class SinhOp(FloatUnaryOp):
    """The hyperbolic sine."""


@operator("relax.cosh")
class CoshOp(FloatUnaryOp):
    """The hyperbolic cosine."""


@operator("relax.tanh")
class TanhOp(FloatUnaryOp):
    """The hyperbolic tangent."""


@operator("relax.asinh")
class AsinhOp(FloatUnaryOp):
    """The number of which x is the hyperbolic sine."""


@operator("relax.acosh")
class AcoshOp(FloatUnaryOp):
    """The number of at least 0 of which x is the hyperbolic cosine; NaN below 1."""


@operator("relax.atanh")
class AtanhOp(FloatUnaryOp):
    """The number of which x is the hyperbolic tangent; NaN beyond -1 and 1."""


@operator("relax.erf")
class ErfOp(FloatUnaryOp):
    """The error function."""


@operator("relax.erfc")
class ErfcOp(FloatUnaryOp):
    """`1 - erf(x)`, with all its digits where erf(x) is next to 1."""


@operator("relax.sigmoid")
class SigmoidOp(FloatUnaryOp):
    """The logistic function `1 / (1 + exp(-x))`."""


@operator("relax.isnan")
class IsnanOp(FloatPredicateOp):
    """Whether x is no number."""


@operator("relax.isinf")
class IsinfOp(FloatPredicateOp):
    """Whether x is infinite, of either sign."""


@operator("relax.isfinite")
class IsfiniteOp(FloatPredicateOp):
    """Whether x is neither infinite nor NaN."""


@operator("relax.logical_not")
class LogicalNotOp(UnaryOp):
    """The negation of a boolean.

    (C1) The element type is boolean.
    """

    ELEMENTS: ClassVar = BOOLEAN


@operator("relax.bitwise_not")
class BitwiseNotOp(UnaryOp):
    """Every bit of x inverted.

    (C1) The element type is an integer or boolean type.
    """

    ELEMENTS: ClassVar = BITS


OPS = operators_in(globals())
