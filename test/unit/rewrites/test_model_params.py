"""Weights as one tuple, and what they alone decide: TVM's form, the same results, and functions that cannot change."""

from __future__ import annotations

import numpy as np
import pytest
from optional import package
from xdsl.dialects.builtin import IntegerAttr, StringAttr

from relax_dialect import RelaxError, assert_structural_equal, parse
from relax_dialect.frontends.tvmscript import from_tvm, loads
from relax_dialect.interpret import run
from relax_dialect.parsing import verify
from relax_dialect.rewrites.forms.canonicalize_bindings import canonicalize_bindings
from relax_dialect.rewrites.params.bundle_model_params import bundle_model_params
from relax_dialect.rewrites.params.lift_transform_params import lift_transform_params
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
WEIGHTS = """
!NM = !relax.tensor<[n, m], f32>
!M = !relax.tensor<[m], f32>
!FM = !relax.tensor<[4, m], f32>
!MF = !relax.tensor<[m, 4], f32>
!TF = !relax.tensor<[2, 4], f32>
!NF = !relax.tensor<[n * n, 4], f32>
!XF = !relax.tensor<[n, 4], f32>
!JF = !relax.tensor<[j, 4], f32>
!F = !relax.tensor<[4], f32>
!S = !relax.tensor<[], f32>
!B = !relax.tensor<[], i1>
!R = tuple<!NM, !M, !FM, !TF, !NF>
relax.func @main(%x: !XF, %w: !MF, %b: !M, %v: !NF, %p: !B) -> !R
    attributes {num_input = 1 : i64} {
  %one, %same, %e = relax.dataflow {
    %k = relax.constant dense<2.0> : tensor<f32>
    %e1 = relax.exp %k : (!S) -> !S
    relax.output %k, %b, %e1 : !S, !M, !S
  }
  %t, %s = relax.binding_block {
    %t1 = relax.permute_dims %w : (!MF) -> !FM
    relax.print %t1 {format = "{}"} : (!FM) -> ()
    %s1 = relax.multiply %same, %e : (!M, !S) -> !M
    relax.output %t1, %s1 : !FM, !M
  }
  %c = relax.if %p : (!B) -> !M {
    %i = relax.add %s, %one : (!M, !S) -> !M
    relax.yield %i : !M
  } else {
    relax.yield %b : !M
  }
  %j = relax.match_cast %w : !MF -> !JF
  %jj = relax.exp %j : (!JF) -> !JF
  %js = relax.sum %jj {axis = array<i64: 0>} : (!JF) -> !F
  %vv = relax.exp %v : (!NF) -> !NF
  %y = relax.matmul %x, %t : (!XF, !FM) -> !NM
  %z = relax.add %y, %c : (!NM, !M) -> !NM
  %z2 = relax.multiply %z, %one : (!NM, !S) -> !NM
  %st = relax.stack %js, %js {axis = 0 : i64} : (!F, !F) -> !TF
  %r = relax.tuple %z2, %same, %t, %st, %vv : (!NM, !M, !FM, !TF, !NF) -> !R
  relax.return %r : !R
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


def test_tvm_lifts_the_same():
    tvm = package("tvm")
    module = loads(SCRIPT)
    assert lift_transform_params(module) == 2
    given = tvm.relax.transform.LiftTransformParams()(tvm.script.from_source(SCRIPT))
    assert_structural_equal(module, from_tvm(given))


def test_transformed_weights():
    """Through blocks and branches, with weights of run-time sizes, a size that a weight alone tells, and an
    effect that stays."""
    module, draw = parse(WEIGHTS), np.random.default_rng(0)
    x, w, b, v = (draw.normal(size=s).astype("f") for s in ((3, 4), (5, 4), 5, (9, 4)))
    given = (w, b, v, np.array(True))
    expected = run(module, "main", x, *given)
    assert lift_transform_params(module) == 1
    verify(module)
    transform, func = functions(module)
    assert [p.name_hint for p in func.body.block.args] == ["x", "w", "b", "v", "t1", "c"]
    assert not any(op.name in ("relax.permute_dims", "relax.if") for op in func.walk())
    assert not any(op.name == "relax.print" for op in transform.walk())
    found = run(module, "main", x, *run(module, "main_transform_params", given))
    for each, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(each, wanted)


def test_functions_without_a_transform():
    with pytest.raises(
        RelaxError, match="@f: expected a function that is called from outside only"
    ):
        lift_transform_params(parse(CALLED))
    module = parse(
        WEIGHTS + "relax.func @main_transform_params(%x: !S) -> !S { relax.return %x : !S }"
    )
    with pytest.raises(
        RelaxError, match="@main: expected no function @main_transform_params, or one"
    ):
        lift_transform_params(module)


@pytest.mark.parametrize("shared", [False, True])
def test_a_second_run_changes_nothing(shared: bool):
    module = loads(SCRIPT)
    lift_transform_params(module, shared, ["main"] if shared else None)
    once = module.clone()
    lift_transform_params(module, shared, ["main"] if shared else None)
    assert_structural_equal(module, once)


SOME = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, "k"), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            one = R.ones((4,), "float32")
            two = R.exp(one)
            t = R.permute_dims(w)
            u = R.multiply(t, two)
            s = R.builtin.stop_lift_params(u)
            v = R.exp(s)
            a = R.add(x, two)
            z = R.matmul(v, R.permute_dims(a))
            R.output(z)
        return z
"""


