"""Scalar operations on every element type: interpreted and as compiled C, against numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from optional import UNOPTIMISED
from sampling import sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import lowering
from lowering.runtime.loading import CompiledModule
from relax_dialect import te
from relax_dialect.interpret import run
from relax_dialect.parsing import parse_unverified, verify

NUMPY = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    **{f"i{b}": f"int{b}" for b in (8, 16, 32, 64)},
    **{f"ui{b}": f"uint{b}" for b in (8, 16, 32, 64)},
    "i1": np.bool_,
}
FLOATS = ("f16", "bf16", "f32", "f64")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("ui8", "ui16", "ui32", "ui64")
INTEGERS = SIGNED + UNSIGNED

ULPS = {"f16": 1, "bf16": 1, "f32": 8, "f64": 4}
"""How many units in the last place a transcendental function may be off."""


@dataclass(frozen=True)
class Case:
    """An expression of elements of one type, and numpy's word for it."""

    expression: Callable[..., Any]
    meaning: Callable[..., Any]
    dtype: str
    count: int
    domain: str = "any"
    exact: bool = True

    def functions(self, name: str) -> tuple[FuncOp, str]:
        """The prim func of the expression, and a function that calls it on arrays."""
        inputs = [te.placeholder(("n",), self.dtype, f"x{i}") for i in range(self.count)]
        out = te.compute(("n",), lambda i: self.expression(*(x[i] for x in inputs)), name="out")
        prim = te.create_prim_func([*inputs, out], f"{name}_elements")
        tensor, result = (f"!relax.tensor<[n], {t}>" for t in (self.dtype, out.dtype))
        given = ", ".join(f"%x{i}" for i in range(self.count))
        params = ", ".join(f"%x{i}: {tensor}" for i in range(self.count))
        types = ", ".join([tensor] * self.count)
        return prim, (
            f"relax.func @{name}({params}) -> {result} {{\n"
            f"  %y = relax.call_tir @{name}_elements({given}) : ({types}) -> {result}\n"
            f"  relax.return %y : {result}\n}}\n"
        )

    def arguments(self) -> Iterator[np.ndarray]:
        dtype = np.dtype(NUMPY[self.dtype])
        corners = _corners(dtype, self.domain)
        random = np.random.default_rng(len(self.dtype))
        for position in range(self.count):
            few = np.repeat(corners, corners.size) if position else np.tile(corners, corners.size)
            yield np.concatenate([few, _random(random, dtype, self.domain)])


def _corners(dtype: np.dtype[Any], domain: str) -> np.ndarray:
    if dtype == np.bool_:
        return np.array([False, True])
    if dtype.kind not in "iu":
        if domain != "any":
            return np.array([0.5, 1.0]).astype(dtype)
        values = [0, -0.0, 1, -1, 0.5, -2.5, 1.5, 3, -7, np.inf, -np.inf, np.nan, 1e-5, 1e4]
        return np.array(values).astype(dtype)
    info = np.iinfo(dtype)
    low = [-1, -2, -9, info.min, info.min + 1] if dtype.kind == "i" else []
    shifts = [info.bits - 1, info.bits]
    return np.array([0, 1, 2, 3, 7, *shifts, info.max, info.max - 1, *low], dtype)


def _random(random: np.random.Generator, dtype: np.dtype[Any], domain: str) -> np.ndarray:
    if dtype == np.bool_:
        return random.integers(0, 2, 99).astype(dtype)
    if dtype.kind in "iu":
        high = random.integers(0, np.iinfo(dtype).max, 501, dtype, endpoint=True)
        return high if domain == "any" else high % dtype.type(7)
    low, high = {"unit": (-1, 1), "positive": (0.01, 60), "above one": (1, 60)}.get(domain, (-9, 9))
    return random.uniform(low, high, 2001).astype(dtype)


