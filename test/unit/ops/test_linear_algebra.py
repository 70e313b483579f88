"""Linear algebra, as compiled C, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lowering.runtime import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.ops.linear_algebra import OPS, MatmulOp

from .compiled import SIZES, STATIC, Case, Sizes, check, compile_cases, over, special, tensor

SHAPES = {
    "matrices": (["n", "k"], ["k", "m"]),
    "constant_depth": (["n", 13], [13, "m"]),
    "vector_left": (["k"], ["k", "m"]),
    "vector_right": (["n", "k"], ["k"]),
    "vectors": (["k"], ["k"]),
    "row": ([1, "k"], ["k", "m"]),
    "batch": (["b", "n", "k"], ["b", "k", "m"]),
    "batch_of_one": (["b", "n", "k"], [1, "k", "m"]),
    "batch_left": (["b", "n", "k"], ["k", "m"]),
    "batch_right": (["n", "k"], ["b", "k", "m"]),
    "batches": (["b", 1, "n", "k"], [3, "k", "m"]),
    "batch_vector_left": (["k"], ["b", "k", "m"]),
    "batch_vector_right": (["b", "n", "k"], ["k"]),
    "square": (["n", "n"], ["n", "n"]),
}

CASES = {
    name: Case(MatmulOp, [tensor(*lhs), tensor(*rhs)], np.matmul)
    for name, (lhs, rhs) in SHAPES.items()
}
CASES |= {
    dtype: Case(MatmulOp, [tensor("n", "k", dtype=dtype), tensor("k", "m", dtype=dtype)], np.matmul)
    for dtype in ("f64", "i8", "i32", "i64")
}
CASES["static"] = Case(MatmulOp, [tensor(5, 3), tensor(3, 4)], np.matmul, STATIC)
CASES["static_batches"] = Case(MatmulOp, [tensor(2, 1, 5, 3), tensor(4, 3, 1)], np.matmul, STATIC)
CASES["itself"] = Case(lambda x: MatmulOp(x, x), [tensor("n", "n")], lambda x: x @ x)
CASES["not_finite"] = Case(MatmulOp, [tensor("n", 1), tensor(1, "m")], np.matmul, SIZES, special)
CASES["maybe_one"] = Case(
    MatmulOp,
    [tensor("b", 2, 3), tensor(4, 3, 2)],
    np.matmul,
    [{"b": 1}, {"b": 4}],
)
CASES["depth_not_proved"] = Case(
    MatmulOp, [tensor("n", "k"), tensor("j", "m")], np.matmul, [{**s, "j": s["k"]} for s in SIZES]
)


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert set(OPS) == {MatmulOp}


@over(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sizes):
    check(model, CASES, name, sizes)


@pytest.mark.parametrize("batch", [0, 2, 3, 5])
def test_batches_that_do_not_broadcast_are_an_error(model: CompiledModule, batch: int):
    with pytest.raises(RelaxError, match=r"relax\.matmul: expected b to be 1 or 4"):
        model.maybe_one(np.zeros((batch, 2, 3), np.float32), np.zeros((4, 3, 2), np.float32))


def test_depths_that_differ_are_an_error(model: CompiledModule):
    x = np.zeros((2, 3), np.float32)
    with pytest.raises(RelaxError, match=r"dimension 0 of argument 1 must be .* \(2 vs 3\)"):
        model.depth_not_proved(x, x)
    with pytest.raises(RelaxError, match=r"arg1: dimension 0: expected 3 \(k\), found 2"):
        model.matrices(x, x)