def test_constants_and_stops():
    """Ops of constants alone are duplicated; what a stopped value is used by stays."""
    module, draw = loads(SOME), np.random.default_rng(0)
    x, w = (draw.normal(size=s).astype("f") for s in ((3, 4), (4, 5)))
    expected = run(module, "main", x, w)
    lift_transform_params(module)
    verify(module)
    transform, func = functions(module)
    ones = [sum(op.name == "relax.ones" for op in f.walk()) for f in (transform, func)]
    assert ones == [1, 1] and not any(op.name == "relax.let" for op in module.walk())
    (moved,) = run(module, "main_transform_params", (w,))
    np.testing.assert_allclose(moved, w.T * np.exp(np.float32(1)), rtol=1e-6)
    np.testing.assert_array_equal(run(module, "main", x, moved), expected)


def test_tvm_leaves_constants_and_stops():
    tvm = package("tvm")
    module = loads(SOME)
    lift_transform_params(module)
    canonicalize_bindings(module)
    given = from_tvm(tvm.relax.transform.LiftTransformParams()(tvm.script.from_source(SOME)))
    canonicalize_bindings(given)
    assert_structural_equal(module, given)


EARLIER = """
relax.func @main(%x: !relax.tensor<[n], f32>, %w: !relax.tensor<[m], f32>, %b: !relax.tensor<[], f32>) -> !relax.tensor<*, f32>
    attributes {num_input = 1 : i64} {
  %t = relax.exp %w : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  %y = relax.outer %x, %t : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
  %z = relax.add %y, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %z : !relax.tensor<[n, m], f32>
}
relax.func @main_transform_params(%p: tuple<!relax.tensor<[m, n], f32>>) -> tuple<!relax.tensor<*, f32>, !relax.tensor<[], f32>>
    attributes {num_input = 0 : i64} {
  %w = relax.tuple_get_item %p {index = 0 : i64} : (tuple<!relax.tensor<[m, n], f32>>) -> !relax.tensor<[m, n], f32>
  %f = relax.sum %w {axis = array<i64: 0>} : (!relax.tensor<[m, n], f32>) -> !relax.tensor<[n], f32>
  %s = relax.sum %w : (!relax.tensor<[m, n], f32>) -> !relax.tensor<[], f32>
  %r = relax.tuple %f, %s : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[], f32>>
  relax.return %r : tuple<!relax.tensor<[n], f32>, !relax.tensor<[], f32>>
}
"""


def test_a_transform_of_a_transform():
    """An earlier transform, whose results say less than the weights and whose sizes have their names, comes first."""
    module, draw = parse(EARLIER), np.random.default_rng(0)
    x, w = (draw.normal(size=s).astype("f") for s in (3, (4, 5)))
    expected = run(module, "main", x, *run(module, "main_transform_params", (w,)))
    lift_transform_params(module)
    verify(module)
    assert [f.sym_name.data for f in functions(module)] == ["main_transform_params", "main"]
    found = run(module, "main", x, *run(module, "main_transform_params", (w,)))
    np.testing.assert_array_equal(found, expected)


