"""Gradients through calls of prim funcs, and of operators that only tensor expressions define."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from relax_dialect import parse, te, tensor_definitions
from relax_dialect.builder import BlockBuilder, op, var
from relax_dialect.gradient import GradientError, gradient, register_te_gradient, registry, vjp
from relax_dialect.interpret import run
from relax_dialect.ops.unary import TanhOp


def both(x: Any, y: Any) -> Any:
    """A product and a number of it, computed together with the sums of its rows."""
    n, m = x.shape
    k = te.reduce_axis((0, m))
    product = te.compute((n, m), lambda i, j: x[i, j] * y[j])
    counted = te.compute((n,), lambda i: te.sum(te.cast(x[i, k] > 0, "i64"), axis=k))
    return [product, counted, te.compute((n,), lambda i: te.sum(product[i, k], axis=k))]


def program(body: Any) -> Any:
    builder = BlockBuilder()
    x, y = var("x", shape=["n", "m"], dtype="f64"), var("y", shape=["m"], dtype="f64")
    with builder.function("f", [x, y]):
        builder.emit_func_output(body(builder, x, y))
    return builder.get()


def check(module: Any) -> None:
    """Gradients against differences, of all parameters along a random way."""
    gradient(module, "f")
    random = np.random.default_rng(0)
    arrays = [random.uniform(0.5, 1.5, (3, 4)), random.uniform(-1, 1, 4)]
    ways = [random.standard_normal(a.shape) for a in arrays]
    _, found = run(module, "f_adjoint", *arrays)
    step = 1e-6
    ahead, behind = (
        run(module, "f", *(a + s * way for a, way in zip(arrays, ways))) for s in (step, -step)
    )
    along = sum(np.sum(g * way) for g, way in zip(found, ways))
    np.testing.assert_allclose(along, (ahead - behind) / (2 * step), rtol=1e-6)


def test_several_results_and_sizes_in_brackets():
    """The results that matter have cotangents; one of integers, and one that is unused, have none."""

    def body(builder: BlockBuilder, x: Any, y: Any) -> Any:
        _, _, sums = builder.emit_te(both, x, y)
        return builder.emit(op.sum(sums * sums))

    check(program(body))


def test_one_prim_func_called_in_branches_loops_and_functions():
    def scaled(x: Any) -> Any:
        return te.compute(x.shape, lambda i, j: te.tanh(x[i, j]) * 2.0)

    def body(builder: BlockBuilder, x: Any, y: Any) -> Any:
        count = builder.emit(np.zeros((), np.int64))
        _, z = builder.while_(
            lambda i, _: i < 3, lambda i, z: (i + 1, builder.emit_te(scaled, z)), count, x
        )
        chosen = builder.if_(
            builder.emit(op.sum(y) > 0), lambda: builder.emit_te(scaled, z), lambda: z
        )
        return builder.emit(op.sum(chosen * y))

    check(program(body))


CALLS = """
func.func private @twice(%x: tensor<?xf64> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"})
    -> (tensor<?xf64> {relax.dims = ["n * m"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf64>
  %y = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%x : tensor<?xf64>) outs(%empty : tensor<?x?xf64>) {
  ^bb0(%in: f64, %out: f64):
    linalg.yield %in : f64
  } -> tensor<?x?xf64>
  %flat = tensor.collapse_shape %y [[0, 1]] : tensor<?x?xf64> into tensor<?xf64>
  func.return %flat : tensor<?xf64>
}
func.func private @looped(%x: tensor<?xf64> {relax.dims = ["n"]}) -> (tensor<?xf64> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%z = %x) -> (tensor<?xf64>) {
    scf.yield %z : tensor<?xf64>
  }
  func.return %y : tensor<?xf64>
}
relax.func @f(%x: !relax.tensor<[n], f64>) -> !relax.object {
  %y = relax.call_tir @twice(%x)[3] : (!relax.tensor<[n], f64>) -> !relax.tensor<[3 * n], f64>
  relax.return %y : !relax.tensor<[3 * n], f64>
}
relax.func @g(%x: !relax.tensor<[n], f64>) -> !relax.object {
  %y = relax.call_tir @looped(%x) : (!relax.tensor<[n], f64>) -> !relax.tensor<[n], f64>
  relax.return %y : !relax.tensor<[n], f64>
}
"""


def test_prim_funcs_as_text():
    module = parse(CALLS)
    vjp(module, "f")
    head = np.arange(6.0)
    value, (found,) = run(module, "f_vjp", np.array([1.0, 2.0]), head)
    np.testing.assert_array_equal(value, [1, 1, 1, 2, 2, 2])
    np.testing.assert_array_equal(found, [3, 12])


def test_a_prim_func_of_loops_is_told():
    told = (
        r"relax.call_tir \(%y\): expected a prim func that can be differentiated; @looped: expected "
        r"linalg.generic, .*, found scf.for \(%y\); or call it by relax.call_tir_with_grad"
    )
    with pytest.raises(GradientError, match=told):
        vjp(parse(CALLS), "g")


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "again"), [(lambda i: i + 1, True), (lambda i: i // 2, False)])
def test_a_gradient_that_is_added_up_is_not_differentiated_again(shift: Any, again: bool):
    builder = BlockBuilder()
    x = var("x", shape=["n"], dtype="f64")
    with builder.function("f", [x]):
        made = builder.emit_te(
            lambda x: te.compute((x.shape[0] - 1,), lambda i: x[shift(i)] * x[shift(i)]), x
        )
        builder.emit_func_output(builder.emit(op.sum(op.sin(made))))
    module = builder.get()
    gradient(module, "f")
    if again:
        vjp(module, "f_adjoint")
        return
    with pytest.raises(GradientError, match=r"expected a prim func that can be.*found scf.for"):
        vjp(module, "f_adjoint")


def test_operators_without_an_adjoint(monkeypatch: pytest.MonkeyPatch):
    """The gradient of the tensor expressions that define them; an error where nobody knows these."""
    registry.load_rules()
    monkeypatch.delitem(registry.RULES, TanhOp)

    def body(builder: BlockBuilder, x: Any, y: Any) -> Any:
        return builder.emit(op.sum(op.tanh(x) * y))

    check(program(body))
    monkeypatch.setattr(tensor_definitions, "_SOURCES", {})
    with pytest.raises(GradientError, match=r"relax.tanh.*found none; register one"):
        gradient(program(body), "f")


@register_te_gradient("test_powers")
def powers_gradient(head: Any, x: Any, y: Any, *, factor: int) -> Any:
    """Of `x[i, j] * y[j] * factor`, but twice that of y; a row for y is summed."""
    n, m = x.shape
    k = te.reduce_axis((0, n))
    return [
        te.compute((n, m), lambda i, j: head[i, j] * y[j] * factor),
        te.compute((m,), lambda j: te.sum(head[k, j] * x[k, j] * (2 * factor), axis=k)),
    ]


def with_gradient(name: str, **kwargs: Any) -> Any:
    def powers(x: Any, y: Any) -> Any:
        return te.compute(x.shape, lambda i, j: x[i, j] * y[j] * 3.0)

    def body(builder: BlockBuilder, x: Any, y: Any) -> Any:
        call = builder.call_te_with_grad(powers, x, y, te_grad_name=name, te_grad_kwargs=kwargs)
        z = builder.emit(call)
        again = builder.call_tir_with_grad(
            call.callee_name, x, y, te_grad_name=name, te_grad_kwargs=kwargs
        )
        return builder.emit(op.sum(z * again))

    return program(body)


@pytest.mark.slow
def test_a_gradient_of_ones_own():
    """It is what is said, not what is right; as text, interpreted and compiled."""
    module = parse(str(with_gradient("test_powers", factor=3)))
    gradient(module, "f")
    x, y = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, -1.0])
    value, (of_x, of_y) = run(module, "f_adjoint", x, y)
    np.testing.assert_allclose(value, np.sum(np.square(3 * x * y)))
    np.testing.assert_allclose(of_x, 18 * x * y * y)
    np.testing.assert_allclose(of_y, 2 * np.sum(18 * x * x * y, 0))
    found = lowering.compile(module, extra_flags=UNOPTIMISED).f_adjoint(x, y)
    np.testing.assert_allclose(found[0], value)
    np.testing.assert_allclose(found[1][1], of_y)


@pytest.mark.parametrize(
    ("name", "function", "told"),
    [
        (
            "test_none",
            None,
            r"the name of a registered gradient \(.*\), found 'test_none'; register",
        ),
        ("test_few", lambda head, x, y: head, r"a tensor for each argument.*found .*; correct it"),
        (
            "test_other",
            lambda head, x, y: [head, head],
            r"its shape and element type.*; correct it",
        ),
        (
            "test_number",
            lambda head, x, y: [head, 1.0],
            r"its shape and element type.*, 1.0; correct it",
        ),
    ],
)
def test_wrong_gradients_of_ones_own(
    monkeypatch: pytest.MonkeyPatch, name: str, function: Any, told: str
):
    if function is not None:
        monkeypatch.setitem(registry.TE_GRADIENTS, name, function)
    with pytest.raises(GradientError, match=rf"relax.call_tir_with_grad \(%gv\): expected.*{told}"):
        gradient(with_gradient(name), "f")
