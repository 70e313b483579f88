"""Several values of one compute, and reductions of one's own: argmax, Welford's variance, all, any."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import MLIR, needs
from te_programs import TePrograms
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import GenericOp

from relax_dialect import te
from relax_dialect.errors import RelaxError

n, m = te.var("n"), te.var("m")
A = te.placeholder((n, m), name="A")
V = te.placeholder((n,), name="V")

SIZES = [(1, 1), (3, 5), (4, 2), (2, 0), (0, 3), (17, 9)]


def first_extreme(better: Callable[[te.Scalar, te.Scalar], te.Scalar], start: Any) -> te.Reducer:
    """The first index of the extreme value, and that value; NaN counts as extreme."""

    def combine(x: tuple[te.Scalar, ...], y: tuple[te.Scalar, ...]) -> tuple[te.Scalar, ...]:
        take = better(y[1], x[1]) | ((y[1] != y[1]) & (x[1] == x[1]))
        take = take | (x[0] < 0)
        return te.select(take, y[0], x[0]), te.select(take, y[1], x[1])

    return te.comm_reducer(combine, lambda i, v: (-1, start(v)), name="extreme")


argmax = first_extreme(lambda y, x: y > x, te.min_value)
argmin = first_extreme(lambda y, x: y < x, te.max_value)


def welford(x: tuple[te.Scalar, ...], y: tuple[te.Scalar, ...]) -> tuple[te.Scalar, ...]:
    """Counts, means and sums of squared distances of two sets of numbers, of their union."""
    count = x[0] + y[0]
    divisor = te.maximum(count, 1)
    distance = y[1] - x[1]
    mean = x[1] + distance * (y[0] / divisor)
    return count, mean, x[2] + y[2] + distance * distance * (x[0] * y[0] / divisor)


variance = te.comm_reducer(welford, lambda *types: (0, 0, 0), name="variance")


def extreme(reducer: te.Reducer) -> list[te.Tensor]:
    k = te.reduce_axis((0, m))
    names = ["index", "value"]
    found = te.compute((n,), lambda i: reducer((k.astype("i64"), A[i, k]), axis=k), name=names)
    return [A, *found]


def statistics() -> list[te.Tensor]:
    k = te.reduce_axis((0, m))
    one, zero = te.const(1, "f32"), te.const(0, "f32")
    _, mean, squares = te.compute(
        (n,), lambda i: variance((one, A[i, k], zero), axis=k), name=["count", "mean", "squares"]
    )
    return [A, mean, te.compute((n,), lambda i: squares[i] / m, name="variance")]


def pair() -> list[te.Tensor]:
    return [V, *te.compute((n,), lambda i: (V[i] + 1, (V[i] > 0)), name=["more", "positive"])]


def same_axes() -> list[te.Tensor]:
    k = te.reduce_axis((0, m))
    both = te.compute((n,), lambda i: (te.sum(A[i, k], axis=k), te.max(A[i, k], axis=k)))
    return [A, *both]


def one_value_of_two() -> list[te.Tensor]:
    k = te.reduce_axis((0, m))
    return [A, te.compute((n,), lambda i: argmax((k.astype("i64"), A[i, k]), axis=k)[0])]


def over_columns() -> list[te.Tensor]:
    """The reduction is outermost when lowered, so that the inner loop is contiguous."""
    k = te.reduce_axis((0, n))
    return [A, *te.compute((m,), lambda j: argmin((k.astype("i32"), A[k, j]), axis=k))]


def logic() -> list[te.Tensor]:
    k = te.reduce_axis((0, m))
    return [
        A,
        te.compute((n,), lambda i: te.all(A[i, k] > -1, A[i, k] < 2, axis=k), name="all"),
        te.compute((n,), lambda i: te.any(A[i, k] > 1, axis=k), name="any"),
        te.compute((n, m), lambda i, j: te.all(A[i, j] > -1, A[i, j] < 1), name="both"),
    ]


def maximum_of_bool() -> list[te.Tensor]:
    """A maximum rounds nothing, so it accumulates in any type."""
    k = te.reduce_axis((0, m))
    b = te.placeholder((n, m), "bool", name="B")
    return [b, te.compute((n,), lambda i: te.max(b[i, k], axis=k))]


def used_by_a_stage() -> list[te.Tensor]:
    """One output is read by a later stage, the other is a result."""
    low, high = te.compute((n,), lambda i: (te.minimum(V[i], 0), te.maximum(V[i], 0)))
    return [V, high, te.compute((n,), lambda i: low[i] * 2 + high[i])]


def np_extreme(which: Callable[..., Any], axis: int, index: str) -> Callable[[np.ndarray], list]:
    """numpy's arg function, which the empty row has none of: -1 there."""

    def function(a: np.ndarray) -> list[np.ndarray]:
        rows = a if axis == 1 else a.T
        limit = -np.inf if which is np.argmax else np.inf
        found = np.array([which(r) if len(r) else -1 for r in rows], index)
        values = np.array([r[which(r)] if len(r) else limit for r in rows], a.dtype)
        return [found, values]

    return function


def np_statistics(a: np.ndarray) -> list[np.ndarray]:
    if a.shape[1] == 0:
        return [np.zeros(len(a), "f"), np.full(len(a), np.nan, "f")]
    return [a.mean(axis=1), a.var(axis=1)]


