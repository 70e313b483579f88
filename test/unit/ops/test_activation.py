"""Neural network operators, as compiled C, against numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial

import ml_dtypes
import numpy as np
import pytest
from optional import LIGHTLY
from other_cpu import OWN_CPU

import lowering
from lowering.runtime.loading import CompiledModule
from relax_dialect.builder import BlockBuilder
from relax_dialect.builder import op as relax
from relax_dialect.errors import RelaxError
from relax_dialect.gradient import gradient
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import activation as ops
from relax_dialect.ops.activation import OPS, ReluOp, SoftmaxOp
from relax_dialect.parsing import parse

from .compiled import (
    FEW,
    STATIC,
    Case,
    Sizes,
    check,
    compile_cases,
    each_case,
    keep,
    large,
    special,
    tensor,
)

ERFC = np.vectorize(math.erfc, otypes=["d"])


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, x.dtype.type(0))


def double(function: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """A formula evaluated in f64 and rounded to the element type."""
    return lambda x: np.asarray(function(x.astype(np.float64))).astype(x.dtype)


def gelu(x: np.ndarray) -> np.ndarray:
    return x * ERFC(-x / np.sqrt(2)) / 2


def softmax(axis: int) -> Callable[[np.ndarray], np.ndarray]:
    def meaning(x: np.ndarray) -> np.ndarray:
        powers = np.exp(x - x.max(axis=axis, keepdims=True, initial=-np.inf))
        return powers / powers.sum(axis=axis, keepdims=True)

    return double(meaning)


def log_softmax(axis: int) -> Callable[[np.ndarray], np.ndarray]:
    def meaning(x: np.ndarray) -> np.ndarray:
        total = np.logaddexp.reduce(x, axis=axis, keepdims=True)
        return x - total

    return double(meaning)


def glu(axis: int) -> Callable[[np.ndarray], np.ndarray]:
    def meaning(x: np.ndarray) -> np.ndarray:
        half = x.shape[axis] // 2
        a, b = np.take(x, range(half), axis), np.take(x, range(half, 2 * half), axis)
        return a / (1 + np.exp(-b))

    return double(meaning)


def prelu(axis: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def meaning(x: np.ndarray, alpha: np.ndarray) -> np.ndarray:
        moved = np.moveaxis(x, axis, -1)
        return np.moveaxis(
            np.where(moved >= 0, moved, moved * alpha), -1, axis
        )  # as in ONNX Runtime

    return meaning


SELU = np.float64(1.0507009873554805)
FORMULAS: dict[type, tuple[Callable, dict[str, float]]] = {
    ops.LeakyreluOp: (lambda x: np.maximum(x, 0) + 0.2 * np.minimum(x, 0), {"alpha": 0.2}),
    ops.EluOp: (lambda x: np.where(x > 0, x, 2 * (np.exp(x) - 1)), {"alpha": 2.0}),
    ops.CeluOp: (lambda x: np.where(x > 0, x, 0.5 * (np.exp(x / 0.5) - 1)), {"alpha": 0.5}),
    ops.SeluOp: (
        lambda x: np.where(x > 0, SELU * x, SELU * 1.6732632423543772 * (np.exp(x) - 1)),
        {},
    ),
    ops.SiluOp: (lambda x: x / (1 + np.exp(-x)), {}),
    ops.GeluOp: (gelu, {}),
    ops.GeluTanhOp: (
        lambda x: x / (1 + np.exp(-2 * np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
        {},
    ),
    ops.QuickGeluOp: (lambda x: x / (1 + np.exp(-1.702 * x)), {}),
    ops.HardSigmoidOp: (lambda x: np.minimum(np.maximum(x + 3, 0), 6) / 6, {}),
    ops.HardSwishOp: (lambda x: x * np.minimum(np.maximum(x + 3, 0), 6) / 6, {}),
    ops.HardTanhOp: (lambda x: np.minimum(np.maximum(x, -0.5), 1), {"min": -0.5}),
    ops.SoftplusOp: (lambda x: np.log(1 + np.exp(2 * x)) / 2, {"beta": 2.0}),
    ops.SoftsignOp: (lambda x: np.sign(x) * (1 - 1 / (1 + np.abs(x))), {}),
    ops.MishOp: (lambda x: x * np.tanh(np.log(1 + np.exp(x))), {}),
    ops.LogSigmoidOp: (lambda x: np.log(1 / (1 + np.exp(-x))), {}),
    ops.ThresholdedReluOp: (lambda x: x * (x > 0.25), {"alpha": 0.25}),
    ops.HardShrinkOp: (lambda x: np.where(abs(x) <= 0.75, 0, x), {"lambd": 0.75}),
    ops.SoftShrinkOp: (
        lambda x: np.maximum(x - 0.25, 0) + np.minimum(x + 0.25, 0),
        {"lambd": 0.25},
    ),
    ops.TanhShrinkOp: (lambda x: x - np.tanh(x), {}),
}
BOUNDED = (ops.HardSigmoidOp, ops.HardTanhOp, ops.LeakyreluOp, ops.HardShrinkOp)
"""Those that have a value for infinities without any doubt."""


CASES: dict[str, Case] = {
    "relu": Case(ReluOp, [tensor("n", "m")], relu, values=special),
    "relu_static": Case(ReluOp, [tensor(3, 4, 5)], relu, STATIC),
    "relu_double": Case(ReluOp, [tensor("n", dtype="f64")], relu, values=special),
    "relu_i8": Case(ReluOp, [tensor("n", "m", dtype="i8")], relu),
    "relu_i64": Case(ReluOp, [tensor("n", "m", dtype="i64")], relu),
    "relu6": Case(ops.Relu6Op, [tensor("n", "m")], lambda x: np.clip(x, 0, 6), values=special),
    "relu6_i8": Case(ops.Relu6Op, [tensor("n", dtype="i8")], lambda x: np.clip(x, 0, 6)),
    "softmax": Case(SoftmaxOp, [tensor("n", "m")], softmax(-1), values=large),
    "log_softmax": Case(ops.LogSoftmaxOp, [tensor("n", "m")], log_softmax(-1), values=large),
    "glu": Case(ops.GluOp, [tensor("n", 6)], glu(-1)),
    "glu_first": Case(lambda x: ops.GluOp(x, 0), [tensor("2 * n", "n")], glu(0)),
    "glu_half": Case(ops.GluOp, [tensor("n", 6, dtype="f16")], glu(-1)),
    "prelu": Case(ops.PreluOp, [tensor("n", "m", 3), tensor("m")], prelu(1), values=special),
    "prelu_last": Case(
        lambda x, a: ops.PreluOp(x, a, -1), [tensor("n", "m"), tensor("m")], prelu(-1)
    ),
    "prelu_shared": Case(ops.PreluOp, [tensor("n", "m"), tensor(1)], prelu(1)),
    "prelu_half": Case(
        ops.PreluOp, [tensor("n", 3, dtype="f16"), tensor(3, dtype="f16")], prelu(1)
    ),
}
for axis in (0, -2):
    for op, meaning in ((SoftmaxOp, softmax), (ops.LogSoftmaxOp, log_softmax)):
        name = f"{op.name.removeprefix('relax.')}{axis}".replace("-", "_from_end_")
        build = lambda x, op=op, axis=axis: op(x, axis)  # noqa: E731
        CASES[name] = Case(build, [tensor("n", "m", "k")], meaning(axis), values=large)
        for dtype in ("f64", "f16"):
            types = [tensor("n", 17, "k", dtype=dtype)]
            CASES[f"{name}_{dtype}"] = Case(build, types, meaning(axis), FEW)
        CASES[f"{name}_static"] = Case(build, [tensor(3, 17)], meaning(axis), STATIC)
for op, (formula, numbers) in FORMULAS.items():
    name = op.name.removeprefix("relax.")
    build = lambda x, op=op, numbers=numbers: op(x, **numbers)  # noqa: E731
    values = special if op in BOUNDED else keep
    CASES[name] = Case(build, [tensor("n", "m")], double(formula), values=values)
    CASES[f"{name}_static"] = Case(build, [tensor(33)], double(formula), STATIC)
    for dtype in ("f64", "f16"):
        CASES[f"{name}_{dtype}"] = Case(build, [tensor("n", 3, dtype=dtype)], double(formula), FEW)


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_softmax_neither_overflows_nor_loses_a_row(model: CompiledModule):
    x = np.array([[1e30, 1e30, -1e30], [-3e38, -3e38, -3e38], [0, -np.inf, 0]], np.float32)
    expected = np.array([[0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0, 0.5]])
    np.testing.assert_allclose(model.softmax(x), expected, rtol=1e-6)


def test_softmax_of_nan_and_of_infinity_is_nan(model: CompiledModule):
    x = np.array([[np.nan, 0, 1], [np.inf, 0, 1], [-np.inf, -np.inf, -np.inf]], np.float32)
    assert np.isnan(model.softmax(x)[[0, 2]]).all()
    assert np.isnan(model.softmax(x)[1, 0])


def test_gelu_far_from_zero(model: CompiledModule):
    x = np.array([[-40, 40, -1e30, 1e30, np.inf, np.nan]], np.float32)
    np.testing.assert_allclose(model.gelu(x), [[0, 40, 0, 1e30, np.inf, np.nan]], atol=1e-30)


@pytest.mark.slow
@pytest.mark.parametrize("cpu", OWN_CPU)
def test_gelu_keeps_its_digits_in_the_tail(cpu: str):
    bb = BlockBuilder()
    with bb.function("f", {"x": TensorType(["n"], "f32")}) as (x,):
        bb.emit_func_output(bb.emit(relax.gelu(x)))
    with bb.function("total", {"x": TensorType(["n"], "f32")}) as (x,):
        bb.emit_func_output(bb.emit(relax.sum(relax.gelu(x))))
    module = bb.get()
    gradient(module, "total")
    model = lowering.compile(module, cpu=cpu)
    x = np.linspace(-12.8, -1, 1003, dtype=np.float32)
    wide = x.astype(np.float64)
    density = np.exp(-wide * wide / 2) / np.sqrt(2 * np.pi)
    slope = ERFC(-wide / np.sqrt(2)) / 2 + wide * density
    (found,) = model.total_adjoint(x)[1:]
    np.testing.assert_allclose(np.ravel(found), slope, rtol=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("cpu", OWN_CPU)
def test_gelu_of_what_is_expanded_itself(cpu: str):
    """The gelu of a gelu, and the slope of a gelu, of a hyperbolic tangent in the same loop."""
    bb = BlockBuilder()
    with bb.function("f", {"x": TensorType(["n"], "f32")}) as (x,):
        bb.emit_func_output(bb.emit(relax.gelu(relax.gelu(x))))
    with bb.function("total", {"x": TensorType(["n"], "f32")}) as (x,):
        bb.emit_func_output(bb.emit(relax.sum(relax.gelu(relax.tanh(x)))))
    module = bb.get()
    gradient(module, "total")
    model = lowering.compile(module, cpu=cpu, extra_flags=LIGHTLY)
    x = np.linspace(-3, 3, 103, dtype=np.float32)
    wide = np.tanh(x.astype(np.float64))
    np.testing.assert_allclose(model.f(x), gelu(gelu(x.astype(np.float64))), atol=1e-6)
    slope = ERFC(-wide / np.sqrt(2)) / 2 + wide * np.exp(-wide * wide / 2) / np.sqrt(2 * np.pi)
    (found,) = model.total_adjoint(x)[1:]
    np.testing.assert_allclose(np.ravel(found), slope * (1 - wide * wide), atol=1e-5)


@cache
def every_16411th() -> tuple[np.ndarray, np.ndarray]:
    """Numbers of f32 of all sizes, next to zero, in the tail and special ones, and gelu of them in f64."""
    bits = np.arange(0, 1 << 32, 16411).astype(np.uint32).view(np.float32)
    powers = 2.0 ** np.arange(-149, 4)
    special = [0.0, np.nan, np.inf, 3.4e38, 14.3, 14.29]
    with np.errstate(invalid="ignore", over="ignore"):
        x = np.concatenate([bits, powers, np.linspace(0, 15, 50_000), special])
        x = np.concatenate([x, -x]).astype(np.float32)
        return x, gelu(x.astype(np.float64))


@pytest.mark.slow
@pytest.mark.parametrize("cpu", OWN_CPU)
def test_gelu_of_all_numbers(cpu: str):
    """Within 1.2e-6 of results down to x = -13, then within a unit of the tail times |x|; NaN and the signs
    of zeros are those of f64."""
    bb = BlockBuilder()
    for dtype in ("f32", "f16", "bf16"):
        with bb.function(f"of_{dtype}", {"x": TensorType(["n"], dtype)}) as (x,):
            bb.emit_func_output(bb.emit(relax.gelu(x)))
    model = lowering.compile(bb.get(), cpu=cpu)
    x, exact = every_16411th()
    found = model.of_f32(x)
    is_tiny = (x < -13) | (np.abs(x) < np.finfo(np.float32).tiny)
    np.testing.assert_allclose(found[~is_tiny], exact[~is_tiny], rtol=1.2e-6)
    np.testing.assert_allclose(found[is_tiny], exact[is_tiny], rtol=1.2e-6, atol=2e-44)
    kept = ~np.isnan(exact)
    np.testing.assert_array_equal(np.signbit(found[kept]), np.signbit(exact[kept]))
    for name, dtype, digits, least in (
        ("of_f16", "f2", 11, 2e-7),
        ("of_bf16", ml_dtypes.bfloat16, 8, 1e-39),
    ):
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = x.astype(dtype)
            exact = gelu(narrow.astype(np.float64))
        found = getattr(model, name)(narrow).astype(np.float64)
        np.testing.assert_allclose(found, exact, rtol=1.01 * 2.0**-digits, atol=least)


def test_alphas_whose_number_shows_when_the_program_runs():
    t, a = "!relax.tensor<[n, m], f32>", "!relax.tensor<[?], f32>"
    module = parse(f"""
    relax.func @main(%x: {t}, %a: {a}) -> {t} {{
      %y = relax.prelu %x, %a {{axis = 1 : i64}} : ({t}, {a}) -> {t}
      relax.return %y : {t}
    }}""")
    compiled = lowering.compile(module)
    for call in (partial(run, module, "main"), compiled.main):
        for m, count in ((5, 1), (5, 5), (0, 1), (0, 0)):
            x, alpha = -np.ones((2, m), np.float32), np.arange(count, dtype=np.float32)
            np.testing.assert_array_equal(call(x, alpha), x * alpha)
        for m, count in ((5, 3), (1, 3), (5, 0)):
            message = rf"relax.prelu.*expected alpha of length 1, .*, found {count} for {m}"
            with pytest.raises(RelaxError, match=message):
                call(np.ones((2, m), np.float32), np.ones(count, np.float32))
