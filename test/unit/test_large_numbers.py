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
