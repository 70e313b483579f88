"""Conversion of element types, as compiled C, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lowering.runtime import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.ops.datatype import OPS, AstypeOp

from .compiled import Case, Sizes, call, check, compile_cases, over, tensor

DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}
SIZES = [{"n": 7}, {"n": 1}, {"n": 0}]


def spread(x: np.ndarray) -> np.ndarray:
    """Fractions on both sides of zero, which show how a float is rounded; zeros among them."""
    if x.dtype.kind == "f":
        x = x * np.asarray(30, x.dtype)
        x.reshape(-1)[::4] = 0
    return x


def conversion(source: str, target: str) -> Case:
    return Case(
        lambda x: AstypeOp(x, target),
        [tensor("n", 5, dtype=source)],
        lambda x: x.astype(DTYPES[target]),
        SIZES,
        spread,
    )


CASES = {f"{a}_to_{b}": conversion(a, b) for a in DTYPES for b in DTYPES}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert set(OPS) == {AstypeOp}


@over(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sizes):
    check(model, CASES, name, sizes)


def convert(model: CompiledModule, values: list, source: str, target: str) -> list:
    x = np.array([values], DTYPES[source])
    return call(model, f"{source}_to_{target}", x, sizes={})[0].tolist()


@pytest.mark.parametrize("source", ["f32", "f64"])
def test_floats_are_truncated_towards_zero(model: CompiledModule, source: str):
    for target in ("i8", "i16", "i32", "i64"):
        values = [-1.9, -0.9, 0.5, 1.5, 99.99]
        assert convert(model, values, source, target) == [-1, 0, 0, 1, 99]


def test_every_number_but_zero_is_true(model: CompiledModule):
    floats = [0.0, -0.0, 1e-30, np.nan, -np.inf]
    for source in ("f32", "f64"):
        assert convert(model, floats, source, "i1") == [False, False, True, True, True]
    assert convert(model, [0, 1, -1, 64, -128], "i8", "i1") == [False, True, True, True, True]
    assert convert(model, [0, 2**32, 1, 2**63 - 1, 0], "i64", "i1") == [0, 1, 1, 1, 0]
    for target in ("i8", "i64", "f32"):
        assert convert(model, [True, False, True, True, False], "i1", target) == [1, 0, 1, 1, 0]


def test_narrower_integers_keep_their_low_bits(model: CompiledModule):
    assert convert(model, [127, 128, 255, 256, -129], "i32", "i8") == [127, -128, -1, 0, 127]
    assert convert(model, [2**31, -(2**31) - 1, 1, 2**40, -1], "i64", "i32") == [
        -(2**31),
        2**31 - 1,
        1,
        0,
        -1,
    ]


def test_wide_floats_are_rounded_to_nearest(model: CompiledModule):
    values = [1 + 2**-24, 1 + 3 * 2**-24, 1e300, -1e300, 1e-60]
    assert convert(model, values, "f64", "f32") == [1.0, 1 + 2**-22, np.inf, -np.inf, 0.0]
    assert convert(model, [2**24 + 1, 2**24 + 3, 0, 1, -1], "i32", "f32") == [
        2**24,
        2**24 + 4,
        0,
        1,
        -1,
    ]


@pytest.mark.parametrize("dtype", ["f16", "bf16", "ui8"])
def test_element_types_without_c_are_refused(dtype: str):
    with pytest.raises(RelaxError, match=rf"{dtype}.*(supported are|expected one of)"):
        compile_cases({"f": Case(lambda x: AstypeOp(x, dtype), [tensor("n")], np.array)})
