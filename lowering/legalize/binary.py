"""Binary arithmetic and comparisons with numpy's broadcasting."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from xdsl.ir import Operation

from lowering.legalize.registry import broadcast_index, broadcasts, legalize, result_shape
from relax_dialect import te
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.binary import (
    BOOL,
    AddOp,
    DivideOp,
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    MaximumOp,
    MultiplyOp,
    NotEqualOp,
    SubtractOp,
)

Element: TypeAlias = Callable[[Any, Any], te.Scalar]


def _ordering(compare: Element) -> Element:
    """A comparison for which False is less than True; booleans are compared as numbers."""

    def element(a: te.Scalar, b: te.Scalar) -> te.Scalar:
        return compare(*(x.astype("i8") if x.dtype == BOOL else x for x in (a, b)))

    return element


ELEMENT: dict[type[Operation], Element] = {
    AddOp: operator.add,
    SubtractOp: operator.sub,
    MultiplyOp: operator.mul,
    DivideOp: operator.truediv,
    MaximumOp: te.maximum,
    EqualOp: operator.eq,
    NotEqualOp: operator.ne,
    LessOp: _ordering(operator.lt),
    LessEqualOp: _ordering(operator.le),
    GreaterOp: _ordering(operator.gt),
    GreaterEqualOp: _ordering(operator.ge),
}
"""What an operator does to two elements; comparisons give a boolean."""


@legalize(*ELEMENT)
def binary(op: OperatorOp, a: te.Tensor, b: te.Tensor) -> te.Tensor:
    """The element of both operands, each read where broadcasting puts it."""
    element = ELEMENT[type(op)]
    shape = result_shape(op)
    return te.compute(
        shape,
        lambda *i: element(a[broadcast_index(a.shape, i)], b[broadcast_index(b.shape, i)]),
        name="out",
        requires=[*broadcasts(op, a.shape, shape), *broadcasts(op, b.shape, shape)],
    )
