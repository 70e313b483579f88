"""Every op on vectors in functions of its own, what its lanes must be, and statements with vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

FLOATS = [
    *(f"arith.{op} %a, %b" for op in ("addf", "subf", "mulf", "divf", "remf")),
    *(f"arith.{op} %a, %b" for op in ("maximumf", "minimumf", "maxnumf", "minnumf")),
    "arith.negf %a",
    "math.absf %a",
    "math.sqrt %a",
    "math.floor %a",
    "math.copysign %a, %b",
    "math.fma %a, %b, %a",
    "math.exp %a",
    "arith.maximumf %k, %a",
    "arith.subf %k, %b",
    "arith.divf %one, %k",
]


INTEGERS = [
    *(
        f"arith.{op} %a, %b"
        for op in [
            "addi",
            "subi",
            "muli",
            "divsi",
            "divui",
            "remsi",
            "remui",
            "floordivsi",
            "maxsi",
            "minsi",
            "maxui",
            "minui",
            "andi",
            "ori",
            "xori",
            "shli",
            "shrsi",
            "shrui",
        ]
    ),
    "math.absi %a",
    "arith.shli %a, %one",
    "arith.shrsi %a, %one",
    "arith.shrui %a, %one",
    "arith.subi %k, %a",
    "arith.muli %b, %k overflow<nsw>",
    "arith.andi %a, %k",
]


CMPF = [
    "false",
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "une",
    "uno",
    "true",
]


CMPI = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


CONVERSIONS = [
    *(("f32", f"arith.{op}", to) for op in ("fptosi", "fptoui") for to in ("i8", "i32", "i64")),
    ("f32", "arith.extf", "f64"),
    ("f32", "arith.truncf", "f16"),
    ("f32", "arith.bitcast", "i32"),
    *((of, f"arith.{op}", "f32") for of in ("i8", "i32", "i64") for op in ("sitofp", "uitofp")),
    *(
        (of, f"arith.{op}", to)
        for of, wider in (("i8", ("i16", "i32", "i64")), ("i16", ("i32", "i64")), ("i32", ("i64",)))
        for to in wider
        for op in ("extsi", "extui")
    ),
    ("i64", "arith.trunci", "i8"),
    ("i32", "arith.bitcast", "f32"),
    ("i32", "arith.index_cast", "index"),
]


LANES = 8


def kernel(name: str, t: str, result: str, lines: str) -> str:
    """The same op on each number and on vectors, which must agree."""
    body = """
  func.func @NAME(%x: memref<64xELEMENT>, %y: memref<64xELEMENT>, %out: memref<64xRESULT> {relax.result})
      attributes {relax.entry} {
    %c0 = arith.constant 0 : index
    %step = arith.constant STEP : index
    %c64 = arith.constant 64 : index
    scf.for %i = %c0 to %c64 step %step {
      %a = LOAD %x[%i] : memref<64xELEMENT>OF_T
      %b = LOAD %y[%i] : memref<64xELEMENT>OF_T
LINES
      STORE %r, %out[%i] : memref<64xRESULT>OF_R
    }
    func.return
  }"""
    one, k = ("1.0", "-2.5") if t.startswith("f") else ("1", "-3")
    out = ""
    for kind in ("scalar", "vector"):
        is_vector = kind == "vector"

        def type_(element: str, is_vector: bool = is_vector) -> str:
            return f"vector<{LANES}x{element}>" if is_vector else element

        def value(text: str, is_vector: bool = is_vector) -> str:
            return f"dense<{text}>" if is_vector else text

        constants = f"%one = arith.constant {value(one)} : {type_(t)}\n"
        constants += f"%k = arith.constant {value(k)} : {type_(t)}\n"
        text = body.replace("LINES", constants + lines)
        text = text.replace("NAME", f"{name}_{kind}").replace(
            "STEP", str(LANES) if is_vector else "1"
        )
        for word, op in (("LOAD", "load"), ("STORE", "store")):
            text = text.replace(word, f"{'vector' if is_vector else 'memref'}.{op}")
        text = text.replace("OF_T", f", {type_(t)}" if is_vector else "")
        text = text.replace("OF_R", f", {type_(result)}" if is_vector else "")
        text = text.replace("TT", type_(t)).replace("RR", type_(result)).replace("MM", type_("i1"))
        out += text.replace("ELEMENT", t).replace("RESULT", result)
    return out


def compared(op: str, predicate: str) -> str:
    """A comparison's truth as numbers: chosen, extended, and through other operations on truth values."""
    return f"""      %m = arith.{op} {predicate}, %a, %b : TT
      %yes = arith.constant YES
      %n = arith.xori %m, %yes : MM
      %o = arith.{op} {predicate}, %b, %k : TT
      %both = arith.andi %n, %o : MM
      %p = arith.select %both, %a, %b : WHERETT
      %r = arith.select %m, %p, %one : WHERETT"""