WEIGHTED = """
    @R.function
    def {name}(x: R.Tensor(("n", 4), "float32"), w1: R.Tensor(("{k}", 4), "float32"), w2: R.Tensor(("{k}", 4), "float32")):
        R.func_attr({{"num_input": 1}})
        with R.dataflow():
            {body}
            R.output(out)
        return out
"""
BODIES = {
    "plain": "out = R.permute_dims(w1)",
    "both": "t = R.permute_dims(w1)\ny = R.matmul(x, t)\nu = R.permute_dims(w2)\nz = R.matmul(x, u)\nout = R.add(y, z)",
    "other order": "u = R.permute_dims(w2)\nt = R.permute_dims(w1)\nz = R.matmul(x, u)\ny = R.matmul(x, t)\nout = R.multiply(y, z)",
    "one": "t = R.permute_dims(w1)\ny = R.matmul(x, t)\nz = R.multiply(w2, R.const(2, 'float32'))\nu = R.permute_dims(z)\nz1 = R.matmul(x, u)\nout = R.add(y, z1)",
    "constants": "h = R.exp(R.const(2, 'float32'))\nt = R.permute_dims(w1)\ns = R.multiply(t, h)\ny = R.matmul(x, s)\nout = R.exp(y)",
    "none": "y = R.permute_dims(x)\nout = R.matmul(w1, y)",
}  # fmt: skip


def functions_of(**bodies: str) -> str:
    made = [
        WEIGHTED.format(name=f, k="ka"[i % 2], body=BODIES[b].replace("\n", "\n            "))
        for i, (f, b) in enumerate(bodies.items())
    ]
    return "@I.ir_module\nclass Module:" + "".join(made)


SHARED = {
    "alike": functions_of(f="both", g="both"),
    "in another order": functions_of(f="both", g="other order"),
    "some in common": functions_of(g="both", f="one", h="constants"),
    "none in common": functions_of(f="none", g="both"),
}


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_transform(name: str):
    """TVM's own cases: what all functions compute of the weights, whatever the order, is computed once."""
    module, draw = loads(SHARED[name]), np.random.default_rng(0)
    x, *w = (draw.normal(size=s).astype("f") for s in ((3, 4), (5, 4), (5, 4)))
    names = [f.sym_name.data for f in functions(module)]
    expected = {name: run(module, name, x, *w) for name in names}
    assert lift_transform_params(module, shared=True) == len(names)
    verify(module)
    given = run(module, "transform_params", tuple(w))
    assert len(given) == 2
    for name, wanted in expected.items():
        np.testing.assert_array_equal(run(module, name, x, *given), wanted)


@pytest.mark.parametrize("name", [n for n in SHARED if n != "none in common"])
def test_tvm_shares_the_same(name: str):
    """TVM shares nothing where the sizes of weights are symbolic."""
    tvm = package("tvm")
    text = SHARED[name].replace('"k"', "5").replace('"a"', "5")
    for shared, funcs in ((True, None), (["g", "f"], ["g", "f"])):
        module = loads(text)
        lift_transform_params(module, True, funcs)
        make = tvm.relax.transform.LiftTransformParams(shared_transform=shared)
        assert_structural_equal(module, from_tvm(make(tvm.script.from_source(text))))


def test_weights_that_cannot_be_shared():
    text = functions_of(f="plain", g="plain")
    fewer = text.replace(', w2: R.Tensor(("a", 4), "float32")', "")
    wider = text.replace('"a", 4', '"a", 5')
    narrow = text.replace('w1: R.Tensor(("a", 4), "float32")', 'w1: R.Tensor(("a", 4), "float16")')
    for wrong in (fewer, wider, narrow):
        with pytest.raises(RelaxError, match="@g: expected the weights of @f"):
            lift_transform_params(loads(wrong), True)
    with pytest.raises(RelaxError, match="found @q; correct the option funcs"):
        lift_transform_params(loads(text), True, ["q"])
