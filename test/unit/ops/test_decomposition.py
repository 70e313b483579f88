"""Operators that decompose matrices, as compiled C, against numpy and exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.ops.decomposition import OPS, DetOp

from .compiled import FEW, Case, Sizes, check, compile_cases, each_case, tensor
from .inputs import refused, x
from .stopping import both_stop


def exact(matrix: np.ndarray) -> float:
    """Leibniz's sum over permutations."""
    total = Fraction(0)
    for order in permutations(range(len(matrix))):
        turned = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
        product = Fraction((-1) ** turned)
        for row, column in enumerate(order):
            product *= Fraction(float(matrix[row, column]))
        total += product
    return float(total)


def determinants(x: np.ndarray) -> np.ndarray:
    found = [exact(matrix) for matrix in x.reshape(-1, *x.shape[-2:])] if x.size else []
    found = found or np.full(x.shape[:-2], 1.0)
    return np.array(found).reshape(x.shape[:-2]).astype(x.dtype)


def some_singular(x: np.ndarray) -> np.ndarray:
    """Small whole numbers, among them zeros on the diagonal and equal rows."""
    return np.round(x).astype(x.dtype)


SIZES: Sequence[Sizes] = [
    {"n": 3, "m": 5}, {"n": 4, "m": 1}, {"n": 2, "m": 0}, {"n": 0, "m": 2}
]  # fmt: skip
CASES = {
    "det": Case(DetOp, [tensor("n", "m", "m")], determinants, SIZES),
    "det_square": Case(
        DetOp, [tensor("n", 3, 4, 4, dtype="f64")], determinants, FEW, some_singular
    ),
    "det_f16": Case(DetOp, [tensor("n", "m", dtype="f16")], determinants, [{"n": 3, "m": 3}]),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_fractions(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_nan_and_infinity_are_found_wherever_they_stand(model: CompiledModule):
    matrices = np.tile(np.eye(3, dtype=np.float32), (9, 1, 1))
    for place in range(9):
        matrices[place].flat[place] = np.nan
    assert np.isnan(model.det(matrices)).all()
    assert model.det(np.diag([2, -np.inf, 3]).astype(np.float32)[None]).tolist() == [-np.inf]


def test_C3_matrices_that_only_a_run_can_tell(model: CompiledModule):
    both_stop(model, CASES, "det_f16", (2, 3), message="expected square matrices (C3)")


def test_C1_C2_C3():
    refused("C1", lambda: DetOp(x(3, 3, dtype="i32")))
    refused("C2", lambda: DetOp(x(3)))
    refused("C3", lambda: DetOp(x("n", "n + 1")))
