"""Elementwise operators on three tensors, or on one and two numbers: where, clip and their like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.ir import Operation

from lowering.legalize.registry import broadcast_index, broadcasts, legalize, result_shape
from relax_dialect import te
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.ternary import ClipOp, EwiseFmaOp, LerpOp, MaskedFillOp, WhereOp

ELEMENT: Mapping[type[Operation], Callable[..., Any]] = {
    WhereOp: te.select,
    EwiseFmaOp: lambda a, b, c: a * b + c,
    LerpOp: lambda start, end, weight: start + weight * (end - start),
}
"""Each operator as a function of three elements."""


def _elementwise(
    op: OperatorOp, element: Callable[..., te.Scalar], *tensors: te.Tensor
) -> te.Tensor:
    """Apply a function to the elements of tensors, broadcast against each other."""
    shape = result_shape(op)
    return te.compute(
        shape,
        lambda *i: element(*(x[broadcast_index(x.shape, i)] for x in tensors)),
        name="out",
        requires=[r for x in tensors for r in broadcasts(op, x.shape, shape)],
    )


@legalize(*ELEMENT)
def ternary(op: OperatorOp, *tensors: te.Tensor) -> te.Tensor:
    """Return the element computed from three others."""
    return _elementwise(op, ELEMENT[type(op)], *tensors)


@legalize(MaskedFillOp)
def masked_fill(op: MaskedFillOp, x: te.Tensor, mask: te.Tensor) -> te.Tensor:
    """Return the number where the mask holds, else the element."""
    value = te.const(op.value, x.dtype)
    return _elementwise(op, lambda element, holds: te.select(holds, value, element), x, mask)


@legalize(ClipOp)
def clip(op: ClipOp, x: te.Tensor) -> te.Tensor:
    """Return the element, or the bound that it is beyond."""
    low, high = (op.min, op.max)

    def element(*i: te.IterVar) -> te.Scalar:
        value = x[i] if low is None else te.maximum(x[i], te.const(low, x.dtype))
        return value if high is None else te.minimum(value, te.const(high, x.dtype))

    return te.compute(x.shape, element, name="out")
