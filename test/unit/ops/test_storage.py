"""Storage types: casts, moves and bytes, interpreted and as compiled C, against `ml_dtypes` and ONNX's rules."""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from optional import FULL, UNOPTIMISED, shortened  # pyright: ignore

import lowering
from lowering.pipeline import lower
from relax_dialect import RelaxError, interpret, parse
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.interpret.stored_values import packed, unpacked
from relax_dialect.ir.storage import NUMPY_NAMES, STORAGE, bit_width

FLOATS = [name for name in STORAGE if name.startswith("f8") and "E8M0" not in name]
SHORT = ("f8E5M2FNUZ", "f4E2M1FN", "i4")
"""The types that are compiled in short."""
COMPILED = tuple(STORAGE) if FULL else SHORT


def dtype_of(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, NUMPY_NAMES[name]))


def codes(name: str) -> np.ndarray:
    """Every element of a type."""
    return np.arange(1 << bit_width(STORAGE[name]), dtype=np.uint8).view(dtype_of(name))


@cache
def numbers() -> np.ndarray:
    """All f16, f32 of any bits, and what is between two numbers of a type and next to that."""
    every = np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float32)
    random = np.random.default_rng(0).integers(0, 2**32, 40_001, np.uint32).view(np.float32)
    near = []
    for name in STORAGE:
        known = np.unique(codes(name).astype(np.float64))
        known = known[np.isfinite(known)]
        middle = ((known[1:] + known[:-1]) / 2).astype(np.float32)
        near += [np.nextafter(middle, np.float32(way)) for way in (-np.inf, np.inf)] + [middle]
    return np.concatenate([every, random, *near])


def cast(name: str, source: str, target: str, more: str = "") -> str:
    old, new = (f"!relax.tensor<[n], {t}>" for t in (source, target))
    return f"""relax.func @{name}(%x: {old}) -> {new} {{
  %y = relax.astype %x {{dtype = {target}{more}}} : ({old}) -> {new}
  relax.return %y : {new}
}}
"""


def program(names: tuple[str, ...]) -> str:
    """Casts from and to f32, with those that have more to say."""
    text = "".join(
        cast(f"to_{t}", "f32", t) + cast(f"from_{t}", t, "f32") + cast(f"int_{t}", "i32", t)
        for t in names
    )
    text += "".join(cast(f"cut_{t}", "f32", t, ", saturate = true") for t in names if t in FLOATS)
    for way in ("up", "down"):
        for saturate in ("true", "false"):
            more = f', rounding = "{way}", saturate = {saturate}'
            text += cast(f"{way}_{saturate}", "f32", "f8E8M0FNU", more)
    return text + MOVES + QUANTIZED


MOVES = """
relax.func @moved(%x: !relax.tensor<[n, 3], i4>, %y: !relax.tensor<[m, 3], i4>)
    -> !relax.tensor<[3, m + n], i4> {
  %0 = relax.concat %x, %y {axis = 0} : (!relax.tensor<[n, 3], i4>, !relax.tensor<[m, 3], i4>)
    -> !relax.tensor<[m + n, 3], i4>
  %1 = relax.permute_dims %0 : (!relax.tensor<[m + n, 3], i4>) -> !relax.tensor<[3, m + n], i4>
  relax.return %1 : !relax.tensor<[3, m + n], i4>
}
relax.func @bytes(%x: !relax.tensor<[5], ui2>) -> !relax.tensor<[2], ui8> {
  %s = relax.shape [2]
  %0 = relax.view %x, %s {dtype = ui8} : (!relax.tensor<[5], ui2>, !relax.shape<[2]>)
    -> !relax.tensor<[2], ui8>
  relax.return %0 : !relax.tensor<[2], ui8>
}
relax.func @known() -> tuple<!relax.tensor<[3], i4>, !relax.tensor<[2], f32>, !relax.tensor<[1], f8E5M2>> {
  %0 = relax.constant dense<[1, -2, 7]> : tensor<3xi4>
  %1 = relax.constant dense<[0.5, -6.0]> : tensor<2xf4E2M1FN>
  %2 = relax.astype %1 {dtype = f32} : (!relax.tensor<[2], f4E2M1FN>) -> !relax.tensor<[2], f32>
  %3 = relax.constant dense<"0xFD"> : tensor<1xf8E5M2>
  %4 = relax.tuple %0, %2, %3 : (!relax.tensor<[3], i4>, !relax.tensor<[2], f32>, !relax.tensor<[1], f8E5M2>)
    -> tuple<!relax.tensor<[3], i4>, !relax.tensor<[2], f32>, !relax.tensor<[1], f8E5M2>>
  relax.return %4 : tuple<!relax.tensor<[3], i4>, !relax.tensor<[2], f32>, !relax.tensor<[1], f8E5M2>>
}
"""


