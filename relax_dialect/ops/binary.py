"""Elementwise operators on two tensors, which broadcast as in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import Operand, tensor_or_scalar
from relax_dialect.ops.kinds import FOLLOW, K_BROADCAST
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import BOOL, broadcast_shapes, shared_dtype
from relax_dialect.ops.type_rules import BITS, BOOLEAN, FLOAT, INTEGER, NUMBER, tensor_type


class BroadcastingOp(OperatorOp):
    """An elementwise operator of tensors whose shapes broadcast; a scalar is one of rank 0."""

    PATTERN_KIND: ClassVar = K_BROADCAST
    PRECISION: ClassVar = FOLLOW
    BROADCASTS: ClassVar = "C2"
    """The constraint that the shapes broadcast."""

    def result_dtype(self) -> Attribute | None:
        """Return the element type of the result, by default that of the operands."""
        return shared_dtype(self, [tensor_type(value) for value in self.operands])

    def infer(self) -> Sequence[Attribute]:
        dtype = self.result_dtype()
        return (TensorType.get(broadcast_shapes(self, self.operands, self.BROADCASTS), dtype),)


class PairOp(BroadcastingOp):
    """An elementwise operator of two tensors or scalars."""

    lhs: Operand = tensor_or_scalar()
    rhs: Operand = tensor_or_scalar()


class BinaryOp(PairOp):
    """An elementwise operator of two tensors.

    (C1) The operands have one numeric element type, which is that of the result.
    (C2) Their shapes broadcast: aligned at the end, sizes are equal or one of them is 1.
    """

    ELEMENTS: ClassVar = NUMBER


class SemiringOp(PairOp):
    """An elementwise operator of two tensors, which is "or" or "and" for booleans, as in numpy.

    (C1) The operands have one element type, which is that of the result.
    (C2) Their shapes broadcast: aligned at the end, sizes are equal or one of them is 1.
    """

    COMMUTATIVE: ClassVar = True


class FloatBinaryOp(PairOp):
    """An elementwise operator of two floating-point tensors.

    (C1) The operands have one floating-point element type, which is that of the result.
    (C2) Their shapes broadcast: aligned at the end, sizes are equal or one of them is 1.
    """

    ELEMENTS: ClassVar = FLOAT


@operator("relax.add")
class AddOp(SemiringOp):
    """The sum `lhs + rhs`; "or" for booleans."""


@operator("relax.subtract")
class SubtractOp(BinaryOp):
    """The difference `lhs - rhs`."""


@operator("relax.multiply")
class MultiplyOp(SemiringOp):
    """The product `lhs * rhs`; "and" for booleans."""


@operator("relax.divide")
class DivideOp(BinaryOp):
    """The quotient `lhs / rhs`; of integers, rounded towards zero, and 0 by zero."""


@operator("relax.floor_divide")
class FloorDivideOp(BinaryOp):
    """The quotient rounded down, as `numpy.floor_divide`; of an integer by zero it is 0."""


@operator("relax.floor_mod")
class FloorModOp(BinaryOp):
    """The remainder of `floor_divide`, with the sign of rhs, as `numpy.mod`; modulo an integer zero
    it is 0."""


@operator("relax.mod")
class ModOp(BinaryOp):
    """The remainder of the quotient rounded towards zero, with the sign of lhs, as `numpy.fmod`;
    modulo an integer zero it is 0."""


@operator("relax.power")
class PowerOp(BinaryOp):
    """The power `lhs ** rhs`; of integers with a negative exponent, the quotient rounded to zero."""


@operator("relax.maximum")
class MaximumOp(SemiringOp):
    """The larger of both elements, True being greater than False; NaN if one of them is NaN, as
    `numpy.maximum`. Of equal ones, as 0 and -0, it is the first."""


@operator("relax.minimum")
class MinimumOp(SemiringOp):
    """The smaller of both elements, False being less than True; NaN if one of them is NaN, as
    `numpy.minimum`. Of equal ones, as 0 and -0, it is the first."""


@operator("relax.atan2")
class Atan2Op(FloatBinaryOp):
    """The angle from -pi to pi of the point with ordinate lhs and abscissa rhs."""


@operator("relax.log_add_exp")
class LogAddExpOp(FloatBinaryOp):
    """`log(exp(lhs) + exp(rhs))`, without overflow."""

    COMMUTATIVE: ClassVar = True


class BitwiseOp(PairOp):
    """An operator on the bits of two tensors.

    (C1) The operands have one integer or boolean element type, which is that of the result.
    (C2) Their shapes broadcast.
    """

    COMMUTATIVE: ClassVar = True
    ELEMENTS: ClassVar = BITS


@operator("relax.bitwise_and")
class BitwiseAndOp(BitwiseOp):
    """The bits that are set in both."""


@operator("relax.bitwise_or")
class BitwiseOrOp(BitwiseOp):
    """The bits that are set in one or both."""


@operator("relax.bitwise_xor")
class BitwiseXorOp(BitwiseOp):
    """The bits that are set in one and not in the other."""


class ShiftOp(PairOp):
    """The bits of lhs shifted by rhs; all are shifted out if rhs is the width or more, or negative.

    (C1) The operands have one integer element type, which is that of the result.
    (C2) Their shapes broadcast.
    """

    ELEMENTS: ClassVar = INTEGER


@operator("relax.left_shift")
class LeftShiftOp(ShiftOp):
    """The bits of lhs shifted left by rhs, `lhs * 2 ** rhs`."""


@operator("relax.right_shift")
class RightShiftOp(ShiftOp):
    """The bits of lhs shifted right by rhs, `lhs // 2 ** rhs`: signed numbers keep their sign."""


class LogicalOp(PairOp):
    """An operator on two boolean tensors.

    (C1) The operands are boolean, and so is the result.
    (C2) Their shapes broadcast.
    """

    COMMUTATIVE: ClassVar = True
    ELEMENTS: ClassVar = BOOLEAN


@operator("relax.logical_and")
class LogicalAndOp(LogicalOp):
    """Whether both are true."""


@operator("relax.logical_or")
class LogicalOrOp(LogicalOp):
    """Whether one or both are true."""


@operator("relax.logical_xor")
class LogicalXorOp(LogicalOp):
    """Whether one is true and the other is not."""


class ComparisonOp(PairOp):
    """An elementwise comparison of two tensors, with boolean results; false if either is NaN, except for
    `not_equal`. Operands of two element types are compared as numpy does it (`ops/promotion.py`).

    (C1) Their shapes broadcast.
    """

    BROADCASTS: ClassVar = "C1"

    def result_dtype(self) -> Attribute:
        return BOOL


@operator("relax.equal")
class EqualOp(ComparisonOp):
    """Whether `lhs == rhs`."""

    COMMUTATIVE: ClassVar = True


@operator("relax.not_equal")
class NotEqualOp(ComparisonOp):
    """Whether `lhs != rhs`."""

    COMMUTATIVE: ClassVar = True


@operator("relax.less")
class LessOp(ComparisonOp):
    """Whether `lhs < rhs`."""


@operator("relax.less_equal")
class LessEqualOp(ComparisonOp):
    """Whether `lhs <= rhs`."""


@operator("relax.greater")
class GreaterOp(ComparisonOp):
    """Whether `lhs > rhs`."""


@operator("relax.greater_equal")
class GreaterEqualOp(ComparisonOp):
    """Whether `lhs >= rhs`."""


OPS = operators_in(globals())
