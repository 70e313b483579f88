"""Reductions over some or all axes of a tensor."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def

from relax_dialect import symbolic
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.rules import (
    flag,
    normalize_axes,
    require_float,
    require_number,
    tensor_type,
)
from relax_dialect.types import TensorType


class ReductionOp(OperatorOp):
    """A reduction over `axis` (all axes where it is left out), which `keepdims` keeps as size 1.

    (C1) The element type is numeric; it is that of the result.
    (C2) Every axis is within -rank..rank-1 and stands once.
    """

    x = operand_def(TensorType)
    axis = opt_prop_def(DenseArrayBase)
    keepdims = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        x: SSAValue | Operation,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
    ):
        axes = [axis] if isinstance(axis, int) else axis
        super().__init__(x, axis=axes, keepdims=keepdims or None)

    @property
    def keeps_dims(self) -> bool:
        return flag(self.keepdims)

    def axes(self, rank: int) -> tuple[int, ...]:
        """The axes to reduce, counted from the front."""
        return normalize_axes(self, self.axis, rank)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_number(self, type)
        if type.shape is None:
            everything = self.axis is None and not self.keeps_dims
            return (TensorType.get(() if everything else None, type.dtype),)
        axes = self.axes(len(type.shape))
        one = symbolic.const(1)
        shape = tuple(
            one if i in axes else d
            for i, d in enumerate(type.shape)
            if i not in axes or self.keeps_dims
        )
        return (TensorType.get(shape, type.dtype),)


@irdl_op_definition
class SumOp(ReductionOp):
    """The sum; 0 over no elements."""

    name = "relax.sum"


@irdl_op_definition
class MaxOp(ReductionOp):
    """The largest element, NaN where there is one; the least value of the type over no elements."""

    name = "relax.max"


@irdl_op_definition
class MeanOp(ReductionOp):
    """The arithmetic mean; NaN over no elements.

    (C3) The element type is a floating-point type.
    """

    name = "relax.mean"

    def infer(self) -> Sequence[Attribute]:
        require_float(self, tensor_type(self.x), "C3")
        return super().infer()


OPS: list[type[Operation]] = [SumOp, MaxOp, MeanOp]
