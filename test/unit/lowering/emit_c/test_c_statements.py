"""Control flow, memrefs and calls: compiled with warnings as errors, compared with numpy."""

from __future__ import annotations

import re

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.parser import Parser

from lowering.emit_c import emit
from relax_dialect.errors import RelaxError

MATMUL = """
func.func @matmul(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"},
    %k: index {relax.symbol = "k"},
    %A: memref<?x?xT> {relax.dims = ["n", "k"]}, %B: memref<?x?xT> {relax.dims = ["k", "m"]},
    %C: memref<?x?xT> {relax.dims = ["n", "m"], relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant ZERO : T
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      memref.store %zero, %C[%i, %j] : memref<?x?xT>
    }
    scf.for %kk = %c0 to %k step %c1 {
      scf.for %j = %c0 to %m step %c1 {
        %a = memref.load %A[%i, %kk] : memref<?x?xT>
        %b = memref.load %B[%kk, %j] : memref<?x?xT>
        %c = memref.load %C[%i, %j] : memref<?x?xT>
        %p = MUL %a, %b : T
        %s = ADD %c, %p : T
        memref.store %s, %C[%i, %j] : memref<?x?xT>
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize(
    "t, dtype", [("f32", "float32"), ("f64", "float64"), ("i32", "int32"), ("i8", "int8")]
)
def test_matmul(parse, build, t, dtype):
    is_float = t.startswith("f")
    text = MATMUL.replace("xT>", f"x{t}>").replace(": T", f": {t}")
    text = text.replace("ZERO", "0.0" if is_float else "0")
    for op in ("mul", "add"):
        text = text.replace(op.upper(), f"arith.{op}{'f' if is_float else 'i'}")
    module = build(text)
    rng = np.random.default_rng(0)
    for n, k, m in ((1, 1, 1), (3, 5, 7), (17, 33, 65), (0, 4, 3), (4, 0, 3), (4, 3, 0)):
        a = (rng.standard_normal((n, k)) * 9).astype(dtype)
        b = (rng.standard_normal((k, m)) * 9).astype(dtype)
        found = module.matmul(a, b)
        assert found.shape == (n, m) and found.dtype == dtype
        tolerance = {"f32": 1e-3, "f64": 1e-10}.get(t, 0)
        np.testing.assert_allclose(found, a @ b, rtol=tolerance, atol=tolerance)


def test_the_inner_loop_is_one_statement(parse):
    text = MATMUL.replace("xT>", "xf32>").replace(": T", ": f32").replace("ZERO", "0.0")
    source = emit(parse(text.replace("MUL", "arith.mulf").replace("ADD", "arith.addf")), "model")
    assert "C[i * m + j] += A[i * k + kk] * B[kk * m + j];" in source.c


def test_a_load_does_not_move_past_a_store(build, cc):
    module = build(
        """
