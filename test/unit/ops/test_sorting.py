"""Sorting, as compiled C, against Python's `sorted`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.ops.sorting import OPS, ArgsortOp, SortOp, TopkOp

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


def order(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """The places in order; `sorted` is stable in both directions. NaN is the greatest."""
    rows = np.moveaxis(x, axis, -1)
    result = np.zeros(rows.shape, "q")
    for i in np.ndindex(rows.shape[:-1]):
        keys = [(v != v, 0 if v != v else v) for v in rows[i].tolist()]
        result[i] = sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)
    return np.moveaxis(result, -1, axis)


def sort(type: Any, axis: int = -1, descending: bool = False, **more: Any) -> Case:
    def numpy(x: np.ndarray) -> np.ndarray:
        return np.take_along_axis(x, order(x, axis, descending), axis)

    return Case(lambda x: SortOp(x, axis, descending), [type], numpy, **more)


def argsort(
    type: Any, axis: int = -1, descending: bool = False, dtype: str = "i32", **more: Any
) -> Case:
    def numpy(x: np.ndarray) -> np.ndarray:
        return order(x, axis, descending).astype({"i32": "i", "i64": "q", "ui8": "B"}[dtype])

    return Case(lambda x: ArgsortOp(x, axis, descending, dtype), [type], numpy, **more)


def topk(
    type: Any,
    k: int,
    axis: int = -1,
    returns: str = "both",
    largest: bool = True,
    dtype: str = "i32",
    **more: Any,
) -> Case:
    def numpy(x: np.ndarray) -> Any:
        size = x.shape[axis]
        places = np.take(order(x, axis, largest), range(size if k < 1 else k), axis)
        values = np.take_along_axis(x, places, axis)
        places = places.astype({"i32": "i", "i64": "q"}[dtype])
        return {"both": (values, places), "values": values, "indices": places}[returns]

    return Case(lambda x: TopkOp(x, k, axis, returns, largest, dtype), [type], numpy, **more)


def ties(x: np.ndarray) -> np.ndarray:
    """Few different numbers."""
    return np.round(x)


def special_ties(x: np.ndarray) -> np.ndarray:
    return special(np.round(x))


LONG = [sizes for sizes in SIZES if sizes["m"] >= 3]
"""Sizes of which three elements can be taken."""

CASES: dict[str, Case] = {
    "sort_last": sort(tensor("n", "m")),
    "sort_first_descending": sort(tensor("n", "m", "k"), 0, True, values=special),
    "sort_middle": sort(tensor("n", "m", "k", dtype="i8"), 1),
    "sort_special": sort(tensor("n", 50), values=special_ties),
    "sort_static": sort(tensor(3, 33), sizes=STATIC),
    "sort_i1": sort(tensor("n", "m", dtype="i1"), 1, True, sizes=FEW),
    "sort_ui64": sort(tensor("n", "m", dtype="ui64"), sizes=FEW),
    "sort_f16": sort(tensor("n", "m", dtype="f16"), values=special, sizes=FEW),
    "argsort_last": argsort(tensor("n", "m"), values=special_ties),
    "argsort_stable": argsort(tensor("n", 70), values=ties, dtype="i64"),
    "argsort_stable_descending": argsort(tensor("n", 70), -1, True, values=special_ties),
    "argsort_first": argsort(tensor("n", "m", dtype="i64"), 0, dtype="ui8"),
    "argsort_i1": argsort(tensor("n", "m", dtype="i1"), 1, True, sizes=FEW),
    "topk_both": topk(tensor("n", "m"), 3, sizes=LONG),
    "topk_one": topk(tensor("n", 5), 1, values=special, sizes=SIZES[:3]),
    "topk_first_smallest": topk(
        tensor("m", "n"), 2, 0, "both", False, "i64", values=special_ties, sizes=LONG
    ),
    "topk_values": topk(tensor("n", 7, dtype="i32"), 7, 1, "values", sizes=FEW),
    "topk_indices": topk(tensor("n", 7, "m"), 4, 1, "indices", sizes=FEW),
    "topk_all": topk(tensor("n", "m", dtype="ui8"), 0, 1, sizes=FEW),
    "topk_minus_one": topk(tensor("n", "m"), -1, 0),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_sorted(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_more_elements_than_there_are_are_not_taken(model: CompiledModule):
    message = (
        "relax.topk: expected k to be at most the size of axis 1 (C4), found 3 for a size of 2"
    )
    both_stop(model, CASES, "topk_both", (5, 2), message=message)


def test_many_elements(model: CompiledModule):
    x = np.random.default_rng(0).integers(0, 1000, (1, 200_000)).astype(np.float32)
    np.testing.assert_array_equal(model.sort_last(x), np.sort(x, axis=1))
    np.testing.assert_array_equal(model.argsort_last(x), np.argsort(x, axis=1, kind="stable"))
