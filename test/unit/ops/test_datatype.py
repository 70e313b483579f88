"""Conversion of element types, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.interpret import total_arithmetic
from relax_dialect.ops.datatype import OPS, AstypeOp

from .compiled import Case, Sizes, call, check, compile_cases, each_case, tensor

DTYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
}
FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = [t for t in DTYPES if "i" in t and t != "i1"]
SIZES = [{"n": 7}, {"n": 1}, {"n": 0}]


def spread(x: np.ndarray) -> np.ndarray:
    """Fractions on both sides of zero, which show how a float is rounded; zeros among them."""
    if x.dtype.kind in "fV":
        x = x * np.asarray(0.5 if x.dtype.kind == "V" else 30, x.dtype)
        x.reshape(-1)[::4] = 0
    return x


def spread_above_zero(x: np.ndarray) -> np.ndarray:
    """The same without what an unsigned type cannot hold."""
    return np.abs(spread(x)) if x.dtype.kind in "fV" else x


def conversion(source: str, target: str) -> Case:
    return Case(
        lambda x: AstypeOp(x, target),
        [tensor("n", 5, dtype=source)],
        lambda x: x.astype(DTYPES[target]),
        SIZES,
        spread_above_zero if target.startswith("ui") else spread,
    )


CASES = {f"{a}_to_{b}": conversion(a, b) for a in DTYPES for b in DTYPES}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert set(OPS) == {AstypeOp}


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def convert(model: CompiledModule, values: list, source: str, target: str) -> list:
    x = np.array([values], DTYPES[source])
    return call(model, f"{source}_to_{target}", x)[0].tolist()


@pytest.mark.long
@pytest.mark.parametrize("source", ["f32", "f64"])
def test_floats_are_truncated_towards_zero(model: CompiledModule, source: str):
    for target in ("i8", "i16", "i32", "i64"):
        values = [-1.9, -0.9, 0.5, 1.5, 99.99]
        assert convert(model, values, source, target) == [-1, 0, 0, 1, 99]


@pytest.mark.slow
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


def every_half() -> np.ndarray:
    return np.arange(65536).astype(np.uint16)


def apply(model: CompiledModule, x: np.ndarray, source: str, target: str) -> np.ndarray:
    """The conversion of a row of any length, as C does it."""
    padded = np.resize(x, (-(-x.size // 5), 5))
    return call(model, f"{source}_to_{target}", padded).reshape(-1)[: x.size]


def check_equal(found: np.ndarray, expected: np.ndarray):
    """Equal to the bit, but for what a NaN carries besides its sign."""
    bits = f"u{expected.dtype.itemsize}"
    nan = np.isnan(expected.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(found.astype(np.float64)), nan)
    np.testing.assert_array_equal(found.view(bits)[~nan], expected.view(bits)[~nan])


@pytest.mark.parametrize("target", ["f32", "f64"])
@pytest.mark.parametrize("source", ["f16", "bf16"])
def test_every_narrow_float_is_widened_exactly(model: CompiledModule, source: str, target: str):
    x = every_half().view(DTYPES[source])
    with np.errstate(invalid="ignore"):
        check_equal(apply(model, x, source, target), x.astype(DTYPES[target]))


def test_bfloat16_is_the_upper_half_of_float32(model: CompiledModule):
    x = every_half().astype(np.uint32) << 16
    found = apply(model, every_half().view(DTYPES["bf16"]), "bf16", "f32")
    np.testing.assert_array_equal(found.view(np.uint32), x)


def ties_and_neighbours(target: str) -> np.ndarray:
    """All f32 next to a narrow float, or next to the middle of two, of every sign and exponent."""
    x = every_half().view(DTYPES[target]).astype(np.float32)
    x = np.sort(x[np.isfinite(x)]).astype(np.float64)
    middle = ((x[1:] + x[:-1]) / 2).astype(np.float32)
    near = np.concatenate([x.astype(np.float32), middle]).view(np.int32)
    steps = (near[:, None] + np.arange(-2, 3, dtype=np.int32)).reshape(-1).view(np.float32)
    special = [np.inf, -np.inf, np.nan, -np.nan, 65504, 65519.996, 65520, 3.4e38, 1e-45, -1e-45]
    return np.concatenate([steps, np.array(special, np.float32)])


@pytest.mark.slow
@pytest.mark.parametrize("target", ["f16", "bf16"])
def test_float32_is_rounded_to_the_nearest_even_narrow_float(model: CompiledModule, target: str):
    x = ties_and_neighbours(target)
    random = np.random.default_rng(1).integers(0, 2**32, 3_000_001, np.uint32).view(np.float32)
    for values in (x, random):
        with np.errstate(all="ignore"):
            check_equal(apply(model, values, "f32", target), values.astype(DTYPES[target]))


@pytest.mark.slow
def test_float64_is_rounded_to_float16_once(model: CompiledModule):
    x = ties_and_neighbours("f16").astype(np.float64)
    tiny = x * 2.0**-40  # what f32 drops next to a tie
    with np.errstate(all="ignore"):
        for values in (x, x + tiny, x - tiny, x * 1e300, x * 1e-300):
            check_equal(apply(model, values, "f64", "f16"), values.astype(np.float16))


def test_bfloat16_is_rounded_from_float32(model: CompiledModule):
    x = ties_and_neighbours("bf16").astype(np.float64)
    with np.errstate(all="ignore"):
        for values in (x, x * (1 + 2.0**-30)):
            expected = values.astype(np.float32).astype(DTYPES["bf16"])
            check_equal(apply(model, values, "f64", "bf16"), expected)
    whole = np.random.default_rng(2).integers(-(2**63), 2**63 - 1, 100_001)
    expected = whole.astype(np.float32).astype(DTYPES["bf16"])
    check_equal(apply(model, whole, "i64", "bf16"), expected)


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", FLOATS)
def test_floats_out_of_range_become_the_nearest_integer(
    model: CompiledModule, source: str, target: str
):
    info = np.iinfo(DTYPES[target])
    edges = [float(info.min), float(info.max), 2.0 * info.max, 2.0 * info.min - 1, 1e30, -1e30]
    edges += [info.min - 0.5, info.max + 0.5, np.inf, -np.inf, np.nan, -0.5, -1.0, 0.5]
    with np.errstate(all="ignore"):
        x = np.array(edges).astype(DTYPES[source])
        nearest = [np.nextafter(x, x.dtype.type(way)) for way in (-np.inf, np.inf)]
        x = np.concatenate([x, *nearest])
    exact = [float(v) for v in x.astype(np.float64)]
    expected = [0 if v != v else int(min(max(v, info.min), info.max)) for v in exact]
    expected = [min(max(v, info.min), info.max) for v in expected]
    found = apply(model, x, source, target)
    interpreted = total_arithmetic.astype(x, np.dtype(DTYPES[target]))
    assert found.tolist() == expected and interpreted.tolist() == expected
    assert found.dtype == interpreted.dtype == DTYPES[target]


@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("source", INTEGERS)
def test_every_integer_is_converted_as_numpy_does(model: CompiledModule, source: str, target: str):
    dtype = np.dtype(DTYPES[source])
    bits = np.random.default_rng(3).integers(0, 256, 4097 * dtype.itemsize, np.uint8)
    x = np.concatenate([bits.view(dtype), np.array([0, 1, 2, 255], np.uint8).astype(dtype)])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(apply(model, x, source, target), x.astype(DTYPES[target]))
