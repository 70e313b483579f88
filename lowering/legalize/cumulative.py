"""Running reductions, as scans in the type to accumulate in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lowering.legalize.manipulate import flattened
from lowering.legalize.registry import legalize, result_dtype
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ops.cumulative import (
    CummaxOp,
    CumminOp,
    CumprodOp,
    CumsumOp,
    LogcumsumexpOp,
    RunningExtremeOp,
    RunningOp,
)
from relax_dialect.te.dtypes import as_dtype, kind


def _narrowed(x: te.Tensor, dtype: Any) -> te.Tensor:
    """Return a tensor in an element type."""
    return x if x.dtype == dtype else te.compute(x.shape, lambda *i: x[i].astype(dtype), name="out")


@legalize(CumsumOp, CumprodOp)
def running(op: RunningOp, x: te.Tensor) -> te.Tensor:
    """Return the running sum or product of the converted elements, of truth values "or" or "and"."""
    rows = flattened(x) if op.axis is None else x
    axis, dtype = op.axis_of(rows.ndim), result_dtype(op)
    reducers = (te.max, te.min) if kind(dtype) == "bool" else (te.sum, te.prod)
    reducer = reducers[0 if isinstance(op, CumsumOp) else 1]

    def element(*i: te.IterVar) -> te.Scalar:
        value = rows[i].astype(dtype).astype(wide(dtype))
        return te.scan(reducer, value, i[axis], exclusive=op.exclusive)

    return _narrowed(te.compute(rows.shape, element, name="running"), dtype)


Pair = tuple[te.Scalar, te.Scalar]


def _last_best(beats: Callable[[Any, Any], Any]) -> Callable[[Pair, Pair], Pair]:
    """Combine pairs of positions and values: a value that beats or equals the best so far replaces it, as
    does every NaN."""

    def combine(best: Pair, new: Pair) -> Pair:
        newer = beats(new[1], best[1])
        if kind(new[1].dtype) == "float":
            newer = newer | te.isnan(new[1])
        return te.select(newer, new[0], best[0]), te.select(newer, new[1], best[1])

    return combine


CUMMAX = te.comm_reducer(
    _last_best(lambda a, b: a >= b), lambda _, v: (0, te.min_value(v)), name="cummax"
)
CUMMIN = te.comm_reducer(
    _last_best(lambda a, b: a <= b), lambda _, v: (0, te.max_value(v)), name="cummin"
)


@legalize(CummaxOp, CumminOp)
def extreme(op: RunningExtremeOp, x: te.Tensor) -> list[te.Tensor]:
    """Return the running extreme and its index, together; truth values are compared as numbers."""
    reducer, axis = CUMMAX if isinstance(op, CummaxOp) else CUMMIN, op.axis_of(x.ndim)
    type = as_dtype("i8") if kind(x.dtype) == "bool" else x.dtype

    def element(*i: te.IterVar) -> tuple[te.Scalar, ...]:
        return te.scan(reducer, (te.cast(i[axis], "i64"), x[i].astype(type)), i[axis])

    indices, values = te.compute(x.shape, element, name=["indices", "values"])
    return [_narrowed(values, x.dtype), indices]


def _log_add_exp(a: te.Scalar, b: te.Scalar) -> te.Scalar:
    """`log(exp(a) + exp(b))` relative to the larger one, if that is finite."""
    larger = te.maximum(a, b)
    total = larger + te.log1p(te.exp(te.minimum(a, b) - larger))
    return te.select(te.isfinite(larger), total, larger)


LOG_ADD_EXP = te.comm_reducer(_log_add_exp, te.min_value, name="log_add_exp")


@legalize(LogcumsumexpOp)
def logcumsumexp(op: LogcumsumexpOp, x: te.Tensor) -> te.Tensor:
    """Return the running logarithm of the sum of exponentials."""
    axis = op.axis_of(x.ndim)

    def element(*i: te.IterVar) -> te.Scalar:
        return te.scan(LOG_ADD_EXP, x[i].astype(wide(x.dtype)), i[axis])

    return _narrowed(te.compute(x.shape, element, name="running"), x.dtype)
