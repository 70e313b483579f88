"""Scalars as operands and conditions: interpreter, C and numpy agree."""

from __future__ import annotations

import numpy as np
import pytest

import lowering
from lowering.runtime.loading import CompiledModule
from relax_dialect import assert_structural_equal, interpret, parse, symbolic
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import FuncOp
from relax_dialect.rewrites.algebra.fold_constant import fold_constants
from relax_dialect.rewrites.algebra.simplify_algebra import simplify_algebra
from relax_dialect.rewrites.calls.inline_private_functions import inline_private_functions

DTYPES = ("f32", "f64", "f16", "i8", "i32", "i64")


def elementwise(dtype: str) -> str:
    v, s = f"!relax.tensor<[n], {dtype}>", dtype
    return f"""
relax.func @arithmetic_{dtype}(%x: {v}, %s: {s}) -> {v} {{
  %0 = relax.add %x, %s : ({v}, {s}) -> {v}
  %1 = relax.multiply %s, %0 : ({s}, {v}) -> {v}
  %2 = relax.subtract %s, %s : ({s}, {s}) -> !relax.tensor<[], {s}>
  %3 = relax.maximum %1, %2 : ({v}, !relax.tensor<[], {s}>) -> {v}
  relax.return %3 : {v}
}}"""


V = "!relax.tensor<[n], f32>"
PROGRAM = (
    "\n".join(map(elementwise, DTYPES))
    + f"""
relax.func @chosen(%x: {V}, %i: i64, %s: f32) -> !relax.tensor<[], f32> {{
  %two = arith.constant 2 : i64
  %more = arith.cmpi sgt, %i, %two : i64
  relax.assert_op %more {{format = "too few"}} : (i1) -> ()
  %0 = relax.take %x, %i : ({V}, i64) -> !relax.tensor<[], f32>
  %1 = relax.less %0, %s : (!relax.tensor<[], f32>, f32) -> !relax.tensor<[], i1>
  %2 = relax.where %1, %s, %0 : (!relax.tensor<[], i1>, f32, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %3 = relax.if %more : (i1) -> !relax.tensor<[], f32> {{
    relax.yield %2 : !relax.tensor<[], f32>
  }} else {{
    relax.yield %0 : !relax.tensor<[], f32>
  }}
  relax.return %3 : !relax.tensor<[], f32>
}}
relax.func @scalar_parameter(%k: !relax.shape<[k]>, %x: !relax.tensor<[n], i64>) -> !relax.tensor<[k], i64> {{
  %0 = relax.symbolic_value [k]
  %1 = relax.subtract %0, 1 : (i64) -> !relax.tensor<[], i64>
  %2 = relax.take %x, %1 : (!relax.tensor<[n], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i64>
  %3 = relax.shape [k]
  %4 = relax.full %3, %2 : (!relax.shape<[k]>, !relax.tensor<[], i64>) -> !relax.tensor<[k], i64>
  relax.return %4 : !relax.tensor<[k], i64>
}}
relax.func @sizes(%x: !relax.tensor<[n, m], i64>) -> tuple<!relax.tensor<[n, m], i64>, i64> {{
  %0 = relax.symbolic_value [n * 2 - m * m]
  %1 = relax.add %x, %0 : (!relax.tensor<[n, m], i64>, i64) -> !relax.tensor<[n, m], i64>
  %2 = relax.tuple %1, %0 : (!relax.tensor<[n, m], i64>, i64) -> tuple<!relax.tensor<[n, m], i64>, i64>
  relax.return %2 : tuple<!relax.tensor<[n, m], i64>, i64>
}}
"""
)


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return lowering.compile(parse(PROGRAM), extra_flags=("-Wall", "-Wextra", "-Werror"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_elementwise(model: CompiledModule, dtype: str) -> None:
    kind = numpy_dtype(TensorType((), dtype).element)
    for n in (0, 1, 5):
        x, s = np.arange(n).astype(kind), kind.type(3)
        expected = np.maximum(s * (x + s), s - s)
        for found in (
            interpret.run(parse(PROGRAM), f"arithmetic_{dtype}", x, s),
            model[f"arithmetic_{dtype}"](x, s),
        ):
            np.testing.assert_array_equal(found, expected)
            assert found.dtype == kind


def test_conditions_and_indices(model: CompiledModule) -> None:
    x = np.array([5, 6, 7, 8], np.float32)
    for run in (lambda *a: interpret.run(parse(PROGRAM), "chosen", *a), model.chosen):
        assert run(x, np.int64(3), np.float32(9)) == 9
        assert run(x, np.int64(3), np.float32(0)) == 8
        with pytest.raises(RelaxError, match="too few"):
            run(x, np.int64(1), np.float32(0))
        with pytest.raises(RelaxError, match=r"relax\.take"):
            run(x, np.int64(4), np.float32(0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "relax.add %x, %i : (!relax.tensor<[n], f32>, i64) -> !relax.tensor<[n], f32>",
            "one element type",
        ),
        ("relax.take %x, %s : (!relax.tensor<[n], f32>, f32) -> !relax.tensor<[], f32>", r"\(C1\)"),
        (
            "relax.where %i, %x, %x : (i64, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>",
            r"\(C1\)",
        ),
        ("relax.exp %s : (f32) -> !relax.tensor<[], f32>", "tensor"),
    ],
)
def test_scalars_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(RelaxError, match=message):
        parse(
            f"relax.func @f(%x: {V}, %s: f32, %i: i64) -> !relax.object {{ %y = {text} relax.return %y : {text.rpartition('-> ')[2]} }}"
        )


def test_symbolic_values(model: CompiledModule) -> None:
    x = np.arange(6).reshape(2, 3)
    for run in (lambda *a: interpret.run(parse(PROGRAM), "sizes", *a), model.sizes):
        tensor, size = run(x)
        np.testing.assert_array_equal(tensor, x - 5)
        assert size == -5


def test_a_parameter_that_defines_a_variable_is_a_value_too(model: CompiledModule) -> None:
    x = np.array([5, 6, 7])
    for run in (
        lambda *a: interpret.run(parse(PROGRAM), "scalar_parameter", *a),
        model.scalar_parameter,
    ):
        np.testing.assert_array_equal(run((2,), x), [6, 6])


def test_symbolic_values_from_python_and_folded() -> None:
    n = symbolic.var("n")
    bb = BlockBuilder()
    with bb.function("last", [("x", TensorType(["n"], "i64"))]) as (x,):
        bb.emit_func_output(op.take(x, n - 1) + n)
    module = bb.module
    assert interpret.run(module, "last", np.array([5, 7])) == 9
    text = str(module)
    assert "relax.symbolic_value [n - 1]" in text and "relax.symbolic_value [n]\n" in text
    assert parse(text).is_structurally_equivalent(module)

    module = parse("""
relax.func @f() -> !relax.tensor<[], i64> {
  %c = relax.constant dense<5> : tensor<i64>
  %s = relax.symbolic_value [-7]
  %r = relax.add %c, %s : (!relax.tensor<[], i64>, i64) -> !relax.tensor<[], i64>
  relax.return %r : !relax.tensor<[], i64>
}""")
    fold_constants(module)
    assert "relax.constant dense<-2>" in str(module)


def test_symbolic_values_are_substituted_by_inlining() -> None:
    module = parse("""
relax.func private @g(%x: !relax.tensor<[n], i64>) -> i64 {
  %s = relax.symbolic_value [n - 7]
  relax.return %s : i64
}
relax.func @f(%x: !relax.tensor<[2], i64>) -> i64 {
  %r = relax.call @g(%x) : (!relax.tensor<[2], i64>) -> i64
  relax.return %r : i64
}""")
    inline_private_functions(module)
    assert "relax.symbolic_value [-5]" in str(module)
    assert parse(str(module)).is_structurally_equivalent(module)
    assert interpret.run(module, "f", np.zeros(2, np.int64)) == -5


def test_simplification_keeps_what_is_computed_of_scalars() -> None:
    ops = ("add", "subtract", "multiply", "power", "maximum", "minimum")
    text = "\n".join(
        f"""relax.func @{name}_{dtype}_{side}_{n}(%s: {dtype}) -> !relax.tensor<[], {dtype}> {{
  %y = relax.{name} {f"%s, {n}" if side else f"{n}, %s"} : ({dtype}) -> !relax.tensor<[], {dtype}>
  relax.return %y : !relax.tensor<[], {dtype}>
}}"""
        for name in ops
        for dtype in ("f32", "i32")
        for side in (0, 1)
        for n in (0, 1)
    )
    plain, simplified = parse(text), parse(text)
    simplify_algebra(simplified)
    simplified.verify()
    assert (
        "relax.multiply %s"
        not in str(simplified).partition("@multiply_i32_1_0")[2].partition("}")[0]
    )
    for function in plain.ops:
        assert isinstance(function, FuncOp)
        name = function.sym_name.data
        value = (np.float32 if "f32" in name else np.int32)(3)
        expected = interpret.run(plain, name, value)
        found = interpret.run(simplified, name, value)
        assert found == expected and found.dtype == expected.dtype, name


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
def test_numbers_beyond_a_float_are_infinities(dtype: str) -> None:
    type = f"!relax.tensor<[], {dtype}>"
    module = parse(f"""
relax.func @f(%x: {type}) -> {type} {{
  %y = relax.maximum %x, -{"9" * 400} : ({type}) -> {type}
  %z = relax.add %y, 1.0e400 : ({type}) -> {type}
  relax.return %z : {type}
}}""")
    zero = np.zeros((), numpy_dtype(TensorType((), dtype).element))
    assert interpret.run(module, "f", zero) == np.inf
    bb = BlockBuilder()
    with bb.function("f", {"x": TensorType((), dtype)}) as (x,):
        bb.emit_func_output(op.maximum(x, -(10**400)) + float("inf"))
    assert interpret.run(bb.module, "f", zero) == np.inf


def test_numbers_in_the_text_are_those_of_the_builder() -> None:
    text = parse("""
relax.func @f(%x: !relax.tensor<[n], f32>, %i: !relax.tensor<[k], i64>) -> !relax.tensor<[n], f32> {
  %0 = relax.subtract 1, %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %1 = relax.take %i, -1 : (!relax.tensor<[k], i64>) -> !relax.tensor<[], i64>
  %2 = relax.less %1, 3 : (!relax.tensor<[], i64>) -> !relax.tensor<[], i1>
  %3 = relax.if %2 : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %4 = relax.multiply %0, 1.0e39 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %4 : !relax.tensor<[n], f32>
  } else {
    relax.yield %0 : !relax.tensor<[n], f32>
  }
  relax.return %3 : !relax.tensor<[n], f32>
}""")
    bb = BlockBuilder()
    types = {"x": TensorType(["n"], "f32"), "i": TensorType(["k"], "i64")}
    with bb.function("f", types) as (x, i):
        first = bb.emit(1 - x)
        chosen = bb.if_(op.less(op.take(i, -1), 3), lambda: first * 1.0e39, lambda: first)
        bb.emit_func_output(chosen)
    assert_structural_equal(text, bb.module)
    x, i = np.array([0, 3], np.float32), np.array([5, 2])
    np.testing.assert_array_equal(interpret.run(text, "f", x, i), [np.inf, -np.inf])


def test_a_value_that_could_leave_64_bits_is_not_inlined() -> None:
    n = 1 << 32
    module = parse(f"""
relax.func private @g(%s: !relax.shape<[n]>) -> i64 {{
  %v = relax.symbolic_value [n * n]
  relax.return %v : i64
}}
relax.func @f() -> i64 {{
  %s = relax.shape [{n}]
  %r = relax.call @g(%s) : (!relax.shape<[{n}]>) -> i64
  relax.return %r : i64
}}""")
    inline_private_functions(module)
    module.verify()
    assert "relax.call @g" in str(module)
    with pytest.raises(RelaxError, match="expected sizes of at most"):
        interpret.run(module, "f")
