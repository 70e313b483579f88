"""Gradients with respect to intermediate values: those of a function that takes them as parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import TVM, UNOPTIMISED, needs, package

import lowering
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.frontends import tvmscript
from relax_dialect.gradient import GradientError, gradient, jvp, vjp
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType, tuple_type
from relax_dialect.parsing import verify

ROW, NUMBER, COUNT = TensorType(["n"], "f64"), TensorType([], "f64"), TensorType([], "i64")
X, W = np.array([0.3, 0.4, 0.5]), np.array([1.1, 0.9, 0.7])


def rest_of(b: BlockBuilder, k: Any, a: Any, pair: Any, w: Any, more: Any = 0.0) -> None:
    """A branch, a loop, a call and a tuple behind the targets."""
    y = b.if_(b.emit(op.sum(w) > 0.0), lambda: b.emit(a * w), lambda: b.emit(a + w))
    _, z = b.while_(lambda i, _: i < k, lambda i, z: (i + 1, b.emit(z * a)), b.emit(k - k), y)
    called = b.emit(b.call("squared", z))
    b.emit_func_output(b.emit(op.sum(called + pair[0] + more)) + pair[1])


def module() -> Any:
    b = BlockBuilder()
    with b.function("squared", {"x": ROW}, private=True) as (x,):
        b.emit_func_output(b.emit(x * x))
    with b.function("whole", {"k": COUNT, "x": ROW, "w": ROW}) as (k, x, w):
        a = b.emit(op.exp(x), "a")
        product = b.emit(x * w)
        pair = b.emit((product, b.emit(op.max(w))), "pair")
        flat = b.emit(op.sin(x), "flat")
        steps = b.emit(op.floor(b.emit(flat * 2.0, "twin")) + b.emit(flat * 3.0, "twin") * 0.0)
        count = b.emit(k + 0, "count")
        rest_of(b, count, a, pair, w, steps)
    pairs = {"k": COUNT, "a": ROW, "pair": tuple_type([ROW, NUMBER]), "w": ROW}
    with b.function("rest", pairs) as (k, a, pair, w):
        rest_of(b, k, a, pair, w)
    return b.get()


@pytest.mark.slow
def test_gradients_are_those_of_parameters():
    found = module()
    gradient(found, "whole", ["pair", "w", "a", "flat", "x"])
    gradient(found, "rest", ["pair", "w", "a"])
    verify(found)
    k = np.array(2)
    _, (pair, w, a, flat, x) = run(found, "whole_adjoint", k, X, W)
    value, (pair_, w_, a_) = run(found, "rest_adjoint", k, np.exp(X), (X * W, W.max()), W)
    np.testing.assert_array_equal([*pair[0], pair[1], *a], [*pair_[0], pair_[1], *a_])
    np.testing.assert_array_equal(flat, np.zeros(3))
    through_pair = X * pair_[0] + (W.max() == W)  # w is also what the pair is made of
    np.testing.assert_allclose(w, w_ + through_pair)
    np.testing.assert_allclose(x, a_ * np.exp(X) + pair_[0] * W)
    compiled = lowering.compile(found, "intermediate", extra_flags=UNOPTIMISED).whole_adjoint(
        k, X, W
    )
    np.testing.assert_allclose(compiled[0], value)
    np.testing.assert_allclose(compiled[1][2], a)


def test_an_intermediate_value_alone_and_cotangents():
    """The ops before the target are not gone back through; of `vjp` the result is any tensor."""
    b = BlockBuilder()
    with b.function("f", {"x": ROW}) as (x,):
        y = b.emit(op.floor(x), "y")
        b.emit_func_output(b.emit(y * y, "z"))
    found = b.get()
    vjp(found, "f", ["y", "z"])
    assert not any(o.name == "relax.zeros_like" for o in found.walk())
    _, (y, z) = run(found, "f_vjp", 10 * X, W)
    np.testing.assert_array_equal([y, z], [2 * np.floor(10 * X) * W, W])


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("twin", "found 'twin'; 2 values of its body are called 'twin': rename the one"),
        ("count", "expected a value of floats to differentiate by, found 'count' of type"),
        ("none", "found 'none'; correct the name"),
        (9, "found 9; write a name, or an index from 0 to 2"),
    ],
)
def test_what_is_no_target(target: Any, message: str):
    with pytest.raises(GradientError, match=message):
        gradient(module(), "whole", [target])


def test_tangents_are_of_parameters():
    with pytest.raises(GradientError, match=r"expected parameters .* found 'a'"):
        jvp(module(), "whole", ["a"])


SCRIPT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, 3), "float32"), y: R.Tensor((3, 3), "float32")):
        with R.dataflow():
            a = R.multiply(x, x)
            b = R.multiply(a, y)
            c = R.multiply(b, y)
            d = R.sum(c)
            R.output(d)
        return d
"""


@pytest.mark.parametrize("targets", [["x", "b", "d"], ["c", "y", "a"], ["b"]])
@needs(TVM)
def test_tvm_gives_the_same(targets: list[str]):
    tvm = package("tvm")
    before = tvm.script.from_source(SCRIPT)
    function = before["main"]
    bound = [each.var for block in function.body.blocks for each in block.bindings]
    named = {var.name: var for var in (*function.params, *bound)}
    after = tvm.relax.transform.Gradient("main", [named[name] for name in targets])(before)
    theirs, ours = tvmscript.from_tvm(after), tvmscript.loads(SCRIPT)
    gradient(ours, "main", targets)
    arrays = [np.random.default_rng(s).normal(size=(3, 3)).astype("f") for s in (0, 1)]
    found, wanted = (run(each, "main_adjoint", *arrays) for each in (ours, theirs))
    for a, b in zip((found[0], *found[1]), (wanted[0], *wanted[1]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
