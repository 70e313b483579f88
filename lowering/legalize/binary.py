"""Binary arithmetic and comparisons with numpy's broadcasting."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.ir import Operation

from lowering.legalize.registry import broadcast_index, broadcasts, legalize, result_shape
from relax_dialect import te
from relax_dialect.ops import binary as ops
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.promotion import compared_type
from relax_dialect.ops.rules import BOOL
from relax_dialect.ops.type_rules import is_unsigned
from relax_dialect.te.dtypes import kind

Element: TypeAlias = Callable[[Any, Any], te.Scalar]


def _promoted(compare: Element) -> Element:
    """Return a comparison in the type that both elements become; False is less than True."""

    def element(a: te.Scalar, b: te.Scalar) -> te.Scalar:
        common = compared_type(a.dtype, b.dtype)
        if common is None:
            return _of_values(compare, a, b)
        common = "i8" if common == BOOL else common
        return compare(a.astype(common), b.astype(common))

    return element


def _of_values(compare: Element, a: te.Scalar, b: te.Scalar) -> te.Scalar:
    """Return a comparison of ui64 and a signed type: every negative number is less than all of ui64."""
    signed, unsigned = (b, a) if is_unsigned(a.dtype) else (a, b)
    sides = (signed.astype("ui64"), unsigned), (te.const(-1, "i64"), te.const(0, "i64"))
    plain, negative = (compare(*(side if signed is a else side[::-1])) for side in sides)
    return te.select(signed < 0, negative, plain)


def quotient(a: te.Scalar, b: Any) -> te.Scalar:
    """`a / b`, rounded towards zero for integers."""
    return a / b if kind(a.dtype) == "float" else te.truncdiv(a, b)


def log_add_exp(a: te.Scalar, b: te.Scalar) -> te.Scalar:
    """log(exp(a) + exp(b)): the larger one, plus the contribution of the smaller one.

    Two equal infinities have no difference, but the same sum as any two equal numbers.
    """
    apart = te.maximum(a, b) + te.log1p(te.exp(-te.abs(a - b)))
    return te.select(te.equal(a, b), a + math.log(2), apart)


ELEMENT: dict[type[Operation], Element] = {
    ops.AddOp: operator.add,
    ops.SubtractOp: operator.sub,
    ops.MultiplyOp: operator.mul,
    ops.DivideOp: quotient,
    ops.FloorDivideOp: te.floordiv,
    ops.FloorModOp: te.floormod,
    ops.ModOp: te.truncmod,
    ops.PowerOp: te.power,
    ops.MaximumOp: te.maximum,
    ops.MinimumOp: te.minimum,
    ops.Atan2Op: te.atan2,
    ops.LogAddExpOp: log_add_exp,
    ops.BitwiseAndOp: operator.and_,
    ops.BitwiseOrOp: operator.or_,
    ops.BitwiseXorOp: operator.xor,
    ops.LeftShiftOp: te.shift_left,
    ops.RightShiftOp: te.shift_right,
    ops.LogicalAndOp: operator.and_,
    ops.LogicalOrOp: operator.or_,
    ops.LogicalXorOp: operator.xor,
    ops.EqualOp: _promoted(operator.eq),
    ops.NotEqualOp: _promoted(operator.ne),
    ops.LessOp: _promoted(operator.lt),
    ops.LessEqualOp: _promoted(operator.le),
    ops.GreaterOp: _promoted(operator.gt),
    ops.GreaterEqualOp: _promoted(operator.ge),
}
"""Each operator as a function of two elements; comparisons return a boolean."""


@legalize(*ELEMENT)
def binary(op: OperatorOp, a: te.Tensor, b: te.Tensor) -> te.Tensor:
    """Apply the operator to the elements of both operands, broadcast against each other."""
    element = ELEMENT[type(op)]
    shape = result_shape(op)
    return te.compute(
        shape,
        lambda *i: element(a[broadcast_index(a.shape, i)], b[broadcast_index(b.shape, i)]),
        name="out",
        requires=[*broadcasts(op, a.shape, shape), *broadcasts(op, b.shape, shape)],
    )
