"""Reductions in lanes give what reductions in order give, up to rounding, at every length."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lowering
from lowering.loops.split_reductions import VECTORS
from lowering.pipeline import lower
from lowering.support.target import find
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import parse

LANES = VECTORS * find().lanes(32)
SHORT = [LANES // 2, LANES * 3 // 4, LANES - 1, LANES]
LENGTHS = [0, 1, *SHORT, 2 * LANES - 1, 2 * LANES, 2 * LANES + 1, 3 * LANES - 1, 1000]
REDUCTIONS = ("sum", "max", "min", "prod", "mean", "variance")
RANDOM = np.random.default_rng(0)


def reduction(name: str, size: int | str, dtype: str = "f32"):
    """A program that reduces the rows of a matrix."""
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n", size], dtype)}) as (x,):
        bb.emit_func_output(bb.emit(getattr(op, name)(x, axis=-1)))
    return bb.get()


@pytest.fixture(scope="module")
def models():
    return {name: lowering.compile(reduction(name, "m")) for name in REDUCTIONS}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "length"),
    [(n, k) for n in REDUCTIONS for k in LENGTHS if k or n not in ("max", "min")],
)
def test_every_length_agrees_with_the_interpreter(models, name: str, length: int):
    x = RANDOM.uniform(0.9, 1.1, (3, length)).astype(np.float32)
    expected = interpret.run(reduction(name, "m"), "main", x)
    np.testing.assert_allclose(models[name].main(x), expected, rtol=2e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("length", [2 * LANES, 5 * LANES + 3])
def test_known_lengths(length: int):
    x = RANDOM.standard_normal((2, length)).astype(np.float32)
    for name in ("sum", "max"):
        model = lowering.compile(reduction(name, length))
        np.testing.assert_allclose(
            model.main(x), getattr(np, name)(x, axis=-1), rtol=1e-5, atol=1e-5
        )


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, LANES, 4 * LANES - 1, 4 * LANES + 5])
def test_nan_wins_wherever_it_stands(models, place: int):
    x = RANDOM.standard_normal((1, 4 * LANES + 6)).astype(np.float32)
    x[0, place] = math.nan
    for name in ("sum", "max", "min"):
        assert np.isnan(models[name].main(x)).all()
    x[0, place] = -math.inf
    assert models["min"].main(x) == -math.inf
    np.testing.assert_array_equal(models["max"].main(x), x.max(axis=-1))


@pytest.mark.slow
def test_a_long_sum_is_nearer_to_the_exact_one(models):
    x = np.full((1, 1_000_000), 0.1, np.float32)
    exact = math.fsum(x[0].astype(np.float64))
    assert abs(models["sum"].main(x)[0] - exact) < abs(np.cumsum(x[0])[-1] - exact) / 10


SEVERAL = """
func.func @main(%n: index, %A: memref<?x?xf32>, %B: memref<?xf32>, %out: memref<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %dot, %norm, %high = scf.for %i = %c0 to %n step %c1
      iter_args(%a = %zero, %b = %one, %c = %one) -> (f32, f32, f32) {
    %j = arith.addi %i, %c1 : index
    %x = memref.load %A[%c1, %j] : memref<?x?xf32>
    %y = memref.load %B[%i] : memref<?xf32>
    %p = arith.mulf %x, %y : f32
    %dot = arith.addf %p, %a : f32
    %q = arith.mulf %y, %y : f32
    %norm = arith.addf %b, %q : f32
    %high = arith.maximumf %c, %x : f32
    scf.yield %dot, %norm, %high : f32, f32, f32
  }
  memref.store %dot, %out[%c0] : memref<3xf32>
  memref.store %norm, %out[%c1] : memref<3xf32>
  memref.store %high, %out[%c2] : memref<3xf32>
  func.return
}
"""


@pytest.mark.parametrize("length", LENGTHS)
def test_several_accumulators_share_the_lanes_of_a_loop(length: int):
    a = RANDOM.standard_normal((2, length + 1)).astype(np.float32)
    b = RANDOM.standard_normal(length).astype(np.float32)
    results = []
    for passes in ((), ("relax-split-reductions",)):
        module = lower(parse(SEVERAL), passes, verify_each=True)
        assert ("alloca" in str(module)) is bool(passes)
        out = np.zeros(3, np.float32)
        interpret.run(module, "main", length, a, b, out)
        results.append(out)
    np.testing.assert_allclose(results[1], results[0], rtol=1e-4, atol=1e-4)
    wide = a[1, 1:].astype(np.float64), b.astype(np.float64)
    expected = [wide[0] @ wide[1], 1 + wide[1] @ wide[1], max([1.0, *wide[0]])]
    np.testing.assert_allclose(results[1], expected, rtol=1e-4, atol=1e-4)
