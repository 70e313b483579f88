"""Vectors in C: lane by lane what scalars give, to the bit; strict, with gcc and clang."""

from __future__ import annotations

import numpy as np
import pytest
from strict_c import STRICT, parse_module
from vector_programs import STATEMENTS, check_lanes, check_statements, programs, text_of

from lowering.emit_c import emit
from lowering.runtime import loading as runtime
from relax_dialect.errors import RelaxError


@pytest.mark.slow
def test_every_op_is_that_of_scalars_in_each_lane(cc):
    """Bit for bit, with special numbers in all lanes."""
    texts = programs()
    source = emit(parse_module("\n".join(texts.values())), "model")
    check_lanes(runtime.build(source, cc=cc, extra_flags=(*STRICT, "-O1")), texts)


@pytest.mark.parametrize(
    ("lines", "t", "message"),
    [
        ("", "vector<3xf32>", "expected a power of two as length, found 3"),
        ("", "vector<2x2xf32>", "expected vectors of one dimension"),
        ("", "vector<[4]xf32>", "expected vectors of one dimension of known length"),
        (
            "%u = vector.load %w[%c0, %c0] : memref<8x8xf32, strided<[8, 2]>>, vector<4xf32>",
            "vector<4xf32>",
            "expected a memref whose last stride is 1",
        ),
        (
            "%i = arith.constant dense<true> : vector<4xi1>\n"
            "%z = memref.alloca() : memref<4xi1>\n"
            "vector.store %i, %z[%c0] : memref<4xi1>, vector<4xi1>",
            "vector<4xf32>",
            "a truth value is a byte in memory",
        ),
        (
            "%h = arith.constant dense<1.0> : vector<4xf16>\n%s = arith.addf %h, %h : vector<4xf16>",
            "vector<4xf32>",
            "run relax-emulate-unsupported-floats first",
        ),
        (
            "%u = vector.broadcast %v : vector<4xf32> to vector<4xf32>",
            "vector<4xf32>",
            "expected a scalar",
        ),
        (
            '"vector.print"(%v) : (vector<4xf32>) -> ()',
            "vector<4xf32>",
            "vector.print on vectors is not supported",
        ),
        (
            "%e = vector.extract %v[4] : f32 from vector<4xf32>",
            "vector<4xf32>",
            "a lane from 0 to 3",
        ),
    ],
)
def test_what_is_refused(lines: str, t: str, message: str):
    with pytest.raises(RelaxError, match="@f: C: ") as error:
        emit(parse_module(text_of(lines, t)), "model")
    assert message in str(error.value)


def test_statements(cc):
    source = emit(parse_module(STATEMENTS), "model")
    check_statements(runtime.build(source, cc=cc, extra_flags=STRICT))


def splats(t: str) -> str:
    """A scalar that is computed, in all lanes: on either side of an operator, and where C wants a vector."""
    f = "f" if t.startswith("f") else "i"
    zero = "0.0" if f == "f" else "0"
    return f"""
func.func @splats_{t}(%p: {t}, %q: {t}, %which: i1, %x: memref<4x{t}>, %out: memref<4x4x{t}> {{relax.result}})
    attributes {{relax.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant {zero} : {t}
  %v = vector.load %x[%c0] : memref<4x{t}>, vector<4x{t}>
  %a = arith.select %which, %p, %zero : {t}
  %all = vector.broadcast %a : {t} to vector<4x{t}>
  %left = arith.sub{f} %all, %v : vector<4x{t}>
  %s = memref.load %x[%c3] : memref<4x{t}>
  %last = vector.broadcast %s : {t} to vector<4x{t}>
  %right = arith.mul{f} %left, %last : vector<4x{t}>
  vector.store %right, %out[%c0, %c0] : memref<4x4x{t}>, vector<4x{t}>
  vector.store %last, %out[%c1, %c0] : memref<4x4x{t}>, vector<4x{t}>
  %d = arith.add{f} %p, %q : {t}
  %sum = vector.broadcast %d : {t} to vector<4x{t}>
  vector.store %sum, %out[%c2, %c0] : memref<4x4x{t}>, vector<4x{t}>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%carried = %sum) -> (vector<4x{t}>) {{
    %more = arith.add{f} %carried, %last : vector<4x{t}>
    scf.yield %more : vector<4x{t}>
  }}
  vector.store %r, %out[%c3, %c0] : memref<4x4x{t}>, vector<4x{t}>
  func.return
}}"""


def test_scalars_in_all_lanes(cc):
    types = {
        "i8": "int8",
        "i16": "int16",
        "i32": "int32",
        "i64": "int64",
        "f32": "float32",
        "f64": "float64",
    }
    source = emit(parse_module("".join(map(splats, types))), "model")
    module = runtime.build(source, cc=cc, extra_flags=STRICT)
    for t, dtype in types.items():
        x, p, q = (
            np.array([1, -2, 3, 7], dtype),
            np.dtype(dtype).type(100),
            np.dtype(dtype).type(90),
        )
        for which in (False, True):
            found = getattr(module, f"splats_{t}")(p, q, which, x)
            with np.errstate(over="ignore"):
                total = np.add(p, q, dtype=dtype)
                rows = [
                    ((p if which else 0) - x) * x[3],
                    [7] * 4,
                    [total] * 4,
                    [total + 3 * x[3]] * 4,
                ]
            np.testing.assert_array_equal(
                found, np.array([np.asarray(r).astype(dtype) for r in rows])
            )


CONSTANT = """
func.func @last(%n: index, %out: memref<4xf32> {relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant dense<2.0> : vector<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %v) -> (vector<4xf32>) {
    %lane = vector.extract %v[%i] : f32 from vector<4xf32>
    %all = vector.broadcast %lane : f32 to vector<4xf32>
    %more = arith.addf %carried, %all : vector<4xf32>
    scf.yield %more : vector<4xf32>
  }
  %sum = arith.addf %r, %v : vector<4xf32>
  vector.store %sum, %out[%c0] : memref<4xf32>, vector<4xf32>
  func.return
}"""


def test_a_constant_of_lanes_is_read_in_several_scopes(cc):
    """The variable of its lanes in the loop is not visible after it."""
    module = runtime.build(emit(parse_module(CONSTANT), "model"), cc=cc, extra_flags=STRICT)
    for n in (0, 3):
        np.testing.assert_array_equal(module.last(n), np.full(4, 4 + 2 * n, np.float32))
