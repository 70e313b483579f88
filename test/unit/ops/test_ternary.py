"""Elementwise operators on three tensors and on numbers, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.ops.ternary import OPS, ClipOp, EwiseFmaOp, LerpOp, MaskedFillOp, WhereOp

from .compiled import STATIC, Case, Sizes, check, compile_cases, each_case, special, tensor
from .inputs import refused, x


def chosen(c: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """One element after the other."""
    c, a, b = np.broadcast_arrays(c, a, b)
    picked = [x if holds else y for holds, x, y in zip(c.ravel(), a.ravel(), b.ravel())]
    return np.array(picked, a.dtype).reshape(c.shape)


def clipped(low: float | None, high: float | None):
    def meaning(x: np.ndarray) -> np.ndarray:
        x = x.copy()
        if low is not None:
            x[x < low] = low
        if high is not None:
            x[x > high] = high
        return x

    return meaning


def clip(low: float | None, high: float | None, dtype: str = "f32", **more) -> Case:
    types = [tensor("n", "m", dtype=dtype)]
    return Case(lambda x: ClipOp(x, low, high), types, clipped(low, high), **more)


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return np.add(np.multiply(a, b), c)


def mixed(a: np.ndarray, b: np.ndarray, w: np.ndarray) -> np.ndarray:
    return (1 - w) * a + w * b


def masked(value: float):
    return lambda x, mask: chosen(mask, np.asarray(value, x.dtype), x)


def three(dtype: str, *shapes: list) -> list:
    return [tensor(*dims, dtype=dtype) for dims in shapes]


WHERE = {
    "f32": ([["n", "m"]] * 3, "f32"),
    "broadcast": ([["n", 1], ["m"], [1, "m"]], "f64"),
    "scalar": ([["n", "m"], [], ["n", "m"]], "i8"),
    "ranks": ([[], ["k", "m"], ["n", 1, "m"]], "i64"),
    "bf16": ([["n", 1], ["m"], []], "bf16"),
    "booleans": ([["n"], ["n"], ["n"]], "i1"),
    "unsigned": ([["n"], ["n"], [1]], "ui16"),
}

CASES: dict[str, Case] = {
    **{
        f"where_{name}": Case(WhereOp, [tensor(*c, dtype="i1"), *three(dtype, a, b)], chosen)
        for name, ((c, a, b), dtype) in WHERE.items()
    },
    "where_static": Case(
        WhereOp, [tensor(3, dtype="i1"), tensor(2, 3), tensor()], chosen, STATIC, values=special
    ),
    "fma": Case(EwiseFmaOp, three("f64", ["n", "m"], ["n", "m"], ["n", "m"]), fma),
    "fma_broadcast": Case(EwiseFmaOp, three("f32", ["n", 1], ["m"], []), fma),
    "fma_integers": Case(EwiseFmaOp, three("i16", ["n"], ["n"], [1]), fma),
    "lerp": Case(LerpOp, three("f32", ["n", "m"], ["n", "m"], ["n", "m"]), mixed),
    "lerp_scalar": Case(LerpOp, three("f64", ["n", "m"], ["m"], []), mixed),
    "clip": clip(-0.5, 0.25),
    "clip_special": clip(-1.0, 6, values=special),
    "clip_below": clip(0, None),
    "clip_above": clip(None, 0.5, "f64"),
    "clip_not": clip(None, None),
    "clip_f16": clip(-0.3, 0.3, "f16"),
    "clip_i8": clip(-7, 20.0, "i8"),
    "clip_bf16": clip(-7, 20.0, "bf16"),
    "clip_u8": clip(3, 50, "ui8"),
    "clip_crossed": Case(
        lambda x: ClipOp(x, 2, 1), [tensor("n")], lambda x: np.full(x.shape, 1, "f")
    ),
    "masked_fill": Case(
        lambda x, m: MaskedFillOp(x, m, -np.inf),
        [tensor("n", "m"), tensor("n", "m", dtype="i1")],
        masked(-np.inf),
    ),
    "masked_fill_bf16": Case(
        lambda x, m: MaskedFillOp(x, m, 0.5),
        [tensor("n", dtype="bf16"), tensor("n", dtype="i1")],
        masked(0.5),
    ),
    "masked_fill_broadcast": Case(
        lambda x, m: MaskedFillOp(x, m, 7),
        [tensor("m", dtype="i32"), tensor("n", 1, dtype="i1")],
        masked(7),
    ),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_where_C1():
    refused("C1", lambda: WhereOp(x("n"), x("n"), x("n")))


def test_where_C2():
    refused("C2", lambda: WhereOp(x("n", dtype="i1"), x("n"), x("n", dtype="f64")))


def test_where_C3():
    refused("C3", lambda: WhereOp(x(3, dtype="i1"), x(1), x(4)))


def test_ewise_fma_C1():
    refused("C1", lambda: EwiseFmaOp(x("n"), x("n"), x("n", dtype="i8")))
    refused("C1", lambda: EwiseFmaOp(*[x("n", dtype="i1")] * 3))


def test_ewise_fma_C2():
    refused("C2", lambda: EwiseFmaOp(x(3), x(3), x(4)))


def test_lerp_C1():
    refused("C1", lambda: LerpOp(*[x("n", dtype="i32")] * 3))


def test_lerp_C2():
    refused("C2", lambda: LerpOp(x(3), x(4), x()))


def test_clip_C1():
    refused("C1", lambda: ClipOp(x("n", dtype="i1"), 0))


def test_clip_C2():
    refused("C2", lambda: ClipOp(x("n", dtype="ui8"), -1))
    refused("C2", lambda: ClipOp(x("n", dtype="i8"), None, 0.5))
    refused("C2", lambda: ClipOp(x("n"), np.nan))


def test_masked_fill_C1():
    refused("C1", lambda: MaskedFillOp(x("n"), x("n"), 0))


def test_masked_fill_C2():
    refused("C2", lambda: MaskedFillOp(x(3), x(4, dtype="i1"), 0))


def test_masked_fill_C3():
    refused("C3", lambda: MaskedFillOp(x("n", dtype="i8"), x("n", dtype="i1"), -129))
