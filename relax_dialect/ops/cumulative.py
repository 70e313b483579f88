"""Running reductions: every element takes in those before it along an axis."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, opt_prop_def, result_def

from relax_dialect.ops.create import dtype_attribute
from relax_dialect.ops.manipulate import element_count
from relax_dialect.ops.rules import flag, require_float, require_number, tensor_type
from relax_dialect.ops.sorting import AlongAxisOp
from relax_dialect.types import TensorType


class RunningOp(AlongAxisOp):
    """A running reduction along an axis, or of all elements in row-major order, as a vector, where no
    axis is given. The elements are converted to `dtype` first if that is given; an `exclusive` one
    leaves out the element itself.

    (C1) The axis is within -rank..rank-1.
    (C2) The element type of the result is numeric.
    """

    dtype = opt_prop_def(TypeAttribute)
    exclusive = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        x: SSAValue | Operation,
        axis: int | None = None,
        dtype: Attribute | str | None = None,
        exclusive: bool = False,
    ):
        properties = {"axis": axis, "dtype": dtype_attribute(dtype), "exclusive": exclusive or None}
        super().__init__(x, **properties)

    @property
    def is_exclusive(self) -> bool:
        return flag(self.exclusive)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        result = TensorType.get(type.shape, self.dtype or type.dtype)
        require_number(self, result, "C2")
        if self.axis is None:
            return (TensorType.get((element_count(type.shape),), result.dtype),)
        self.check_axis()
        return (result,)


@irdl_op_definition
class CumsumOp(RunningOp):
    """The sum of the elements so far; integers wrap around."""

    name = "relax.cumsum"


@irdl_op_definition
class CumprodOp(RunningOp):
    """The product of the elements so far; integers wrap around."""

    name = "relax.cumprod"


class RunningExtremeOp(AlongAxisOp):
    """The most extreme element so far along an axis, and the last place (i64) where it stands.

    (C1) The axis is within -rank..rank-1.
    (C2) The element type is numeric.
    """

    values = result_def(TensorType)
    indices = result_def(TensorType)

    def __init__(self, x: SSAValue | Operation, axis: int = -1):
        self.init_inferred([x], {"axis": axis}, 2)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_number(self, type, "C2")
        self.check_axis()
        return (type, TensorType.get(type.shape, i64))


@irdl_op_definition
class CummaxOp(RunningExtremeOp):
    """The largest element so far, NaN from the first one on (`torch.cummax`)."""

    name = "relax.cummax"


@irdl_op_definition
class CumminOp(RunningExtremeOp):
    """The smallest element so far, NaN from the first one on (`torch.cummin`)."""

    name = "relax.cummin"


@irdl_op_definition
class LogcumsumexpOp(AlongAxisOp):
    """The logarithm of the sum of the exponentials so far, which overflows only where the result does
    (`torch.logcumsumexp`).

    (C1) The axis is within -rank..rank-1.
    (C2) The element type is a floating-point type.
    """

    name = "relax.logcumsumexp"

    result = result_def(TensorType)

    def __init__(self, x: SSAValue | Operation, axis: int = -1):
        super().__init__(x, axis=axis)

    def infer(self) -> Sequence[Attribute]:
        require_float(self, tensor_type(self.x), "C2")
        self.check_axis()
        return (tensor_type(self.x),)


OPS: list[type[Operation]] = [CumsumOp, CumprodOp, CummaxOp, CumminOp, LogcumsumexpOp]
