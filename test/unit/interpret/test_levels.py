"""One program at every level of the pipeline: the interpreter runs each, and they mean the same."""

import numpy as np
import pytest

from lowering.pipeline import PASSES
from relax_dialect.interpret import run
from relax_dialect.parsing import new_context

from .programs import numbers, parse

ROWS, OUT = "!relax.tensor<[n, 8], f32>", "!relax.tensor<[n, 5], f32>"

PROGRAM = f"""
relax.func @main(%x: {ROWS}) -> tuple<{OUT}, !relax.tensor<[n], f32>> {{
  %w = relax.constant dense<0.125> : tensor<8x5xf32>
  %b = relax.constant dense<[1.0, -2.0, 3.0, -4.0, 5.0]> : tensor<5xf32>
  %r, %e = relax.dataflow {{
    %m = relax.matmul %x, %w : ({ROWS}, !relax.tensor<[8, 5], f32>) -> {OUT}
    %a = relax.add %m, %b : ({OUT}, !relax.tensor<[5], f32>) -> {OUT}
    %g = relax.gelu %a : ({OUT}) -> {OUT}
    %t = relax.sigmoid %g : ({OUT}) -> {OUT}
    %h = relax.tanh %t : ({OUT}) -> {OUT}
    %o = relax.softmax %h {{axis = -1 : i64}} : ({OUT}) -> {OUT}
    %u = relax.mean %x {{axis = array<i64: 1>}} : ({ROWS}) -> !relax.tensor<[n], f32>
    relax.output %o, %u : {OUT}, !relax.tensor<[n], f32>
  }}
  %y = relax.tuple %r, %e : ({OUT}, !relax.tensor<[n], f32>) -> tuple<{OUT}, !relax.tensor<[n], f32>>
  relax.return %y : tuple<{OUT}, !relax.tensor<[n], f32>>
}}
"""


@pytest.mark.parametrize("n", [0, 1, 5])
def test_every_level_means_the_same(n):
    module, context = parse(PROGRAM), new_context()
    x = numbers((n, 8))
    expected = run(module, "main", x, check_types=True)
    for name, load in PASSES.items():
        load()().apply(context, module)
        found = run(module, "main", x, check_types=True)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=name)
    assert not any(op.name.startswith(("relax.", "linalg.")) for op in module.walk())