def programs() -> dict[str, str]:
    """Every op on the narrow type, and on one of the wider ones; every predicate, and every conversion."""
    found: dict[str, str] = {}
    for i, op in enumerate(FLOATS):
        for t in ("f32", "f64") if i % 2 else ("f32",):
            found[f"{t}_{i}"] = kernel(f"{t}_{i}", t, t, f"      %r = {op} : TT")
    for i, op in enumerate(INTEGERS):
        for t in ("i8", ("i32", "i64")[i % 2]):
            found[f"{t}_{i}"] = kernel(f"{t}_{i}", t, t, f"      %r = {op} : TT")
    for op, t, predicates in (
        *(("cmpf", "f32", CMPF), ("cmpi", "i8", CMPI[::2]), ("cmpi", "i32", CMPI[1::2])),
    ):
        for predicate in predicates:
            name = f"{t}_{op}_{predicate}"
            text = kernel(name, t, t, compared(op, predicate))
            scalar, vector = text.split("_vector(")
            mask = f"vector<{LANES}xi1>"
            vector = vector.replace("YES", f"dense<true> : {mask}").replace("WHERE", f"{mask}, ")
            scalar = scalar.replace("YES", "true").replace("WHERE", "")
            text = f"{scalar}_vector({vector}"
            found[name] = text
    for t, op, result in CONVERSIONS:
        name = f"{op[6:]}_{t}_{result}"
        found[name] = kernel(name, t, result, f"      %r = {op} %a : TT to RR")
    for op, result in (("extsi", "i64"), ("extui", "i8"), ("uitofp", "f32"), ("sitofp", "f64")):
        name = f"mask_{op}"
        lines = f"      %m = arith.cmpf olt, %a, %b : TT\n      %r = arith.{op} %m : MM to RR"
        found[name] = kernel(name, "f32", result, lines)
    return found


def special_numbers(dtype: np.dtype, rng: np.random.Generator) -> np.ndarray:
    """64 numbers with all that is special among them."""
    if dtype.kind == "f":
        special = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-40, -1.5, 2.5, 3e9, -200.0]
        return rng.permutation(np.array([*special, *rng.standard_normal(54) * 4], dtype))
    info = np.iinfo(dtype)
    special = [0, 1, -1, 2, 7, info.min, info.max, -3, 31, 33]
    return rng.permutation(np.array([*special, *rng.integers(-9, 9, 54)], dtype))


def check_lanes(module: Any, texts: Mapping[str, str]) -> None:
    rng = np.random.default_rng(0)
    for name, text in texts.items():
        t = text.partition("memref<64x")[2].partition(">")[0]
        dtype = np.dtype({"f": "float", "i": "int"}[t[0]] + t[1:])
        x, y = special_numbers(dtype, rng), special_numbers(dtype, rng)
        expected, found = (getattr(module, f"{name}_{kind}")(x, y) for kind in ("scalar", "vector"))
        is_nan = np.isnan(expected) if expected.dtype.kind == "f" else np.zeros(64, bool)
        assert expected[~is_nan].tobytes() == found[~is_nan].tobytes(), name
        assert (found[is_nan] != found[is_nan]).all(), name


def text_of(lines: str, t: str = "vector<4xf32>") -> str:
    return f"""
func.func @f(%x: memref<8xf32>, %w: memref<8x8xf32, strided<[8, 2]>>) attributes {{relax.entry}} {{
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<8xf32>, {t}
  {lines}
  vector.store %v, %x[%c0] : memref<8xf32>, {t}
  func.return
}}"""


