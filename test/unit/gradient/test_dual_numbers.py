"""Forward dual numbers against formulas, and gradients that are checked by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.gradient import GradientError, adjoint, check_gradient, vjp
from relax_dialect.gradient.registry import RULES
from relax_dialect.interpret import jvp, register_packed
from relax_dialect.ir.types import FuncType, TensorType, tuple_type
from relax_dialect.ops.binary import MultiplyOp
from relax_dialect.ops.calls import CallPackedOp
from relax_dialect.ops.unary import ExpOp
from relax_dialect.parsing import parse, verify

ROW, COUNT = TensorType(["n"], "f64"), TensorType([], "i64")
X, T = np.array([0.3, -0.4, 0.5]), np.array([1.0, 2.0, -3.0])


def along(build: Any, x: Any = X, t: Any = T) -> tuple[Any, Any]:
    """The value and the derivative of an expression of one row."""
    b = BlockBuilder()
    with b.function("f", {"x": TensorType([None], "f64")}) as (x_,):
        b.emit_func_output(b.emit(build(x_)))
    return jvp(b.get(), "f", [np.asarray(x, float)], [np.asarray(t, float)])


def test_slopes_are_precise():
    for build, slope in (
        (op.exp, np.exp(X)),
        (lambda x: op.tanh(x * 30.0), 30 / np.cosh(30 * X) ** 2),
        (lambda x: op.log(op.square(x)), 2 / X),
        (op.relu, X > 0),
        (op.floor, 0 * X),
        (lambda x: op.astype(op.astype(x, "i32"), "f64"), 0 * X),
        (op.no_grad, 0 * X),
    ):
        np.testing.assert_allclose(along(build)[1], slope * T, rtol=1e-9, atol=1e-11)
    value, slope = along(op.max)
    assert (value, slope) == (0.5, pytest.approx(-3, rel=1e-12))


def test_what_is_small_large_close_to_a_kink_or_infinite():
    for x, t in (
        ([1e-4, -1e-4, 2e-5], [1, 1, -1]),  # kinks within the first step
        ([1e8, -3e5, 1], [1e6, 1, -1]),
        ([0, -1, np.inf], [0, 1, 1]),  # a kink that nothing moves over, a value that stays infinite
        ([], []),
        ([0.5], [np.nan]),
    ):
        _, found = along(op.relu, x, t)
        np.testing.assert_allclose(
            found, np.where((np.array(x) > 0) & np.isfinite(x), t, 0), rtol=1e-8
        )
    _, found = along(lambda x: op.softmax(op.where(np.array([True, False, True]), x, -np.inf)))
    p = np.exp(X[::2]) / np.exp(X[::2]).sum()
    np.testing.assert_allclose(found[::2], p * (T[::2] - p @ T[::2]), rtol=1e-9)
    assert found[1] == 0


@pytest.mark.parametrize(("build", "x"), [(op.relu, 0), (op.sqrt, 0), (op.floor, 2)])
def test_where_there_is_no_derivative(build: Any, x: float):
    with pytest.raises(
        RelaxError, match=r"@f: relax\.\w+ .*a kink, a jump or .* at 1 of 2 elem.*move"
    ):
        along(build, [x, 0.7], [1, 1])


def test_through_control_flow(capsys: pytest.CaptureFixture[str]):
    """y = tanh(y * w) * s in k turns, with w of f32, s captured by a closure that is passed to a function."""
    b = BlockBuilder()
    on_rows = FuncType([ROW], ROW)
    with b.function("apply", {"g": on_rows, "y": ROW}, private=True) as (g, y):
        b.emit_func_output(b.call(g, y))
    pair = tuple_type([TensorType(["n"], "f32"), COUNT])
    with b.function("f", {"x": ROW, "p": pair}) as (x, p):
        w, s = b.emit(op.astype(p[0], "f64")), b.emit(op.sum(x))
        scaled = b.closure({"y": ROW}, lambda y: b.emit(op.tanh(y * w) * s))
        zero = b.emit(p[1] - p[1])

        def turn(i: Any, y: Any) -> Any:
            even = b.emit(op.floor_mod(i, 2) == 0)
            return i + 1, b.if_(even, lambda: b.call("apply", scaled, y), lambda: b.emit(-y))

        _, y = b.while_(lambda i, y: i < p[1], turn, zero, x)
        b.emit(op.print(format="once"))
        b.emit_func_output((y, p[1]))
    module, w = b.get(), np.array([1, 2, 3], "f4")
    (value, _), (found, none) = jvp(module, "f", [X, (w, np.array(3))], [T, (X, None)])
    assert capsys.readouterr().out == "once\n"
    assert none is None

    def by_formula(h: complex) -> Any:
        x, v = X + h * T, w + h * X
        return np.tanh(-np.tanh(x * v) * x.sum() * v) * x.sum()

    np.testing.assert_allclose(value, by_formula(0))
    np.testing.assert_allclose(found, by_formula(1e-30j).imag / 1e-30, rtol=1e-9)


def test_what_dual_numbers_refuse():
    b = BlockBuilder()
    with b.function("f", {"x": ROW, "k": COUNT}) as (x, k):
        b.emit_func_output(b.emit(x + op.astype(k, "f64")))
    with b.function("g", {"x": ROW}) as (x,):
        b.emit_func_output(b.emit(CallPackedOp("moved", [x.value], ROW)))
    with b.function("h", {"x": ROW, "p": tuple_type([ROW, ROW])}) as (x, p):
        b.emit_func_output(b.emit(x + p[0]))
    register_packed("moved", lambda x: x)
    module, k = b.get(), np.array(1)
    for name, values, tangents, message in (
        (
            "f",
            [X, k],
            [T],
            "@f: expected 2 arguments and as many tangents, found 2 and 1; pass None",
        ),
        (
            "f",
            [X, k],
            [T[:2], None],
            r"'x': expected a tangent of shape \[3\], found .*\[2\]; pass",
        ),
        (
            "f",
            [X, k],
            [T, k],
            "'k': expected no tangent, as only arrays of floats move.*; pass None",
        ),
        (
            "h",
            [X, (X, X)],
            [T, (T,)],
            "'p': expected a tuple of 2 tangents, found a Python tuple; pass",
        ),
        (
            "g",
            [X],
            [T],
            "@g: relax.call_packed.*expected an op without effects where values move.*take it out",
        ),
        (
            "none",
            [X],
            [T],
            "expected the name of a function of the module .@f, @g, @h.*, found @none",
        ),
    ):
        with pytest.raises(RelaxError, match=message):
            jvp(module, name, values, tangents)


@pytest.mark.slow
def test_gradients_are_checked(monkeypatch: pytest.MonkeyPatch):
    """A rule that is wrong is found behind a branch and a loop, in a program of f32."""
    b = BlockBuilder()
    row = TensorType(["n"], "f32")
    with b.function("f", {"k": COUNT, "x": row, "w": row}) as (k, x, w):
        y = b.if_(b.emit(k > 1), lambda: b.emit(op.exp(x * w)), lambda: x)
        both = b.emit(op.concat([y, x], axis=0))
        _, z = b.while_(
            lambda i, z: i < k, lambda i, z: (i + 1, b.emit(op.sin(z))), b.emit(k - k), both
        )
        b.emit_func_output([z, b.emit(op.sum(y))])
    module = b.get()
    text, args = str(module), (np.array(2), X.astype("f4"), T.astype("f4"))
    assert check_gradient(module, "f", *args) < 1e-10
    monkeypatch.setitem(RULES, ExpOp, RULES[ExpOp])
    adjoint(ExpOp)(lambda of, gy: gy * of.y * 1.01)
    with pytest.raises(
        GradientError,
        match=r"@f: the gradient by '[xw]' at \[\d\]: expected .*, as dual numbers say, "
        r"found .*; \d of 6 entries differ, this one most; correct the adjoint of relax.exp",
    ):
        check_gradient(module, "f", *args)
    assert check_gradient(module, "f", np.array(1), *args[1:]) < 1e-10
    assert str(module) == text


def test_a_function_that_writes_over_its_argument_leaves_it_to_the_check():
    row = "!relax.tensor<[n], f64>"
    module = parse(f"""
