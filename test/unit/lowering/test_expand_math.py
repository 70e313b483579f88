"""The polynomials of relax-expand-math against libm in f64, over the bit patterns of f32."""

import math
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from mlir_oracle import Oracle, lower_and_load, parse, requires_mlir

from lowering.expand_math import ERF, EXP, TANH, expand_math
from lowering.linalg_to_loops import lower_linalg_to_loops

UNARY = """
func.func @f(%n: index {{relax.symbol = "n"}}, %x: memref<?x{0}> {{relax.dims = ["n"]}},
    %y: memref<?x{0}> {{relax.dims = ["n"], relax.result}}) {{
  linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                   iterator_types = ["parallel"]}}
      ins(%x : memref<?x{0}>) outs(%y : memref<?x{0}>) {{
  ^bb0(%a: {0}, %b: {0}):
    %r = math.{1} %a : {0}
    linalg.yield %r : {0}
  }}
  func.return
}}
"""
FUNCTIONS = ["exp", "tanh", "erf", "rsqrt"]
ULPS = {"exp": 1.1, "tanh": 7.0, "erf": 7.0, "rsqrt": 1.5}
"""The bounds that the docstring of the pass states."""
CRITICAL = {
    "exp": [0.0, -0.5 * math.log(2), 0.5 * math.log(2), 88.72, -87.33, -103.28, -103.97, 89, -104],
    "tanh": [0.0, 0.5, 1.0, 9.0, 9.02, 9.4],
    "erf": [0.0, 0.5, 1.0, 3.9, 3.92, 4.1],
    "rsqrt": [0.0, 1.0, 2.0, 4.0, 1e-38, 3e38],
}


@cache
def compiled(name: str, contract: bool) -> Oracle:
    """The expansion as loops, compiled."""
    module = parse(UNARY.format("f32", name))
    for function in module.ops:
        lower_linalg_to_loops(function)
        expand_math(function)
    module.verify()
    left = [op.name for op in module.walk() if op.name.startswith("math.")]
    assert left == (["math.sqrt"] if name == "rsqrt" else [])
    return lower_and_load(module, contract)


@cache
def libm(name: str) -> Oracle:
    """The function itself in f64, without any of our passes."""
    return lower_and_load(UNARY.format("f64", name))


def apply(oracle: Oracle, x: np.ndarray) -> np.ndarray:
    y = np.zeros_like(x)
    oracle.call("f", [len(x)], [x, y])
    return y


def ulp_error(y: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """The distance of y from the exact value, in units of the last place of that."""
    with np.errstate(over="ignore", invalid="ignore"):
        spacing = np.spacing(np.abs(exact).astype("f4"))
        error = np.abs(y.astype("f8") - exact) / spacing.astype("f8")
        overflow = np.abs(exact) > np.finfo("f4").max
    same = overflow & np.isinf(y) & (np.sign(y) == np.sign(exact))
    same |= np.isnan(y) & np.isnan(exact)
    return np.where(same, 0.0, error)


def patterns(step: int) -> Iterator[np.ndarray]:
    """Every `step`-th f32 bit pattern, NaNs included."""
    chunk = 1 << 22
    for start in range(0, 1 << 32, step * chunk):
        stop = min(start + step * chunk, 1 << 32)
        yield np.arange(start, stop, step, dtype=np.int64).astype("u4").view("f4")


def around(centres: list[float], count: int = 20000) -> np.ndarray:
    """The f32 values next to some points, of both signs."""
    bits = np.array([*centres, *(-c for c in centres)], "f4").view("i4").astype("i8")
    near = bits[:, None] + np.arange(-count, count)
    return np.ascontiguousarray((near.ravel() % (1 << 32)).astype("u4").view("f4"))


@requires_mlir
@pytest.mark.parametrize("contract", [False, True], ids=["separate", "fused"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_error_bound(name: str, contract: bool):
    for x in [*patterns(4099), around(CRITICAL[name])]:
        with np.errstate(invalid="ignore"):  # signalling NaNs
            exact = apply(libm(name), x.astype("f8"))
        error = ulp_error(apply(compiled(name, contract), x), exact)
        worst = int(np.argmax(error))
        assert error[worst] <= ULPS[name], f"{name}({x[worst]!r}): {error[worst]} ulp"


@requires_mlir
@pytest.mark.parametrize("name", ["exp", "tanh", "erf"])
def test_libm_reference_agrees_with_python(name: str):
    x = np.linspace(-20, 20, 4001)
    expected = [getattr(math, name)(value) for value in x]
    np.testing.assert_allclose(apply(libm(name), x), expected, rtol=1e-14)


INF, NAN = math.inf, math.nan
SPECIAL = [
    ("exp", [-INF, INF, NAN, 0.0, -0.0, 88.8, -104.5, 1e38], [0, INF, NAN, 1, 1, INF, 0, INF]),
    ("tanh", [-INF, INF, NAN, 0.0, -0.0, 9.4, 1e30, -50], [-1, 1, NAN, 0.0, -0.0, 1, 1, -1]),
    ("erf", [-INF, INF, NAN, 0.0, -0.0, 4.1, 1e30, -50], [-1, 1, NAN, 0.0, -0.0, 1, 1, -1]),
    ("rsqrt", [INF, 0.0, -0.0, NAN, -1.0, 4.0], [0, INF, -INF, NAN, NAN, 0.5]),
]


@requires_mlir
@pytest.mark.parametrize("contract", [False, True], ids=["separate", "fused"])
@pytest.mark.parametrize("name, inputs, expected", SPECIAL, ids=[case[0] for case in SPECIAL])
def test_special_values(name: str, inputs: list, expected: list, contract: bool):
    y = apply(compiled(name, contract), np.array(inputs, "f4"))
    expected = np.array(expected, "f4")
    np.testing.assert_array_equal(y, expected)
    signs = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(y[signs]), np.signbit(expected[signs]))


@requires_mlir
@pytest.mark.parametrize("contract", [False, True], ids=["separate", "fused"])
def test_exp_rounds_denormal_results(contract: bool):
    x = np.linspace(-103.9, -87.4, 100001).astype("f4")
    y = apply(compiled("exp", contract), x)
    exact = np.exp(x.astype("f8"))
    assert np.all(np.abs(y - exact) <= 2.0**-149)
    assert np.all(y[x > -103.2] > 0)


def test_coefficients_are_the_derived_ones():
    sys.path.insert(0, str(Path(__file__).parents[3] / "docs"))
    try:
        from derive_math_coefficients import derive
    finally:
        del sys.path[0]
    fits = derive()
    assert fits["exp"].error < 3.3e-9 and fits["tanh"].error < 2.2e-8 and fits["erf"].error < 2e-8
    np.testing.assert_allclose(EXP, fits["exp"].numerator, rtol=1e-5)
    for mine, fit in ((TANH, fits["tanh"]), (ERF, fits["erf"])):
        np.testing.assert_allclose(mine[0], fit.numerator, rtol=1e-3)
        np.testing.assert_allclose(mine[1], fit.denominator, rtol=1e-3)


def test_other_types_stay():
    module = parse(UNARY.format("f64", "exp"))
    before = str(module)
    for function in module.ops:
        expand_math(function)
    assert str(module) == before
