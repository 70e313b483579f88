"""Reductions, running ones, searching and sorting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from peers.drawing import (
    ANY,
    FLOATS,
    INTEGERS,
    NUMBERS,
    Draw,
    UnsuitableError,
    everything,
    finite,
    normal,
    positive,
    ties,
)
from peers.libraries import by_numpy, by_torch, torch
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.interpret.runtime_values import dtype_name
from relax_dialect.ops import cumulative, sampling, search, sorting
from relax_dialect.ops import statistical as ops

MOSTLY_FINITE = ("float32", "float64", *INTEGERS)
Reduction = Callable[[Any, Any, bool], Any]


def same_type(function: Callable) -> Reduction:
    """A reduction that keeps the element type, where PyTorch's widens integers."""
    return lambda x, axes, keep: function(x, axes, keep, dtype=x.dtype)


def several(function: Callable) -> Reduction:
    """A reduction over one axis after the other, for one that PyTorch has over a single axis."""

    def over(x: Any, axes: Any, keep: bool) -> Any:
        for axis in sorted((a % x.dim() for a in axes), reverse=True):
            x = function(x, axis, keep)
        return x

    return over


REDUCTIONS: dict[str, tuple[Build, Reduction, tuple[str, ...]]] = {
    "sum": (ops.SumOp, same_type(torch.sum), NUMBERS),
    "prod": (
        ops.ProdOp,
        several(lambda x, a, k: torch.prod(x, a, k, dtype=x.dtype)),
        MOSTLY_FINITE,
    ),
    "max": (ops.MaxOp, torch.amax, NUMBERS),
    "min": (ops.MinOp, torch.amin, NUMBERS),
    "mean": (ops.MeanOp, torch.mean, FLOATS),
    "variance": (
        ops.VarianceOp,
        lambda x, a, k: torch.var(x, a, correction=0, keepdim=k),
        FLOATS,
    ),
    "std": (ops.StdOp, lambda x, a, k: torch.std(x, a, correction=0, keepdim=k), FLOATS),
    "all": (ops.AllOp, several(torch.all), ("bool",)),
    "any": (ops.AnyOp, several(torch.any), ("bool",)),
    "logsumexp": (ops.LogsumexpOp, torch.logsumexp, FLOATS),
    "reduce_l1": (
        ops.ReduceL1Op,
        lambda x, a, k: torch.sum(torch.abs(x), a, k, dtype=x.dtype),
        NUMBERS,
    ),
    "reduce_l2": (ops.ReduceL2Op, lambda x, a, k: torch.linalg.vector_norm(x, 2, a, k), FLOATS),
    "reduce_log_sum": (
        ops.ReduceLogSumOp,
        lambda x, a, k: torch.log(torch.sum(x, a, k)),
        ("float32", "float64"),
    ),
    "reduce_sum_square": (
        ops.ReduceSumSquareOp,
        lambda x, a, k: torch.sum(x * x, a, k, dtype=x.dtype),
        MOSTLY_FINITE,
    ),
}
VALUES = {"prod": normal, "reduce_log_sum": positive}


@peer(*REDUCTIONS, cancels=20, digits=10)
def reduction(d: Draw) -> tuple[Build, Meaning]:
    build, function, dtypes = REDUCTIONS[d.operator]
    shape, dtype = d.shape(0), d.one(dtypes)
    summing = "float" in dtype and d.operator not in ("max", "min")
    among = VALUES.get(d.operator, finite if summing else everything)
    d.array(shape, dtype, among)
    axes = d.axes(len(shape), least=1) if shape and d.flag() else None
    keep = d.flag()
    reduced = list(range(len(shape))) if axes is None else axes

    def theirs(x: Any) -> Any:
        if not x.dim():
            return function(x[None], [0], False)
        return function(x, reduced, keep)

    return lambda x: build(x, axes, keep), by_torch(theirs)


@peer("sum", "prod", "max", "min", "mean", **exact)
def of_few_values(d: Draw) -> tuple[Build, Meaning]:
    """Reductions of truth values, and means of integers."""
    shape, whole = d.shape(1), d.operator == "mean"
    d.array(shape, d.one(INTEGERS) if whole else "bool", finite)
    axis, keep = d.axis(len(shape)), d.flag()

    def mean(x: Any) -> Any:
        if not x.shape[axis]:
            raise UnsuitableError
        total = x.sum(axis, keep, dtype=torch.int64)
        return torch.div(total, x.shape[axis], rounding_mode="trunc").to(x.dtype)

    some, every = (lambda x: torch.any(x, axis, keep)), (lambda x: torch.all(x, axis, keep))
    function = {"sum": some, "max": torch.amax, "prod": every, "min": torch.amin, "mean": mean}
    theirs = function[d.operator]
    if d.operator in ("max", "min"):
        theirs = lambda x: function[d.operator](x, axis, keep)  # noqa: E731
    return lambda x: REDUCTIONS[d.operator][0](x, axis, keep), by_torch(theirs)


