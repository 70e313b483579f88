"""Elementwise operators on three tensors, or on one and two numbers: where, clip and their like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.binary import BroadcastingOp
from relax_dialect.ops.fields import Num, Operand, OptionalNum, number, tensor, tensor_or_scalar
from relax_dialect.ops.kinds import FOLLOW, K_ELEMWISE
from relax_dialect.ops.number_attributes import require_number_of
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import shared_dtype
from relax_dialect.ops.type_rules import BOOLEAN, FLOAT, NUMBER, tensor_type


@operator("relax.where")
class WhereOp(BroadcastingOp):
    """The element of x1 where the condition holds, else that of x2.

    (C1) The condition is boolean.
    (C2) x1 and x2 have one element type, which is that of the result.
    (C3) The three shapes broadcast: aligned at the end, sizes are equal or 1.
    """

    BROADCASTS: ClassVar = "C3"

    condition: Operand = tensor_or_scalar(BOOLEAN)
    x1: Operand = tensor_or_scalar()
    x2: Operand = tensor_or_scalar()

    def result_dtype(self) -> Attribute | None:
        return shared_dtype(self, [tensor_type(self.x1), tensor_type(self.x2)], "C2")


@operator("relax.ewise_fma")
class EwiseFmaOp(BroadcastingOp):
    """The sum `x1 * x2 + x3`, element by element. Its rank is known if the ranks of all operands are: an
    operand of unknown rank may have more axes than the others.

    (C1) The operands have one numeric element type, which is that of the result.
    (C2) Their shapes broadcast.
    """

    ELEMENTS: ClassVar = NUMBER

    x1: Operand = tensor()
    x2: Operand = tensor()
    x3: Operand = tensor()


@operator("relax.lerp")
class LerpOp(BroadcastingOp):
    """The linear interpolation `start + weight * (end - start)`.

    (C1) The operands have one floating-point element type, which is that of the result.
    (C2) Their shapes broadcast.
    """

    ELEMENTS: ClassVar = FLOAT

    start: Operand = tensor()
    end: Operand = tensor()
    weight: Operand = tensor()


@operator("relax.clip", K_ELEMWISE, FOLLOW)
class ClipOp(OperatorOp):
    """The elements clamped to two bounds (to `max` if the bounds are in the wrong order). NaN is kept, and
    so is a zero that equals a zero bound.

    (C1) The element type is numeric; it is that of the result.
    (C2) A bound, if present, is a number that an integer element type holds, and not NaN.
    """

    x: Operand = tensor(NUMBER)
    min: OptionalNum = number(default=None)
    max: OptionalNum = number(default=None)

    def infer(self) -> Sequence[Attribute]:
        (type,) = super().infer()
        assert isinstance(type, TensorType)
        for name, bound in (("min", self.min), ("max", self.max)):
            if bound is None:
                continue
            require_number_of(self, name, bound, type.dtype, "C2")
            if bound != bound:
                self.fail(f"{name} to be a number (C2)", "NaN", "leave it out if there is no bound")
        return (type,)


@operator("relax.masked_fill")
class MaskedFillOp(BroadcastingOp):
    """The elements of x, replaced by the number `value` where the mask holds.

    (C1) The mask is boolean.
    (C2) The shapes broadcast.
    (C3) `value` is a number that an integer element type holds.
    """

    x: Operand = tensor()
    mask: Operand = tensor(BOOLEAN)
    value: Num = number()

    def result_dtype(self) -> Attribute | None:
        dtype = tensor_type(self.x).dtype
        require_number_of(self, "value", self.value, dtype, "C3")
        return dtype


OPS = operators_in(globals())
