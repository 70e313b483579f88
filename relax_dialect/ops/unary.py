"""Elementwise operators on one tensor; the result has its shape and element type."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.rules import require_float, require_number, tensor_type
from relax_dialect.types import TensorType


class UnaryOp(OperatorOp):
    """An elementwise operator of one tensor.

    (C1) The element type is numeric.
    """

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


@irdl_op_definition
class NegativeOp(UnaryOp):
    """The negation `-x`."""

    name = "relax.negative"


@irdl_op_definition
class ExpOp(FloatUnaryOp):
    """The exponential function."""

    name = "relax.exp"


@irdl_op_definition
class SqrtOp(FloatUnaryOp):
    """The square root; NaN below zero."""

    name = "relax.sqrt"


@irdl_op_definition
class RsqrtOp(FloatUnaryOp):
    """The reciprocal square root `1 / sqrt(x)`."""

    name = "relax.rsqrt"


@irdl_op_definition
class TanhOp(FloatUnaryOp):
    """The hyperbolic tangent."""

    name = "relax.tanh"


@irdl_op_definition
class ErfOp(FloatUnaryOp):
    """The error function."""

    name = "relax.erf"


@irdl_op_definition
class SigmoidOp(FloatUnaryOp):
    """The logistic function `1 / (1 + exp(-x))`."""

    name = "relax.sigmoid"


OPS: list[type[Operation]] = [NegativeOp, ExpOp, SqrtOp, RsqrtOp, TanhOp, ErfOp, SigmoidOp]
