"""Operators that undo broadcasting, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ops.collapse import OPS, CollapseSumLikeOp, CollapseSumToOp

from .compiled import Case, Sizes, call, check, compile_cases, each_case, shape, tensor
from .inputs import refused, x
from .inputs import shape as shape_value


def collapsed(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Every element added where a broadcast would have read it from."""
    wide = x.dtype if x.dtype.kind in "iu" else np.float64
    result = np.zeros(shape, wide)
    for place in np.ndindex(x.shape):
        aligned = place[x.ndim - len(shape) :]
        result[tuple(0 if n == 1 else i for i, n in zip(aligned, shape))] += x[place]
    return result.astype(x.dtype)


def like(x: np.ndarray, target: np.ndarray) -> np.ndarray:
    return collapsed(x, target.shape)


UNPROVED = [
    {"n": 5, "m": 1},
    {"n": 5, "m": 5},
    {"n": 1, "m": 1},
    {"n": 0, "m": 1},
    {"n": 0, "m": 0},
]
"""Sizes for which m broadcasts to n."""

CASES: dict[str, Case] = {
    "to_rows": Case(CollapseSumToOp, [tensor("n", "m"), shape("m")], collapsed),
    "to_columns": Case(CollapseSumToOp, [tensor("n", "m", dtype="f64"), shape("n", 1)], collapsed),
    "to_middle": Case(CollapseSumToOp, [tensor("k", "n", 3, "m"), shape("n", 1, "m")], collapsed),
    "to_scalar": Case(CollapseSumToOp, [tensor("n", 3, dtype="i8"), shape()], collapsed),
    "to_same": Case(CollapseSumToOp, [tensor("n", 3, dtype="i64"), shape("n", 3)], collapsed),
    "to_f16": Case(CollapseSumToOp, [tensor("n", 90, dtype="f16"), shape("n", 1)], collapsed),
    "to_bf16": Case(CollapseSumToOp, [tensor("n", 90, dtype="bf16"), shape("n", 1)], collapsed),
    "to_unproved": Case(
        CollapseSumToOp, [tensor(2, "n", 3), shape("m", 3)], collapsed, sizes=UNPROVED
    ),
    "like": Case(CollapseSumLikeOp, [tensor("n", "m"), tensor("n", 1)], like),
    "like_scalar": Case(CollapseSumLikeOp, [tensor("n", "m"), tensor(dtype="i1")], like),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_another_size_is_an_error(model: CompiledModule):
    data, new = np.zeros((2, 5, 3), np.float32), (4, 3)
    module = ModuleOp([CASES["to_unproved"].function("f")])
    for attempt in (
        lambda: call(model, "to_unproved", data, new),
        lambda: run(module, "f", data, new),
    ):
        with pytest.raises(RelaxError, match="expected new sizes that are 1 or those of x"):
            attempt()


def test_collapse_sum_to_C1():
    refused("C1", lambda: CollapseSumToOp(x("n", dtype="i1"), shape_value(1)))


def test_collapse_sum_to_C2():
    refused("C2", lambda: CollapseSumToOp(x("n"), shape_value(1, "n")))
    refused("C2", lambda: CollapseSumLikeOp(x("n"), x(1, "n")))


def test_collapse_sum_to_C3():
    refused("C3", lambda: CollapseSumToOp(x("n", 4), shape_value(3)))
    refused("C3", lambda: CollapseSumLikeOp(x("n"), x("n + 2")))
