"""Reductions, as compiled C, against numpy."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from optional import LIGHTLY

from lowering.legalize import selecting
from lowering.runtime.loading import CompiledModule
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import statistical as ops
from relax_dialect.ops.statistical import OPS, MaxOp, MeanOp, MedianOp, MinOp, SumOp

from .compiled import (
    FEW,
    SIZES,
    STATIC,
    Case,
    Sizes,
    check,
    compile_cases,
    compile_some,
    each_case,
    special,
    tensor,
)
from .stopping import both_stop

FORMS: dict[str, tuple[Any, bool]] = {
    "all": (None, False),
    "all_kept": (None, True),
    "first": (0, False),
    "last": (-1, False),
    "middle_kept": (-2, True),
    "two": ((0, 2), False),
    "two_kept": ((2, 0), True),
    "none": ((), False),
}
"""Every way to choose axes."""

TWO = ("two_kept", "last")
"""For operators that share the choice of axes with others."""


def special_sums(x: np.ndarray) -> np.ndarray:
    """Special values without large ones that cancel each other: f32 forgets what was added to them."""
    return np.where(np.abs(special(x)) == 1e4, np.float32(1.5), x)


def wide(x: np.ndarray) -> np.ndarray:
    """Floats as f64."""
    return x if x.dtype.kind in "iub" else x.astype("d")


def rounded(meaning: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """A function of floats in f64, rounded once; integers as they are."""

    def function(x: np.ndarray, **how: Any) -> np.ndarray:
        with warnings.catch_warnings(action="ignore"):
            return np.asarray(meaning(wide(x), **how)).astype(x.dtype)

    return function


def mean(x: np.ndarray, **how: Any) -> np.ndarray:
    """Numpy's; of small integers it is exact in f64, 0 of none."""
    return np.mean(x, **how) if x.dtype.kind == "f" else np.nan_to_num(np.mean(x, **how))


MEANINGS: dict[Any, Callable[..., Any]] = {
    SumOp: rounded(lambda x, **how: x.sum(dtype=x.dtype, **how)),
    ops.ProdOp: rounded(lambda x, **how: x.prod(dtype=x.dtype, **how)),
    MaxOp: np.max,
    MinOp: np.min,
    MeanOp: rounded(mean),
    ops.VarianceOp: rounded(np.var),
    ops.StdOp: rounded(np.std),
    ops.AllOp: np.all,
    ops.AnyOp: np.any,
    ops.CountNonzeroOp: lambda x, **how: np.asarray(np.count_nonzero(x, **how)).astype("q"),
    ops.LogsumexpOp: rounded(np.logaddexp.reduce),
    ops.ReduceL1Op: rounded(lambda x, **how: np.where(x < 0, -x, x).sum(dtype=x.dtype, **how)),
    ops.ReduceL2Op: rounded(lambda x, **how: np.sqrt((x**2).sum(**how))),
    ops.ReduceLogSumOp: rounded(lambda x, **how: np.log(x.sum(**how))),
    ops.ReduceSumSquareOp: rounded(lambda x, **how: np.square(x).sum(dtype=x.dtype, **how)),
}

BOOLEAN = (ops.AllOp, ops.AnyOp)
EXTREMES = (MaxOp, MinOp)
FRACTIONS = tuple(op for op in MEANINGS if issubclass(op, ops.FloatReductionOp))


def case(op: Any, axis: Any, kept: bool, type: Any, **more: Any) -> Case:
    def numpy(x: np.ndarray) -> np.ndarray:
        return MEANINGS[op](x, axis=axis, keepdims=kept)

    if op in EXTREMES:
        more["sizes"] = [sizes for sizes in more["sizes"] if has_element(type, axis, sizes)]
    return Case(lambda x: op(x, axis, kept), [type], numpy, **more)


def has_element(type: TensorType, axis: Any, sizes: Sizes) -> bool:
    """Whether there is an element along the axes."""
    assert type.shape is not None
    shape = [0 if size is None else size.evaluate(sizes) for size in type.shape]
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return all(shape[a] for a in axes)


LONG = [*SIZES, {"n": 3, "m": 200, "k": 331, "b": 1}]
"""Rows long enough to be reduced in lanes, and something left over, too."""

