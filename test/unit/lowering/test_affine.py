"""`affine` programs: interpreter, C, MLIR and numpy compute the same, as written and raised from loops."""

from __future__ import annotations

import random

import numpy as np
import pytest
from fuzz import affine
from optional import GCC, amount, needs

import lowering
from relax_dialect import interpret, parse

CASES = amount(60, 8)


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