func.func @swap(%x: memref<2xf32>) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.load %x[%c0] : memref<2xf32>
  %twice = arith.addf %a, %a : f32
  %b = memref.load %x[%c1] : memref<2xf32>
  %n = arith.negf %b : f32
  memref.store %twice, %x[%c1] : memref<2xf32>
  memref.store %n, %x[%c0] : memref<2xf32>
  func.return
}""",
        cc=cc,
    )
    x = np.array([3, 5], "float32")
    module.swap(x)
    assert x.tolist() == [-5, 6]


CARRIED = """
func.func @fibonacci(%n: index) -> (index, index) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%p = %c0, %q = %c1) -> (index, index) {
    %sum = arith.addi %p, %q : index
    scf.yield %q, %sum : index, index
  }
  func.return %a, %b : index, index
}
func.func @rotate(%n: index) -> (index, index, index) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1, %c = %c2)
      -> (index, index, index) {
    scf.yield %c, %a, %b : index, index, index
  }
  func.return %r#0, %r#1, %r#2 : index, index, index
}
func.func @gcd(%a: i64, %b: i64) -> i64 attributes {relax.entry} {
  %zero = arith.constant 0 : i64
  %r:2 = scf.while (%x = %a, %y = %b) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi ne, %y, %zero : i64
    scf.condition(%more) %x, %y : i64, i64
  } do {
  ^bb0(%u: i64, %v: i64):
    %w = arith.remsi %u, %v : i64
    scf.yield %v, %w : i64, i64
  }
  func.return %r#0 : i64
}
func.func @pick(%i: index, %x: memref<4xf64>) -> f64 attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %r = scf.index_switch %i -> f64
  case 2 {
    %a = memref.load %x[%c0] : memref<4xf64>
    scf.yield %a : f64
  }
  default {
    %low = arith.cmpi slt, %i, %c0 : index
    %b = scf.if %low -> (f64) {
      %minus = arith.constant -1.5 : f64
      scf.yield %minus : f64
    } else {
      %c = memref.load %x[%c3] : memref<4xf64>
      scf.yield %c : f64
    }
    scf.yield %b : f64
  }
  func.return %r : f64
}
func.func @iota(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"},
    %x: memref<?x?xi64> {relax.dims = ["n", "m"]}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  "scf.parallel"(%c0, %c0, %n, %m, %c1, %c2)
      <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %at = arith.muli %i, %m : index
    %sum = arith.addi %at, %j : index
    %value = arith.index_cast %sum : index to i64
    memref.store %value, %x[%i, %j] : memref<?x?xi64>
    scf.reduce
  }) : (index, index, index, index, index, index) -> ()
  func.return
}
"""


def test_control_flow(build, cc):
    module = build(CARRIED, cc=cc)
    assert module.fibonacci(10) == (55, 89)
    assert [module.rotate(n) for n in range(3)] == [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
    assert module.gcd(84, 36) == 12
    x = np.array([1.0, 2, 3, 4])
    assert [module.pick(i, x) for i in (-3, 2, 5)] == [-1.5, 1.0, 4.0]
    grid = np.full((3, 5), -1)
    module.iota(grid)
    expected = np.arange(15).reshape(3, 5)
    expected[:, 1::2] = -1
    np.testing.assert_array_equal(grid, expected)


VIEWS = """
func.func private @scale(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %by: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  %m = memref.dim %x, %c1 : memref<?x?xf32, strided<[?, 1], offset: ?>>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %a = memref.load %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
      %b = arith.mulf %a, %by : f32
      memref.store %b, %x[%i, %j] : memref<?x?xf32, strided<[?, 1], offset: ?>>
    }
  }
  func.return
}
func.func @tile(%x: memref<6x8xf32>, %r: index, %c: index, %h: index, %w: index)
    attributes {relax.entry} {
  %two = arith.constant 2.0 : f32
  %t = memref.subview %x[%r, %c] [%h, %w] [1, 1]
      : memref<6x8xf32> to memref<?x?xf32, strided<[8, 1], offset: ?>>
  %u = "memref.cast"(%t) : (memref<?x?xf32, strided<[8, 1], offset: ?>>)
      -> memref<?x?xf32, strided<[?, 1], offset: ?>>
  func.call @scale(%u, %two) : (memref<?x?xf32, strided<[?, 1], offset: ?>>, f32) -> ()
  func.return
}
func.func @column(%x: memref<6x8xf32>, %r: memref<3xf32> {relax.result})
    attributes {relax.entry} {
  %t = memref.subview %x[1, 5] [3, 1] [2, 1]
      : memref<6x8xf32> to memref<3xf32, strided<[16], offset: 13>>
  memref.copy %t, %r : memref<3xf32, strided<[16], offset: 13>> to memref<3xf32>
  func.return
}
func.func @one_of_two(%x: memref<1x6x2x8xf32>, %r: index, %w: index, %out: memref<1x1xf32> {relax.result})
    attributes {relax.entry} {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %t = memref.subview %x[0, 0, %c1, 0] [1, %r, 1, %w] [1, 1, 1, 1]
      : memref<1x6x2x8xf32> to memref<1x?x?xf32, strided<[96, 16, 1], offset: ?>>
  %v = memref.load %t[%c0, %c1, %c1] : memref<1x?x?xf32, strided<[96, 16, 1], offset: ?>>
  memref.store %v, %out[%c0, %c0] : memref<1x1xf32>
  func.return
}
"""


def test_views(build, cc):
    module = build(VIEWS, cc=cc)
    x = np.arange(48, dtype="float32").reshape(6, 8)
    expected = x.copy()
    expected[1:4, 3:8] *= 2
    module.tile(x, 1, 3, 3, 5)
    np.testing.assert_array_equal(x, expected)
    module.tile(x, 2, 2, 0, 5)
    np.testing.assert_array_equal(x, expected)
    np.testing.assert_array_equal(module.column(x), x[1:6:2, 5])
    deep = np.arange(96, dtype="float32").reshape(1, 6, 2, 8)
    assert module.one_of_two(deep, 6, 8) == deep[0, 1, 1, 1]  # the second size of 1 goes


def test_reshapes_share_the_buffer(build, cc):
    module = build(
        """
