"""Calls of prim funcs with tuples: relax.call gives one for several results, relax.call_tir takes and gives
them."""

from __future__ import annotations

import numpy as np
import pytest
from optional import UNOPTIMISED

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
relax.func @tuples(%t: {T}, %y: {W}) -> tuple<tuple<{V}>, {V}> {{
  %d = relax.dataflow {{
    %a, %b = relax.call_tir @both(%t) : ({T}) -> ({V}, {V})
    %u = relax.tuple %b, %a : ({V}, {V}) -> {T}
    %p = relax.call_tir @both(%u) : ({T}) -> tuple<tuple<{V}>, {V}>
    %f = relax.tuple_get_item %p {{index = 0 : i64}} : (tuple<tuple<{V}>, {V}>) -> tuple<{V}>
    %c = relax.tuple_get_item %f {{index = 0 : i64}} : (tuple<{V}>) -> {V}
    %w = relax.tuple %c, %c : ({V}, {V}) -> {T}
    %q = relax.call @both(%w) : ({T}) -> {T}
    %v = relax.tuple_get_item %q {{index = 0 : i64}} : ({T}) -> {V}
    %z = relax.tuple %y, %v : ({W}, {V}) -> tuple<{W}, {V}>
    %o:2 = relax.call_tir @both(%z) : (tuple<{W}, {V}>) -> (tuple<!relax.tensor<[m], f32>>, !relax.tensor<[m], f32>)
    %k = relax.tuple_get_item %o#0 {{index = 0 : i64}} : (tuple<{W}>) -> {W}
    %j = relax.match_cast %k : {W} -> {V}
    %g = relax.tuple %j : ({V}) -> tuple<{V}>
    %r = relax.tuple %g, %c : (tuple<{V}>, {V}) -> tuple<tuple<{V}>, {V}>
    relax.output %r : tuple<tuple<{V}>, {V}>
  }}
  relax.return %d : tuple<tuple<{V}>, {V}>
}}
"""


def test_it_is_interpreted_and_compiled():
    module = parse(PROGRAM)
    x = np.array([1, 2, 3], np.float32)
    model = lowering.compile(module, extra_flags=UNOPTIMISED)
    for first, second in (run(module, "main", x, -x), model.main(x, -x)):
        np.testing.assert_array_equal(first, 0 * x)
        np.testing.assert_array_equal(second, x)
    y = 3 * x
    for (first,), second in (run(module, "tuples", (x, y), y), model.tuples((x, y), y)):
        np.testing.assert_array_equal(second, (x + y) + x)
        np.testing.assert_array_equal(first, 2 * second + y)
    said = set()
    for attempt in (
        lambda: run(module, "tuples", (x, y), y[:2]),
        lambda: model.tuples((x, y), y[:2]),
    ):
        with pytest.raises(
            RelaxError, match="@both: argument 'B': expected size n = 2 in dimension 0, found 3"
        ) as error:
            attempt()
        said.add(str(error.value))
    assert len(said) == 1
    lowered = lowering.lower(module.clone(), ["relax-legalize"])
    verify(lowered)
    assert "relax.call @both" not in str(lowered)


def test_arguments_are_checked():
    wrong = PROGRAM.replace("relax.call @both(%x, %z) : (" + V, "relax.call @both(%x) : (", 1)
    wrong = wrong.replace(f"(, {V})", f"({V})")
    with pytest.raises(
        RelaxError, match=r"relax\.call @both: expected as many arguments .*, 2 \(F2\), found 1"
    ):
        parse(wrong)
