"""Shape values as tensors of numbers, and back: how computed sizes enter the types."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.rules import tensor_type
from relax_dialect.types import ShapeType, TensorType


@irdl_op_definition
class TensorToShapeOp(OperatorOp):
    """The shape whose sizes are the elements of a vector; each is checked to be at least 0.

    A `relax.match_shape` behind it gives the sizes names.

    (C1) The element type is i64.
    (C2) The rank is 1.
    """

    name = "relax.tensor_to_shape"

    x = operand_def(TensorType)
    result = result_def(ShapeType)

    def __init__(self, x: SSAValue | Operation):
        super().__init__(x)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if type.dtype not in (None, i64):
            self.fail("element type i64 (C1)", str(type.dtype), "convert with relax.astype first")
        if type.shape is None:
            return (ShapeType(None),)
        if len(type.shape) != 1:
            mend = "make it a vector with relax.reshape or relax.flatten"
            self.fail("a tensor of rank 1 (C2)", f"one of rank {len(type.shape)}", mend)
        rank = None if type.shape[0] is None else type.shape[0].value
        return (ShapeType(None if rank is None else (None,) * rank),)


@irdl_op_definition
class ShapeToTensorOp(OperatorOp):
    """The sizes of a shape as a vector of i64."""

    name = "relax.shape_to_tensor"

    shape = operand_def(ShapeType)
    result = result_def(TensorType)

    def __init__(self, shape: SSAValue | Operation):
        super().__init__(shape)

    def infer(self) -> Sequence[Attribute]:
        assert isinstance(self.shape.type, ShapeType)
        sizes = self.shape.type.shape
        return (TensorType((None if sizes is None else len(sizes),), i64),)


OPS: list[type[Operation]] = [TensorToShapeOp, ShapeToTensorOp]