STATEMENTS = """
func.func @reductions(%x: memref<16xf32>, %y: memref<16xi32>, %f: memref<6xf32> {relax.result},
    %i: memref<6xi32> {relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %ten = arith.constant 10.0 : f32
  %seven = arith.constant 7 : i32
  %v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
  %w = vector.load %y[%c0] : memref<16xi32>, vector<16xi32>
  %f0 = vector.reduction <add>, %v : vector<16xf32> into f32
  %f1 = vector.reduction <add>, %v, %ten : vector<16xf32> into f32
  %f2 = vector.reduction <maximumf>, %v : vector<16xf32> into f32
  %f3 = vector.reduction <minnumf>, %v, %ten : vector<16xf32> into f32
  %f4 = vector.extract %v[3] : f32 from vector<16xf32>
  %one = vector.broadcast %ten : f32 to vector<1xf32>
  %f5 = vector.reduction <mul>, %one : vector<1xf32> into f32
  memref.store %f0, %f[%c0] : memref<6xf32>
  memref.store %f1, %f[%c1] : memref<6xf32>
  memref.store %f2, %f[%c2] : memref<6xf32>
  memref.store %f3, %f[%c3] : memref<6xf32>
  memref.store %f4, %f[%c4] : memref<6xf32>
  memref.store %f5, %f[%c5] : memref<6xf32>
  %i0 = vector.reduction <add>, %w, %seven : vector<16xi32> into i32
  %i1 = vector.reduction <maxui>, %w : vector<16xi32> into i32
  %i2 = vector.reduction <minsi>, %w : vector<16xi32> into i32
  %i3 = vector.reduction <xor>, %w : vector<16xi32> into i32
  %i4 = vector.reduction <or>, %w : vector<16xi32> into i32
  %i5 = vector.extract %w[%c5] : i32 from vector<16xi32>
  memref.store %i0, %i[%c0] : memref<6xi32>
  memref.store %i1, %i[%c1] : memref<6xi32>
  memref.store %i2, %i[%c2] : memref<6xi32>
  memref.store %i3, %i[%c3] : memref<6xi32>
  memref.store %i4, %i[%c4] : memref<6xi32>
  memref.store %i5, %i[%c5] : memref<6xi32>
  func.return
}

// What is carried: a vector that is updated in its place, two that change places, one whose old value is read
// after the new one is there, and truth values.
func.func @carried(%n: index {relax.symbol = "n"}, %x: memref<?x4xf32> {relax.dims = ["n", "4"]},
    %out: memref<5x4xf32> {relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %lanes = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
  %none = arith.constant dense<false> : vector<4xi1>
  %r:5 = scf.for %i = %c0 to %n step %c1
      iter_args(%sum = %zero, %a = %zero, %b = %lanes, %last = %zero, %any = %none)
      -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xi1>) {
    %v = vector.load %x[%i, %c0] : memref<?x4xf32>, vector<4xf32>
    %more = arith.addf %sum, %v : vector<4xf32>
    %before = arith.mulf %v, %lanes : vector<4xf32>
    %new = arith.addf %last, %before : vector<4xf32>
    %old = arith.subf %new, %last : vector<4xf32>
    %swapped = arith.addf %b, %old : vector<4xf32>
    %below = arith.cmpf olt, %v, %zero : vector<4xf32>
    %some = arith.ori %any, %below : vector<4xi1>
    %odd = arith.remui %i, %c2 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    %chosen = scf.if %is_odd -> (vector<4xf32>) {
      scf.yield %new : vector<4xf32>
    } else {
      %minus = arith.negf %new : vector<4xf32>
      scf.yield %minus : vector<4xf32>
    }
    scf.yield %more, %swapped, %a, %chosen, %some
        : vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xi1>
  }
  %e = arith.select %r#4, %lanes, %zero : vector<4xi1>, vector<4xf32>
  vector.store %r#0, %out[%c0, %c0] : memref<5x4xf32>, vector<4xf32>
  vector.store %r#1, %out[%c1, %c0] : memref<5x4xf32>, vector<4xf32>
  vector.store %r#2, %out[%c2, %c0] : memref<5x4xf32>, vector<4xf32>
  vector.store %r#3, %out[%c3, %c0] : memref<5x4xf32>, vector<4xf32>
  vector.store %e, %out[%c4, %c0] : memref<5x4xf32>, vector<4xf32>
  func.return
}

// A vector that is read is not read again after a write; scalars in lanes, and lanes in other orders.
func.func @moved(%x: memref<8xf32>) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %low = vector.load %x[%c0] : memref<8xf32>, vector<4xf32>
  %s = memref.load %x[%c4] : memref<8xf32>
  %all = vector.broadcast %s : f32 to vector<4xf32>
  %high = vector.load %x[%c4] : memref<8xf32>, vector<4xf32>
  vector.store %all, %x[%c0] : memref<8xf32>, vector<4xf32>
  %mixed = vector.shuffle %low, %high [7, 0, 5, 2] : vector<4xf32>, vector<4xf32>
  %put = vector.insert %s, %mixed[1] : f32 into vector<4xf32>
  %last = memref.load %x[%c3] : memref<8xf32>
  %again = vector.insert %last, %put[%c3] : f32 into vector<4xf32>
  vector.store %again, %x[%c4] : memref<8xf32>, vector<4xf32>
  func.return
}
"""


def check_statements(module: Any) -> None:
    rng = np.random.default_rng(1)
    x = (rng.standard_normal(16) * 4).astype(np.float32)
    y = rng.integers(-(2**31), 2**31, 16, dtype=np.int32)
    f, i = module.reductions(x, y)
    expected = [x.sum(), x.sum() + np.float32(10), x.max(), min(x.min(), 10), x[3], 10]
    np.testing.assert_allclose(f, expected, rtol=1e-5)
    total = (y.astype(np.int64).sum() + 7 + 2**31) % 2**32 - 2**31
    ored = np.bitwise_or.reduce(y)
    assert i.tolist() == [
        total, y.view(np.uint32).max().astype(np.int32), y.min(), np.bitwise_xor.reduce(y), ored, y[5],
    ]  # fmt: skip

    lanes = np.arange(1, 5, dtype=np.float32)
    for n in (0, 1, 2, 5):
        x = rng.standard_normal((n, 4)).astype(np.float32)
        a, b, last = np.zeros(4, np.float32), lanes, np.zeros(4, np.float32)
        for k in range(n):
            new = last + x[k] * lanes
            a, b, last = b + (new - last), a, new if k % 2 else -new
        any_below = np.where((x < 0).any(axis=0), lanes, 0)
        found = module.carried(x)
        np.testing.assert_allclose(
            found, [x.sum(axis=0), a, b, last, any_below], rtol=1e-4, atol=1e-5
        )

    x = np.arange(8, dtype=np.float32)
    module.moved(x)
    assert x.tolist() == [4, 4, 4, 4, 7, 4, 5, 4]
