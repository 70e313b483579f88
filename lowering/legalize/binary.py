"""Binary arithmetic with numpy's broadcasting."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation

from lowering.legalize.registry import broadcast_index, broadcasts, legalize, result_shape
from relax_dialect import te
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.binary import AddOp, DivideOp, MaximumOp, MultiplyOp, SubtractOp

ELEMENT: dict[type[Operation], Callable[[Any, Any], te.Scalar]] = {
    AddOp: operator.add,
    SubtractOp: operator.sub,
    MultiplyOp: operator.mul,
    DivideOp: operator.truediv,
    MaximumOp: te.maximum,
}


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
