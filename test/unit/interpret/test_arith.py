"""Scalar and elementwise arithmetic of the arith and math dialects against Python's."""

import math

import numpy as np
import pytest

from .programs import run_text

BITS = {"i8": 8, "i32": 32, "i64": 64}
INTEGERS = {"i8": np.int8, "i32": np.int32, "i64": np.int64}


def _on_scalars(op: str, operand: str, result: str, *args, form: str = "{op} {args} : {operand}"):
    """`op` on scalars of one type in a function of its own."""
    names = [f"%a{chr(ord('a') + i)}" for i in range(len(args))]
    params = ", ".join(f"{n}: {operand}" for n in names)
    line = form.format(op=op, args=", ".join(names), operand=operand, result=result)
    return run_text(
        f"func.func @main({params}) -> {result} {{\n %r = {line}\n func.return %r : {result}\n}}",
        *args,
    )


def _signed(value: int, bits: int) -> int:
    value %= 2**bits
    return value - 2**bits if value >= 2 ** (bits - 1) else value


INTEGER_OPS = {
    "addi": lambda a, b, n: a + b,
    "subi": lambda a, b, n: a - b,
    "muli": lambda a, b, n: a * b,
    "divsi": lambda a, b, n: int(math.copysign(1, a * b)) * (abs(a) // abs(b)),
    "remsi": lambda a, b, n: int(math.copysign(1, a)) * (abs(a) % abs(b)),
    "floordivsi": lambda a, b, n: a // b,
    "ceildivsi": lambda a, b, n: -(-a // b),
    "divui": lambda a, b, n: (a % 2**n) // (b % 2**n),
    "remui": lambda a, b, n: (a % 2**n) % (b % 2**n),
    "ceildivui": lambda a, b, n: -(-(a % 2**n) // (b % 2**n)),
    "maxsi": lambda a, b, n: max(a, b),
    "minsi": lambda a, b, n: min(a, b),
    "maxui": lambda a, b, n: max(a % 2**n, b % 2**n),
    "minui": lambda a, b, n: min(a % 2**n, b % 2**n),
    "andi": lambda a, b, n: a & b,
    "ori": lambda a, b, n: a | b,
    "xori": lambda a, b, n: a ^ b,
}


@pytest.mark.parametrize("type", INTEGERS)
@pytest.mark.parametrize("op", INTEGER_OPS)
@pytest.mark.filterwarnings("error")
def test_integers(op, type):
    bits, make = BITS[type], INTEGERS[type]
    high = 2 ** (bits - 1) - 1
    pairs = [(7, 3), (-7, 3), (7, -3), (-7, -3), (high, 2), (-high, 5), (0, -1)]
    for a, b in pairs:
        result = _on_scalars(f"arith.{op}", type, type, make(a), make(b))
        assert result == _signed(INTEGER_OPS[op](a, b, bits), bits), (a, b)
        assert isinstance(result, make)


@pytest.mark.parametrize(
    ("op", "a", "b", "expected"),
    [("shli", 3, 6, -64), ("shrui", -1, 4, 15), ("shrsi", -128, 4, -8), ("shli", 1, 0, 1)],
)
def test_shifts(op, a, b, expected):
    assert _on_scalars(f"arith.{op}", "i8", "i8", np.int8(a), np.int8(b)) == expected


@pytest.mark.parametrize("op", ["addi", "subi", "muli", "andi", "ori", "xori"])
def test_booleans_are_integers_of_one_bit(op):
    for a in (0, 1):
        for b in (0, 1):
            result = _on_scalars(f"arith.{op}", "i1", "i1", np.bool_(a), np.bool_(b))
            assert result == INTEGER_OPS[op](a, b, 1) % 2 and isinstance(result, np.bool_)


COMPARISONS = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@pytest.mark.parametrize("predicate", ["eq", "ne", "slt", "sle", "sgt", "sge"])
def test_cmpi_signed(predicate):
    for a, b in [(1, 2), (2, 1), (-1, 1), (3, 3)]:
        result = _on_scalars(f"arith.cmpi {predicate},", "i32", "i1", np.int32(a), np.int32(b))
        assert result == COMPARISONS[predicate[-2:]](a, b)


@pytest.mark.parametrize("predicate", ["ult", "ule", "ugt", "uge"])
def test_cmpi_unsigned(predicate):
    for a, b in [(1, 2), (2, 1), (-1, 1), (3, 3)]:
        result = _on_scalars(f"arith.cmpi {predicate},", "i8", "i1", np.int8(a), np.int8(b))
        assert result == COMPARISONS[predicate[-2:]](a % 256, b % 256)


@pytest.mark.parametrize("predicate", COMPARISONS)
def test_cmpf(predicate):
    for a, b in [(1.0, 2.0), (2.0, 1.0), (3.0, 3.0), (math.nan, 1.0), (math.nan, math.nan)]:
        nan = math.isnan(a) or math.isnan(b)
        exact = COMPARISONS[predicate](a, b)
        x, y = np.float32(a), np.float32(b)
        ordered = _on_scalars(f"arith.cmpf o{predicate},", "f32", "i1", x, y)
        unordered = _on_scalars(f"arith.cmpf u{predicate},", "f32", "i1", x, y)
        assert ordered == (exact and not nan) and unordered == (exact or nan)
        assert _on_scalars("arith.cmpf ord,", "f32", "i1", x, y) == (not nan)
        assert _on_scalars("arith.cmpf uno,", "f32", "i1", x, y) == nan
        assert _on_scalars("arith.cmpf true,", "f32", "i1", x, y)
        assert not _on_scalars("arith.cmpf false,", "f32", "i1", x, y)


@pytest.mark.parametrize(
    ("op", "exact"),
    [
        ("arith.addf", lambda a, b: a + b),
        ("arith.subf", lambda a, b: a - b),
        ("arith.mulf", lambda a, b: a * b),
        ("arith.divf", lambda a, b: a / b),
        ("math.powf", lambda a, b: a**b),
        ("math.atan2", math.atan2),
        ("math.copysign", math.copysign),
    ],
)
@pytest.mark.parametrize(("type", "make"), [("f16", np.float16), ("f32", np.float32)])
def test_floats_round_once(op, exact, type, make):
    a, b = make(1.1), make(0.3)
    result = _on_scalars(op, type, type, a, b)
    assert result == make(exact(float(a), float(b))) and isinstance(result, make)


@pytest.mark.parametrize(
    ("op", "of_nan", "larger"),
    [
        ("arith.maximumf", True, True),
        ("arith.minimumf", True, False),
        ("arith.maxnumf", False, True),
        ("arith.minnumf", False, False),
    ],
)
def test_maximum_and_nan(op, of_nan, larger):
    one, two, nan = np.float32(1), np.float32(2), np.float32(math.nan)
    assert _on_scalars(op, "f32", "f32", one, two) == (2 if larger else 1)
    for pair in ((one, nan), (nan, one)):
        assert np.isnan(_on_scalars(op, "f32", "f32", *pair)) == of_nan


CAST = "{op} {args} : {operand} to {result}"


@pytest.mark.parametrize(
    ("op", "source", "value", "target", "expected"),
    [
        ("extsi", "i8", np.int8(-5), "i32", np.int32(-5)),
        ("extui", "i8", np.int8(-5), "i32", np.int32(251)),
        ("extsi", "i1", np.bool_(True), "i8", np.int8(-1)),
        ("extui", "i1", np.bool_(True), "i8", np.int8(1)),
        ("trunci", "i32", np.int32(300), "i8", np.int8(44)),
        ("trunci", "i32", np.int32(2), "i1", np.bool_(False)),
        ("index_cast", "index", 7, "i32", np.int32(7)),
        ("index_cast", "i32", np.int32(-7), "index", np.int64(-7)),
        ("sitofp", "i8", np.int8(-5), "f32", np.float32(-5)),
        ("uitofp", "i8", np.int8(-5), "f32", np.float32(251)),
        ("uitofp", "i1", np.bool_(True), "f32", np.float32(1)),
        ("sitofp", "i32", np.int32(2**24 + 1), "f32", np.float32(2**24)),
        ("fptosi", "f32", np.float32(-2.75), "i32", np.int32(-2)),
        ("fptoui", "f32", np.float32(200.5), "i8", np.int8(-56)),
        ("extf", "f32", np.float32(0.1), "f64", np.float64(np.float32(0.1))),
        ("truncf", "f64", np.float64(0.1), "f32", np.float32(0.1)),
        ("bitcast", "f32", np.float32(1), "i32", np.int32(0x3F800000)),
    ],
)
def test_casts(op, source, value, target, expected):
    result = _on_scalars(f"arith.{op}", source, target, value, form=CAST)
    assert result == expected and result.dtype == expected.dtype


MATH = {
    "exp": math.exp,
    "exp2": lambda x: 2**x,
    "expm1": math.expm1,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "log1p": math.log1p,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "tanh": math.tanh,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "erf": math.erf,
    "absf": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
}


@pytest.mark.parametrize("op", MATH)
def test_math(op):
    for value in (0.3, 0.875):
        x = np.float32(value)
        result = _on_scalars(f"math.{op}", "f32", "f32", x)
        assert result == np.float32(MATH[op](float(x))) and isinstance(result, np.float32)


@pytest.mark.parametrize(
    ("op", "table"),
    [
        ("round", {2.5: 3, -2.5: -3, 0.49999997: 0, 1.5: 2, -0.3: 0}),
        ("roundeven", {2.5: 2, -2.5: -2, 0.49999997: 0, 1.5: 2, 3.5: 4}),
    ],
)
def test_rounding(op, table):
    for value, expected in table.items():
        assert _on_scalars(f"math.{op}", "f32", "f32", np.float32(value)) == expected


def test_fma_rounds_once():
    a = np.float32(1 + 2**-12)
    result = _on_scalars("math.fma", "f32", "f32", a, a, np.float32(-1 - 2**-11))
    assert result == 2**-24  # rounding the product first gives zero


def test_select_and_constants():
    text = """
    func.func @main(%c: i1, %a: tensor<2xi32>) -> (tensor<2xi32>, index, i8, f16, i1) {
      %b = arith.constant dense<[10, 20]> : tensor<2xi32>
      %r = arith.select %c, %a, %b : tensor<2xi32>
      %i = arith.constant -3 : index
      %u = arith.constant 255 : i8
      %f = arith.constant 1.500000e+00 : f16
      %t = arith.constant true
      func.return %r, %i, %u, %f, %t : tensor<2xi32>, index, i8, f16, i1
    }
    """
    a = np.array([1, 2], np.int32)
    r, i, u, f, t = run_text(text, np.bool_(True), a)
    assert r is a and (i, u, f, t) == (-3, -1, 1.5, True)
    assert (u.dtype, f.dtype, t.dtype) == (np.int8, np.float16, np.bool_)
    assert run_text(text, np.bool_(False), a)[0].tolist() == [10, 20]
