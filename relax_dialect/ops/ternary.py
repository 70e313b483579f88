"""Elementwise operators on three tensors, or on one and two numbers: where, clip and their like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.kinds import K_BROADCAST, K_ELEMWISE
from relax_dialect.ops.numbers import Number, number, number_attribute, require_number_of
from relax_dialect.ops.rules import (
    broadcast_dims,
    is_bool,
    require_float,
    require_number,
    shared_dtype,
    tensor_type,
)
from relax_dialect.types import Dims, TensorType


def broadcast_shapes(op: OperatorOp, values: Sequence[SSAValue], constraint: str) -> Dims | None:
    """The shape that those of several tensors broadcast to."""
    shape: Dims | None = ()
    for value in values:
        shape = broadcast_dims(op, shape, tensor_type(value).shape, constraint)
    return shape


def require_condition(op: OperatorOp, name: str, value: SSAValue) -> None:
    """Refuse a tensor that is known to hold something else than booleans."""
    dtype = tensor_type(value).dtype
    if dtype is not None and not is_bool(dtype):
        op.fail(f"{name} of booleans (C1)", str(dtype), "compare, or convert with relax.astype")


@irdl_op_definition
class WhereOp(OperatorOp):
    """The element of x1 where the condition holds, else that of x2.

    (C1) The condition is boolean.
    (C2) x1 and x2 have one element type, which is that of the result.
    (C3) The three shapes broadcast: aligned at the end, sizes are equal or 1.
    """

    name = "relax.where"
    PATTERN_KIND: ClassVar = K_BROADCAST

    condition = operand_def(TensorType)
    x1 = operand_def(TensorType)
    x2 = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(
        self,
        condition: SSAValue | Operation,
        x1: SSAValue | Operation,
        x2: SSAValue | Operation,
    ):
        super().__init__(condition, x1, x2)

    def infer(self) -> Sequence[Attribute]:
        require_condition(self, "a condition", self.condition)
        dtype = shared_dtype(self, [tensor_type(self.x1), tensor_type(self.x2)], "C2")
        return (TensorType.get(broadcast_shapes(self, self.operands, "C3"), dtype),)


@irdl_op_definition
class EwiseFmaOp(OperatorOp):
    """The sum `x1 * x2 + x3`, element by element.

    (C1) The operands have one numeric element type, which is that of the result.
    (C2) Their shapes broadcast.
    """

    name = "relax.ewise_fma"
    PATTERN_KIND: ClassVar = K_BROADCAST

    x1 = operand_def(TensorType)
    x2 = operand_def(TensorType)
    x3 = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(
        self, x1: SSAValue | Operation, x2: SSAValue | Operation, x3: SSAValue | Operation
    ):
        super().__init__(x1, x2, x3)

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(x) for x in self.operands]
        dtype = shared_dtype(self, types)
        for type in types:
            require_number(self, type)
        return (TensorType.get(broadcast_shapes(self, self.operands, "C2"), dtype),)


@irdl_op_definition
class LerpOp(OperatorOp):
    """The linear interpolation `start + weight * (end - start)`.

    (C1) The operands have one floating-point element type, which is that of the result.
    (C2) Their shapes broadcast.
    """

    name = "relax.lerp"
    PATTERN_KIND: ClassVar = K_BROADCAST

    start = operand_def(TensorType)
    end = operand_def(TensorType)
    weight = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(
        self,
        start: SSAValue | Operation,
        end: SSAValue | Operation,
        weight: SSAValue | Operation,
    ):
        super().__init__(start, end, weight)

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(x) for x in self.operands]
        dtype = shared_dtype(self, types)
        for type in types:
            require_float(self, type)
        return (TensorType.get(broadcast_shapes(self, self.operands, "C2"), dtype),)


@irdl_op_definition
class ClipOp(OperatorOp):
    """The elements between two bounds, those beyond replaced by the nearer bound (by `max` where the
    bounds are the wrong way round). NaN stays.

    (C1) The element type is numeric; it is that of the result.
    (C2) A bound that is given is a number that an integer element type holds, and not NaN.
    """

    name = "relax.clip"
    PATTERN_KIND: ClassVar = K_ELEMWISE

    x = operand_def(TensorType)
    min = opt_prop_def(IntegerAttr | FloatAttr)
    max = opt_prop_def(IntegerAttr | FloatAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        x: SSAValue | Operation,
        min: Number | Attribute | None = None,
        max: Number | Attribute | None = None,
    ):
        super().__init__(x, min=number_attribute(min), max=number_attribute(max))

    @property
    def bounds(self) -> tuple[Number | None, Number | None]:
        """The lower and the upper bound, None where there is none."""
        low, high = (None if bound is None else number(bound) for bound in (self.min, self.max))
        return low, high

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_number(self, type)
        for name, bound in zip(("min", "max"), self.bounds):
            if bound is None:
                continue
            require_number_of(self, name, bound, type.dtype, "C2")
            if bound != bound:
                self.fail(f"{name} to be a number (C2)", "NaN", "leave it out if there is no bound")
        return (TensorType.get(type.shape, type.dtype),)


@irdl_op_definition
class MaskedFillOp(OperatorOp):
    """The elements of x, replaced by the number `value` where the mask holds.

    (C1) The mask is boolean.
    (C2) The shapes broadcast.
    (C3) `value` is a number that an integer element type holds.
    """

    name = "relax.masked_fill"
    PATTERN_KIND: ClassVar = K_BROADCAST

    x = operand_def(TensorType)
    mask = operand_def(TensorType)
    value = prop_def(IntegerAttr | FloatAttr)
    result = result_def(TensorType)

    def __init__(
        self, x: SSAValue | Operation, mask: SSAValue | Operation, value: Number | Attribute
    ):
        super().__init__(x, mask, value=number_attribute(value))

    @property
    def number(self) -> Number:
        """The number to fill with."""
        return number(self.value)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_condition(self, "a mask", self.mask)
        require_number_of(self, "value", self.number, type.dtype, "C3")
        return (TensorType.get(broadcast_shapes(self, self.operands, "C2"), type.dtype),)


OPS: list[type[Operation]] = [WhereOp, EwiseFmaOp, LerpOp, ClipOp, MaskedFillOp]