@peer("count_nonzero", **exact)
def count_nonzero(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape()
    d.array(shape, d.one((*NUMBERS, "bool")))
    axes = d.maybe(d.axes(len(shape), least=1)) if shape else None
    return lambda x: ops.CountNonzeroOp(x, axes), by_torch(lambda x: torch.count_nonzero(x, axes))


@peer("median", zeros="", **exact)
def median(d: Draw) -> tuple[Build, Meaning]:
    shape, dtype = d.shape(1), d.one(NUMBERS)
    axis, keep = d.axis(len(shape)), d.flag()
    if d.flag():  # which of equal elements PyTorch takes is left open, so the place is not compared
        if not d.array(shape, dtype).size:
            raise UnsuitableError
        return lambda x: ops.MedianOp(x), by_torch(torch.median)
    d.array(shape, "float64", normal)
    return lambda x: ops.MedianOp(x, axis, keep), by_torch(lambda x: torch.median(x, axis, keep))


# Running reductions --------------------------------------------------------------------------


RUNNING: dict[str, tuple[Build, Callable]] = {
    "cumsum": (cumulative.CumsumOp, lambda x, a: torch.cumsum(x, a, dtype=x.dtype)),
    "cumprod": (cumulative.CumprodOp, lambda x, a: torch.cumprod(x, a, dtype=x.dtype)),
}


@peer(*RUNNING, cancels=20, digits=10)
def running(d: Draw) -> tuple[Build, Meaning]:
    build, function = RUNNING[d.operator]
    shape, dtype = d.shape(1), d.one(("float32", "float64", *INTEGERS, "bool"))
    d.array(shape, dtype, finite if "float" in dtype else everything)
    axis = d.maybe(d.axis(len(shape)))
    flat = lambda x: function(x.reshape(-1), 0)  # noqa: E731
    theirs = flat if axis is None else lambda x: function(x, axis)
    return lambda x: build(x, axis), by_torch(theirs)


@peer("cumsum", "cumprod", **exact)
def exclusive(d: Draw) -> tuple[Build, Meaning]:
    """Of another integer type, with or without the element itself."""
    shape, source, target = d.shape(1), d.one((*INTEGERS, "bool")), d.one(INTEGERS)
    axis, without = d.axis(len(shape)), d.flag()
    d.array(shape, source)
    build, function, first = {
        "cumsum": (cumulative.CumsumOp, np.cumsum, 0),
        "cumprod": (cumulative.CumprodOp, np.cumprod, 1),
    }[d.operator]

    def theirs(x: np.ndarray) -> np.ndarray:
        x = x.astype(target)
        if without and x.shape[axis]:
            begin = np.full_like(np.take(x, [0], axis), first)
            x = np.concatenate([begin, np.delete(x, -1, axis)], axis)
        return function(x, axis, target)

    name = dtype_name(np.dtype(target))
    return lambda x: build(x, axis, name, without), by_numpy(theirs)


@peer("cummax", "cummin", **exact)
def extremes_so_far(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    axis = d.axis(len(shape))
    d.array(shape, d.one(NUMBERS), d.one((everything, ties)))
    build, function = {
        "cummax": (cumulative.CummaxOp, torch.cummax),
        "cummin": (cumulative.CumminOp, torch.cummin),
    }[d.operator]
    return lambda x: build(x, axis), by_torch(lambda x: tuple(function(x, axis)))


@peer("logcumsumexp", cancels=20, digits=10)
def logcumsumexp(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    axis = d.axis(len(shape))
    d.array(shape, d.one(("float32", "float64")))
    return lambda x: cumulative.LogcumsumexpOp(x, axis), by_torch(
        lambda x: torch.logcumsumexp(x, axis)
    )


# Searching -----------------------------------------------------------------------------------


@peer("argmax", "argmin", **exact)
def places(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    axis, keep = d.maybe(d.axis(len(shape))), d.flag()
    d.array(shape, d.one(ANY))
    build, function = {
        "argmax": (search.ArgmaxOp, np.argmax),
        "argmin": (search.ArgminOp, np.argmin),
    }[d.operator]
    return lambda x: build(x, axis, keep), by_numpy(lambda x: function(x, axis, keepdims=keep))


@peer("argmax", "argmin", **exact)
def places_by_torch(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    axis, keep = d.axis(len(shape)), d.flag()
    d.array(shape, d.one(FLOATS), d.one((everything, ties)))
    build, function = {
        "argmax": (search.ArgmaxOp, torch.max),
        "argmin": (search.ArgminOp, torch.min),
    }[d.operator]
    return lambda x: build(x, axis, keep), by_torch(lambda x: function(x, axis, keep).indices)


@peer("bucketize", **exact)
def bucketize(d: Draw) -> tuple[Build, Meaning]:
    dtype, right, narrow = d.one(("float32", "float64", "int32", "int64")), d.flag(), d.flag()
    d.array(d.shape(), dtype)
    d.array([d.size()], dtype, lambda x, d: np.sort(ties(x, d)))
    return lambda x, b: search.BucketizeOp(x, b, narrow, right), by_torch(
        lambda x, b: torch.bucketize(x, b, out_int32=narrow, right=right)
    )


@peer("searchsorted", **exact)
def searchsorted(d: Draw) -> tuple[Build, Meaning]:
    dtype, right, narrow = d.one(("float32", "float64", "int32", "int64")), d.flag(), d.flag()
    shape = d.shape(1)
    rows = shape[-1:] if d.flag() else shape
    d.array(rows, dtype, lambda x, d: np.sort(ties(x, d), -1))
    d.array([*shape[:-1], d.size()], dtype)
    return lambda a, b: search.SearchsortedOp(a, b, narrow, right), by_torch(
        lambda a, b: torch.searchsorted(a, b, out_int32=narrow, right=right)
    )


@peer("nonzero", **exact)
def nonzero(d: Draw) -> tuple[Build, Meaning]:
    d.array(d.shape(1), d.one((*NUMBERS, "bool")), d.one((everything, ties)))
    return search.NonzeroOp, by_torch(lambda x: torch.nonzero(x).T)


@peer("unique", **exact)
def unique(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    axis = d.maybe(d.axis(len(shape)))
    d.array(shape, d.one(("float32", "float64", *INTEGERS)), ties)

    def theirs(x: Any) -> Any:
        values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True, dim=axis)
        return values, inverse.reshape(-1), counts

    return lambda x: search.UniqueOp(
        x, return_inverse=True, return_counts=True, axis=axis
    ), by_torch(theirs)


@peer("unique", **exact)
def unique_by_numpy(d: Draw) -> tuple[Build, Meaning]:
    d.array(d.shape(1), d.one(("float32", "float64", *INTEGERS)), d.one((everything, ties)))
    return lambda x: search.UniqueOp(x, return_index=True), by_numpy(
        lambda x: np.unique(x, return_index=True)
    )


# Sorting -------------------------------------------------------------------------------------


@peer("sort", "argsort", **exact)
def sorts(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    axis, descending = d.axis(len(shape)), d.flag()
    d.array(shape, d.one(NUMBERS), d.one((everything, ties)))
    how: Any = {"dim": axis, "descending": descending, "stable": True}
    return {
        "sort": (
            lambda x: sorting.SortOp(x, axis, descending),
            by_torch(lambda x: torch.sort(x, **how).values),
        ),
        "argsort": (
            lambda x: sorting.ArgsortOp(x, axis, descending, "i64"),
            by_torch(lambda x: torch.argsort(x, **how)),
        ),
    }[d.operator]


@peer("topk", zeros="", **exact)
def topk(d: Draw) -> tuple[Build, Meaning]:
    shape = [size or 1 for size in (d.fixed(0, 7) for _ in range(d.fixed(1, 3)))]
    axis, largest = d.axis(len(shape)), d.flag()
    count = d.whole(1, shape[axis])
    if d.flag():
        d.array(shape, "float64", normal)
        return lambda x: sorting.TopkOp(x, count, axis, "both", largest, "i64"), by_torch(
            lambda x: tuple(torch.topk(x, count, axis, largest))
        )
    d.array(shape, d.one(NUMBERS))
    return lambda x: sorting.TopkOp(x, count, axis, "values", largest), by_torch(
        lambda x: torch.topk(x, count, axis, largest).values
    )


@peer("multinomial_from_uniform", **exact)
def multinomial_from_uniform(d: Draw) -> tuple[Build, Meaning]:
    """With shares of 64, whose sums are exact."""
    places, rows, dtype = d.fixed(1, 9), d.fixed(1, 4), d.one(("float32", "float64"))

    def shares(x: np.ndarray, d: Draw) -> np.ndarray:
        return d.numbers.multinomial(64, np.ones(places) / places, len(x)) / 64

    def samples(x: np.ndarray, d: Draw) -> np.ndarray:
        return d.numbers.integers(0, 65, x.shape) / 64

    count = d.size()
    d.array([rows, places], dtype, shares)
    d.array([count, 1], dtype, samples)
    d.array([count, 1], "int64", lambda x, d: d.numbers.integers(0, rows, x.shape))

    def theirs(shares: Any, samples: Any, which: Any) -> Any:
        ends = torch.cumsum(shares, 1)[which[:, 0]]
        return torch.clamp(torch.searchsorted(ends, samples, right=True), max=places - 1)

    return sampling.MultinomialFromUniformOp, by_torch(theirs)
