"""Programs at loop level: memrefs that are written in place, scalar loops, run-time checks."""

import numpy as np
import pytest

from relax_dialect.errors import ExecutionError

from .programs import numbers, run_text

MATMUL = """
func.func private @matmul(%n: index {relax.symbol = "n"},
    %A: memref<?x3xf32> {relax.dims = ["n", "3"]}, %B: memref<3x4xf32> {relax.dims = ["3", "4"]},
    %C: memref<?x4xf32> {relax.dims = ["n", "4"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.000000e+00 : f32
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%acc = %zero) -> (f32) {
        %a = memref.load %A[%i, %k] : memref<?x3xf32>
        %b = memref.load %B[%k, %j] : memref<3x4xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %acc, %p : f32
        scf.yield %s : f32
      }
      memref.store %sum, %C[%i, %j] : memref<?x4xf32>
    }
  }
  func.return
}
relax.func @graph(%a: !relax.tensor<[m, 3], f32>, %b: !relax.tensor<[3, 4], f32>)
    -> !relax.tensor<[m, 4], f32> {
  %c = relax.call_tir @matmul(%a, %b) : SIGNATURE
  relax.return %c : !relax.tensor<[m, 4], f32>
}
"memref.global"() {sym_name = "w", type = memref<3x4xf32>, constant,
  initial_value = dense<5.000000e-01> : tensor<3x4xf32>, sym_visibility = "private"} : () -> ()
func.func @main(%n: index {relax.symbol = "n"},
    %x: memref<?x3xf32> {relax.dims = ["n", "3"], relax.name = "x.y"})
    -> (memref<?x4xf32> {relax.dims = ["n", "4"]}) attributes {relax.entry} {
  %c2 = arith.constant 2 : index
  %even = arith.remsi %n, %c2 : index
  %c0 = arith.constant 0 : index
  %ok = arith.cmpi eq, %even, %c0 : index
  cf.assert %ok, "@main: expected an even size n"
  %w = memref.get_global @w : memref<3x4xf32>
  %out = memref.alloc(%n) : memref<?x4xf32>
  func.call @matmul(%n, %x, %w, %out) :
    (index, memref<?x3xf32>, memref<3x4xf32>, memref<?x4xf32>) -> ()
  func.return %out : memref<?x4xf32>
}
""".replace(
    "SIGNATURE",
    "(!relax.tensor<[m, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[m, 4], f32>",
)


def _in_order(a, b):
    """The product, accumulated over k in order in the element type."""
    total = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for k in range(a.shape[1]):
        total = total + a[:, k, None] * b[k]
    return total


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("entry", ["matmul", "graph"])
def test_matmul_loops(n, entry):
    a, b = numbers((n, 3)), numbers((3, 4), seed=1)
    np.testing.assert_array_equal(run_text(MATMUL, a, b, entry=entry), _in_order(a, b))


def test_lowered_functions_and_their_checks():
    x = numbers((4, 3))
    expected = _in_order(x, np.full((3, 4), 0.5, np.float32))
    np.testing.assert_array_equal(run_text(MATMUL, x), expected)
    with pytest.raises(ExecutionError, match=r"^@main: expected an even size n \(1 vs 0\)$"):
        run_text(MATMUL, numbers((3, 3)))
    with pytest.raises(
        ExecutionError, match=r"^@main: argument 'x.y': expected size 3 in dimension 1, found 2"
    ):
        run_text(MATMUL, numbers((4, 2)))


