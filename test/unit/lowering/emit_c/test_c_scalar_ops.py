"""Every scalar operation, elementwise in C against numpy, with every warning an error."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from lowering.emit_c.operations.ops import SPELLINGS

DTYPES = {"f32": "float32", "f64": "float64", "index": "int64", "i1": "bool"}
DTYPES |= {f"i{b}": f"int{b}" for b in (8, 16, 32, 64)}

Reference = Callable[..., np.ndarray]


class Case(NamedTuple):
    """`{name} %a, %b : type` on arrays of the argument types."""

    name: str
    op: str
    args: tuple[str, ...]
    result: str
    reference: Reference
    domain: str = "any"
    cast: bool = False


def unsigned(f: Reference) -> Reference:
    """Reads signed arrays as unsigned."""

    def g(*arrays: np.ndarray) -> np.ndarray:
        result = f(*(a.view(f"u{a.dtype.itemsize}") for a in arrays))
        return result.view(arrays[0].dtype) if result.dtype != np.bool_ else result

    return g


def exactly(f: Callable[[int, int], int], otherwise: int = 0) -> Reference:
    """A function of whole numbers whose result wraps around; `otherwise` where b is zero."""

    def g(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        values = [f(int(x), int(y)) if y != 0 else otherwise for x, y in zip(a, b)]
        bits = 8 * a.dtype.itemsize
        return np.array([v % 2**bits for v in values], f"u{a.dtype.itemsize}").view(a.dtype)

    return g


def truncated_quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


truncated_division = exactly(truncated_quotient)
remainder = exactly(lambda a, b: a - truncated_quotient(a, b) * b)
ceil_division = exactly(lambda a, b: -(-a // b))
ceil_division_unsigned = ceil_division


def ones(a: np.ndarray) -> np.ndarray:
    return np.array([f"{int(x):b}".count("1") for x in a.view(f"u{a.dtype.itemsize}")], a.dtype)


def leading_zeros(a: np.ndarray) -> np.ndarray:
    bits = 8 * a.dtype.itemsize
    return np.array([bits - int(x).bit_length() for x in a.view(f"u{a.dtype.itemsize}")], a.dtype)


def trailing_zeros(a: np.ndarray) -> np.ndarray:
    bits = 8 * a.dtype.itemsize
    lowest = (int(x) & -int(x) for x in a.view(f"u{a.dtype.itemsize}"))
    return np.array([bit.bit_length() - 1 if bit else bits for bit in lowest], a.dtype)


def elementwise(f: Callable[[float], float]) -> Reference:
    return lambda a: np.array([f(float(x)) for x in a], dtype=a.dtype)


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    width = a.dtype.itemsize * 8

    def one(x: int, n: int) -> int:
        if n < 0:
            return {1: 1, -1: 1 if n % 2 == 0 else -1}.get(x, 0)
        wrapped = pow(x, n, 2**width)
        return wrapped - 2**width if wrapped >= 2 ** (width - 1) else wrapped

    return np.array([one(int(x), int(n)) for x, n in zip(a, b)], dtype=a.dtype)


CASES: list[Case] = []

for t in ("f32", "f64"):
    for op, f in {
        "addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide,
        "maximumf": np.maximum, "minimumf": np.minimum,
        "maxnumf": np.fmax, "minnumf": np.fmin, "remf": np.fmod,
    }.items():  # fmt: skip
        CASES.append(Case(f"arith.{op}", f"arith.{op}", (t, t), t, f))
    CASES.append(Case("arith.negf", "arith.negf", (t,), t, np.negative))
    for predicate, compare in {
        "oeq": lambda a, b: a == b, "ogt": lambda a, b: a > b, "oge": lambda a, b: a >= b,
        "olt": lambda a, b: a < b, "ole": lambda a, b: a <= b,
        "one": lambda a, b: (a < b) | (a > b), "ord": lambda a, b: ~(np.isnan(a) | np.isnan(b)),
        "ueq": lambda a, b: ~((a < b) | (a > b)), "ugt": lambda a, b: ~(a <= b),
        "uge": lambda a, b: ~(a < b), "ult": lambda a, b: ~(a >= b), "ule": lambda a, b: ~(a > b),
        "une": lambda a, b: a != b, "uno": lambda a, b: np.isnan(a) | np.isnan(b),
        "true": lambda a, b: np.ones(a.shape, bool), "false": lambda a, b: np.zeros(a.shape, bool),
    }.items():  # fmt: skip
        CASES.append(Case("arith.cmpf", f"arith.cmpf {predicate},", (t, t), "i1", compare))
    for op, f, domain in (
        ("absf", np.abs, "any"), ("ceil", np.ceil, "any"), ("floor", np.floor, "any"),
        ("trunc", np.trunc, "any"), ("roundeven", np.rint, "any"),
        ("round", lambda a: np.copysign(np.floor(np.abs(a) + a.dtype.type(0.5)), a), "small"),
        ("sqrt", np.sqrt, "any"), ("rsqrt", lambda a: 1 / np.sqrt(a), "positive"),
        ("exp", np.exp, "small"), ("exp2", np.exp2, "small"), ("expm1", np.expm1, "small"),
        ("log", np.log, "positive"), ("log2", np.log2, "positive"),
        ("log10", np.log10, "positive"), ("log1p", np.log1p, "positive"),
        ("sin", np.sin, "small"), ("cos", np.cos, "small"), ("tan", np.tan, "unit"),
        ("asin", np.arcsin, "unit"), ("acos", np.arccos, "unit"), ("atan", np.arctan, "any"),
        ("sinh", np.sinh, "unit"), ("cosh", np.cosh, "unit"), ("tanh", np.tanh, "any"),
        ("asinh", np.arcsinh, "small"), ("acosh", lambda a: np.arccosh(a), "above one"),
        ("atanh", np.arctanh, "unit"), ("cbrt", np.cbrt, "any"),
        ("erf", elementwise(math.erf), "any"), ("erfc", elementwise(math.erfc), "any"),
    ):  # fmt: skip
        CASES.append(Case(f"math.{op}", f"math.{op}", (t,), t, f, domain))
    CASES.append(Case("math.powf", "math.powf", (t, t), t, np.power, "positive"))
    CASES.append(Case("math.atan2", "math.atan2", (t, t), t, np.arctan2, "small"))
    CASES.append(Case("math.copysign", "math.copysign", (t, t), t, np.copysign))
    CASES.append(Case("math.fma", "math.fma", (t, t, t), t, lambda a, b, c: a * b + c, "unit"))

for t in ("i8", "i16", "i32", "i64", "index"):
    for op, f, domain in (
        ("addi", np.add, "any"), ("subi", np.subtract, "any"), ("muli", np.multiply, "any"),
        ("andi", np.bitwise_and, "any"), ("ori", np.bitwise_or, "any"),
        ("xori", np.bitwise_xor, "any"), ("maxsi", np.maximum, "any"),
        ("minsi", np.minimum, "any"), ("maxui", unsigned(np.maximum), "any"),
        ("minui", unsigned(np.minimum), "any"), ("divsi", truncated_division, "corners"),
        ("remsi", remainder, "corners"), ("divui", unsigned(np.floor_divide), "corners"),
        ("remui", unsigned(np.remainder), "corners"),
        ("floordivsi", np.floor_divide, "corners"), ("ceildivsi", ceil_division, "corners"),
        ("ceildivui", unsigned(ceil_division_unsigned), "corners"),
        ("shli", np.left_shift, "corners"), ("shrsi", np.right_shift, "corners"),
        ("shrui", unsigned(np.right_shift), "corners"),
    ):  # fmt: skip
        if t == "index" and op in ("addi", "subi", "muli"):
            domain = "small"
        if t == "index" and domain == "corners":
            domain = "shift" if op.startswith("sh") else "divisor"
        CASES.append(Case(f"arith.{op}", f"arith.{op}", (t, t), t, f, domain))
    for predicate, f in {
        "eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal,
        "sgt": np.greater, "sge": np.greater_equal, "ult": unsigned(np.less),
        "ule": unsigned(np.less_equal), "ugt": unsigned(np.greater),
        "uge": unsigned(np.greater_equal),
    }.items():  # fmt: skip
        CASES.append(Case("arith.cmpi", f"arith.cmpi {predicate},", (t, t), "i1", f))
    if t != "index":
        CASES.append(Case("math.absi", "math.absi", (t,), t, np.abs))
        CASES.append(Case("math.ctpop", "math.ctpop", (t,), t, ones))
        CASES.append(Case("math.ctlz", "math.ctlz", (t,), t, leading_zeros))
        CASES.append(Case("math.cttz", "math.cttz", (t,), t, trailing_zeros))
        CASES.append(Case("math.ipowi", "math.ipowi", (t, t), t, power, "shift"))

for op, f in {
    "addi": np.not_equal, "subi": np.not_equal, "muli": np.logical_and, "andi": np.logical_and,
    "ori": np.logical_or, "xori": np.not_equal, "maxui": np.logical_or, "minui": np.logical_and,
    "maxsi": np.logical_and, "minsi": np.logical_or,
}.items():  # fmt: skip
    CASES.append(Case(f"arith.{op}", f"arith.{op}", ("i1", "i1"), "i1", f))
for predicate, f in {
    "eq": np.equal, "ne": np.not_equal, "ult": np.less, "ule": np.less_equal, "ugt": np.greater,
    "slt": np.greater, "sge": np.less_equal,
}.items():  # fmt: skip
    CASES.append(Case("arith.cmpi", f"arith.cmpi {predicate},", ("i1", "i1"), "i1", f))


def converted(dtype: str) -> Reference:
    return lambda a: a.astype(dtype)


def zero_extended(dtype: str) -> Reference:
    return lambda a: (a if a.dtype == np.bool_ else a.view(f"u{a.dtype.itemsize}")).astype(dtype)


def sign_extended(dtype: str) -> Reference:
    return lambda a: -a.astype(dtype) if a.dtype == np.bool_ else a.astype(dtype)


for op, source, target, make, domain in (
    ("extsi", "i8", "i32", sign_extended, "any"), ("extsi", "i1", "i32", sign_extended, "any"),
    ("extsi", "i32", "i64", sign_extended, "any"), ("extui", "i8", "i32", zero_extended, "any"),
    ("extui", "i1", "i8", zero_extended, "any"), ("extui", "i32", "i64", zero_extended, "any"),
    ("trunci", "i64", "i32", converted, "any"), ("trunci", "i32", "i8", converted, "any"),
    ("extf", "f32", "f64", converted, "any"), ("truncf", "f64", "f32", converted, "any"),
    ("sitofp", "i32", "f32", sign_extended, "any"), ("sitofp", "i64", "f64", sign_extended, "any"),
    ("sitofp", "i1", "f32", sign_extended, "any"), ("uitofp", "i32", "f32", zero_extended, "any"),
    ("uitofp", "i1", "f32", zero_extended, "any"), ("fptosi", "f32", "i32", converted, "small"),
    ("fptosi", "f64", "i64", converted, "small"), ("fptoui", "f32", "i8", converted, "unit+"),
    ("index_cast", "index", "i32", converted, "any"),
    ("index_cast", "i8", "index", sign_extended, "any"),
    ("index_cast", "i1", "index", sign_extended, "any"),
    ("bitcast", "f32", "i32", lambda d: lambda a: a.view(d), "any"),
    ("bitcast", "i64", "f64", lambda d: lambda a: a.view(d), "any"),
):  # fmt: skip
    name = f"arith.{op}"
    CASES.append(Case(name, name, (source,), target, make(DTYPES[target]), domain, cast=True))
CASES.append(Case("arith.trunci", "arith.trunci", ("i32",), "i1", lambda a: a % 2 == 1, cast=True))


def values(t: str, domain: str, which: int) -> np.ndarray:
    """An odd number of values with the type's corners where the domain allows them."""
    rng = np.random.default_rng([which, len(t), len(domain)])
    dtype = np.dtype(DTYPES[t])
    n = 203
    if dtype == np.bool_:
        return rng.integers(0, 2, n).astype(np.bool_)
    if dtype.kind == "f":
        uniform = rng.uniform(-1, 1, n).astype(dtype)
        if domain in ("unit", "unit+"):
            return np.abs(uniform) * 100 if domain == "unit+" else uniform * dtype.type(0.99)
        if domain == "positive":
            return np.abs(uniform) * 10 + dtype.type(0.01)
        if domain == "above one":
            return np.abs(uniform) * 10 + 1
        scaled = uniform * 20
        if domain == "any":
            corners = np.array([0, -0.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5], dtype)
            scaled[: len(corners) ** 2] = (
                np.repeat(corners, len(corners)) if which == 0 else np.tile(corners, len(corners))
            )
        return scaled
    info = np.iinfo(dtype)
    if domain == "shift" and which == 1:
        return rng.integers(0, info.bits, n).astype(dtype)
    if domain == "small" or (t == "index" and domain == "divisor"):
        return rng.integers(1, 100, n).astype(dtype)
    if domain == "corners":
        corners = np.array([info.min, info.max, 0, -1, 1, 7, info.bits - 1, info.bits, -9], dtype)
        few = np.repeat(corners, 9) if which == 0 else np.tile(corners, 9)
        return np.concatenate([few, rng.integers(info.min, info.max, n, dtype=dtype)])
    data = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    data[::3] = rng.integers(-9, 9, len(data[::3])).astype(dtype)
    if domain == "divisor" and which == 1:
        data[(data == 0) | (data == -1)] = 7
    elif domain == "any":
        data[:4] = (info.min, info.max, 0, -1)
    return data


