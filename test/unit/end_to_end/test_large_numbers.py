"""Attributes beyond the range of the element type: infinities, as numpy rounds, in interpreter and C alike."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

import lowering
from relax_dialect import interpret, parse
from relax_dialect.te.dtypes import F16, F32, F64, float_attribute

TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}
BEYOND = {"f16": "1.0e5", "bf16": "1.0e39", "f32": "1.0e39"}
OPS = {
    "leakyrelu": "alpha = {v}",
    "elu": "alpha = {v}",
    "softplus": "threshold = {v}",
    "clip": "min = -{v}, max = {v}",
    "masked_fill": "value = -{v}",
    "layer_norm": "axes = array<i64: 0>, epsilon = {v}",
    "rms_norm": "axes = array<i64: 0>, epsilon = {v}",
    "smooth_l1_loss": "beta = {v}",
    "huber_loss": "delta = {v}",
}
OPERANDS = {"layer_norm": "xxx", "rms_norm": "xx", "smooth_l1_loss": "xx", "huber_loss": "xx"}


def functions() -> Iterator[str]:
    for dtype, value in BEYOND.items():
        for name, attributes in OPS.items():
            operands = OPERANDS.get(name, "xm" if name == "masked_fill" else "x")
            types = {"x": f"!relax.tensor<[n], {dtype}>", "m": "!relax.tensor<[n], i1>"}
            result = f"!relax.tensor<[], {dtype}>" if name.endswith("loss") else types["x"]
            yield (
                f"relax.func @{name}_{dtype}(%x: {types['x']}, %m: {types['m']}) -> {result} {{\n"
                f"  %0 = relax.{name} {', '.join(f'%{o}' for o in operands)} "
                f"{{{attributes.format(v=f'{value} : f64')}}} : "
                f"({', '.join(types[o] for o in operands)}) -> {result}\n"
                f"  relax.return %0 : {result}\n}}\n"
            )


@pytest.fixture(scope="module")
def programs():
    module = parse("".join(functions()))
    return module, lowering.compile(module, extra_flags=["-O0"])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", TYPES)
def test_interpreter_and_c_agree(programs, dtype: str):
    module, compiled = programs
    x = np.array([-3, -1, 0.5, 2, 60000]).astype(TYPES[dtype])
    mask = np.array([True, False, True, False, False])
    for name in OPS:
        with np.errstate(all="ignore"):
            expected = interpret.run(module, f"{name}_{dtype}", x, mask)
        actual = compiled[f"{name}_{dtype}"](x, mask)
        wide = (np.asarray(v, np.float64) for v in (actual, expected))
        np.testing.assert_allclose(*wide, rtol=1e-2, equal_nan=True, err_msg=name)


SHAPED = {
    "leakyrelu": ["alpha"],
    "elu": ["alpha"],
    "celu": ["alpha"],
    "thresholded_relu": ["alpha"],
    "hard_shrink": ["lambd"],
    "soft_shrink": ["lambd"],
    "softplus": ["beta", "threshold"],
    "hard_tanh": ["min", "max"],
    "clip": ["min", "max"],
}
"""The activations that numbers shape."""
EXTREME = {"inf": "0x7FF0000000000000", "big": "1.0e39", "tiny": "1.0e-60", "neg": "-1.0e39"}


def shaped() -> Iterator[tuple[str, str]]:
    """Every number of every activation, at the ends of the range of its type and beyond."""
    t = "!relax.tensor<[n], f32>"
    for name, numbers in SHAPED.items():
        for number in numbers:
            for word, value in EXTREME.items():
                if number in {"neg": ("lambd", "beta", "max"), "tiny": ()}.get(word, ("min",)):
                    continue
                function = f"{name}_{number}_{word}"
                yield (
                    function,
                    f"relax.func @{function}(%x: {t}) -> {t} {{\n"
                    f"  %0 = relax.{name} %x {{{number} = {value} : f64}} : ({t}) -> {t}\n"
                    f"  relax.return %0 : {t}\n}}\n",
                )


@pytest.mark.slow
def test_activations_shaped_by_extreme_numbers():
    functions = dict(shaped())
    module = parse("".join(functions.values()))
    compiled = lowering.compile(module, extra_flags=["-O0"])
    x = np.array([0, -0.0, 1, -1, 30, -30, 1e-40, np.inf, -np.inf, np.nan], np.float32)
    for name in functions:
        expected = interpret.run(module, name, x)
        np.testing.assert_allclose(compiled[name](x), expected, rtol=1e-6, err_msg=name)
    # zero stays zero, whatever the slope below it, as in ONNX Runtime
    for name in ("leakyrelu", "elu", "celu"):
        assert compiled[f"{name}_alpha_inf"](x).tolist()[:3] == [0, 0, 1]
    assert np.array_equal(compiled.soft_shrink_lambd_inf(x), [*[0.0] * 9, np.nan], equal_nan=True)


@pytest.mark.slow
def test_masks_and_bounds_are_infinities(programs):
    _, compiled = programs
    x = np.array([-np.inf, -60000, 0, 60000, np.inf], np.float16)
    assert np.array_equal(compiled.clip_f16(x, x > 0), x)
    filled = compiled.masked_fill_f16(x, x > 0)
    assert filled.tolist() == [-np.inf, -60000, 0, -np.inf, -np.inf]


@pytest.mark.parametrize("value", [65519.99, 65520.0, 1e39, -1e39, 1e-46, -0.0, np.inf, np.nan])
def test_constants_round_as_numpy_does(value: float):
    with np.errstate(all="ignore"):
        for dtype, rounded in ((F16, np.float16), (F32, np.float32), (F64, np.float64)):
            found = float_attribute(value, dtype).value.data
            assert np.array_equal(np.array(found), np.array(rounded(value), float), equal_nan=True)
