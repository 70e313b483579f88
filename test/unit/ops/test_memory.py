"""Tensors as the memory that holds them, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lowering.runtime import CompiledModule
from relax_dialect.ops.memory import OPS, SizeOp

from .compiled import Case, Sizes, check, compile_cases, over, tensor

CASES: dict[str, Case] = {
    "size": Case(SizeOp, [tensor("n", "m")], lambda x: np.asarray(x.size, "q")),
    "size_static": Case(SizeOp, [tensor(4, 3, dtype="i1")], lambda x: np.asarray(12, "q"), [{}]),
    "size_scalar": Case(SizeOp, [tensor(dtype="f16")], lambda x: np.asarray(1, "q"), [{}]),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@over(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)
