"""Reductions over some or all axes, floats added up in f64."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect import symbolic
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.total_arithmetic import quotient
from relax_dialect.interpret.windows import mean_type, sum_type
from relax_dialect.ops.demands import require
from relax_dialect.ops.statistical import (
    AllOp,
    AnyOp,
    AxesOp,
    CountNonzeroOp,
    ExtremeOp,
    LogsumexpOp,
    MaxOp,
    MeanOp,
    MedianOp,
    MinOp,
    ProdOp,
    ReduceL1Op,
    ReduceL2Op,
    ReduceLogSumOp,
    ReduceSumSquareOp,
    StdOp,
    SumOp,
    VarianceOp,
    some_element,
)


def is_float(x: Array) -> bool:
    return x.dtype.kind not in "iub"


def widened(x: Array) -> Array:
    """Return f16 and bf16 as f32."""
    return x.astype(np.float32) if is_float(x) and x.dtype.itemsize == 2 else x


def _reduced(op_type: type[AxesOp], reduce: Callable[..., Any]) -> Any:
    """Return the semantics `reduce(x, **how)`, which numpy's `axis` and `keepdims` are passed to."""

    def run(op: AxesOp, x: Array) -> Array:
        with np.errstate(all="ignore"):
            result = reduce(widened(x), axis=op.axes(x.ndim), keepdims=op.keepdims)
        return np.asarray(result).astype(np.int64 if op_type is CountNonzeroOp else x.dtype)

    return operator_with_attributes(op_type, run)


def _extreme(op_type: type[ExtremeOp], reduce: Callable[..., Any]) -> Any:
    """Return the semantics of a reduction that needs an element, or begins with the least or greatest
    value."""

    def run(op: ExtremeOp, x: Array) -> Array:
        require(op.demands(tuple(map(symbolic.const, x.shape))))
        how: dict[str, Any] = {"axis": op.axes(x.ndim), "keepdims": op.keepdims}
        if op.of_nothing:
            how["initial"] = limit(x.dtype, reduce is np.min)
        return reduce(x, **how)

    return operator_with_attributes(op_type, run)


def limit(dtype: np.dtype, greatest: bool) -> Any:
    """Return the greatest or least number of a type, an infinity of a floating-point type."""
    if dtype.kind == "b":
        return greatest
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        return bounds.max if greatest else bounds.min
    return dtype.type(np.inf if greatest else -np.inf)


def total(x: Array, **how: Any) -> Any:
    """Return the sum; integers wrap around, and booleans are or-ed."""
    return np.sum(x, dtype=sum_type(x.dtype), **how).astype(x.dtype)


def product(x: Array, **how: Any) -> Any:
    """Return the product; integers wrap around, and booleans are and-ed."""
    return np.prod(x, dtype=x.dtype, **how)


def mean(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Return the sum divided by the number of elements, that of integers rounded towards zero."""
    summed = total(x.astype(mean_type(x.dtype)), axis=axis, keepdims=keepdims)
    return quotient(summed, summed.dtype.type(prod(x.shape[a] for a in axis)))


def variance(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Return the mean of the squared distances from the mean."""
    distance = x - mean(x, axis=axis, keepdims=True)
    return mean(distance * distance, axis=axis, keepdims=keepdims)


def logsumexp(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    """Return the logarithm of the sum of exponentials, relative to the largest element if that is
    finite."""
    largest = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    base = np.where(np.isfinite(largest), largest, 0).astype(x.dtype)
    summed = np.log(total(np.exp(x - base), axis=axis, keepdims=True)) + base
    return summed if keepdims else summed.reshape(np.delete(x.shape, axis).astype(int))


def median(op: MedianOp, x: Array) -> tuple[Array, ...]:
    """Return the middle element in order, and its index; the first NaN if there is one."""
    axes = op.axes(x.ndim)
    require(some_element(op, tuple(map(symbolic.const, x.shape)), axes, "C4"))
    rows = widened(x.reshape(-1) if op.axis is None else x)
    axis = 0 if op.axis is None else axes[0]
    order = np.argsort(rows, axis=axis, kind="stable")
    index = np.take(order, [(rows.shape[axis] - 1) // 2], axis)
    is_nan = np.isnan(rows) if is_float(rows) else np.zeros(rows.shape, np.bool_)
    first_nan = np.argmax(is_nan, axis, keepdims=True)
    index = np.where(np.any(is_nan, axis, keepdims=True), first_nan, index)
    value = np.take_along_axis(rows, index, axis).astype(x.dtype)
    if op.axis is None:
        return (value.reshape((1,) * x.ndim if op.keepdims else ()),)
    results = (value, index.astype(np.int64))
    return results if op.keepdims else tuple(np.squeeze(r, axis) for r in results)


@register_impls
class StatisticalFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.statistical`."""

    sum = _reduced(SumOp, total)
    prod = _reduced(ProdOp, product)
    max = _extreme(MaxOp, np.max)
    min = _extreme(MinOp, np.min)
    mean = _reduced(MeanOp, mean)
    variance = _reduced(VarianceOp, variance)
    std = _reduced(StdOp, lambda x, **how: np.sqrt(variance(x, **how)))
    median = operator_with_attributes(MedianOp, median)
    all = _reduced(AllOp, np.all)
    any = _reduced(AnyOp, np.any)
    count_nonzero = _reduced(CountNonzeroOp, lambda x, **how: np.sum(x != 0, **how))
    logsumexp = _reduced(LogsumexpOp, logsumexp)
    reduce_l1 = _reduced(ReduceL1Op, lambda x, **how: total(np.abs(x), **how))
    reduce_l2 = _reduced(ReduceL2Op, lambda x, **how: np.sqrt(total(x * x, **how)))
    reduce_log_sum = _reduced(ReduceLogSumOp, lambda x, **how: np.log(total(x, **how)))
    reduce_sum_square = _reduced(ReduceSumSquareOp, lambda x, **how: total(x * x, **how))
