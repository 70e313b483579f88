"""Adjoints of running sums, products and extremes: running sums from the end."""

from __future__ import annotations

import math
from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.adjoints.joining import piece
from relax_dialect.gradient.one_to_one_reads import number
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
    x = of.x if of.op.axis is not None else op.flatten(of.x)
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
    """Cotangents are accumulated at the indices of the extremes."""
    return op.scatter_elements(op.zeros_like(of.x), of.outputs[1], gy, of.op.axis, "add")


@adjoint(ops.LogcumsumexpOp)
def logcumsumexp(of: Applied[ops.LogcumsumexpOp], gy: Any) -> Any:
    """`exp(x - y) * s`, where `s` is gy plus `exp(y - next y)` times the next s: no power is above 1."""
    emit, sizes = of.builder.emit, of.sizes()
    axis = of.op.axis % len(sizes)
    order = [axis, *(a for a in range(len(sizes)) if a != axis)]
    x, y, gy = (emit(op.permute_dims(each, order)) for each in (of.x, of.y, gy))
    rest = [sizes[a] for a in order[1:]]
    after_all = op.full([1, *rest], math.inf, of.type().dtype)
    following = piece(op.concat([y, after_all], axis=0), 0, 1, sizes[axis] + 1)
    powers = y - following, x - y
    decays, own = (emit(op.where(y == -math.inf, 0.0, op.exp(power))) for power in powers)

    def turn(left: Any, s: Any, found: Any) -> Any:
        t = emit(left - 1)
        new = emit(op.take(gy, t, 0) + s * op.take(decays, t, 0))
        return t, new, op.index_put(found, [t], new)

    last = op.zeros(rest, of.type().dtype)
    states = op.full([], number(sizes[axis], "i64"), "i64"), last, op.zeros_like(x)
    *_, found = of.builder.while_(lambda left, *_: left > 0, turn, *states)
    return op.permute_dims(own * found, [order.index(a) for a in range(len(sizes))])
