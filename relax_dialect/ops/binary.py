"""Elementwise operators on two tensors, which broadcast as in numpy."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.rules import (
    broadcast_dims,
    common_dtype,
    require_float,
    require_number,
    tensor_type,
)
from relax_dialect.types import TensorType

BOOL = IntegerType(1)


class BinaryOp(OperatorOp):
    """An elementwise operator of two tensors.

    (C1) The operands have one numeric element type, which is that of the result.
    (C2) Their shapes broadcast: aligned at the end, sizes are equal or one of them is 1.
    """

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(lhs, rhs)

    def infer(self) -> Sequence[Attribute]:
        lhs, rhs = tensor_type(self.lhs), tensor_type(self.rhs)
        dtype = common_dtype(self, lhs, rhs)
        require_number(self, lhs)
        require_number(self, rhs)
        return (TensorType.get(broadcast_dims(self, lhs.shape, rhs.shape), dtype),)


@irdl_op_definition
class AddOp(BinaryOp):
    """The sum `lhs + rhs`."""

    name = "relax.add"


@irdl_op_definition
class SubtractOp(BinaryOp):
    """The difference `lhs - rhs`."""

    name = "relax.subtract"


@irdl_op_definition
class MultiplyOp(BinaryOp):
    """The product `lhs * rhs`."""

    name = "relax.multiply"


@irdl_op_definition
class DivideOp(BinaryOp):
    """The quotient `lhs / rhs`.

    (C3) The element type is a floating-point type.
    """

    name = "relax.divide"

    def infer(self) -> Sequence[Attribute]:
        require_float(self, tensor_type(self.lhs), "C3")
        require_float(self, tensor_type(self.rhs), "C3")
        return super().infer()


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The larger of both elements; NaN where one of them is NaN, as `numpy.maximum`."""

    name = "relax.maximum"


class ComparisonOp(OperatorOp):
    """A comparison of two tensors, element by element; false where one of them is NaN but for
    `not_equal`.

    (C1) The operands have one element type; the result is boolean.
    (C2) Their shapes broadcast.
    """

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(lhs, rhs)

    def infer(self) -> Sequence[Attribute]:
        lhs, rhs = tensor_type(self.lhs), tensor_type(self.rhs)
        common_dtype(self, lhs, rhs)
        return (TensorType.get(broadcast_dims(self, lhs.shape, rhs.shape, "C2"), BOOL),)


@irdl_op_definition
class EqualOp(ComparisonOp):
    """Whether `lhs == rhs`."""

    name = "relax.equal"


@irdl_op_definition
class NotEqualOp(ComparisonOp):
    """Whether `lhs != rhs`."""

    name = "relax.not_equal"


@irdl_op_definition
class LessOp(ComparisonOp):
    """Whether `lhs < rhs`."""

    name = "relax.less"


@irdl_op_definition
class LessEqualOp(ComparisonOp):
    """Whether `lhs <= rhs`."""

    name = "relax.less_equal"


@irdl_op_definition
class GreaterOp(ComparisonOp):
    """Whether `lhs > rhs`."""

    name = "relax.greater"


@irdl_op_definition
class GreaterEqualOp(ComparisonOp):
    """Whether `lhs >= rhs`."""

    name = "relax.greater_equal"


OPS: list[type[Operation]] = [
    AddOp,
    SubtractOp,
    MultiplyOp,
    DivideOp,
    MaximumOp,
    EqualOp,
    NotEqualOp,
    LessOp,
    LessEqualOp,
    GreaterOp,
    GreaterEqualOp,
]
