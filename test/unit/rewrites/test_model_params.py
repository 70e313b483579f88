"""Weights as one tuple: TVM's form, the same results, and functions that cannot change."""

from __future__ import annotations

import numpy as np
import pytest
from optional import package
from xdsl.dialects.builtin import IntegerAttr, StringAttr

from relax_dialect import RelaxError, assert_structural_equal, parse
from relax_dialect.frontends.tvmscript import from_tvm, loads
from relax_dialect.interpret import run
from relax_dialect.parsing import verify
from relax_dialect.rewrites.bundle_model_params import bundle_model_params
from relax_dialect.transform.regions import functions

SCRIPT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, "k"), "float32"), b: R.Tensor(("k",), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            u = R.multiply(w, w)
            y = R.matmul(x, u)
            z = R.add(y, b)
            R.output(z)
        return (z, b)
    @R.function
    def other(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        y = R.add(x, w)
        return y
    @R.function
    def all_given(x: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        return x
"""
CALLED = """
relax.func @main(%x: !relax.tensor<[n], f32>, %w: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %r = relax.call @f(%x, %w) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}
relax.func @f(%x: !relax.tensor<[n], f32>, %w: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    attributes {num_input = 1 : i64} {
  %c = relax.constant dense<true> : tensor<i1>
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %y = relax.subtract %x, %w : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %y : !relax.tensor<[n], f32>
  } else {
    %y = relax.call @f(%w, %x) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %y : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}
"""


def test_tvm_bundles_the_same():
    tvm = package("tvm")
    module = loads(SCRIPT)
    assert bundle_model_params(module, "p") == 2
    given = tvm.relax.transform.BundleModelParams("p")(tvm.script.from_source(SCRIPT))
    assert_structural_equal(module, from_tvm(given))


def test_weights_in_a_tuple():
    module, x, w, b = (
        loads(SCRIPT),
        *(np.arange(12, dtype="f").reshape(s) for s in ((3, 4), (4, 3), 12)),
    )
    expected = run(module, "main", x, w, b[:3])
    bundle_model_params(module)
    verify(module)
    for found, wanted in zip(run(module, "main", x, (w, b[:3])), expected):
        np.testing.assert_array_equal(found, wanted)


def test_calls_pack_the_weights():
    module, x, w = parse(CALLED), np.ones(3, "f"), np.full(3, 5, "f")
    assert bundle_model_params(module) == 1
    verify(module)
    assert (run(module, "main", x, w) == -4).all()


def test_functions_that_cannot_change():
    module = parse(CALLED)
    f = functions(module)[1]
    for wrong in (IntegerAttr(3, 64), IntegerAttr(-1, 64), StringAttr("one")):
        f.attributes["num_input"] = wrong
        with pytest.raises(
            RelaxError, match="@f: attribute num_input: expected an integer from 0 to 2"
        ):
            bundle_model_params(module)
    type = "!relax.func<[n] (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>"
    value = f"relax.func @g() -> {type} {{\n  %f = relax.make_closure @f() : () -> {type}\n  relax.return %f : {type}\n}}"
    with pytest.raises(RelaxError, match="@f: expected a function that is named by calls alone"):
        bundle_model_params(parse(CALLED + value))
