"""Tensors as the memory that holds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.ir.storage import is_storage, per_byte
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, guarded, refuse_unmet
from relax_dialect.ops.fields import (
    Operand,
    OptionalDtype,
    OptionalOperand,
    element_type,
    integer,
    shape_value,
    tensor,
)
from relax_dialect.ops.indices import at_most
from relax_dialect.ops.kinds import K_INJECTIVE, K_OPAQUE
from relax_dialect.ops.manipulate import element_count
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.promotion import width
from relax_dialect.ops.type_rules import is_bool, sizes_of, tensor_type


@operator("relax.size", K_INJECTIVE)
class SizeOp(OperatorOp):
    """The number of elements, as an i64."""

    STORES: ClassVar = True

    x: Operand = tensor()

    def infer(self) -> Sequence[Attribute]:
        return (TensorType.get((), i64),)


@operator("relax.view", K_OPAQUE)
class ViewOp(OperatorOp):
    """The bytes of x, row-major and each number's least ones first, read from `relative_byte_offset` on as
    a tensor of another shape or element type: those of x by default (`relax.memory.view`).

    The result is a value of its own. An i1 is a byte of 0 or 1; elements of a storage type of less than a
    byte are packed, the first of a byte in its lowest bits.

    (C1) The result ends within x; checked at run time unless proved.
    (C2) `relative_byte_offset` is 0 or more.
    (C3) Elements of another type are not read as i1.
    """

    STORES: ClassVar = True

    x: Operand = tensor()
    shape: OptionalOperand = shape_value(default=None)
    dtype: OptionalDtype = element_type(default=None)
    relative_byte_offset: int = integer(default=0, least=0, constraint="C2")

    def demands(self, x: TensorType, result: TensorType) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        ends = [byte_count(result), byte_count(x)]
        if None not in ends:
            end = guarded(lambda: ends[0] + self.relative_byte_offset)  # pyright: ignore
            mend = "correct the shape, the element type or the offset"
            yield from at_most("a view that ends within x (C1), in bytes", end, ends[1], mend)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        shape: Dims | None = type.shape
        if self.shape is not None:
            shape = sizes_of(self.shape)
        result = TensorType.get(shape, self.dtype or type.dtype)
        if type.dtype is not None and result.dtype is not None:
            if is_bool(result.dtype) and not is_bool(type.dtype):
                mend = "view it as ui8 and compare with 0 by relax.not_equal"
                self.fail("another element type than i1 (C3)", f"i1 for {type.dtype}", mend)
            refuse_unmet(self, self.demands(type, result))
        return (result,)


def byte_width(dtype: Attribute) -> int:
    """Return the bytes of an element in memory."""
    return -(-width(dtype) // 8)


def byte_count(type: TensorType) -> Dim:
    """Return the bytes of a tensor, None if they are not known."""
    dtype, count = type.dtype, element_count(type.shape)
    if dtype is None or count is None:
        return None
    if is_storage(dtype):
        places = per_byte(dtype)
        return guarded(lambda: symbolic.floordiv(count + (places - 1), places))
    return guarded(lambda: count * byte_width(dtype))


OPS = operators_in(globals())
