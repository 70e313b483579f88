"""Running reductions, as compiled C, against loops over numpy's reductions of every beginning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.ops.cumulative import (
    OPS,
    CummaxOp,
    CumminOp,
    CumprodOp,
    CumsumOp,
    LogcumsumexpOp,
)

from .compiled import (
    FEW,
    SIZES,
    STATIC,
    Case,
    Sizes,
    check,
    compile_cases,
    each_case,
    special,
    tensor,
)


def beginnings(
    x: np.ndarray, axis: int | None, reduce: Callable[..., Any], exclusive: bool = False
) -> np.ndarray:
    """The reduction of the first 1, 2, 3, ... elements along an axis (0, 1, 2, ... if exclusive)."""
    rows = np.moveaxis(x.reshape(-1) if axis is None else x, -1 if axis is None else axis, -1)
    result = np.zeros_like(rows)
    for k in range(rows.shape[-1]):
        result[..., k] = reduce(rows[..., : k + (not exclusive)], axis=-1)
    return result if axis is None else np.moveaxis(result, -1, axis)


def wide(x: np.ndarray) -> np.ndarray:
    return x if x.dtype.kind in "iu" else x.astype("d")


def running(op: Any, type: Any, axis: Any, dtype: Any = None, exclusive: bool = False, **more: Any):
    reduce = {CumsumOp: np.sum, CumprodOp: np.prod, LogcumsumexpOp: np.logaddexp.reduce}[op]
    how = {} if op is LogcumsumexpOp else {"dtype": dtype, "exclusive": exclusive}

    def numpy(x: np.ndarray) -> np.ndarray:
        typed = x.astype({"f64": "d", "i64": "q", None: x.dtype}[dtype])

        def exact(part: np.ndarray, axis: int) -> Any:
            return reduce(
                wide(part), axis=axis, **({} if part.dtype.kind == "f" else {"dtype": part.dtype})
            )

        return beginnings(typed, axis, exact, exclusive)

    return Case(lambda x: op(x, axis, **how), [type], numpy, **more)


def np_extreme(x: np.ndarray, axis: int, best: Any) -> tuple[np.ndarray, np.ndarray]:
    values = beginnings(x, axis, best)
    rows, found = np.moveaxis(x, axis, -1), np.moveaxis(values, axis, -1)
    places = np.zeros(rows.shape, "q")
    for i in np.ndindex(rows.shape):
        beginning, wanted = rows[i[:-1]][: i[-1] + 1], found[i]
        same = np.isnan(beginning) if wanted != wanted else beginning == wanted
        places[i] = np.flatnonzero(same)[-1]
    return values, np.moveaxis(places, -1, axis)


def extreme(op: Any, type: Any, axis: int, **more: Any) -> Case:
    best = np.max if op is CummaxOp else np.min
    return Case(lambda x: op(x, axis), [type], lambda x: np_extreme(x, axis, best), **more)


def logarithms(x: np.ndarray) -> np.ndarray:
    """Special values, but for infinities of both signs in one row."""
    return np.where(x == np.inf, np.float32(3), special(x))


CASES: dict[str, Case] = {
    "cumsum_flat": running(CumsumOp, tensor("n", "m"), None),
    "cumsum_first": running(CumsumOp, tensor("n", "m", "k"), 0),
    # 1e4 is among the special values: in f32, of which blocks depend on the tiles, 3 digits remain after the point
    "cumsum_last": running(CumsumOp, tensor("n", "m"), -1, values=special, tolerance=1e-3),
    "cumsum_exclusive": running(CumsumOp, tensor("n", "m"), 1, exclusive=True),
    "cumsum_exclusive_flat": running(CumsumOp, tensor("n", dtype="i64"), None, exclusive=True),
    "cumsum_static": running(CumsumOp, tensor(3, 40), 1, sizes=STATIC),
    "cumsum_i8": running(CumsumOp, tensor("n", "m", dtype="i8"), 0, sizes=FEW),
    "cumsum_ui8": running(CumsumOp, tensor("n", "m", dtype="ui8"), 1, sizes=FEW),
    "cumsum_f16": running(CumsumOp, tensor("n", "m", dtype="f16"), 1, sizes=FEW),
    "cumsum_i1": running(CumsumOp, tensor("n", "m", dtype="i1"), 1, sizes=FEW),
    "cumprod_i1": running(CumprodOp, tensor("n", "m", dtype="i1"), 1, exclusive=True, sizes=FEW),
    "cumsum_i1_i64": running(CumsumOp, tensor("n", "m", dtype="i1"), 1, "i64", sizes=FEW),
    "cumsum_f32_f64": running(CumsumOp, tensor("n", "m"), 0, "f64", exclusive=True, sizes=FEW),
    "cumprod_flat": running(CumprodOp, tensor("n", 2), None),
    "cumprod_last": running(CumprodOp, tensor("n", "m"), -1, values=special, tolerance=1e-4),
    "cumprod_exclusive": running(CumprodOp, tensor("n", "m", dtype="i32"), 0, exclusive=True),
    "cumprod_f16": running(CumprodOp, tensor("n", "m", dtype="f16"), 1, sizes=FEW),
    "logcumsumexp_last": running(LogcumsumexpOp, tensor("n", "m"), -1),
    "logcumsumexp_first": running(LogcumsumexpOp, tensor("n", "m", "k", dtype="f64"), 0),
    "logcumsumexp_special": running(LogcumsumexpOp, tensor("n", "m"), 1, values=special),
    "logcumsumexp_f16": running(LogcumsumexpOp, tensor("n", "m", dtype="f16"), 1, sizes=FEW),
}
for op in (CummaxOp, CumminOp):
    name = op.name.removeprefix("relax.")
    CASES |= {
        f"{name}_last": extreme(op, tensor("n", "m"), -1),
        f"{name}_first": extreme(op, tensor("n", "m", "k", dtype="i8"), 0),
        f"{name}_special": extreme(op, tensor("n", "m"), 1, values=special, sizes=SIZES[:4]),
        f"{name}_ties": extreme(op, tensor("n", 9), 1, values=lambda x: np.round(x)),
        f"{name}_i1": extreme(op, tensor("n", "m", dtype="i1"), 1, sizes=FEW),
        f"{name}_ui16": extreme(op, tensor("n", "m", dtype="ui16"), 1, sizes=FEW),
        f"{name}_f16": extreme(op, tensor("n", "m", dtype="f16"), 0, values=special, sizes=FEW),
    }


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_large_exponents_do_not_overflow(model: CompiledModule):
    x = np.array([[1000, 1000, -1000]], np.float32)
    expected = np.array([[1000, 1000 + np.log(2), 1000 + np.log(2)]], np.float32)
    np.testing.assert_allclose(model.logcumsumexp_last(x), expected, rtol=1e-6)
