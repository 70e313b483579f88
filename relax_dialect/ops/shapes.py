"""Shape values and scalars as tensors of numbers, and back: how computed sizes enter the types."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation
from xdsl.irdl import result_def

from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import Operand, ShapeOperand, shape_value, tensor, tensor_or_scalar
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.shape_value import PrimValueOp, SymbolicValueOp
from relax_dialect.ops.type_rules import Elements, Rank, sizes_of, tensor_type


@operator("relax.tensor_to_shape", K_OPAQUE)
class TensorToShapeOp(OperatorOp):
    """The shape whose sizes are the elements of a vector; each is checked to be at least 0.

    A `relax.match_shape` after it names the sizes.

    (C1) The element type is i64.
    (C2) The rank is 1.
    """

    x: Operand = tensor(
        Elements(lambda dtype: dtype == i64, "the element type i64"),
        Rank(1, "C2", "make it a vector with relax.reshape or relax.flatten"),
    )
    result = result_def(ShapeType)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if type.shape is None:
            return (ShapeType(None),)
        rank = None if type.shape[0] is None else type.shape[0].value
        return (ShapeType(None if rank is None else (None,) * rank),)


@operator("relax.shape_to_tensor", K_OPAQUE)
class ShapeToTensorOp(OperatorOp):
    """The sizes of a shape as a vector of i64."""

    shape: ShapeOperand = shape_value()

    def infer(self) -> Sequence[Attribute]:
        sizes = sizes_of(self.shape)
        return (TensorType((None if sizes is None else len(sizes),), i64),)


@operator("relax.scalar_to_tensor", K_OPAQUE)
class ScalarToTensorOp(OperatorOp):
    """A scalar as a tensor of rank 0.

    Elementwise operators take scalars as they are; legalisation writes them as this.
    """

    value: Operand = tensor_or_scalar()


OPS: list[type[Operation]] = [SymbolicValueOp, PrimValueOp, *operators_in(globals())]