func.func @reshape(%n: index {relax.symbol = "n"}, %x: memref<?x4xi32> {relax.dims = ["n", "4"]},
    %r: memref<?x2x2xi32> {relax.dims = ["n", "2", "2"], relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %flat = memref.collapse_shape %x [[0, 1]] : memref<?x4xi32> into memref<?xi32>
  %size = memref.dim %flat, %c0 : memref<?xi32>
  %copy = memref.alloc(%size) : memref<?xi32>
  scf.for %i = %c0 to %size step %c1 {
    %v = memref.load %flat[%i] : memref<?xi32>
    memref.store %v, %copy[%i] : memref<?xi32>
  }
  %e = memref.expand_shape %copy [[0, 1, 2]] output_shape [%n, 2, 2]
      : memref<?xi32> into memref<?x2x2xi32>
  memref.copy %e, %r : memref<?x2x2xi32> to memref<?x2x2xi32>
  memref.dealloc %copy : memref<?xi32>
  func.return
}""",
        cc=cc,
    )
    for n in (0, 1, 3):
        x = np.arange(4 * n, dtype="int32").reshape(n, 4)
        np.testing.assert_array_equal(module.reshape(x), x.reshape(n, 2, 2))


def test_alloca_and_unknown_sizes(build, cc):
    module = build(
        """
func.func private @sum(%x: memref<?xf64>, %out: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %zero = arith.constant 0.0 : f64
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
    %v = memref.load %x[%i] : memref<?xf64>
    %next = arith.addf %acc, %v : f64
    scf.yield %next : f64
  }
  memref.store %s, %out[%c0] : memref<1xf64>
  func.return
}
func.func @main(%x: memref<?xf64> {relax.dims = ["?"]}) -> f64 attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %box = memref.alloca() {alignment = 64 : i64} : memref<1xf64>
  func.call @sum(%x, %box) : (memref<?xf64>, memref<1xf64>) -> ()
  %r = memref.load %box[%c0] : memref<1xf64>
  func.return %r : f64
}""",
        cc=cc,
    )
    for n in (0, 1, 9):
        assert module.main(np.arange(n, dtype="float64")) == n * (n - 1) / 2


OWNERSHIP = """
func.func private @make(%n: index {relax.symbol = "n"}) -> (memref<?xi64> {relax.dims = ["n + 1"]},
    memref<?xi64> {relax.dims = ["?"]}, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c1 : index
  %a = memref.alloc(%m) : memref<?xi64>
  %two = arith.muli %n, %n : index
  %b = memref.alloc(%two) : memref<?xi64>
  func.return %a, %b, %m : memref<?xi64>, memref<?xi64>, index
}
func.func @main(%n: index {relax.symbol = "n"}, %x: memref<?xi64> {relax.dims = ["n"]}, %flag: i1)
    -> (memref<?xi64> {relax.dims = ["?"]}, memref<?xi64> {relax.dims = ["n * n"]})
    attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a, %b, %k = func.call @make(%n) : (index) -> (memref<?xi64>, memref<?xi64>, index)
  %r = scf.if %flag -> (memref<?xi64>) {
    memref.dealloc %a : memref<?xi64>
    %q = memref.alloc(%c3) : memref<?xi64>
    scf.yield %q : memref<?xi64>
  } else {
    scf.yield %a : memref<?xi64>
  }
  %size = memref.dim %r, %c0 : memref<?xi64>
  scf.for %i = %c0 to %size step %c1 {
    %v = arith.index_cast %i : index to i64
    memref.store %v, %r[%i] : memref<?xi64>
  }
  %bn = memref.dim %b, %c0 : memref<?xi64>
  scf.for %i = %c0 to %bn step %c1 {
    %v = arith.index_cast %k : index to i64
    memref.store %v, %b[%i] : memref<?xi64>
  }
  %first, %second = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %r, %q = %b)
      -> (memref<?xi64>, memref<?xi64>) {
    %t = memref.alloc(%c1) : memref<?xi64>
    scf.yield %p, %q : memref<?xi64>, memref<?xi64>
  }
  func.return %first, %second : memref<?xi64>, memref<?xi64>
}
"""


def test_buffers_are_handed_on(build, cc):
    module = build(OWNERSHIP, cc=cc)
    for n in (0, 2, 5):
        for flag in (False, True):
            a, b = module.main(np.zeros(n, "int64"), flag)
            assert a.tolist() == list(range(3 if flag else n + 1))
            assert b.tolist() == [n + 1] * (n * n)


@pytest.mark.parametrize(
    "body, message",
    [
        ('"test.op"() : () -> ()', "operation test.op is not supported"),
        ("%x = arith.constant 1.0 : f80", "type f80 is not supported yet"),
        (
            "%x = arith.constant 1.0 : f16\n%y = arith.addf %x, %x : f16",
            "arith.addf of f16: expected operations on f32 or f64; run relax-emulate-unsupported-floats",
        ),
        (
            "%x = arith.constant dense<1.0> : tensor<4xf32>",
            "tensor<4xf32>: expected a scalar or vector",
        ),
        (
            "%n = arith.constant 2 : index\n%x = memref.alloca(%n) : memref<?xf32>",
            "memref.alloca: expected a row-major type of static shape",
        ),
        ("func.call @nowhere() : () -> ()", "@nowhere: no such function"),
    ],
)
def test_what_is_not_supported_is_named(parse, body, message):
    text = f"func.func @f() attributes {{relax.entry}} {{ {body}\nfunc.return }}"
    context = Context(allow_unregistered=True)
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    with pytest.raises(RelaxError, match=message) as error:
        emit(Parser(context, text).parse_module(), "model")
    assert str(error.value).startswith("@f: C: ") and error.value.op.name in body


def test_a_returned_argument_is_refused(parse):
    with pytest.raises(RelaxError, match=r"func\.return: expected freshly allocated memrefs"):
        emit(
            parse(
                "func.func @f(%x: memref<2xf32>) -> memref<2xf32> attributes {relax.entry} "
                "{ func.return %x : memref<2xf32> }"
            ),
            "model",
        )


def returned_view(view: str, type: str) -> str:
    return f"""func.func @f() -> {type} attributes {{relax.entry}} {{
      %x = memref.alloc() : memref<2x6xf32>
      %y = {view} : memref<2x6xf32> to {type}
      func.return %y : {type}
    }}"""


def test_a_returned_reshape_is_the_buffer_and_a_part_of_it_is_refused(parse):
    cast = "memref.reinterpret_cast %x to offset: [0], sizes: [3, 4], strides"
    whole = emit(parse(returned_view(f"{cast}: [4, 1]", "memref<3x4xf32>")), "model").c
    assert re.search(r"detach\(x\);\s+\*result = x;", whole)
    part = returned_view(f"{cast}: [5, 1]", "memref<3x4xf32, strided<[5, 1]>>")
    with pytest.raises(RelaxError, match=r"func\.return: expected different whole buffers"):
        emit(parse(part), "model")


@pytest.mark.long
def test_an_expression_of_any_length_is_linear(parse):
    """A chain of additions is broken into lines, not nested without end."""
    lines = "\n".join(f"%v{i + 1} = arith.addf %v{i}, %v0 : f32" for i in range(2000))
    text = f"""
