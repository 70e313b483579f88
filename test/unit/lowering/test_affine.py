"""`affine` programs: interpreter, C, MLIR and numpy compute the same, as written and raised from loops."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from fuzz import affine
from optional import GCC, UNOPTIMISED, amount, needs

import lowering
from lowering.pipeline import PASSES, lower
from relax_dialect import interpret, parse
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType

CASES = amount(30, 4)


@pytest.mark.slow
@pytest.mark.shortened
@needs(GCC)
def test_random_programs_compute_the_same_everywhere():
    assert affine.batch(random.Random(f"affine {CASES}"), CASES) == CASES


LOOP = """
relax.func @main(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %y = affine.for %i = 0 to 3 iter_args(%a = %x) -> (!relax.tensor<[n, 4], f32>) {
    %z = relax.add %a, %a : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    affine.yield %z : !relax.tensor<[n, 4], f32>
  }
  %w = relax.call_tir @reversed(%y) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %w : !relax.tensor<[n, 4], f32>
}
func.func private @reversed(%x: tensor<?x4xf32> {relax.dims = ["n", "4"]}) -> (tensor<?x4xf32> {relax.dims = ["n", "4"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %y = affine.for %i = 0 to %n iter_args(%a = %e) -> (tensor<?x4xf32>) {
    %z = affine.for %j = 0 to 4 iter_args(%b = %a) -> (tensor<?x4xf32>) {
      %k = affine.apply affine_map<(d0) -> (3 - d0)>(%j)
      %v = tensor.extract %x[%i, %k] : tensor<?x4xf32>
      %c = tensor.insert %v into %b[%i, %j] : tensor<?x4xf32>
      affine.yield %c : tensor<?x4xf32>
    }
    affine.yield %z : tensor<?x4xf32>
  }
  return %y : tensor<?x4xf32>
}
"""


@needs(GCC)
def test_loops_over_relax_values_and_in_prim_funcs():
    module, x = parse(LOOP), np.arange(8, dtype=np.float32).reshape(2, 4)
    np.testing.assert_array_equal(interpret.run(module, "main", x), 8 * x[:, ::-1])
    np.testing.assert_array_equal(lowering.compile(module).main(x), 8 * x[:, ::-1])


KERNELS: dict[str, tuple[dict[str, TensorType], Callable[..., Any]]] = {
    "product": ({"x": TensorType(["n", 20], "f32"), "y": TensorType([20, "m"], "f32")}, op.matmul),
    "softmax": ({"x": TensorType(["n", "m"], "f32")}, lambda x: op.softmax(x, axis=-1)),
    "pooled": (
        {"x": TensorType([1, 2, "n", "m"], "f32")},
        lambda x: op.max_pool2d(x, pool_size=[2, 2], strides=[2, 2]),
    ),
    "sums": ({"x": TensorType(["n", "m"], "f32")}, lambda x: op.cumsum(x, axis=1)),
}
SIZES = {"n": 18, "m": 21}
UNSCHEDULED = [name for name in PASSES if name != "relax-schedule"]


@pytest.mark.slow
@needs(GCC)
@pytest.mark.parametrize(
    ("passes", "names", "most_left"),
    # tiles of balanced heights have bounds that are quotients of two sizes
    [(UNSCHEDULED, KERNELS, 0.1), ([*PASSES], ("softmax",), 2)],
    ids=["plain", "scheduled"],
)
def test_loops_of_kernels_are_raised_and_lowered_again(
    passes: list[str], names: Iterable[str], most_left: float
):
    builder = BlockBuilder()
    for name in names:
        parameters, emit = KERNELS[name]
        with builder.function(name, parameters) as values:
            builder.emit_func_output(builder.emit(emit(*values)))
    module = builder.get()
    raised = lower(module.clone(), [*passes, "relax-raise-to-affine"], verify_each=True)
    found = Counter(operation.name for operation in raised.walk())
    assert found["affine.for"] > 2
    assert found["scf.for"] <= most_left * found["affine.for"]
    model, numbers = (
        lowering.compile(parse(str(raised)), extra_flags=UNOPTIMISED),
        np.random.default_rng(0),
    )
    for name in names:
        parameters, _ = KERNELS[name]
        shapes = [
            [SIZES.get(str(d), 0) or int(str(d)) for d in t.shape or ()]
            for t in parameters.values()
        ]
        arrays = [numbers.standard_normal(shape, np.float32) for shape in shapes]
        expected = interpret.run(module, name, *arrays)
        np.testing.assert_allclose(model[name](*arrays), expected, rtol=1e-4, atol=1e-5)