def test_memory():
    text = """
    "memref.global"() {sym_name = "counter", type = memref<1xi32>,
      initial_value = dense<7> : tensor<1xi32>, sym_visibility = "private"} : () -> ()
    func.func @main(%x: memref<4x6xf32>) -> (memref<2x3xf32>, memref<f32>, i32, index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %v = memref.subview %x[1, %c2] [2, 3] [2, 1] :
        memref<4x6xf32> to memref<2x3xf32, strided<[12, 1], offset: ?>>
      %r = memref.alloc() : memref<2x3xf32>
      "memref.copy"(%v, %r) :
        (memref<2x3xf32, strided<[12, 1], offset: ?>>, memref<2x3xf32>) -> ()
      %flat = memref.collapse_shape %r [[0, 1]] : memref<2x3xf32> into memref<6xf32>
      %e = memref.load %flat[%c1] : memref<6xf32>
      %two = arith.addf %e, %e : f32
      memref.store %two, %flat[%c1] : memref<6xf32>
      %s = memref.alloca() : memref<f32>
      memref.store %e, %s[] : memref<f32>
      %g = memref.get_global @counter : memref<1xi32>
      %old = memref.load %g[%c0] : memref<1xi32>
      %new = arith.addi %old, %old : i32
      memref.store %new, %g[%c0] : memref<1xi32>
      %h = memref.get_global @counter : memref<1xi32>
      %last = memref.load %h[%c0] : memref<1xi32>
      %cast = memref.cast %r : memref<2x3xf32> to memref<?x3xf32>
      %d = memref.dim %cast, %c0 : memref<?x3xf32>
      func.return %r, %s, %last, %d : memref<2x3xf32>, memref<f32>, i32, index
    }
    """
    x = numbers((4, 6))
    r, s, last, d = run_text(text, x)
    expected = x[1:5:2, 2:5].copy()
    expected[0, 1] *= 2
    np.testing.assert_array_equal(r, expected)
    assert s == x[1, 3] and last == 14 and d == 2


def test_a_dimension_that_happens_to_be_one_stays():
    text = """
    func.func @main(%x: memref<?x3x2xf32>) -> (memref<?x3xf32>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?x3x2xf32>
      %v = memref.subview %x[0, 0, 1] [%n, 3, 1] [1, 1, 1] :
        memref<?x3x2xf32> to memref<?x3xf32, strided<[6, 2], offset: 1>>
      %r = memref.alloc(%n) : memref<?x3xf32>
      memref.copy %v, %r : memref<?x3xf32, strided<[6, 2], offset: 1>> to memref<?x3xf32>
      func.return %r : memref<?x3xf32>
    }
    """
    for n in (1, 2):
        x = numbers((n, 3, 2))
        np.testing.assert_array_equal(run_text(text, x), x[:, :, 1])


def test_a_view_of_one_number_is_written_through():
    text = """
    func.func @main(%x: f32) -> memref<f32> {
      %r = memref.alloc() : memref<f32>
      %v = memref.subview %r[] [] [] : memref<f32> to memref<f32>
      memref.store %x, %v[] : memref<f32>
      func.return %r : memref<f32>
    }
    """
    assert run_text(text, np.float32(3)) == 3


REINTERPRETED = """
    func.func @main(%x: memref<3x4xf32>, %n: index) -> memref<?x2xf32> {
      %y = memref.alloc(%n) : memref<?x2xf32>
      %v = memref.reinterpret_cast %x to offset: [1], sizes: [%n, 2], strides: [5, 2] :
        memref<3x4xf32> to memref<?x2xf32, strided<[5, 2], offset: 1>>
      "memref.copy"(%v, %y) :
        (memref<?x2xf32, strided<[5, 2], offset: 1>>, memref<?x2xf32>) -> ()
      func.return %y : memref<?x2xf32>
    }
"""


def test_memory_read_with_other_strides():
    x = numbers((3, 4))
    for n in (0, 1, 2):
        flat = [[1 + 5 * i, 3 + 5 * i] for i in range(n)]
        expected = x.reshape(-1)[np.array(flat, int).reshape(n, 2)]
        np.testing.assert_array_equal(run_text(REINTERPRETED, x, n), expected)


@pytest.mark.parametrize("n", [3, -1])
def test_memory_is_not_read_beyond_its_end(n: int):
    with pytest.raises(ExecutionError, match=r"reinterpret_cast.* within 12 elements, found off"):
        run_text(
            REINTERPRETED.replace("memref.alloc(%n)", "memref.alloc(%c)").replace(
                "%y =", "%c = arith.constant 3 : index\n %y ="
            ),
            numbers((3, 4)),
            n,
        )


