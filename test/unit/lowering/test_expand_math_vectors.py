"""Functions of vectors: lane by lane the same bits as of numbers."""

from __future__ import annotations

import numpy as np
import pytest
from optional import COMPILERS, LIGHTLY

from lowering.emit_c import emit
from lowering.loops.expand_math import _EXPANSIONS  # pyright: ignore[reportPrivateUsage]
from lowering.pipeline import lower
from lowering.runtime import loading as runtime
from relax_dialect import parse

OPS = [
    (op.name, t)
    for element, t in zip(_EXPANSIONS, ("f32", "f64"))
    for op in (*_EXPANSIONS[element],)
]
TWO = ("math.powf", "math.atan2")


def text_of(op: str, t: str, lanes: int) -> str:
    """An op on the numbers of a buffer, in their place, one by one and by vectors."""
    name = f"{op[5:]}_{t}"
    arguments = "%a, %b" if op in TWO else "%a"
    return f"""
func.func @{name}_numbers(%x: memref<64x{t}>, %y: memref<64x{t}>) attributes {{relax.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {{
    %a = memref.load %x[%i] : memref<64x{t}>
    %b = memref.load %y[%i] : memref<64x{t}>
    %r = {op} {arguments} : {t}
    memref.store %r, %x[%i] : memref<64x{t}>
  }}
  func.return
}}
func.func @{name}_vectors(%x: memref<64x{t}>, %y: memref<64x{t}>) attributes {{relax.entry}} {{
  %c0 = arith.constant 0 : index
  %step = arith.constant {lanes} : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %step {{
    %a = vector.load %x[%i] : memref<64x{t}>, vector<{lanes}x{t}>
    %b = vector.load %y[%i] : memref<64x{t}>, vector<{lanes}x{t}>
    %r = {op} {arguments} : vector<{lanes}x{t}>
    vector.store %r, %x[%i] : memref<64x{t}>, vector<{lanes}x{t}>
  }}
  func.return
}}"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", COMPILERS)
def test_every_function(cc: str):
    texts = [text_of(op, t, 8) for op, t in OPS]
    module = lower(parse("\n".join(texts)), ["relax-expand-math"], verify_each=True)
    # without contraction, which is the compiler's choice in every place anew
    flags = ("-ffp-contract=off", *LIGHTLY, "-Wall", "-Wextra", "-Werror", "-pedantic")
    compiled = runtime.build(emit(module, "model"), cc=cc, extra_flags=flags)
    rng = np.random.default_rng(0)
    special = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-40, 1e30, -3e38]
    for op, t in OPS:
        dtype = np.dtype({"f32": "float32", "f64": "float64"}[t])
        x, y = (
            rng.permutation(np.array([*special, *rng.standard_normal(54) * 3], dtype)) for _ in "xy"
        )
        expected, found = x.copy(), x.copy()
        getattr(compiled, f"{op[5:]}_{t}_numbers")(expected, y)
        getattr(compiled, f"{op[5:]}_{t}_vectors")(found, y)
        np.testing.assert_array_equal(found, expected, err_msg=f"{op} of {t}")


GUARDED = """
func.func @KIND(%n: index {relax.symbol = "n"}, %x: memref<?x8xf32> {relax.dims = ["n", "8"]}, %out: memref<?x8xf32> {relax.dims = ["n", "8"], relax.result})
    attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %step = arith.constant STEP : index
  scf.for %i = %c0 to %n step %c1 {
    %xs = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    %os = memref.subview %out[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<8xf32, strided<[1], offset: ?>>
    scf.for %j = %c0 to %c8 step %step {
      %a = LOAD %xs[%j] : memref<8xf32, strided<[1], offset: ?>> OF
      %l = math.log %a : TYPE
      %r = math.sin %l : TYPE
      STORE %r, %os[%j] : memref<8xf32, strided<[1], offset: ?>> OF
    }
  }
  func.return
}"""


def test_loops_over_vectors_have_one_for_usual_arguments():
    """The arguments are tested lane by lane, and both loops give what those over numbers give."""
    numbers, vectors = GUARDED, GUARDED
    for word, scalar, vector in (
        ("KIND", "numbers", "vectors"), ("STEP", "1", "4"), ("OF", "", ", vector<4xf32>"),
        ("LOAD", "memref.load", "vector.load"), ("STORE", "memref.store", "vector.store"),
        ("TYPE", "f32", "vector<4xf32>"),
    ):  # fmt: skip
        numbers, vectors = numbers.replace(word, scalar), vectors.replace(word, vector)
    module = lower(parse(numbers + vectors), ["relax-expand-math"], verify_each=True)
    assert str(module).count("scf.if") == 2 and "vector.reduction <or>" in str(module)
    compiled = runtime.build(emit(module, "model"), extra_flags=("-ffp-contract=off", *LIGHTLY))
    x = np.abs(np.random.default_rng(0).standard_normal((3, 8))).astype(np.float32)
    for at, value in (((1, 5), 2.0), ((1, 5), -1.0), ((0, 7), np.nan), ((2, 3), 1e-40)):
        x[at] = value
        np.testing.assert_array_equal(compiled.vectors(x), compiled.numbers(x))