def with_blocks(name: str, op: str, source: str, target: str, zero: str) -> str:
    """Numbers with scales and zero points for each two along the last axis."""
    types = [
        f"!relax.tensor<[n, {d}], {t}>" for d, t in (("m", source), (BLOCKS, "f32"), (BLOCKS, zero))
    ]
    result = f"!relax.tensor<[n, m], {target}>"
    return f"""relax.func @{name}(%x: {types[0]}, %s: {types[1]}, %z: {types[2]}) -> {result} {{
  %y = relax.{op} %x, %s, %z {{axis = 1, out_dtype = {target}, block_size = 2}}
    : ({", ".join(types)}) -> {result}
  relax.return %y : {result}
}}
"""


BLOCKS = "(m + 1) floordiv 2"
QUANTIZED = (
    with_blocks("blocks", "quantize", "f32", "i4", "i4")
    + with_blocks("unblocked", "dequantize", "i4", "f32", "i4")
    + with_blocks("float_blocks", "quantize", "f32", "f8E4M3FN", "i8")
    + with_blocks("float_unblocked", "dequantize", "f8E4M3FN", "f16", "i8")
)


@cache
def runner(kind: str) -> Any:
    """How the functions are called: interpreted as graphs or as loops, or compiled."""
    if kind == "compiled":
        module = lowering.compile(parse(program(COMPILED)), "storage", extra_flags=UNOPTIMISED)
        return lambda name, *args: getattr(module, name)(*args)
    text = MOVES + QUANTIZED if kind == "loops" else program(tuple(STORAGE))
    module = lower(parse(text)) if kind == "loops" else parse(text)
    return lambda name, *args: interpret.run(module, name, *args)


@pytest.fixture(params=["interpreted", "compiled"])
def run(request: pytest.FixtureRequest) -> Any:
    """How casts are called."""
    return runner(request.param)


@pytest.fixture(params=["interpreted", "compiled", "loops"])
def run_small(request: pytest.FixtureRequest) -> Any:
    """How functions of few elements are called."""
    return runner(request.param)


def same(found: np.ndarray, wanted: np.ndarray):
    assert found.dtype == wanted.dtype
    bits = f"u{wanted.dtype.itemsize}"
    np.testing.assert_array_equal(found.view(bits), wanted.view(bits))


@pytest.mark.slow
@shortened
@pytest.mark.parametrize("name", STORAGE)
def test_casts_are_those_of_ml_dtypes(run: Any, name: str):
    try:
        run(f"from_{name}", codes(name)[:0])
    except AttributeError:
        assert not FULL
        return
    dtype, x = dtype_of(name), numbers()
    known = run(f"from_{name}", codes(name))
    wanted = codes(name).astype(np.float32)
    np.testing.assert_array_equal(known, wanted)
    nan = np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(known)[~nan], np.signbit(wanted)[~nan])
    with np.errstate(all="ignore"):
        if name != "f8E8M0FNU":  # which drops signs
            same(run(f"to_{name}", x), x.astype(dtype))
            whole = np.random.default_rng(1).integers(-(2**31), 2**31, 5000, np.int32)
            whole = np.concatenate([whole, np.arange(-600, 600, dtype=np.int32)])
            same(
                run(f"int_{name}", whole),
                whole.astype(np.float32 if name[0] == "f" else np.int32).astype(dtype),
            )
        if name in FLOATS:
            most = float(ml_dtypes.finfo(dtype).max)
            same(run(f"cut_{name}", x), np.clip(x, -most, most).astype(dtype))


def exponents(x: np.ndarray, up: bool, saturate: bool) -> np.ndarray:
    """The powers of two that ONNX's Cast gives, by their exponents."""
    with np.errstate(all="ignore"):
        size = np.abs(x.astype(np.float64))
        at_least = np.where(size < 2.0**-126, -127, np.floor(np.log2(size)))
        between = np.where(size < 2.0**-126, size > 0, 2.0**at_least != size)
        found = at_least + (between & up & ~(saturate & (at_least == 127)))
    return np.where(np.isfinite(x), found + 127, 255).astype(np.uint8)


@pytest.mark.parametrize("saturate", ["true", "false"])
@pytest.mark.parametrize("way", ["up", "down"])
def test_scales_are_rounded_to_powers_of_two(run: Any, way: str, saturate: str):
    x = numbers()
    x = np.concatenate([x, np.exp2(np.arange(-149, 128, dtype=np.float32))])
    found = run(f"{way}_{saturate}", x)
    same(found.view(np.uint8), exponents(x, way == "up", saturate == "true"))


