"""Operators of neural networks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.rules import normalize_axis, require_float, tensor_type
from relax_dialect.ops.unary import FloatUnaryOp, UnaryOp
from relax_dialect.types import TensorType


@irdl_op_definition
class ReluOp(UnaryOp):
    """The rectifier `maximum(x, 0)`; NaN stays NaN."""

    name = "relax.relu"


@irdl_op_definition
class GeluOp(FloatUnaryOp):
    """The Gaussian error linear unit `x * (1 + erf(x / sqrt(2))) / 2` (Hendrycks and Gimpel, 2016)."""

    name = "relax.gelu"


@irdl_op_definition
class SoftmaxOp(OperatorOp):
    """`exp(x - max(x)) / sum(exp(x - max(x)))` along one axis.

    (C1) The element type is a floating-point type.
    (C2) -rank <= axis < rank.
    """

    name = "relax.softmax"

    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr)
    result = result_def(TensorType)

    def __init__(self, x: SSAValue | Operation, axis: int = -1):
        super().__init__(x, axis=axis)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_float(self, type)
        if type.rank is not None:
            normalize_axis(self, self.axis.value.data, type.rank)
        return (type,)


OPS: list[type[Operation]] = [ReluOp, GeluOp, SoftmaxOp]
