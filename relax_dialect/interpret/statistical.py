"""Reductions over some or all axes, in the element type (f16 accumulates in f32)."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.values import Array
from relax_dialect.ops.statistical import MaxOp, MeanOp, ReductionOp, SumOp


def _accumulated(op: ReductionOp, x: Array) -> Array:
    """The sum in the type it is accumulated in."""
    wide = np.dtype(np.float32) if x.dtype == np.float16 else x.dtype
    return np.asarray(np.sum(x, axis=op.axes(x.ndim), keepdims=op.keeps_dims, dtype=wide))


def total(op: SumOp, x: Array) -> Array:
    """The sum; integers wrap around, 0 over no elements."""
    return _accumulated(op, x).astype(x.dtype)


def mean(op: MeanOp, x: Array) -> Array:
    """The sum divided by the number of elements; NaN over no elements."""
    summed = _accumulated(op, x)
    count = prod(x.shape[axis] for axis in op.axes(x.ndim))
    return np.divide(summed, summed.dtype.type(count)).astype(x.dtype)


def largest(op: MaxOp, x: Array) -> Array:
    """The largest element, NaN where there is one; the least value over no elements."""
    least = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    return np.max(x, axis=op.axes(x.ndim), keepdims=op.keeps_dims, initial=least)


@register_impls
class StatisticalFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.statistical`."""

    sum = operator_with_attributes(SumOp, total)
    mean = operator_with_attributes(MeanOp, mean)
    max = operator_with_attributes(MaxOp, largest)