@pytest.mark.slow
def test_moves_take_packed_elements(run_small: Any):
    for n, m in ((2, 3), (1, 0), (0, 0), (5, 4)):
        x, y = (
            np.arange(3 * s).astype(np.int8).astype(ml_dtypes.int4).reshape(s, 3) for s in (n, m)
        )
        same(run_small("moved", x, y), np.ascontiguousarray(np.concatenate([x, y]).T))


@pytest.mark.slow
@pytest.mark.parametrize("n, m", [(3, 5), (2, 4), (1, 1), (0, 3), (2, 0)])
def test_blocks_have_scales_of_their_own(run_small: Any, n: int, m: int):
    rng = np.random.default_rng(n + m)
    x = (rng.standard_normal((n, m)) * 6).astype(np.float32)
    x.reshape(-1)[1:2] = np.nan
    scale = rng.choice([0.25, 0.5, 0.7, 1.0, 40], (n, -(-m // 2))).astype(np.float32)
    zero = rng.integers(-2, 3, scale.shape).astype(np.int8)
    wide, shift = (p.repeat(2, 1)[:, :m] for p in (scale, zero))

    whole = np.clip(np.nan_to_num(np.rint(x / wide) + shift), -8, 7).astype(np.int8)
    small = run_small("blocks", x, scale, zero.astype(ml_dtypes.int4))
    same(small, whole.astype(ml_dtypes.int4))
    back = run_small("unblocked", small, scale, zero.astype(ml_dtypes.int4))
    np.testing.assert_array_equal(back, (whole - shift).astype(np.float32) * wide)

    floats = run_small("float_blocks", x * 100, scale, zero)
    same(floats, np.clip(x * 100 / wide + shift, -448, 448).astype(ml_dtypes.float8_e4m3fn))
    back = run_small("float_unblocked", floats, scale, zero)
    same(back, ((floats.astype(np.float32) - shift) * wide).astype(np.float16))


@pytest.mark.slow
def test_the_first_element_is_in_the_lowest_bits(run_small: Any):
    x = np.array([1, 2, 3, 0, 2], ml_dtypes.uint2)
    assert run_small("bytes", x).tolist() == [0b00111001, 0b10]
    assert packed(x).tolist() == [0b00111001, 0b10]
    same(unpacked(packed(x), (5,), x.dtype), x)


@pytest.mark.slow
def test_constants_are_packed(run_small: Any):
    ints, floats, nan = run_small("known")
    assert ints.tolist() == [1, -2, 7] and floats.tolist() == [0.5, -6.0]
    assert ints.dtype == ml_dtypes.int4 and nan.view(np.uint8).tolist() == [0xFD]


@pytest.mark.parametrize("name", STORAGE)
def test_constants_are_read_as_they_are_written(name: str):
    x = np.resize(codes(name), 300)
    from relax_dialect.builder.constant_values import array

    for part in (x[:20], x, x[:1], np.resize(x[3:4], 7), x[:0]):
        made = array(part)
        read = parse(
            f"relax.func @f() -> !relax.object {{\n  %0 = {made.name} {made.value}\n  relax.return %0 : !relax.tensor<[{part.size}], {name}>\n}}"
        )
        same(interpret.run(read, "f"), np.ascontiguousarray(part))
        assert str(parse(str(read))) == str(read)


def test_computing_is_refused():
    text = """relax.func @f(%x: !relax.tensor<[n], i4>) -> !relax.tensor<[n], i4> {
  %y = relax.add %x, %x : (!relax.tensor<[n], i4>, !relax.tensor<[n], i4>) -> !relax.tensor<[n], i4>
  relax.return %y : !relax.tensor<[n], i4>
}"""
    expected = r"relax.add.*expected an element type to compute with, found i4, a storage type; cast it first"
    with pytest.raises(RelaxError, match=expected):
        parse(text)


def test_functions_from_outside_take_no_storage_types_in_c():
    text = """relax.func @f(%x: !relax.tensor<[n], i4>) -> !relax.tensor<[n], f32> {
  %y = relax.call_packed "f"(%x) : (!relax.tensor<[n], i4>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}"""
    with pytest.raises(
        RelaxError, match=r"expected tensors of .*, found i4, a storage type; cast it"
    ):
        lower(parse(text))


def test_without_ml_dtypes_the_error_names_it(monkeypatch: pytest.MonkeyPatch):
    import sys

    numpy_dtype.cache_clear()
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(RelaxError, match=r"element type i4 has no numpy type.*install it"):
        numpy_dtype(STORAGE["i4"])
    module = parse(cast("f", "f32", "i4"))
    assert "i4" in repr(lowering.compile(module, "none", extra_flags=("-O0",)).f)
