"""Elementwise operators on three tensors, or on one and two numbers: where, clip and their like."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import Num, Operand, OptionalNum, number, tensor, tensor_or_scalar
from relax_dialect.ops.kinds import K_BROADCAST, K_ELEMWISE
from relax_dialect.ops.numbers import require_number_of
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import (
    broadcast_shapes,
    is_bool,
    require_float,
    require_number,
    shared_dtype,
    tensor_type,
)


def require_condition(op: OperatorOp, name: str, value: SSAValue) -> None:
    """Refuse a tensor that is known to hold something else than booleans."""
    dtype = tensor_type(value).dtype
    if dtype is not None and not is_bool(dtype):
        op.fail(f"{name} of booleans (C1)", str(dtype), "compare, or convert with relax.astype")


@operator("relax.where", K_BROADCAST)
class WhereOp(OperatorOp):
    """The element of x1 where the condition holds, else that of x2.

    (C1) The condition is boolean.
    (C2) x1 and x2 have one element type, which is that of the result.
    (C3) The three shapes broadcast: aligned at the end, sizes are equal or 1.
    """

    condition: Operand = tensor_or_scalar()
    x1: Operand = tensor_or_scalar()
    x2: Operand = tensor_or_scalar()

    def infer(self) -> Sequence[Attribute]:
        require_condition(self, "a condition", self.condition)
        dtype = shared_dtype(self, [tensor_type(self.x1), tensor_type(self.x2)], "C2")
        return (TensorType.get(broadcast_shapes(self, self.operands, "C3"), dtype),)


@operator("relax.ewise_fma", K_BROADCAST)
class EwiseFmaOp(OperatorOp):
    """The sum `x1 * x2 + x3`, element by element. Its rank is known where those of all operands are:
    one of unknown rank may have more axes than the others.

    (C1) The operands have one numeric element type, which is that of the result.
    (C2) Their shapes broadcast.
    """

    x1: Operand = tensor()
    x2: Operand = tensor()
    x3: Operand = tensor()

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(x) for x in self.operands]
        dtype = shared_dtype(self, types)
        for type in types:
            require_number(self, type)
        return (TensorType.get(broadcast_shapes(self, self.operands, "C2"), dtype),)


@operator("relax.lerp", K_BROADCAST)
class LerpOp(OperatorOp):
    """The linear interpolation `start + weight * (end - start)`.

    (C1) The operands have one floating-point element type, which is that of the result.
    (C2) Their shapes broadcast.
    """

    start: Operand = tensor()
    end: Operand = tensor()
    weight: Operand = tensor()

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(x) for x in self.operands]
        dtype = shared_dtype(self, types)
        for type in types:
            require_float(self, type)
        return (TensorType.get(broadcast_shapes(self, self.operands, "C2"), dtype),)


@operator("relax.clip", K_ELEMWISE)
class ClipOp(OperatorOp):
    """The elements between two bounds, those beyond replaced by the nearer bound (by `max` where the
    bounds are the wrong way round). NaN stays.

    (C1) The element type is numeric; it is that of the result.
    (C2) A bound that is given is a number that an integer element type holds, and not NaN.
    """

    x: Operand = tensor()
    min: OptionalNum = number(default=None)
    max: OptionalNum = number(default=None)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_number(self, type)
        for name, bound in (("min", self.min), ("max", self.max)):
            if bound is None:
                continue
            require_number_of(self, name, bound, type.dtype, "C2")
            if bound != bound:
                self.fail(f"{name} to be a number (C2)", "NaN", "leave it out if there is no bound")
        return (TensorType.get(type.shape, type.dtype),)


@operator("relax.masked_fill", K_BROADCAST)
class MaskedFillOp(OperatorOp):
    """The elements of x, replaced by the number `value` where the mask holds.

    (C1) The mask is boolean.
    (C2) The shapes broadcast.
    (C3) `value` is a number that an integer element type holds.
    """

    x: Operand = tensor()
    mask: Operand = tensor()
    value: Num = number()

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_condition(self, "a mask", self.mask)
        require_number_of(self, "value", self.value, type.dtype, "C3")
        return (TensorType.get(broadcast_shapes(self, self.operands, "C2"), type.dtype),)


OPS = operators_in(globals())
