"""Adjoints of running sums, products and extremes: running sums from the end."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import cumulative as ops


def from_end(x: Any, axis: int, exclusive: bool = False) -> Any:
    """The running sum from the end of an axis."""
    return op.flip(op.cumsum(op.flip(x, axis), axis, exclusive=exclusive), axis)


@adjoint(ops.CumsumOp)
def cumsum(of: Applied[ops.CumsumOp], gy: Any) -> Any:
    axis = of.op.axis
    place = 0 if axis is None else axis
    back = from_end(gy, place, of.op.exclusive)
    return op.reshape(back, op.shape_of(of.x)) if axis is None else back


@adjoint(ops.CumprodOp)
def cumprod(of: Applied[ops.CumprodOp], gy: Any) -> Any:
    """`from_end(gy * y) / x` before the first zero; there the same of the products without that factor, and
    0 after it."""
    axis = 0 if of.op.axis is None else of.op.axis
    x = of.x if of.op.axis is not None else op.reshape(of.x, [-1])
    y, exclusive = of.y, of.op.exclusive
    is_zero = x == 0.0
    first = op.logical_and(is_zero, op.cumsum(is_zero.astype("i64"), axis) == 1)
    without = op.cumprod(op.where(first, 1.0, x), axis, exclusive=exclusive)
    before = from_end(gy * y, axis, exclusive) / x
    at_first = from_end(gy * without, axis, exclusive)
    found = op.where(first, at_first, op.where(is_zero, 0.0, before))
    return op.reshape(found, op.shape_of(of.x)) if of.op.axis is None else found


@adjoint(ops.CummaxOp, ops.CumminOp)
def running_extreme(of: Applied[ops.CummaxOp | ops.CumminOp], gy: Any, *_: Any) -> Any:
    """Cotangents are added up where the extremes stand."""
    return op.scatter_elements(op.zeros_like(of.x), of.outputs[1], gy, of.op.axis, "add")


@adjoint(ops.LogcumsumexpOp)
def logcumsumexp(of: Applied[ops.LogcumsumexpOp], gy: Any) -> Any:
    """`from_end(gy * exp(x - y))` as logarithms, which do not overflow, of positive and negative cotangents
    apart."""
    axis = of.op.axis

    def part(found: Any) -> Any:
        logs = op.log(op.maximum(found, 0.0)) - of.y
        return op.exp(op.flip(op.logcumsumexp(op.flip(logs, axis), axis), axis) + of.x)

    return part(gy) - part(-gy)