func.func @f(%x: memref<1xf32>) attributes {{relax.entry}} {{
  %c0 = arith.constant 0 : index
  %v0 = memref.load %x[%c0] : memref<1xf32>
  {lines}
  memref.store %v2000, %x[%c0] : memref<1xf32>
  func.return
}}"""
    source = emit(parse(text), "model")
    assert max(len(line) for line in source.c.splitlines()) <= 130
    assert len(source.c) < 2000 * 40


def test_emission_is_deterministic(parse):
    assert emit(parse(OWNERSHIP), "model") == emit(parse(OWNERSHIP), "model")


def test_a_buffer_passed_twice_is_not_restrict(build, cc, parse):
    """x[i + 1] += x[i], through two functions: the compiler must not assume two buffers."""
    text = """
func.func private @inner(%a: memref<9xi32>, %b: memref<9xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %j = arith.addi %i, %c1 : index
    %v = memref.load %a[%i] : memref<9xi32>
    %w = memref.load %b[%j] : memref<9xi32>
    %s = arith.addi %v, %w : i32
    memref.store %s, %b[%j] : memref<9xi32>
  }
  func.return
}
func.func private @outer(%a: memref<9xi32>, %b: memref<9xi32>) {
  func.call @inner(%a, %b) : (memref<9xi32>, memref<9xi32>) -> ()
  func.return
}
func.func @main(%x: memref<9xi32>) attributes {relax.entry} {
  func.call @outer(%x, %x) : (memref<9xi32>, memref<9xi32>) -> ()
  func.return
}"""
    x = np.ones(9, "int32")
    build(text, cc=cc).main(x)
    assert x.tolist() == list(range(1, 10))
    assert "void inner(const int32_t *a, int32_t *b)" in emit(parse(text), "model").c


def test_rank_zero_and_unsigned_tensors(build, cc):
    module = build(
        """
