"""Numbers as attributes: bounds, fill values and coefficients in the text of an operator.

`1 : i64` and `0.5 : f64` are numbers of any element type that can represent them; the operator defines the
type it computes in.
"""

from __future__ import annotations

from math import inf
from typing import TypeAlias

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute

from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.type_rules import is_float

Number: TypeAlias = int | float


def limits(dtype: Attribute) -> tuple[Number, Number]:
    """Return the least and the greatest number of an element type."""
    if not isinstance(dtype, IntegerType):
        return -inf, inf
    bits = dtype.width.data
    if dtype.signedness.data is Signedness.UNSIGNED or bits == 1:
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def require_number_of(
    op: OperatorOp, name: str, value: Number, dtype: Attribute | None, constraint: str
) -> None:
    """Refuse a number that an integer type does not hold; floating-point types round it."""
    if dtype is None or is_float(dtype):
        return
    low, high = limits(dtype)
    if value != value or value in (inf, -inf) or value != int(value) or not low <= value <= high:
        op.fail(
            f"{name} to be a number that {dtype} holds ({constraint})",
            str(value),
            "correct the number, or convert the tensor with relax.astype first",
        )
