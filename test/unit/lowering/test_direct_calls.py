"""relax.call of a prim func: as relax.call_tir, several results are a tuple."""

from __future__ import annotations

import numpy as np
import pytest

import lowering
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.parsing import parse, verify

V = "!relax.tensor<[n], f32>"
T = f"tuple<{V}, {V}>"
W = "!relax.tensor<[m], f32>"

PROGRAM = f"""
func.func private @both(%A: tensor<?xf32> {{relax.dims = ["n"]}}, %B: tensor<?xf32> {{relax.dims = ["n"]}})
    -> (tensor<?xf32> {{relax.dims = ["n"]}}, tensor<?xf32> {{relax.dims = ["n"]}}) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %C = linalg.generic {{
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}} ins(%A, %B : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.addf %a, %b : f32
    linalg.yield %p : f32
  }} -> tensor<?xf32>
  func.return %C, %A : tensor<?xf32>, tensor<?xf32>
}}
relax.func @main(%x: {V}, %y: {W}) -> {T} {{
  %z = relax.match_cast %y : {W} -> !relax.tensor<[n], f32>
  %d = relax.dataflow {{
    %r = relax.call @both(%x, %z) : ({V}, {V}) -> {T}
    relax.output %r : {T}
  }}
  relax.return %d : {T}
}}
"""


def test_it_is_interpreted_and_compiled():
    module = parse(PROGRAM)
    x = np.array([1, 2, 3], np.float32)
    for first, second in (run(module, "main", x, -x), lowering.compile(module).main(x, -x)):
        np.testing.assert_array_equal(first, 0 * x)
        np.testing.assert_array_equal(second, x)
    lowered = lowering.lower(module.clone(), ["relax-legalize"])
    verify(lowered)
    assert "relax.call @both" not in str(lowered)


def test_arguments_are_checked():
    wrong = PROGRAM.replace("relax.call @both(%x, %z) : (" + V, "relax.call @both(%x) : (", 1)
    wrong = wrong.replace(f"(, {V})", f"({V})")
    with pytest.raises(
        RelaxError, match=r"relax\.call @both: expected as many arguments .*, 2, found 1"
    ):
        parse(wrong)
