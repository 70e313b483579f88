"""Conversions between element types."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute

from relax_dialect.ir.types import TensorType, is_element_type
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import Dtype, Operand, element_type, tensor
from relax_dialect.ops.kinds import K_ELEMWISE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import tensor_type


@operator("relax.astype", K_ELEMWISE)
class AstypeOp(OperatorOp):
    """The elements converted to another type, as `numpy.ndarray.astype`: integers wrap around, floats
    are truncated to integers, and every number but zero is true.

    A float beyond the range of an integer type becomes the nearest number of that, and NaN becomes 0
    (numpy leaves both open). Whatever becomes a bf16 is rounded to f32 first.

    (C1) `dtype` is a floating-point or integer type that tensors can have.
    """

    x: Operand = tensor()
    dtype: Dtype = element_type()

    def infer(self) -> Sequence[Attribute]:
        if not (isinstance(self.dtype, AnyFloat | IntegerType) and is_element_type(self.dtype)):
            self.fail(
                "a floating-point or integer type that tensors can have (C1)",
                str(self.dtype),
                "name one, such as f32 or i32",
            )
        return (TensorType.get(tensor_type(self.x).shape, self.dtype),)


OPS = operators_in(globals())
