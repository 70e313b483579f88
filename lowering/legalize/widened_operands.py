"""Operands of sums of products in the type that is added up: conversions of their own, ahead of all calls
where an operand is constant.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import SSAValue

from lowering.legalize.steps import Steps
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.te.dtypes import DType


def sum_type(dtype: DType) -> DType:
    """Return the type to add up products in, for results of a type: floats are rounded once, integers wrap
    around alike in any type that is wide enough."""
    if isinstance(dtype, IntegerType) and dtype.width.data < i32.width.data:
        return i32
    return wide(dtype)


def widened(steps: Steps, value: SSAValue, dtype: DType) -> SSAValue:
    """Return an operand as elements of a type."""
    assert isinstance(value.type, TensorType)
    if value.type.dtype == dtype:
        return value

    def wide(op: OperatorOp, x: te.Tensor) -> te.Tensor:
        return te.compute(x.shape, lambda *i: x[i].astype(dtype), name="wide")

    (found,) = steps.ahead(wide, value)
    found.name_hint = value.name_hint
    return found
