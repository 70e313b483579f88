"""Operators that look for elements, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.ops.search import (
    OPS,
    ArgmaxOp,
    ArgminOp,
    BucketizeOp,
    NonzeroOp,
    SearchsortedOp,
    UniqueOp,
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
from .stopping import both_stop

SOME: list[Sizes] = [*SIZES[:2], {"n": 3, "m": 17, "k": 1, "b": 1}]
"""Sizes other than zero."""

LONG: list[Sizes] = [*SOME, {"n": 2, "m": 3, "k": 331, "b": 1}]
"""Rows that are looked through in blocks, too."""


def arg(op: Any, type: Any, axis: int | None = None, kept: bool = False, **more: Any) -> Case:
    find = np.argmax if op is ArgmaxOp else np.argmin

    def numpy(x: np.ndarray) -> np.ndarray:
        return np.asarray(find(x, axis=axis, keepdims=kept))

    return Case(lambda x: op(x, axis, kept), [type], numpy, **{"sizes": SOME, **more})


def placed(row: Any, value: Any, right: bool) -> int:
    """How many elements of a row come before a value; NaN comes last."""
    if value != value:
        return len(row) if right else int(np.sum(row == row))
    return int(np.sum(row <= value if right else row < value))


def bucketize(type: Any, right: bool, small: bool, **more: Any) -> Case:
    def numpy(x: np.ndarray, boundaries: np.ndarray) -> np.ndarray:
        found = [placed(boundaries, value, right) for value in x.reshape(-1)]
        return np.array(found, "i" if small else "q").reshape(x.shape)

    types = [type, tensor("k", dtype=type.dtype)]
    return Case(
        lambda x, boundaries: BucketizeOp(x, boundaries, small, right), types, numpy, **more
    )


def searchsorted(row_type: Any, type: Any, right: bool, **more: Any) -> Case:
    def numpy(rows: np.ndarray, values: np.ndarray) -> np.ndarray:
        result = np.zeros(values.shape, "q")
        for i in np.ndindex(values.shape):
            result[i] = placed(rows if rows.ndim == 1 else rows[i[:-1]], values[i], right)
        return result

    return Case(lambda a, b: SearchsortedOp(a, b, right=right), [row_type, type], numpy, **more)


def few(x: np.ndarray) -> np.ndarray:
    """Few different numbers."""
    return np.round(x) if x.dtype.kind == "f" else x % 3


def special_few(x: np.ndarray) -> np.ndarray:
    return special(np.round(x))


def ascending(x: np.ndarray) -> np.ndarray:
    return np.sort(few(x), axis=-1)


def zeros_between(x: np.ndarray) -> np.ndarray:
    return x * (np.arange(x.size).reshape(x.shape) % 3 != 1)


def nonzero(type: Any, **more: Any) -> Case:
    return Case(NonzeroOp, [type], lambda x: np.argwhere(np.atleast_1d(x)).T, **more)


def np_unique(x: np.ndarray, sort: bool, axis: int | None) -> tuple[np.ndarray, ...]:
    """Every slice looked up among those met before."""
    met: list[int] = []
    slices = list(x.reshape(-1) if axis is None else np.moveaxis(x, axis, 0))
    inverse = []
    for place, one in enumerate(slices):
        same = [
            u for u, other in enumerate(met) if np.array_equal(one, slices[other], equal_nan=True)
        ]
        inverse.append(same[0] if same else len(met))
        if not same:
            met.append(place)
    rank = list(range(len(met)))
    if sort:
        order = sorted(rank, key=lambda u: [(v != v, v) for v in np.reshape(slices[met[u]], -1)])
        rank = [order.index(u) for u in rank]
        met = [met[u] for u in order]
    inverse = np.array([rank[u] for u in inverse], "q")
    values = np.take(x if axis is not None else x.reshape(-1), met, axis or 0)
    return values, np.array(met, "q"), inverse, np.bincount(inverse, minlength=len(met))


def unique(
    type: Any,
    sort: bool = True,
    returns: tuple[bool, bool, bool] = (True, True, True),
    axis: Any = None,
    **more: Any,
) -> Case:
    def numpy(x: np.ndarray) -> tuple[np.ndarray, ...]:
        values, *vectors = np_unique(x, sort, axis)
        return (values, *(v for v, given in zip(vectors, returns) if given))

    return Case(lambda x: UniqueOp(x, sort, *returns, axis), [type], numpy, **more)


CASES: dict[str, Case] = {
    "bucketize_left": bucketize(tensor("n", "m"), False, False, values=[special_few, ascending]),
    "bucketize_right": bucketize(tensor("n"), True, True, values=[few, ascending]),
    "bucketize_scalar": bucketize(tensor(dtype="i64"), False, False, values=[few, ascending]),
    "bucketize_ui8": bucketize(tensor(3, dtype="ui8"), True, False, values=[few, ascending]),
    "searchsorted_one": searchsorted(tensor("k"), tensor("n", "m"), False, values=[ascending, few]),
    "searchsorted_rows": searchsorted(
        tensor("n", 3, "k"), tensor("n", 3, "m"), True, values=[ascending, special_few]
    ),
    "searchsorted_checked": searchsorted(
        tensor("n", "k"), tensor("b", "m"), True, sizes=SIZES[1:2], values=[ascending, few]
    ),
    "nonzero_vector": nonzero(tensor("n"), values=zeros_between),
    "nonzero_cube": nonzero(tensor("n", "m", "k"), values=zeros_between),
    "nonzero_special": nonzero(tensor("n", "m"), values=special),
    "nonzero_scalar": nonzero(tensor(dtype="i32"), sizes=STATIC),
    "nonzero_no_scalar": nonzero(tensor(), sizes=STATIC, values=np.zeros_like),
    "nonzero_i1": nonzero(tensor("n", "m", dtype="i1")),
    "nonzero_f16": nonzero(tensor("n", 4, dtype="f16"), values=zeros_between, sizes=FEW),
    "unique_flat": unique(tensor("n", "m"), values=special_few),
    "unique_flat_unsorted": unique(tensor("n", "m"), False, values=special_few),
    "unique_alone": unique(tensor("n", dtype="i64"), returns=(False, False, False), values=few),
    "unique_counts": unique(tensor("n", 3), returns=(False, False, True), values=few),
    "unique_scalar": unique(tensor(), sizes=STATIC),
    "unique_rows": unique(tensor("n", 2, dtype="i8"), axis=0, values=few),
    "unique_columns": unique(tensor(2, "n", 1), False, axis=-2, values=special_few),
    "unique_i1": unique(tensor("n", 2, dtype="i1"), axis=0),
    "unique_ui8": unique(tensor("n", "m", dtype="ui8"), False, values=few, sizes=FEW),
    "unique_f16": unique(tensor("n", "m", dtype="f16"), values=special_few, sizes=FEW),
}
for op in (ArgmaxOp, ArgminOp):
    name = op.name.removeprefix("relax.")
    CASES |= {
        f"{name}_all": arg(op, tensor("n", "m", "k"), sizes=LONG),
        f"{name}_long": arg(op, tensor("n", "m", "k"), 2, values=few, sizes=LONG),
        f"{name}_long_i16": arg(op, tensor("n", "k", dtype="i16"), 1, True, sizes=LONG),
        f"{name}_long_special": arg(op, tensor("k"), values=special, sizes=LONG),
        f"{name}_all_kept": arg(op, tensor("n", "m", dtype="i8"), None, True),
        f"{name}_first": arg(op, tensor("n", "m", "k"), 0, sizes=[*SOME, SIZES[3]]),
        f"{name}_last_kept": arg(op, tensor("n", "m"), -1, True, sizes=[*SOME, SIZES[2]]),
        f"{name}_ties": arg(op, tensor("n", 9), 1, values=few, sizes=SIZES),
        f"{name}_special": arg(op, tensor("n", "m"), 0, values=special),
        f"{name}_infinite": arg(op, tensor("n"), 0, values=lambda x: x * 0 - np.inf),
        f"{name}_scalar": arg(op, tensor(), sizes=STATIC),
        f"{name}_long_i1": arg(op, tensor("n", "k", dtype="i1"), 1, sizes=LONG),
        f"{name}_i1": arg(op, tensor("n", "m", dtype="i1"), 0),
        f"{name}_ui64": arg(op, tensor("n", 5, dtype="ui64"), 1, sizes=FEW),
        f"{name}_f16": arg(op, tensor("n", 9, dtype="f16"), 1, values=special, sizes=FEW),
    }


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_nothing_to_find(model: CompiledModule, name: str):
    message = f"relax.{name}: expected at least one element along the axes to reduce (C2)"
    both_stop(model, CASES, f"{name}_first", (0, 2, 3), message=message)
    both_stop(model, CASES, f"{name}_all", (2, 0, 3), message=message)


def test_rows_that_do_not_belong_together(model: CompiledModule):
    message = "expected equal sizes of sorted_sequence and values but for the last one (C2)"
    both_stop(model, CASES, "searchsorted_checked", (2, 3), (3, 3), message=message)