def test_memory_that_holds_no_value_is_nan():
    text = """
    func.func @main(%x: memref<2xf32>) -> (memref<3xf32>, memref<2xf32>) {
      %a = memref.alloc() : memref<3xf32>
      memref.dealloc %x : memref<2xf32>
      func.return %a, %x : memref<3xf32>, memref<2xf32>
    }
    """
    fresh, freed = run_text(text, np.ones(2, np.float32))
    assert np.isnan(fresh).all() and np.isnan(freed).all()


@pytest.mark.parametrize(("index", "found"), [(-1, -1), (2, 2)])
def test_accesses_out_of_bounds(index, found):
    text = """
    func.func @main(%x: memref<2xf32>, %i: index) {
      %e = memref.load %x[%i] : memref<2xf32>
      memref.store %e, %x[%i] : memref<2xf32>
      func.return
    }
    """
    assert run_text(text, np.ones(2, np.float32), 1) is None
    with pytest.raises(ExecutionError, match=rf"memref.load \(%e\): .* 0 to 1 .* found {found}"):
        run_text(text, np.ones(2, np.float32), index)


def test_control_flow():
    text = """
    func.func @main(%n: i32, %k: index) -> (i32, i32, f32, index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c10 = arith.constant 10 : index
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %steps, %last = scf.while (%i = %one, %v = %n) : (i32, i32) -> (i32, i32) {
        %go = arith.cmpi sgt, %v, %one : i32
        scf.condition(%go) %i, %v : i32, i32
      } do {
      ^bb0(%i: i32, %v: i32):
        %w = arith.divsi %v, %two : i32
        %j = arith.addi %i, %one : i32
        scf.yield %j, %w : i32, i32
      }
      %s = scf.index_switch %k -> i32
      case 2 {
        scf.yield %two : i32
      }
      default {
        scf.yield %one : i32
      }
      %f0 = arith.constant 0.000000e+00 : f32
      %sum = "scf.parallel"(%c0, %c0, %c10, %k, %c1, %c1, %f0)
          <{operandSegmentSizes = array<i32: 2, 2, 2, 1>}> ({
      ^bb0(%i: index, %j: index):
        %p = arith.muli %i, %j : index
        %q = arith.index_cast %p : index to i32
        %r = arith.sitofp %q : i32 to f32
        scf.reduce(%r : f32) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.addf %a, %b : f32
          scf.reduce.return %c : f32
        }
      }) : (index, index, index, index, index, index, f32) -> f32
      %big = arith.cmpi sgt, %k, %c1 : index
      %t = scf.if %big -> (index) {
        scf.yield %k : index
      } else {
        scf.yield %c0 : index
      }
      func.return %steps, %s, %sum, %t : i32, i32, f32, index
    }
    """
    assert run_text(text, np.int32(100), 2) == (7, 2, 45, 2)
    assert run_text(text, np.int32(1), 1) == (1, 1, 0, 0)


def test_branches_between_blocks():
    text = """
    func.func @main(%n: i32) -> i32 {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      cf.br ^loop(%zero, %n : i32, i32)
    ^loop(%sum: i32, %i: i32):
      %next = arith.addi %sum, %i : i32
      %left = arith.subi %i, %one : i32
      %go = arith.cmpi sgt, %left, %zero : i32
      cf.cond_br %go, ^loop(%next, %left : i32, i32), ^done
    ^done:
      func.return %next : i32
    }
    """
    assert run_text(text, np.int32(10)) == 55


def test_linalg_on_memrefs_writes_in_place():
    text = """
    func.func @main(%x: memref<?x4xf32>) {
      linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                      iterator_types = ["parallel", "parallel"]}
        outs(%x : memref<?x4xf32>) {
      ^bb0(%e: f32):
        %v = arith.addf %e, %e : f32
        linalg.yield %v : f32
      }
      func.return
    }
    """
    x = numbers((3, 4))
    expected = 2 * x
    assert run_text(text, x) is None
    np.testing.assert_array_equal(x, expected)
