"""Elementwise operators on two tensors, which broadcast as in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.kinds import K_BROADCAST
from relax_dialect.ops.rules import (
    BOOL,
    broadcast_dims,
    common_dtype,
    require_bits,
    require_bool,
    require_float,
    require_integer,
    require_number,
    tensor_type,
)
from relax_dialect.types import TensorType


class BroadcastingOp(OperatorOp):
    """An elementwise operator of two tensors of one element type, whose shapes broadcast."""

    PATTERN_KIND: ClassVar = K_BROADCAST

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(lhs, rhs)

    def require(self, type: TensorType) -> None:
        """Refuse an operand of an element type that the operator does not have."""

    def result_dtype(self, operands: Attribute | None) -> Attribute | None:
        """The element type of the result, that of the operands unless said otherwise."""
        return operands

    def infer(self) -> Sequence[Attribute]:
        lhs, rhs = tensor_type(self.lhs), tensor_type(self.rhs)
        dtype = common_dtype(self, lhs, rhs)
        for operand in (lhs, rhs):
            self.require(operand)
        shape = broadcast_dims(self, lhs.shape, rhs.shape)
        return (TensorType.get(shape, self.result_dtype(dtype)),)


class BinaryOp(BroadcastingOp):
    """An elementwise operator of two tensors.

    (C1) The operands have one numeric element type, which is that of the result.
    (C2) Their shapes broadcast: aligned at the end, sizes are equal or one of them is 1.
    """

    def require(self, type: TensorType) -> None:
        require_number(self, type)


class FloatBinaryOp(BroadcastingOp):
    """An elementwise operator of two floating-point tensors.

    (C1) The operands have one floating-point element type, which is that of the result.
    (C2) Their shapes broadcast: aligned at the end, sizes are equal or one of them is 1.
    """

    def require(self, type: TensorType) -> None:
        require_float(self, type)


@irdl_op_definition
class AddOp(BinaryOp):
    """The sum `lhs + rhs`."""

    name = "relax.add"
    COMMUTATIVE: ClassVar = True


@irdl_op_definition
class SubtractOp(BinaryOp):
    """The difference `lhs - rhs`."""

    name = "relax.subtract"


@irdl_op_definition
class MultiplyOp(BinaryOp):
    """The product `lhs * rhs`."""

    name = "relax.multiply"
    COMMUTATIVE: ClassVar = True


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
class FloorDivideOp(BinaryOp):
    """The quotient rounded down, as `numpy.floor_divide`; of an integer by zero it is 0."""

    name = "relax.floor_divide"


@irdl_op_definition
class FloorModOp(BinaryOp):
    """The remainder of `floor_divide`, with the sign of rhs, as `numpy.mod`; modulo an integer zero
    it is 0."""

    name = "relax.floor_mod"


@irdl_op_definition
class ModOp(BinaryOp):
    """The remainder of the quotient rounded towards zero, with the sign of lhs, as `numpy.fmod`;
    modulo an integer zero it is 0."""

    name = "relax.mod"


@irdl_op_definition
class PowerOp(BinaryOp):
    """The power `lhs ** rhs`; of integers with a negative exponent, the quotient rounded to zero."""

    name = "relax.power"


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The larger of both elements; NaN where one of them is NaN, as `numpy.maximum`."""

    name = "relax.maximum"
    COMMUTATIVE: ClassVar = True


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The smaller of both elements; NaN where one of them is NaN, as `numpy.minimum`."""

    name = "relax.minimum"
    COMMUTATIVE: ClassVar = True


@irdl_op_definition
class Atan2Op(FloatBinaryOp):
    """The angle from -pi to pi of the point with ordinate lhs and abscissa rhs."""

    name = "relax.atan2"


@irdl_op_definition
class LogAddExpOp(FloatBinaryOp):
    """`log(exp(lhs) + exp(rhs))`, without overflow."""

    name = "relax.log_add_exp"
    COMMUTATIVE: ClassVar = True


class BitwiseOp(BroadcastingOp):
    """An operator on the bits of two tensors.

    (C1) The operands have one integer or boolean element type, which is that of the result.
    (C2) Their shapes broadcast.
    """

    COMMUTATIVE: ClassVar = True

    def require(self, type: TensorType) -> None:
        require_bits(self, type)


@irdl_op_definition
class BitwiseAndOp(BitwiseOp):
    """The bits that are set in both."""

    name = "relax.bitwise_and"


@irdl_op_definition
class BitwiseOrOp(BitwiseOp):
    """The bits that are set in one or both."""

    name = "relax.bitwise_or"


@irdl_op_definition
class BitwiseXorOp(BitwiseOp):
    """The bits that are set in one and not in the other."""

    name = "relax.bitwise_xor"


class ShiftOp(BroadcastingOp):
    """The bits of lhs moved by rhs places; by as many as there are, or by a negative number, none are
    left.

    (C1) The operands have one integer element type, which is that of the result.
    (C2) Their shapes broadcast.
    """

    def require(self, type: TensorType) -> None:
        require_integer(self, type)


@irdl_op_definition
class LeftShiftOp(ShiftOp):
    """The bits of lhs moved up by rhs places, `lhs * 2 ** rhs`."""

    name = "relax.left_shift"


@irdl_op_definition
class RightShiftOp(ShiftOp):
    """The bits of lhs moved down by rhs places, `lhs // 2 ** rhs`: signed numbers keep their sign."""

    name = "relax.right_shift"


class LogicalOp(BroadcastingOp):
    """An operator on two tensors of truth values.

    (C1) The operands are boolean, and so is the result.
    (C2) Their shapes broadcast.
    """

    COMMUTATIVE: ClassVar = True

    def require(self, type: TensorType) -> None:
        require_bool(self, type)


@irdl_op_definition
class LogicalAndOp(LogicalOp):
    """Whether both are true."""

    name = "relax.logical_and"


@irdl_op_definition
class LogicalOrOp(LogicalOp):
    """Whether one or both are true."""

    name = "relax.logical_or"


@irdl_op_definition
class LogicalXorOp(LogicalOp):
    """Whether one is true and the other is not."""

    name = "relax.logical_xor"


class ComparisonOp(BroadcastingOp):
    """A comparison of two tensors, element by element; false where one of them is NaN but for
    `not_equal`.

    (C1) The operands have one element type; the result is boolean.
    (C2) Their shapes broadcast.
    """

    def result_dtype(self, operands: Attribute | None) -> Attribute | None:
        return BOOL


@irdl_op_definition
class EqualOp(ComparisonOp):
    """Whether `lhs == rhs`."""

    name = "relax.equal"
    COMMUTATIVE: ClassVar = True


@irdl_op_definition
class NotEqualOp(ComparisonOp):
    """Whether `lhs != rhs`."""

    name = "relax.not_equal"
    COMMUTATIVE: ClassVar = True


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
    FloorDivideOp,
    FloorModOp,
    ModOp,
    PowerOp,
    MaximumOp,
    MinimumOp,
    Atan2Op,
    LogAddExpOp,
    BitwiseAndOp,
    BitwiseOrOp,
    BitwiseXorOp,
    LeftShiftOp,
    RightShiftOp,
    LogicalAndOp,
    LogicalOrOp,
    LogicalXorOp,
    EqualOp,
    NotEqualOp,
    LessOp,
    LessEqualOp,
    GreaterOp,
    GreaterEqualOp,
]
