"""Operators that fill tensors, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import FunctionType

from lowering.runtime.loading import CompiledModule
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.create import (
    OPS,
    EyeLikeOp,
    EyeOp,
    FullLikeOp,
    FullOp,
    OnesLikeOp,
    OnesOp,
    TrilOp,
    TriuOp,
    ZerosLikeOp,
    ZerosOp,
)

from .compiled import STATIC, Case, Sizes, check, compile_cases, each_case, shape, special, tensor
from .inputs import inferred, ranked, refused, x
from .inputs import shape as shape_value


def filled(dtype: str | None = None):
    """Broadcasting writes the number everywhere."""

    def meaning(shape: Any, number: np.ndarray) -> np.ndarray:
        result = np.zeros(shape, dtype or number.dtype)
        result[...] = number
        return result

    return meaning


def filled_like(dtype: str | None = None):
    return lambda x, number: filled(dtype or str(x.dtype))(x.shape, number)


def diagonal(k: int, dtype: str):
    def meaning(rows: int, columns: int) -> np.ndarray:
        result = np.zeros((rows, columns), dtype)
        for row in range(rows):
            if 0 <= row + k < columns:
                result[row, row + k] = 1
        return result

    return meaning


def eye(rows: Any, columns: Any, k: int, dtype: str, numpy: str, **more: Any) -> Case:
    meaning = diagonal(k, numpy)
    return Case(
        lambda _: EyeOp(rows, columns, k, dtype),
        [shape("n", "m")],
        lambda s: meaning(*({"n": s[0], "m": s[1]}.get(d, d) for d in (rows, columns or rows))),
        **more,
    )


def triangle(op: Callable, k: int, keep: Callable[[int, int], bool], type: TensorType, **more: Any):
    def meaning(x: np.ndarray) -> np.ndarray:
        result = np.zeros_like(x)
        for row, column in np.ndindex(x.shape[-2:]):
            if keep(row + k, column):
                result[..., row, column] = x[..., row, column]
        return result

    return Case(lambda x: op(x, k), [type], meaning, **more)


def lower(diagonal: int, column: int) -> bool:
    return column <= diagonal


def upper(diagonal: int, column: int) -> bool:
    return column >= diagonal


CASES: dict[str, Case] = {
    "full": Case(FullOp, [shape("n", "m"), tensor()], filled()),
    "full_dtype": Case(
        lambda s, v: FullOp(s, v, "i8"), [shape("n"), tensor(dtype="i64")], filled("int8")
    ),
    "full_of_bool": Case(
        lambda s, v: FullOp(s, v, "f64"), [shape("n"), tensor(dtype="i1")], filled("float64")
    ),
    "full_scalar": Case(FullOp, [shape(), tensor()], filled(), sizes=STATIC),
    "full_list": Case(
        lambda v, _: FullOp([2, "n"], v), [tensor(), shape("n")], lambda v, s: filled()((2, *s), v)
    ),
    "full_like": Case(FullLikeOp, [tensor("n", "m", dtype="f16"), tensor()], filled_like()),
    "full_like_dtype": Case(
        lambda x, v: FullLikeOp(x, v, "i1"), [tensor("n", 2), tensor()], filled_like("bool")
    ),
    "zeros": Case(lambda s: ZerosOp(s, "f32"), [shape("n", "m")], lambda s: np.zeros(s, "f")),
    "full_bf16": Case(FullOp, [shape("n"), tensor(dtype="bf16")], filled()),
    "tril_bf16": triangle(TrilOp, 0, lower, tensor("n", "m", dtype="bf16")),
    "zeros_like": Case(ZerosLikeOp, [tensor("n", dtype="i16")], lambda x: x * 0),
    "ones": Case(lambda s: OnesOp(s, "ui8"), [shape("n", 3)], lambda s: np.full(s, 1, "u1")),
    "ones_true": Case(lambda s: OnesOp(s, "i1"), [shape("n")], lambda s: np.full(s, True)),
    "ones_like": Case(
        lambda x: OnesLikeOp(x, "f64"), [tensor("n", "m", dtype="i1")], lambda x: x * 0.0 + 1
    ),
    "eye": eye("n", "m", 0, "f32", "f"),
    "eye_square": eye("n", None, 1, "i64", "q", sizes=[{"n": 5, "m": 5}, {"n": 1, "m": 1}]),
    "eye_below": eye("n", 4, -2, "i1", "?"),
    "eye_like": Case(
        lambda x: EyeLikeOp(x, 1),
        [tensor("n", "m", dtype="i8")],
        lambda x: diagonal(1, "i1")(*x.shape),
    ),
    "eye_like_dtype": Case(
        lambda x: EyeLikeOp(x, dtype="f64"), [tensor("n", 3)], lambda x: diagonal(0, "d")(*x.shape)
    ),
    "tril": triangle(TrilOp, 0, lower, tensor("n", "m")),
    "tril_batch": triangle(TrilOp, -1, lower, tensor("b", "n", "n", dtype="i32")),
    "tril_above": triangle(TrilOp, 2, lower, tensor("n", "m", dtype="i1")),
    "triu": triangle(TriuOp, 0, upper, tensor("n", "m"), values=special),
    "triu_batch": triangle(TriuOp, 1, upper, tensor("b", 2, "n", "m", dtype="f64")),
    "triu_below": triangle(TriuOp, -1, upper, tensor(4, 3), sizes=STATIC),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


NO_ELEMENT = FunctionType.from_lists([], [])


def test_zeros_C1():
    refused("C1", lambda: ZerosOp(shape_value("n"), NO_ELEMENT))
    refused("C1", lambda: inferred(ZerosOp, [shape_value("n")]))


def test_ones_like_C1():
    refused("C1", lambda: OnesLikeOp(x("n"), NO_ELEMENT))


def test_full_C2():
    refused("C2", lambda: FullOp(shape_value("n"), x(1)))


def test_full_like_C2():
    refused("C2", lambda: FullLikeOp(x("n"), x("n")))


def test_eye_C1():
    refused("C1", lambda: EyeOp("n", dtype=NO_ELEMENT))


def test_eye_C2():
    refused("C2", lambda: inferred(EyeOp, [shape_value("n", 2, 3)]))


def test_eye_like_C1():
    refused("C1", lambda: EyeLikeOp(x("n", 3), dtype=NO_ELEMENT))


def test_eye_like_C2():
    refused("C2", lambda: EyeLikeOp(x("n")))
    assert EyeLikeOp(ranked()).result.type == TensorType([None, None], "f32")


def test_tril_C1():
    refused("C1", lambda: TrilOp(x("n")))
    refused("C1", lambda: TriuOp(x()))