def in_double(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in f64 (f64 itself in long double), rounded to the element type."""

    def rounded(*x: np.ndarray) -> np.ndarray:
        wide = np.longdouble if x[0].dtype == np.float64 else np.float64
        return np.asarray(function(*(a.astype(wide) for a in x))).astype(x[0].dtype)

    return rounded


def sign(x: np.ndarray) -> np.ndarray:
    return np.where(
        x > 0, 1, np.where(x == 0, 0, x * 0 if x.dtype.kind == "u" else np.where(x < 0, -1, x))
    ).astype(x.dtype)


def elementwise(function: Callable[[float], float]) -> Callable[..., Any]:
    return np.vectorize(function, otypes=[np.float64])


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([pow(int(x), int(y), 2**64) for x, y in zip(a, b)], np.uint64).astype(a.dtype)


CASES: dict[str, Case] = {}


def add(name: str, dtypes: tuple[str, ...], count: int, expression: Any, meaning: Any, **more: Any):
    for dtype in dtypes:
        CASES[f"{name}_{dtype}"] = Case(expression, meaning, dtype, count, **more)


NUMBERS = FLOATS + INTEGERS
add("add", (*NUMBERS, "i1"), 2, lambda a, b: a + b, np.add)
add("sub", NUMBERS, 2, lambda a, b: a - b, np.subtract)
add("mul", (*NUMBERS, "i1"), 2, lambda a, b: a * b, np.multiply)
add("maximum", (*NUMBERS, "i1"), 2, te.maximum, np.maximum)
add("minimum", (*NUMBERS, "i1"), 2, te.minimum, np.minimum)
add("neg", NUMBERS, 1, lambda a: -a, np.negative)
add("abs", NUMBERS, 1, te.abs, np.abs)
add("sign", NUMBERS, 1, te.sign, sign)
add("floordiv", INTEGERS, 2, lambda a, b: a // b, np.floor_divide)
add("floormod", INTEGERS, 2, lambda a, b: a % b, np.remainder)
add("floordiv", FLOATS, 2, lambda a, b: a // b, np.floor_divide)
add("floormod", FLOATS, 2, lambda a, b: a % b, np.remainder)
add("truncmod", (*INTEGERS, "f16", "f32", "f64"), 2, te.truncmod, np.fmod)
add("truncdiv", SIGNED, 2, te.truncdiv, lambda a, b: np.floor_divide(a - np.fmod(a, b), b))
add("truncdiv", UNSIGNED, 2, te.truncdiv, np.floor_divide)
add("div", FLOATS, 2, lambda a, b: a / b, np.divide)
add("power", UNSIGNED, 2, te.power, power, domain="small")
add("and", (*INTEGERS, "i1"), 2, lambda a, b: a & b, np.bitwise_and)
add("or", (*INTEGERS, "i1"), 2, lambda a, b: a | b, np.bitwise_or)
add("xor", (*INTEGERS, "i1"), 2, lambda a, b: a ^ b, np.bitwise_xor)
add("not", (*INTEGERS, "i1"), 1, lambda a: ~a, np.invert)
add("shl", INTEGERS, 2, lambda a, b: a << b, np.left_shift)
add("shr", INTEGERS, 2, lambda a, b: a >> b, np.right_shift)
add(
    "popcount",
    INTEGERS,
    1,
    te.popcount,
    lambda a: np.bitwise_count(a if a.dtype.kind == "u" else a.view(f"u{a.dtype.itemsize}")).astype(
        a.dtype
    ),
)
for floats, whole in {"f16": "ui16", "bf16": "i16", "f32": "ui32", "f64": "i64"}.items():
    for name, source, target in (("bits", floats, whole), ("number", whole, floats)):
        add(
            name,
            (source,),
            1,
            lambda a, t=target: te.reinterpret(a, t),
            lambda a, t=target: a.view(NUMPY[t]),
        )
for symbol, compare in {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal,
}.items():  # fmt: skip
    add(symbol, NUMBERS, 2, lambda a, b, s=symbol: getattr(a, f"__{s}__")(b), compare)
for test in ("isnan", "isinf", "isfinite"):
    add(test, FLOATS, 1, getattr(te, test), getattr(np, test))
for whole, function in {
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.rint,
}.items():
    add(whole, FLOATS, 1, getattr(te, whole), in_double(function))
add("sqrt", FLOATS, 1, te.sqrt, np.sqrt)
add("copysign", FLOATS, 2, te.copysign, np.copysign)
for intrinsic, (function, domain) in {
    "exp": (np.exp, "any"), "exp2": (np.exp2, "any"), "expm1": (np.expm1, "any"),
    "log": (np.log, "any"), "log2": (np.log2, "any"), "log10": (np.log10, "any"),
    "log1p": (np.log1p, "any"), "rsqrt": (lambda x: 1 / np.sqrt(x), "any"),
    "cbrt": (np.cbrt, "any"), "sin": (np.sin, "any"), "cos": (np.cos, "any"),
    "tan": (np.tan, "any"), "asin": (np.arcsin, "unit"), "acos": (np.arccos, "unit"),
    "atan": (np.arctan, "any"), "sinh": (np.sinh, "any"), "cosh": (np.cosh, "any"),
    "tanh": (np.tanh, "any"), "asinh": (np.arcsinh, "any"), "acosh": (np.arccosh, "above one"),
    "atanh": (np.arctanh, "unit"), "erf": (elementwise(math.erf), "any"),
    "erfc": (elementwise(math.erfc), "any"),
}.items():  # fmt: skip
    add(
        intrinsic,
        FLOATS,
        1,
        getattr(te, intrinsic),
        in_double(function),
        domain=domain,
        exact=False,
    )
add("atan2", FLOATS, 2, te.atan2, in_double(np.arctan2), exact=False)
add("pow", FLOATS, 2, te.power, in_double(np.power), domain="positive", exact=False)


@pytest.fixture(scope="module")
def module() -> ModuleOp:
    prims, callers = zip(*(CASES[name].functions(name) for name in sampled(CASES)))
    module = parse_unverified("\n".join(callers))
    module.body.block.add_ops(prims)
    verify(module)
    return module


@pytest.fixture(scope="module")
def model(module: ModuleOp) -> CompiledModule:
    return lowering.compile(module, extra_flags=("-Wall", "-Wextra", "-Werror", *UNOPTIMISED))


def check(case: Case, found: np.ndarray, expected: np.ndarray, x: list[np.ndarray], who: str):
    """Equal to the bit; a function that is rounded twice may be off by some units."""
    assert found.dtype == expected.dtype, who
    if case.exact or found.dtype.kind in "iub":
        wide = np.float64 if found.dtype.kind == "V" else found.dtype
        np.testing.assert_array_equal(found.astype(wide), expected.astype(wide), who)
        return
    a, b = found.astype(np.float64), expected.astype(np.float64)
    nan = np.isnan(b)
    np.testing.assert_array_equal(np.isnan(a), nan, who)
    size = np.abs(expected.astype(np.float32) if found.dtype.kind == "V" else expected)
    with np.errstate(invalid="ignore"):
        unit = np.spacing(size)
    unit = unit.astype(np.float64) * (2**16 if found.dtype.kind == "V" else 1)
    unit = np.maximum(unit, np.finfo(np.float64).tiny)
    with np.errstate(invalid="ignore"):
        error = np.where(nan | (a == b), 0, np.abs(a - b) / unit)
    worst = int(np.argmax(error))
    assert error[worst] <= ULPS[case.dtype], (who, [v[worst] for v in x], a[worst], b[worst])


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_numpy(module: ModuleOp, model: CompiledModule, name: str):
    case = CASES[name]
    x = list(case.arguments())
    with np.errstate(all="ignore"):
        expected = np.asarray(case.meaning(*x))
    check(case, run(module, name, *x), expected, x, "the interpreter")
    check(case, model[name](*x), expected, x, "the C")


@pytest.mark.parametrize(
    "name", [name for name, c in CASES.items() if c.dtype == "f16" and c.count == 1 and not c.exact]
)
def test_functions_of_every_f16(model: CompiledModule, name: str):
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        expected = np.asarray(CASES[name].meaning(x))
        check(CASES[name], model[name](x), expected, [x], "the C")
