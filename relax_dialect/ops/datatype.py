"""Conversions between element types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.kinds import K_ELEMWISE
from relax_dialect.ops.rules import tensor_type
from relax_dialect.types import TensorType, as_dtype, is_element_type


@irdl_op_definition
class AstypeOp(OperatorOp):
    """The elements converted to another type, as `numpy.ndarray.astype`: integers wrap around, floats
    are truncated to integers, and every number but zero is true.

    A float beyond the range of an integer type becomes the nearest number of that, and NaN becomes 0
    (numpy leaves both open). Whatever becomes a bf16 is rounded to f32 first.

    (C1) `dtype` is a floating-point or integer type that tensors can have.
    """

    name = "relax.astype"
    PATTERN_KIND: ClassVar = K_ELEMWISE

    x = operand_def(TensorType)
    dtype = prop_def(TypeAttribute)
    result = result_def(TensorType)

    def __init__(self, x: SSAValue | Operation, dtype: Attribute | str):
        super().__init__(x, dtype=as_dtype(dtype))

    def infer(self) -> Sequence[Attribute]:
        if not (isinstance(self.dtype, AnyFloat | IntegerType) and is_element_type(self.dtype)):
            self.fail(
                "a floating-point or integer type that tensors can have (C1)",
                str(self.dtype),
                "name one, such as f32 or i32",
            )
        return (TensorType.get(tensor_type(self.x).shape, self.dtype),)


OPS: list[type[Operation]] = [AstypeOp]
