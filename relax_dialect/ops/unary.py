"""Elementwise operators on one tensor; the result has its shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.kinds import K_ELEMWISE
from relax_dialect.ops.rules import (
    BOOL,
    require_bits,
    require_bool,
    require_float,
    require_number,
    tensor_type,
)
from relax_dialect.types import TensorType


class UnaryOp(OperatorOp):
    """An elementwise operator of one tensor, which gives its element type.

    (C1) The element type is numeric.
    """

    PATTERN_KIND: ClassVar = K_ELEMWISE

    x = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, x: SSAValue | Operation):
        super().__init__(x)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_number(self, type)
        return (type,)


class FloatUnaryOp(UnaryOp):
    """An elementwise operator of one floating-point tensor.

    (C1) The element type is a floating-point type.
    """

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_float(self, type)
        return (type,)


class FloatPredicateOp(FloatUnaryOp):
    """A question about every element of a floating-point tensor; the result is boolean.

    (C1) The element type is a floating-point type.
    """

    def infer(self) -> Sequence[Attribute]:
        super().infer()
        return (TensorType.get(tensor_type(self.x).shape, BOOL),)


@irdl_op_definition
class NegativeOp(UnaryOp):
    """The negation `-x`; the least integer is its own, and unsigned integers wrap around."""

    name = "relax.negative"


@irdl_op_definition
class AbsOp(UnaryOp):
    """The absolute value; the least integer is its own."""

    name = "relax.abs"


@irdl_op_definition
class SignOp(UnaryOp):
    """-1, 0 or 1 by the sign of x; NaN stays NaN."""

    name = "relax.sign"


@irdl_op_definition
class SquareOp(UnaryOp):
    """The square `x * x`."""

    name = "relax.square"


@irdl_op_definition
class CeilOp(UnaryOp):
    """The least integer that is not less than x; integers stay."""

    name = "relax.ceil"


@irdl_op_definition
class FloorOp(UnaryOp):
    """The greatest integer that is not greater than x; integers stay."""

    name = "relax.floor"


@irdl_op_definition
class RoundOp(UnaryOp):
    """The nearest integer, the even one of two, as `numpy.round`; integers stay."""

    name = "relax.round"


@irdl_op_definition
class TruncOp(UnaryOp):
    """The integer next to x on the way to zero; integers stay."""

    name = "relax.trunc"


@irdl_op_definition
class ReciprocalOp(FloatUnaryOp):
    """The reciprocal `1 / x`."""

    name = "relax.reciprocal"


@irdl_op_definition
class ExpOp(FloatUnaryOp):
    """The exponential function."""

    name = "relax.exp"


@irdl_op_definition
class Exp2Op(FloatUnaryOp):
    """The power `2 ** x`."""

    name = "relax.exp2"


@irdl_op_definition
class Expm1Op(FloatUnaryOp):
    """`exp(x) - 1`, with all its digits where x is next to 0."""

    name = "relax.expm1"


@irdl_op_definition
class LogOp(FloatUnaryOp):
    """The natural logarithm; -infinity of zero, NaN below."""

    name = "relax.log"


@irdl_op_definition
class Log2Op(FloatUnaryOp):
    """The logarithm to base 2."""

    name = "relax.log2"


@irdl_op_definition
class Log10Op(FloatUnaryOp):
    """The logarithm to base 10."""

    name = "relax.log10"


@irdl_op_definition
class Log1pOp(FloatUnaryOp):
    """`log(1 + x)`, with all its digits where x is next to 0."""

    name = "relax.log1p"


@irdl_op_definition
class SqrtOp(FloatUnaryOp):
    """The square root; NaN below zero."""

    name = "relax.sqrt"


@irdl_op_definition
class RsqrtOp(FloatUnaryOp):
    """The reciprocal square root `1 / sqrt(x)`."""

    name = "relax.rsqrt"


@irdl_op_definition
class CbrtOp(FloatUnaryOp):
    """The cube root, which has the sign of x."""

    name = "relax.cbrt"


@irdl_op_definition
class SinOp(FloatUnaryOp):
    """The sine of an angle in radians."""

    name = "relax.sin"


@irdl_op_definition
class CosOp(FloatUnaryOp):
    """The cosine of an angle in radians."""

    name = "relax.cos"


@irdl_op_definition
class TanOp(FloatUnaryOp):
    """The tangent of an angle in radians."""

    name = "relax.tan"


@irdl_op_definition
class AsinOp(FloatUnaryOp):
    """The angle from -pi/2 to pi/2 of which x is the sine; NaN beyond -1 and 1."""

    name = "relax.asin"


@irdl_op_definition
class AcosOp(FloatUnaryOp):
    """The angle from 0 to pi of which x is the cosine; NaN beyond -1 and 1."""

    name = "relax.acos"


@irdl_op_definition
class AtanOp(FloatUnaryOp):
    """The angle from -pi/2 to pi/2 of which x is the tangent."""

    name = "relax.atan"


@irdl_op_definition
class SinhOp(FloatUnaryOp):
    """The hyperbolic sine."""

    name = "relax.sinh"


@irdl_op_definition
class CoshOp(FloatUnaryOp):
    """The hyperbolic cosine."""

    name = "relax.cosh"


@irdl_op_definition
class TanhOp(FloatUnaryOp):
    """The hyperbolic tangent."""

    name = "relax.tanh"


@irdl_op_definition
class AsinhOp(FloatUnaryOp):
    """The number of which x is the hyperbolic sine."""

    name = "relax.asinh"


@irdl_op_definition
class AcoshOp(FloatUnaryOp):
    """The number of at least 0 of which x is the hyperbolic cosine; NaN below 1."""

    name = "relax.acosh"


@irdl_op_definition
class AtanhOp(FloatUnaryOp):
    """The number of which x is the hyperbolic tangent; NaN beyond -1 and 1."""

    name = "relax.atanh"


@irdl_op_definition
class ErfOp(FloatUnaryOp):
    """The error function."""

    name = "relax.erf"


@irdl_op_definition
class ErfcOp(FloatUnaryOp):
    """`1 - erf(x)`, with all its digits where erf(x) is next to 1."""

    name = "relax.erfc"


@irdl_op_definition
class SigmoidOp(FloatUnaryOp):
    """The logistic function `1 / (1 + exp(-x))`."""

    name = "relax.sigmoid"


@irdl_op_definition
class IsnanOp(FloatPredicateOp):
    """Whether x is no number."""

    name = "relax.isnan"


@irdl_op_definition
class IsinfOp(FloatPredicateOp):
    """Whether x is infinite, of either sign."""

    name = "relax.isinf"


@irdl_op_definition
class IsfiniteOp(FloatPredicateOp):
    """Whether x is neither infinite nor NaN."""

    name = "relax.isfinite"


@irdl_op_definition
class LogicalNotOp(UnaryOp):
    """The negation of a truth value.

    (C1) The element type is boolean.
    """

    name = "relax.logical_not"

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_bool(self, type)
        return (type,)


@irdl_op_definition
class BitwiseNotOp(UnaryOp):
    """Every bit of x inverted.

    (C1) The element type is an integer or boolean type.
    """

    name = "relax.bitwise_not"

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_bits(self, type)
        return (type,)


OPS: list[type[Operation]] = [
    NegativeOp,
    AbsOp,
    SignOp,
    SquareOp,
    CeilOp,
    FloorOp,
    RoundOp,
    TruncOp,
    ReciprocalOp,
    ExpOp,
    Exp2Op,
    Expm1Op,
    LogOp,
    Log2Op,
    Log10Op,
    Log1pOp,
    SqrtOp,
    RsqrtOp,
    CbrtOp,
    SinOp,
    CosOp,
    TanOp,
    AsinOp,
    AcosOp,
    AtanOp,
    SinhOp,
    CoshOp,
    TanhOp,
    AsinhOp,
    AcoshOp,
    AtanhOp,
    ErfOp,
    ErfcOp,
    SigmoidOp,
    IsnanOp,
    IsinfOp,
    IsfiniteOp,
    LogicalNotOp,
    BitwiseNotOp,
]