CASES: dict[str, Case] = {}
for op in MEANINGS:
    name, dtype = op.name.removeprefix("relax."), "i1" if op in BOOLEAN else "f32"
    loose = {"tolerance": 1e-4} if op is ops.ProdOp else {}
    every = op in (SumOp, MaxOp, ops.CountNonzeroOp)
    for form in FORMS if every else TWO:
        axis, kept = FORMS[form]
        CASES[f"{name}_{form}"] = case(
            op, axis, kept, tensor("n", 2, "k", dtype=dtype), sizes=LONG, **loose
        )
    if op in BOOLEAN:
        continue
    CASES[f"{name}_static"] = case(op, 1, False, tensor(4, 33), sizes=STATIC)
    CASES[f"{name}_scalar"] = case(op, None, False, tensor(), sizes=STATIC)
    CASES[f"{name}_special"] = case(op, 1, False, tensor("n", "m"), values=special_sums, sizes=LONG)
    types = ("f64", "f16") if op in FRACTIONS else ("f64", "f16", "i8", "ui8", "i64")
    for dtype in types:
        CASES[f"{name}_{dtype}"] = case(
            op, 1, False, tensor("n", "m", dtype=dtype), sizes=[*FEW, LONG[-1]]
        )
for op in (SumOp, ops.ProdOp, MaxOp, MinOp):
    for form in ("all", "last"):
        axis, kept = FORMS[form]
        CASES[f"{op.name[6:]}_i1_{form}"] = case(
            op, axis, kept, tensor("n", "m", dtype="i1"), sizes=SIZES
        )
LIMITS = {"f32": (-np.inf, np.inf), "ui8": (0, 255)}
for op, bound in ((MaxOp, 0), (MinOp, 1)):
    for dtype, limits in [*LIMITS.items(), ("i1", (False, True))]:
        CASES[f"{op.name[6:]}_of_nothing_{dtype}"] = Case(
            lambda x, op=op: op(x, 1, True, of_nothing=True),
            [tensor("n", "m", 3, dtype=dtype)],
            lambda x, op=op, b=limits[bound]: MEANINGS[op](x, axis=1, keepdims=True, initial=b),
            SIZES[:4],
        )
CASES["count_nonzero_i1"] = case(ops.CountNonzeroOp, 0, True, tensor("n", "m", dtype="i1"))


# The median, by taking one element after the other out of a list -----------------------------------