func.func @scale(%x: memref<f64>, %n: index {relax.symbol = "n"},
    %y: memref<?xui8> {relax.dims = ["n"]}, %r: memref<?xf64> {relax.dims = ["n"], relax.result})
    attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i32
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[] : memref<f64>
    %p = math.fpowi %a, %two : f64, i32
    %b = memref.load %y[%i] : memref<?xui8>
    %s = builtin.unrealized_conversion_cast %b : ui8 to i8
    %f = arith.uitofp %s : i8 to f64
    %z = arith.mulf %p, %f : f64
    memref.store %z, %r[%i] : memref<?xf64>
  }
  func.return
}""",
        cc=cc,
    )
    y = np.array([0, 1, 127, 128, 255], "uint8")
    np.testing.assert_array_equal(module.scale(np.array(1.5), y), 2.25 * y)
    with pytest.raises(
        RelaxError, match="@scale: argument 'y': expected element type ui8, found i8"
    ):
        module.scale(np.array(1.5), y.view("int8"))


ROWS = """
func.func @rows(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"},
    %x: memref<?x?xi8> {relax.dims = ["n", "m"]},
    %y: memref<?x?xi8> {relax.dims = ["n", "m + 1"], relax.result}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i8
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %y[%i, %m] : memref<?x?xi8>
  }
  %part = memref.subview %y[0, 0] [%n, %m] [1, 1]
    : memref<?x?xi8> to memref<?x?xi8, strided<[?, 1]>>
  memref.copy %x, %part : memref<?x?xi8> to memref<?x?xi8, strided<[?, 1]>>
  func.return
}
"""


def test_rows_of_any_length_are_copied(build):
    """Short ones by two pieces that overlap, and no element after them is touched."""
    module = build(ROWS)
    for m in range(70):
        x = np.arange(1, 3 * m + 1).reshape(3, m).astype(np.int8)
        found = module.rows(x)
        np.testing.assert_array_equal(found, np.pad(x, [(0, 0), (0, 1)]))
