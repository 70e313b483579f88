"""Running reductions: every element includes those before it along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute
from xdsl.irdl import result_def

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.fields import OptionalDtype, element_type, flag, one_axis
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.manipulate import element_count
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.sorting import AlongAxisOp
from relax_dialect.ops.type_rules import FLOAT, tensor_type


class RunningOp(AlongAxisOp):
    """A running reduction along an axis, or without an axis of all elements in row-major order, as a
    vector. The elements are converted to `dtype` first if it is present; `exclusive` leaves out the element
    itself.

    (C1) The axis is within -rank..rank-1.
    """

    PATTERN_KIND: ClassVar = K_OPAQUE
    FIRST_IN_TEXT: ClassVar = ("dtype", "exclusive")

    axis: int | None = one_axis("x", "C1", default=None)
    dtype: OptionalDtype = element_type(default=None)
    exclusive: bool = flag(default=False)

    def axis_of(self, rank: int, name: str = "axis") -> int:
        """Return the axis counted from the front; without an axis that of the vector."""
        return 0 if self.axis is None else super().axis_of(rank, name)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        result = TensorType.get(type.shape, self.dtype or type.dtype)
        if self.axis is None:
            return (TensorType.get((element_count(type.shape),), result.dtype),)
        return (result,)


@operator("relax.cumsum")
class CumsumOp(RunningOp):
    """The sum of the elements so far; integers wrap around, booleans are or-ed."""


@operator("relax.cumprod")
class CumprodOp(RunningOp):
    """The product of the elements so far; integers wrap around, booleans are and-ed."""


class RunningExtremeOp(AlongAxisOp):
    """The running extreme along an axis, and the index (i64) of its last occurrence; True is greater than
    False.

    (C1) The axis is within -rank..rank-1.
    """

    PATTERN_KIND: ClassVar = K_OPAQUE

    values = result_def(TensorType)
    indices = result_def(TensorType)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        return (type, TensorType.get(type.shape, i64))


@operator("relax.cummax")
class CummaxOp(RunningExtremeOp):
    """The largest element so far, NaN from the first one on (`torch.cummax`)."""


@operator("relax.cummin")
class CumminOp(RunningExtremeOp):
    """The smallest element so far, NaN from the first one on (`torch.cummin`)."""


@operator("relax.logcumsumexp", K_OPAQUE)
class LogcumsumexpOp(AlongAxisOp):
    """The logarithm of the sum of the exponentials so far, which overflows only where the result does
    (`torch.logcumsumexp`).

    (C1) The axis is within -rank..rank-1.
    (C2) The element type is a floating-point type.
    """

    ELEMENTS: ClassVar = FLOAT.by("C2")


OPS = operators_in(globals())