CASES: dict[str, tuple[list[te.Tensor], Callable[..., list[Any]]]] = {
    "argmax": (extreme(argmax), np_extreme(np.argmax, 1, "int64")),
    "argmin": (extreme(argmin), np_extreme(np.argmin, 1, "int64")),
    "over_columns": (over_columns(), np_extreme(np.argmin, 0, "int32")),
    "one_value": (one_value_of_two(), lambda a: np_extreme(np.argmax, 1, "int64")(a)[:1]),
    "statistics": (statistics(), np_statistics),
    "pair": (pair(), lambda v: [v + 1, v > 0]),
    "same_axes": (same_axes(), lambda a: [a.sum(axis=1), a.max(axis=1, initial=-np.inf)]),
    "logic": (
        logic(),
        lambda a: [
            ((a > -1) & (a < 2)).all(axis=1),
            (a > 1).any(axis=1),
            (a > -1) & (a < 1),
        ],
    ),
    "maximum_of_bool": (maximum_of_bool(), lambda b: [b.any(axis=1)]),
    "used_by_a_stage": (
        used_by_a_stage(),
        lambda v: [np.maximum(v, 0), np.minimum(v, 0) * 2 + np.maximum(v, 0)],
    ),
}


@cache
def programs() -> TePrograms:
    return TePrograms({name: tensors for name, (tensors, _) in CASES.items()})


def compare(found: list[np.ndarray], expected: list[Any]) -> None:
    assert len(found) == len(expected)
    for f, e in zip(found, expected):
        e = np.asarray(e)
        assert (f.dtype, f.shape) == (e.dtype, e.shape)
        np.testing.assert_allclose(f, e, rtol=2e-5, atol=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_numpy(name: str, sizes: tuple[int, int]):
    tensors, meaning = CASES[name]
    rng = np.random.default_rng(sum(sizes))
    shape = sizes[: tensors[0].ndim]
    dtype = "bool" if name == "maximum_of_bool" else "float32"
    x = (rng.integers(-4, 4, shape) / 2).astype(dtype)  # with equal elements
    compare(programs().run(name, x), meaning(x))


@pytest.mark.slow
def test_the_first_index_wins_and_nan_is_extreme():
    x = np.array([[1, 3, 3, 2], [0, np.nan, 5, np.nan], [-np.inf, -np.inf, 0, 0]], np.float32)
    for name, which in (("argmax", np.argmax), ("argmin", np.argmin)):
        index, value = programs().run(name, x)
        np.testing.assert_array_equal(index, which(x, axis=1))
        np.testing.assert_array_equal(value, x[np.arange(3), index])


@pytest.mark.slow
def test_welford_is_stable():
    x = (1e4 + np.arange(8.0)).astype(np.float32).reshape(1, 8)
    _, found = programs().run("statistics", x)
    np.testing.assert_allclose(found, [np.var(np.arange(8.0))], rtol=1e-4)


@pytest.mark.slow
def test_values_of_one_compute_are_one_generic():
    for name in ("argmax", "pair", "same_axes"):
        function = programs().functions[name]
        assert sum(isinstance(op, GenericOp) for op in function.walk()) == 1


@needs(MLIR)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_mlir(name: str):
    (tensor, *_), _ = CASES[name]
    x = np.random.default_rng(0).integers(-3, 3, (5, 7)[: tensor.ndim])
    programs().check_mlir(name, x.astype("bool" if name == "maximum_of_bool" else "float32"))


@needs(MLIR)
def test_mlir_accepts_every_function():
    check_accepted(ModuleOp([function.clone() for function in programs().functions.values()]))


K, K2 = te.reduce_axis((0, m)), te.reduce_axis((0, m), "k2")
one_for_two = te.comm_reducer(lambda x, y: x[0], lambda a, b: (0, 0), name="one")
wrong_type = te.comm_reducer(lambda x, y: x > y, lambda t: 0, name="wrong")
sizes_as_identity = te.comm_reducer(lambda x, y: x, lambda t: te.cast(n, "f32"), name="size")

ERRORS: dict[str, tuple[Callable[[], object], str]] = {
    "count of combine": (
        lambda: one_for_two((A[0, K], A[0, K]), axis=K),
        r"te\.one: combining returns 1 values, expected 2 of type f32, f32",
    ),
    "count of identity": (
        lambda: te.comm_reducer(lambda x, y: x, lambda *t: 0)((A[0, K], A[0, K]), axis=K),
        r"the identity returns 1 values, expected 2",
    ),
    "type": (
        lambda: wrong_type(A[0, K], axis=K),
        r"te\.wrong: combining returns .* i1, expected f32",
    ),
    "identity": (lambda: sizes_as_identity(A[0, K], axis=K), r"the identity is no constant"),
    "different axes": (
        lambda: te.compute((n,), lambda i: (te.sum(A[i, K], axis=K), te.sum(A[i, K2], axis=K2))),
        r"reduced over the axes \[k\] and \[k2\], expected the same for all",
    ),
    "some reduced": (
        lambda: te.compute((n,), lambda i: (te.sum(A[i, K], axis=K), V[i])),
        r"reduced over the axes \[k\] and \[\]",
    ),
    "names": (
        lambda: te.compute((n,), lambda i: (V[i], V[i]), name=["a", "b", "c"]),
        r"3 names \(a, b, c\) for 2 values",
    ),
    "no value": (lambda: te.compute((n,), lambda i: ()), r"found no value"),
    "no condition": (lambda: te.all(), r"te\.all: expected a condition, found none"),
    "condition": (lambda: te.any(V[0]), r"te\.any: a condition is of type f32, expected i1"),
}


@pytest.mark.parametrize("what", ERRORS)
def test_refuses(what: str):
    build, message = ERRORS[what]
    with pytest.raises(RelaxError, match=message):
        build()
