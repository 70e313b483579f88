"""Running reductions along an axis (long sums of floats are added up in f64)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import total_arithmetic
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.interpret.statistical import widened
from relax_dialect.interpret.windows import sum_type
from relax_dialect.ops.cumulative import (
    CummaxOp,
    CumminOp,
    CumprodOp,
    CumsumOp,
    LogcumsumexpOp,
    RunningExtremeOp,
    RunningOp,
)

SHORT = 128
"""Running sums of no more terms are added up in the type of the elements, as compiled."""


def _running(op_type: type[RunningOp], reduce: np.ufunc) -> Any:
    """Return a running reduction; an exclusive one begins with the identity and leaves out the last."""

    def run(op: RunningOp, x: Array) -> Array:
        dtype = x.dtype if op.dtype is None else numpy_dtype(op.dtype)
        rows = total_arithmetic.astype(x.reshape(-1) if op.axis is None else x, dtype)
        axis = op.axis_of(rows.ndim)
        wide = widened(np.asarray(rows))
        if op.exclusive:
            first = np.full_like(
                np.take(wide, [0] * min(1, wide.shape[axis]), axis), reduce.identity
            )
            wide = np.concatenate([first, np.take(wide, range(wide.shape[axis] - 1), axis)], axis)
        with np.errstate(all="ignore"):
            is_long = reduce is np.add and wide.shape[axis] > SHORT
            kind = sum_type(wide.dtype) if is_long else wide.dtype
            return reduce.accumulate(wide, axis, kind).astype(dtype)

    return operator_with_attributes(op_type, run)


def _extreme(op_type: type[RunningExtremeOp], beats: Callable[[Any, Any], Any]) -> Any:
    """Return a function for the best element so far and its index, one step along the axis after the
    other."""

    def run(op: RunningExtremeOp, x: Array) -> tuple[Array, Array]:
        axis = op.axis_of(x.ndim)
        rows = np.moveaxis(widened(x), axis, 0)
        places = np.zeros(rows.shape, np.int64)
        best = rows.copy()
        for k in range(1, len(rows)):
            newer = beats(rows[k], best[k - 1])
            if rows.dtype.kind == "f":
                newer = newer | np.isnan(rows[k])
            best[k] = np.where(newer, rows[k], best[k - 1])
            places[k] = np.where(newer, k, places[k - 1])
        return np.moveaxis(best, 0, axis).astype(x.dtype), np.moveaxis(places, 0, axis)

    return operator_with_attributes(op_type, run)


def logcumsumexp(op: LogcumsumexpOp, x: Array) -> Array:
    """Return the running `numpy.logaddexp`."""
    with np.errstate(all="ignore"):
        return np.logaddexp.accumulate(widened(x), op.axis_of(x.ndim)).astype(x.dtype)


@register_impls
class CumulativeFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.cumulative`."""

    cumsum = _running(CumsumOp, np.add)
    cumprod = _running(CumprodOp, np.multiply)
    cummax = _extreme(CummaxOp, np.greater_equal)
    cummin = _extreme(CumminOp, np.less_equal)
    logcumsumexp = operator_with_attributes(LogcumsumexpOp, logcumsumexp)