def middle(row: list[Any]) -> tuple[Any, int]:
    """The lower of the middle elements and its place, the first NaN and its place if there is one."""
    for place, value in enumerate(row):
        if value != value:
            return value, place
    rest = list(enumerate(row))
    for _ in range((len(row) - 1) // 2):
        rest.remove(min(rest, key=lambda pair: pair[1]))
    place, value = min(rest, key=lambda pair: pair[1])
    return value, place


def np_median(x: np.ndarray, axis: int | None, kept: bool) -> Any:
    if axis is None:
        value, _ = middle(list(x.reshape(-1)))
        return np.full((1,) * x.ndim if kept else (), value, x.dtype)
    rows = np.moveaxis(x, axis, -1)
    found = [middle(list(rows[i])) for i in np.ndindex(rows.shape[:-1])]
    results = []
    for part, dtype in zip(zip(*found) if found else ((), ()), (x.dtype, "q")):
        result = np.array(part, dtype).reshape(rows.shape[:-1])
        results.append(np.expand_dims(result, axis) if kept else result)
    return tuple(results)


def median(axis: int | None, kept: bool, type: Any, **more: Any) -> Case:
    return Case(
        lambda x: MedianOp(x, axis, kept), [type], lambda x: np_median(x, axis, kept), **more
    )


SOME = [SIZES[0], SIZES[1], {"n": 0, "m": 6, "k": 2, "b": 1}]
CASES |= {
    "median_all": median(None, False, tensor("n", "m"), sizes=SOME[:2]),
    "median_all_kept": median(None, True, tensor("n", "m", dtype="i8"), sizes=SOME[:2]),
    "median_last": median(-1, False, tensor("n", "m", "k"), sizes=SOME),
    "median_middle_kept": median(1, True, tensor("n", "m", "k", dtype="i64"), sizes=SOME),
    "median_special": median(1, False, tensor("n", "m"), values=special, sizes=SOME),
    "median_f16": median(0, False, tensor(6, "m", dtype="f16"), values=special, sizes=SOME),
    "median_ui8": median(1, False, tensor("n", 8, dtype="ui8"), sizes=SOME),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES, LIGHTLY)


def test_every_operator_has_a_case():
    assert {*MEANINGS, MedianOp} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_integers_wrap_around(model: CompiledModule):
    x = np.array([[127, 1, 0], [-128, -1, 5]], np.int8)
    np.testing.assert_array_equal(model.sum_i8(x), np.array([-128, -124], np.int8))


def test_a_mean_of_integers_does_not_wrap_around(model: CompiledModule):
    x = np.array([[127, 127, 126], [-128, -128, -127]], np.int8)
    np.testing.assert_array_equal(model.mean_i8(x), np.array([126, -127], np.int8))


@pytest.mark.long
def test_the_extremes_of_extremes(model: CompiledModule):
    low = np.full((1, 3), -np.inf, np.float32)
    assert model.max_special(low).tolist() == [-np.inf]
    assert model.min_special(-low).tolist() == [np.inf]
    assert model.max_i64(np.full((1, 3), -(2**63))).tolist() == [-(2**63)]


@pytest.mark.slow
def test_large_exponents_do_not_overflow(model: CompiledModule):
    x = np.array([[1000, 1000], [-1000, -1000]], np.float32)
    expected = x[:, 0] + np.log(np.float32(2))
    np.testing.assert_allclose(model.logsumexp_special(x), expected, rtol=1e-6)


def test_the_variance_far_from_zero_is_exact(model: CompiledModule):
    x = np.array([[4096, 4097, 4098]], np.float32)
    np.testing.assert_allclose(model.variance_special(x), [2 / 3], rtol=1e-6)


def test_a_long_sum_stays_near_the_exact_one(model: CompiledModule):
    x = np.random.default_rng(0).random((1, 100_003)).astype(np.float32)
    np.testing.assert_allclose(model.sum_special(x), x.sum(axis=1, dtype="d"), rtol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["max", "min"])
def test_no_extreme_without_elements(model: CompiledModule, name: str):
    message = f"relax.{name}: expected at least one element along the axes to reduce (C3)"
    both_stop(model, CASES, f"{name}_last", (3, 2, 0), message=message)
    both_stop(model, CASES, f"{name}_two_kept", (0, 2, 3), message=message)
    both_stop(model, CASES, f"{name}_i64", (2, 0), message=message)


def test_no_median_without_elements(model: CompiledModule):
    message = "relax.median: expected at least one element along the axes to reduce (C4)"
    both_stop(model, CASES, "median_last", (2, 3, 0), message=message)
    both_stop(model, CASES, "median_all", (2, 0), message=message)


@pytest.mark.slow
@pytest.mark.shortened
@pytest.mark.parametrize("rounds", [0, 1, 8])
def test_medians_of_long_rows(monkeypatch: pytest.MonkeyPatch, rounds: int):
    """Also where rounds of selection lead nowhere, and what is left is sorted."""
    monkeypatch.setattr(selecting, "ROUNDS", rounds)
    dtypes = {"f32": "f", "f64": "d", "f16": "e", "i8": "b", "ui8": "B", "i64": "q"}
    names = [f"{dtype}_{axis}" for dtype in dtypes for axis in (0, 1)]
    model = compile_some(
        {name: median(int(name[-1]), False, tensor("n", "m", dtype=name[:-2])) for name in names}
    )
    rng = np.random.default_rng(0)
    for name, size, spread in itertools.product(names, (1, 2, 3, 4, 100, 301), (0, 2, 60)):
        dtype, axis = dtypes[name[:-2]], int(name[-1])
        x = (np.abs(rng.standard_normal((8, size))) * spread).astype(dtype)
        x[1], x[2], x[3, ::2] = np.sort(x[1]), -np.sort(x[2]), 0
        if x.dtype.kind == "f":
            x[3, ::3], x[4, ::4], x[5, ::4], x[6, size // 2 :] = -0.0, np.inf, -np.inf, np.nan
        is_nan = np.isnan(x)
        places = np.argsort(x, axis=1, kind="stable")[:, (size - 1) // 2]
        places = np.where(is_nan.any(1), is_nan.argmax(1), places)
        values, indices = getattr(model, name)(np.ascontiguousarray(x if axis else x.T))
        np.testing.assert_array_equal(indices, places)
        np.testing.assert_array_equal(values, x[np.arange(8), places])