relax.func @f(%x: {row}) -> {row} attributes {{inplace_indices = array<i64: 0>}} {{
  %y = relax.exp %x : ({row}) -> {row}
  relax.return %y : {row}
}}""")
    given = X.copy()
    assert check_gradient(module, "f", given) < 1e-10
    np.testing.assert_array_equal(given, X)


def test_rules_that_do_not_fit_are_told(monkeypatch: pytest.MonkeyPatch):
    """By the operator that they are for; nothing is added."""
    b = BlockBuilder()
    with b.function("f", {"x": ROW}) as (x,):
        b.emit_func_output(b.emit(op.exp(x * 2.0)))
    module = b.get()
    text = str(module)
    for kind, rule, message in (
        (
            MultiplyOp,
            lambda of, gy: gy,
            r"multiply .*a gradient for each of its 2 operands, found 1",
        ),
        (
            ExpOp,
            lambda of, gy: op.matmul(gy, 1.0),
            r"exp .*its gradient can be composed for, found .*n",
        ),
    ):
        monkeypatch.setitem(RULES, kind, rule)
        with pytest.raises(GradientError, match=rf"@f: relax.{message}"):
            vjp(module, "f")
        monkeypatch.undo()
        assert str(module) == text


DOCUMENT = Path(__file__).parents[2] / "filecheck/rewrites/to_a_normal_form/document.mlir"
S = "!relax.tensor<[], f32>"
CALLER = """
relax.func @{name}_called(%x: {S}, %y: {S}) -> {S} {{
  %f = relax.call @{name}(%x) : ({S}) -> !relax.func<({S}) -> {S}>
  %r = relax.call_closure %f, %y : (!relax.func<({S}) -> {S}>, {S}) -> {S}
  relax.return %r : {S}
}}"""
MULADD = """
relax.func @muladd(%x: {S}, %y: {S}, %z: {S}) -> {S} {{
  %1 = relax.multiply %x, %y : ({S}, {S}) -> {S}
  %2 = relax.add %1, %z : ({S}, {S}) -> {S}
  relax.return %2 : {S}
}}
relax.func @muladds(%x: {S}) -> {S} {{
  %c1 = relax.constant dense<1.0> : tensor<f32>
  %c2 = relax.constant dense<2.0> : tensor<f32>
  %c3 = relax.constant dense<3.0> : tensor<f32>
  %1 = relax.call @muladd(%x, %c1, %c2) : ({S}, {S}, {S}) -> {S}
  %2 = relax.call @muladd(%1, %c2, %c3) : ({S}, {S}, {S}) -> {S}
  relax.return %2 : {S}
}}"""


@pytest.mark.slow
def test_the_examples_of_the_introduction_to_relay():
    """Their slopes by all parameters, by dual numbers and back."""
    text = DOCUMENT.read_text("utf-8").replace("!relax.object", f"!relax.func<({S}) -> {S}>")
    calls = [CALLER.format(name=name, S=S) for name in ("closure", "closure_with_let")]
    module = parse("".join([text, *calls, MULADD.format(S=S)]))
    verify(module)
    for name, point, slopes in (
        ("graph", [2.0], [2]),
        ("graph", [3.0], [1]),
        ("needless", [2.0], [4]),
        ("needless", [3.0], [1]),
        ("graph_form", [3.0, 1.0], [6, 1]),
        ("a_normal_form", [3.0, 1.0], [6, 1]),
        ("shared", [0.5], [2 * np.exp(0.5)]),
        ("closure_called", [0.5, 2.0], [np.exp(0.5), 1]),
        ("closure_with_let_called", [0.5, 2.0], [np.exp(0.5), 1]),
        ("myfunc", [5.0], [16]),
        ("muladd", [2.0, 3.0, 4.0], [3, 2, 1]),
        ("muladds", [5.0], [2]),
    ):
        args = [np.array(x, "f4") for x in point]
        assert check_gradient(module, name, *args) < 1e-10, name
        ways = np.eye(len(args))
        found = [jvp(module, name, args, [w.reshape(()) for w in way])[1] for way in ways]
        np.testing.assert_allclose(found, slopes, rtol=1e-9, err_msg=name)
