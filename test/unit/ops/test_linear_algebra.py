"""Linear algebra, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from optional import LIGHTLY
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ops.linear_algebra import (
    OPS,
    EinsumOp,
    LinearOp,
    MatmulOp,
    OuterOp,
    TensordotOp,
    TraceOp,
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


def out(dtype: str) -> Callable:
    """The matrix product of operands converted first."""
    return lambda a, b: np.matmul(a.astype(dtype), b.astype(dtype))


def one_by_one(x: np.ndarray, w: np.ndarray, b: np.ndarray | None = None) -> np.ndarray:
    """A linear map, each number of the result by itself."""
    y = np.zeros((*x.shape[:-1], len(w)), x.dtype)
    for place in np.ndindex(*y.shape):
        y[place] = (x[place[:-1]] * w[place[-1]]).sum()
    return y if b is None else y + b


def einsum(subscripts: str, meaning: Callable, *types: Any, **more: Any) -> Case:
    return Case(lambda *x: EinsumOp(x, subscripts), types, meaning, **more)


def numpy_einsum(subscripts: str, *types: Any, **more: Any) -> Case:
    return einsum(subscripts, lambda *x: np.einsum(subscripts, *x), *types, **more)


EITHER = [(3, 3, 4, 4), (1, 3, 4, 1), (3, 1, 1, 4), (1, 1, 1, 1), (0, 1, 4, 1), (3, 3, 0, 1)]
"""Sizes n, b of one letter and k, m of another: equal, or one of both is 1."""


def narrowly(meaning: Callable) -> Callable:
    """Computed in f64 and rounded to f16."""
    return lambda *x: np.asarray(meaning(*(a.astype("d") for a in x))).astype("e")


def int8(*dims: Any) -> Any:
    return tensor(*dims, dtype="i8")


CASES |= {
    "out_i32": Case(
        lambda a, b: MatmulOp(a, b, "i32"), [int8("n", "k"), int8("k", "m")], out("i4")
    ),
    "out_i32_mixed": Case(
        lambda a, b: MatmulOp(a, b, out_dtype="i32"),
        [tensor("b", "n", "k", dtype="ui8"), int8("k")],
        out("i4"),
        FEW,
    ),
    "out_f32": Case(
        lambda a, b: MatmulOp(a, b, out_dtype="f32"),
        [tensor("n", "k", dtype="f16"), tensor("k", "m", dtype="f16")],
        out("f"),
        FEW,
    ),
    "f16": Case(
        MatmulOp,
        [tensor("n", "k", dtype="f16"), tensor("k", "m", dtype="f16")],
        narrowly(np.matmul),
        FEW,
    ),
    "bf16": Case(
        MatmulOp,
        [tensor("n", "k", dtype="bf16"), tensor("k", "m", dtype="bf16")],
        lambda a, b: np.matmul(a.astype("f"), b.astype("f")).astype(a.dtype),
        FEW,
    ),
    "einsum_out_i32": Case(
        lambda a, b: EinsumOp([a, b], "ij,j->i", "i32"),
        [int8("n", "k"), tensor("k", dtype="ui8")],
        out("i4"),
        FEW,
    ),
    "outer_out_i32": Case(
        lambda a, b: OuterOp(a, b, "i32"),
        [int8("n"), int8("m")],
        lambda a, b: np.multiply.outer(a.astype("i4"), b),
        FEW,
    ),
    "tensordot_out_f32": Case(
        lambda a, b: TensordotOp(a, b, 1, "f32"),
        [tensor("n", "k", dtype="f16"), tensor("k", "m", dtype="f16")],
        out("f"),
        FEW,
    ),
    "linear": Case(LinearOp, [tensor("n", "k"), tensor("m", "k"), tensor("m")], one_by_one),
    "linear_batch": Case(LinearOp, [tensor("b", "n", "k"), tensor("m", "k")], one_by_one),
    "linear_row": Case(LinearOp, [tensor("k"), tensor(3, "k"), tensor(3)], one_by_one, FEW),
    "linear_number": Case(
        LinearOp, [tensor("n", "k"), tensor("k"), tensor()], lambda x, w, b: (x * w).sum(1) + b
    ),
    "linear_i32": Case(
        lambda x, w, b: LinearOp(x, w, b, "i32"),
        [int8("n", "k"), int8("m", "k"), tensor("m", dtype="i32")],
        lambda x, w, b: one_by_one(x.astype("i4"), w.astype("i4"), b),
        FEW,
    ),
    "linear_f16": Case(
        LinearOp,
        [tensor("n", "k", dtype="f16"), tensor("m", "k", dtype="f16"), tensor("m", dtype="f16")],
        narrowly(one_by_one),
        FEW,
    ),
    "linear_unproved": Case(
        LinearOp,
        [tensor("n", "k"), tensor("m", "b"), tensor("j")],
        one_by_one,
        [{"n": 2, "k": 3, "b": 3, "m": 5, "j": 5}],
    ),
    "outer": Case(OuterOp, [tensor("n"), tensor("m")], np.multiply.outer),
    "outer_i8": Case(OuterOp, [int8("n"), int8("m")], np.multiply.outer, FEW),
    "tensordot": Case(
        lambda a, b: TensordotOp(a, b, 2),
        [tensor("n", "m", "k"), tensor("m", "k", "b")],
        lambda a, b: a.reshape(len(a), -1) @ b.reshape(a[0].size, b.shape[-1]),
        [s for s in SIZES if s["n"]],
    ),
    "tensordot_turned": Case(
        lambda a, b: TensordotOp(a, b, [[-1, 0], [0, 2]]),
        [tensor("n", "m", "k"), tensor("k", "b", "n")],
        lambda a, b: sum(a[i] @ b[..., i] for i in range(len(a))),
        [SIZES[0], SIZES[1]],
    ),
    "tensordot_none": Case(
        lambda a, b: TensordotOp(a, b, 0), [tensor("n"), tensor("m", "k")], np.multiply.outer, FEW
    ),
    "trace": Case(TraceOp, [tensor("n", "m")], lambda x: np.diagonal(x).sum()),
    "trace_above": Case(
        lambda x: TraceOp(x, offset=2, axis1=-1, axis2=0),
        [tensor("n", "k", "m", dtype="i32")],
        lambda x: sum(
            (x[i + 2, :, i] for i in range(min(len(x) - 2, x.shape[2]))), np.zeros(x.shape[1], "i4")
        ),
    ),
    "trace_below_f16": Case(
        lambda x: TraceOp(x, -1),
        [tensor("n", "m", dtype="f16")],
        narrowly(lambda x: x[1:].diagonal().sum()),
    ),
    "einsum_batch": einsum("bij,bjk->bik", np.matmul, tensor("b", "n", "k"), tensor("b", "k", "m")),
    "einsum_implicit": einsum("kj, ik", lambda a, b: b @ a, tensor("k", "m"), tensor("n", "k")),
    "einsum_trace": einsum("ii", np.trace, tensor("n", "n")),
    "einsum_diagonal": einsum("iji->ji", lambda x: np.diagonal(x, 0, 0, 2), tensor("n", "m", "n")),
    "einsum_turned": einsum("ij->ji", np.transpose, tensor("n", "m", dtype="i64")),
    "einsum_sum": einsum("ij->", np.sum, tensor("n", "m")),
    "einsum_rows": einsum("...j->...", lambda x: x.sum(-1), tensor("n", "k", "m")),
    "einsum_ellipsis": einsum(
        "...ij,...jk->...ik", np.matmul, tensor("b", 1, "n", "k"), tensor(3, "k", "m")
    ),
    "einsum_maybe_one": einsum(
        "...,...->...", np.multiply, tensor("b", 2), tensor(4, 2), sizes=[{"b": 1}, {"b": 4}]
    ),
    "einsum_either": einsum(
        "...,...->...",
        np.multiply,
        tensor("n", 2),
        tensor("m", 2),
        sizes=[{"n": 1, "m": 3}, {"n": 3, "m": 1}, {"n": 3, "m": 3}, {"n": 0, "m": 1}],
    ),
    "einsum_chain": einsum(
        "ij,jk,kl->il",
        lambda a, b, c: a @ (b @ c),
        tensor("n", "k"),
        tensor("k", "m"),
        tensor("m", "b"),
    ),
    "einsum_three": einsum(
        "i,i,i", lambda a, b, c: (a * b * c).sum(), tensor("n"), tensor("n"), tensor("n")
    ),
    "einsum_i8": einsum("ik,jk", lambda a, b: a @ b.T, int8("n", "k"), int8("m", "k"), sizes=FEW),
    "einsum_f16": einsum(
        "ik,kj->ij",
        narrowly(np.matmul),
        tensor("n", "k", dtype="f16"),
        tensor("k", "m", dtype="f16"),
        sizes=FEW,
    ),
    "einsum_unproved": numpy_einsum(
        "ij,jk",
        tensor("n", "k"),
        tensor("b", "m"),
        sizes=[{"n": 2, "k": 3, "b": 3, "m": 4}, {"n": 2, "k": 1, "b": 3, "m": 4}],
    ),
    "einsum_ones": numpy_einsum("ij,ij->i", tensor(1, 3), tensor(2, 3), sizes=STATIC),
    "einsum_letter_of_either": numpy_einsum(
        "ii,ij,jk->ki",
        tensor("n", "n"),
        tensor("b", "k"),
        tensor("m", 2),
        sizes=[{"n": n, "b": b, "k": k, "m": m} for n, b, k, m in EITHER],
    ),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES, LIGHTLY)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


@pytest.mark.parametrize("batch", [0, 2, 3, 5])
def test_batches_that_do_not_broadcast_are_an_error(model: CompiledModule, batch: int):
    x, y = np.zeros((batch, 2, 3), np.float32), np.zeros((4, 3, 2), np.float32)
    found = rf"to broadcast: .* 1, found {min(batch, 4)} and {max(batch, 4)}$"
    with pytest.raises(RelaxError, match=rf"relax\.matmul: expected sizes {found}"):
        model.maybe_one(x, y)
    module = ModuleOp([CASES["maybe_one"].function("f")])
    with pytest.raises(RelaxError, match=rf"relax\.matmul: expected sizes {found}"):
        run(module, "f", x, y)


def test_depths_that_differ_are_an_error(model: CompiledModule):
    x = np.zeros((2, 3), np.float32)
    message = "relax.matmul: expected the last size of lhs to be the last but one of rhs (C3), found 3 and 2; "
    both_stop(model, CASES, "depth_not_proved", (2, 3), (2, 3), message=message)
    with pytest.raises(
        RelaxError, match=r"argument '#1': expected size k = 3 in dimension 0, found 2"
    ):
        model.matrices(x, x)


def test_letters_of_different_sizes_are_an_error(model: CompiledModule):
    message = "relax.einsum: expected axes of one letter to have one size or 1 (C5), found 3 and 4; slice or reshape"
    both_stop(model, CASES, "einsum_unproved", (2, 3), (4, 4), message=message)


def test_axes_of_the_dots_that_do_not_broadcast_are_an_error(model: CompiledModule):
    message = (
        "relax.einsum: expected sizes to broadcast: to be equal, or one of them 1, found 3 and 4"
    )
    both_stop(model, CASES, "einsum_maybe_one", (3, 2), (4, 2), message=message)
    both_stop(model, CASES, "einsum_either", (3, 2), (4, 2), message=message)


def test_a_weight_or_bias_of_another_size_is_an_error(model: CompiledModule):
    message = "relax.linear: expected the last sizes of x and 'weight' to be equal (C5)"
    both_stop(model, CASES, "linear_unproved", (2, 3), (5, 4), (5,), message=message)
    message = "relax.linear: expected 'bias' to be as long as 'weight' has rows (C3)"
    both_stop(model, CASES, "linear_unproved", (2, 3), (5, 3), (4,), message=message)
