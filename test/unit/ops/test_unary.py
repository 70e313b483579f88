"""Elementwise operators on one tensor, as compiled C, against numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ops import unary
from relax_dialect.ops.unary import OPS, FloatPredicateOp, FloatUnaryOp
from relax_dialect.parsing import parse

from .compiled import FEW, STATIC, Case, Sizes, check, compile_cases, each_case, special, tensor

ERF = np.vectorize(math.erf, otypes=["d"])
ERFC = np.vectorize(math.erfc, otypes=["d"])
INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")

FLOATS = {
    unary.ReciprocalOp: lambda x: 1 / x,
    unary.ExpOp: np.exp,
    unary.Exp2Op: np.exp2,
    unary.Expm1Op: np.expm1,
    unary.LogOp: np.log,
    unary.Log2Op: np.log2,
    unary.Log10Op: np.log10,
    unary.Log1pOp: np.log1p,
    unary.SqrtOp: np.sqrt,
    unary.RsqrtOp: lambda x: 1 / np.sqrt(x),
    unary.CbrtOp: np.cbrt,
    unary.SinOp: np.sin,
    unary.CosOp: np.cos,
    unary.TanOp: np.tan,
    unary.AsinOp: np.arcsin,
    unary.AcosOp: np.arccos,
    unary.AtanOp: np.arctan,
    unary.SinhOp: np.sinh,
    unary.CoshOp: np.cosh,
    unary.TanhOp: np.tanh,
    unary.AsinhOp: np.arcsinh,
    unary.AcoshOp: np.arccosh,
    unary.AtanhOp: np.arctanh,
    unary.ErfOp: lambda x: ERF(x).astype(x.dtype),
    unary.ErfcOp: lambda x: ERFC(x).astype(x.dtype),
    unary.SigmoidOp: lambda x: 1 / (1 + np.exp(-x)),
    unary.IsnanOp: lambda x: x != x,
    unary.IsinfOp: np.isinf,
    unary.IsfiniteOp: np.isfinite,
}
NUMBERS = {
    unary.NegativeOp: np.negative,
    unary.AbsOp: np.abs,
    unary.SignOp: np.sign,
    unary.SquareOp: lambda x: x * x,
    unary.CeilOp: lambda x: -np.floor(-x) if x.dtype.kind == "f" else x,
    unary.FloorOp: lambda x: np.floor(x) if x.dtype.kind == "f" else x,
    unary.RoundOp: np.round,
    unary.TruncOp: lambda x: np.copysign(np.floor(np.abs(x)), x) if x.dtype.kind == "f" else x,
}
BITS = {
    unary.LogicalNotOp: (("i1",), lambda x: ~x),
    unary.BitwiseNotOp: (("i1", *INTEGERS), np.invert),
}


def halves(x: np.ndarray) -> np.ndarray:
    """Numbers half of which lie between two integers."""
    return special(np.round(x * 4) / x.dtype.type(2))


def twice(function: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    """A function of f16 computed in f64, as numpy computes some of them in f16 steps."""

    def meaning(x: np.ndarray) -> np.ndarray:
        result = function(x.astype(np.float64))
        return result if result.dtype == bool else result.astype(x.dtype)

    return meaning


CASES: dict[str, Case] = {}
for op, meaning in (FLOATS | NUMBERS).items():
    name = op.name.removeprefix("relax.")
    values = halves if op in NUMBERS else special
    CASES[name] = Case(op, [tensor("n", "m")], meaning, values=values)
    CASES[f"{name}_static"] = Case(op, [tensor(4, 3, 2)], meaning, STATIC, values)
    CASES[f"{name}_scalar"] = Case(op, [tensor()], meaning, STATIC)
    CASES[f"{name}_double"] = Case(op, [tensor("n", 3, dtype="f64")], meaning, values=values)
    CASES[f"{name}_half"] = Case(op, [tensor("n", dtype="f16")], twice(meaning), FEW, values)
for op, meaning in NUMBERS.items():
    name = op.name.removeprefix("relax.")
    for dtype in INTEGERS:
        CASES[f"{name}_{dtype}"] = Case(op, [tensor("n", "m", dtype=dtype)], meaning, FEW)
for op, (dtypes, meaning) in BITS.items():
    name = op.name.removeprefix("relax.")
    for dtype in dtypes:
        CASES[f"{name}_{dtype}"] = Case(op, [tensor("n", "m", dtype=dtype)], meaning, FEW)


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {*FLOATS, *NUMBERS, *BITS} == set(OPS)
    assert set(FLOATS) == {op for op in OPS if issubclass(op, FloatUnaryOp | FloatPredicateOp)}


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64"])
def test_the_least_integer_is_its_own_negative(model: CompiledModule, dtype: str):
    least = np.iinfo(dtype.replace("i", "int")).min
    x = np.array([[least, 0, 1]], dtype.replace("i", "int"))
    np.testing.assert_array_equal(model[f"negative_{dtype}"](x), -x)


@pytest.mark.long
def test_the_ends_of_the_range(model: CompiledModule):
    """Overflow to infinity, underflow to zero, and the limits of the bounded functions."""
    x = np.array([[88.0, 89.0, -87.0, -104.0, np.inf, -np.inf, np.nan, 1e-30]], np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(model.exp(x), np.exp(x), rtol=1e-5, atol=2e-38)
    np.testing.assert_allclose(model.tanh(x), np.tanh(x), rtol=1e-6)
    np.testing.assert_allclose(model.erf(x), ERF(x), rtol=1e-6)
    np.testing.assert_allclose(model.sigmoid(x)[0, 4:7], [1, 0, np.nan])


def test_the_sign_of_zeros_of_half_precision():
    """ml_dtypes has -0 for the sign of -0; f16 and compiled code have 0."""
    for dtype in ("f16", "bf16"):
        module = parse(
            f"relax.func @f(%x: !relax.tensor<[n], {dtype}>) -> !relax.tensor<[n], {dtype}> {{\n"
            f"  %y = relax.sign %x : (!relax.tensor<[n], {dtype}>) -> !relax.tensor<[n], {dtype}>\n"
            f"  relax.return %y : !relax.tensor<[n], {dtype}>\n}}"
        )
        x = np.array([-0.0, 0.0, -2.5, np.nan]).astype(numpy_dtype(parse_dtype(dtype)))
        found = run(module, "f", x).astype(np.float32)
        np.testing.assert_array_equal(found, np.float32([0, 0, -1, np.nan]))
        assert not np.signbit(found[:2]).any()