def module_text() -> str:
    """One entry point per case."""
    functions = []
    for i, case in enumerate(CASES):
        params = ", ".join(
            f'%a{k}: memref<?x{t}> {{relax.dims = ["n"]}}' for k, t in enumerate(case.args)
        )
        loads = "\n".join(
            f"    %x{k} = memref.load %a{k}[%i] : memref<?x{t}>" for k, t in enumerate(case.args)
        )
        operands = ", ".join(f"%x{k}" for k in range(len(case.args)))
        types = case.args[0] + (f" to {case.result}" if case.cast else "")
        functions.append(f"""
func.func @f{i}(%n: index {{relax.symbol = "n"}}, {params},
    %r: memref<?x{case.result}> {{relax.dims = ["n"], relax.result}}) attributes {{relax.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {{
{loads}
    %y = {case.op} {operands} : {types}
    memref.store %y, %r[%i] : memref<?x{case.result}>
  }}
  func.return
}}""")
    return "\n".join(functions)


@pytest.fixture(scope="module")
def module(build, cc):
    return build(module_text(), cc=cc, big=True)


@pytest.mark.slow
@pytest.mark.shortened
def test_every_operation_against_numpy(module):
    wrong = []
    for i, case in enumerate(CASES):
        arrays = [values(t, case.domain, k) for k, t in enumerate(case.args)]
        with np.errstate(all="ignore"):
            expected = case.reference(*arrays)
        found = module[f"f{i}"](*arrays)
        assert found.dtype == np.dtype(DTYPES[case.result])
        exact = found.dtype.kind != "f" or case.name.startswith("arith.")
        tolerance = 0 if exact else 4e-6 if found.dtype == np.float32 else 1e-13
        if not np.allclose(found, expected, rtol=tolerance, atol=tolerance / 10, equal_nan=True):
            at = ~np.isclose(found, expected, rtol=tolerance, equal_nan=True)
            wrong.append(
                (case.op, case.args, [a[at][:3] for a in arrays], found[at][:3], expected[at][:3])
            )
    assert not wrong


def test_every_spelling_is_exercised():
    elsewhere = {"arith.constant", "arith.select", "builtin.unrealized_conversion_cast"}
    untested = set(SPELLINGS) - {c.name for c in CASES} - elsewhere - {"math.fpowi"}
    assert untested == set()
