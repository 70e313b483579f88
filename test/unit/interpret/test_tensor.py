"""The tensor dialect, alone and among relax ops."""

import numpy as np
import pytest

from relax_dialect.errors import ExecutionError

from .programs import numbers, run_text


def test_slices():
    text = """
    func.func @main(%x: tensor<?x8xf32>, %y: tensor<2xf32>, %o: index)
        -> (tensor<2x3xf32>, tensor<2xf32>, tensor<?x8xf32>, tensor<2x4xf32>) {
      %a = tensor.extract_slice %x[%o, 1] [2, 3] [1, 2] : tensor<?x8xf32> to tensor<2x3xf32>
      %b = tensor.extract_slice %x[%o, 5] [2, 1] [1, 1] : tensor<?x8xf32> to tensor<2xf32>
      %c = tensor.insert_slice %y into %x[%o, 0] [2, 1] [1, 1] :
        tensor<2xf32> into tensor<?x8xf32>
      %d = tensor.extract_slice %x[%o, 3] [2, 4] [0, -1] : tensor<?x8xf32> to tensor<2x4xf32>
      func.return %a, %b, %c, %d : tensor<2x3xf32>, tensor<2xf32>, tensor<?x8xf32>, tensor<2x4xf32>
    }
    """
    x, y = numbers((5, 8)), numbers((2,), seed=1)
    before = x.copy()
    a, b, c, d = run_text(text, x, y, 3)
    np.testing.assert_array_equal(a, x[3:5, 1:7:2])
    np.testing.assert_array_equal(b, x[3:5, 5])
    changed = x.copy()
    changed[3:5, 0] = y
    np.testing.assert_array_equal(c, changed)
    np.testing.assert_array_equal(d, x[[3, 3], 3::-1])
    np.testing.assert_array_equal(x, before)
    with pytest.raises(ExecutionError, match=r"extract_slice .* within size 5 of dimension 0"):
        run_text(text, x, y, 4)


def test_shapes_and_elements():
    text = """
    func.func @main(%x: tensor<?x2x3xf32>, %z: tensor<2x2x3xf32>, %n: index, %e: f32)
        -> (tensor<?x3xf32>, tensor<?x2x3xf32>, tensor<2x1xf32>, tensor<3xf32>, tensor<2x6xf32>) {
      %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x2x3xf32> into tensor<?x3xf32>
      %b = tensor.expand_shape %a [[0, 1], [2]] output_shape [%n, 2, 3] :
        tensor<?x3xf32> into tensor<?x2x3xf32>
      %c = tensor.from_elements %e, %e : tensor<2x1xf32>
      %d = tensor.splat %e : tensor<3xf32>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %f = tensor.insert %e into %d[%c1] : tensor<3xf32>
      %s = arith.constant dense<[2, 6]> : tensor<2xindex>
      %g = tensor.reshape %z(%s) : (tensor<2x2x3xf32>, tensor<2xindex>) -> tensor<2x6xf32>
      func.return %a, %b, %c, %f, %g :
        tensor<?x3xf32>, tensor<?x2x3xf32>, tensor<2x1xf32>, tensor<3xf32>, tensor<2x6xf32>
    }
    """
    x = numbers((2, 2, 3))
    a, b, c, f, g = run_text(text, x, x, 2, np.float32(4))
    np.testing.assert_array_equal(a, x.reshape(4, 3))
    np.testing.assert_array_equal(b, x)
    assert c.tolist() == [[4], [4]] and f.tolist() == [4, 4, 4]
    np.testing.assert_array_equal(g, x.reshape(2, 6))


@pytest.mark.parametrize("index", [-1, 4])
def test_indices_out_of_bounds(index):
    text = """
    func.func @main(%x: tensor<?xf32>, %i: index) -> f32 {
      %e = tensor.extract %x[%i] : tensor<?xf32>
      func.return %e : f32
    }
    """
    assert run_text(text, np.float32([1, 2, 3, 4]), 3) == 4
    with pytest.raises(
        ExecutionError, match=rf"tensor.extract \(%e\): .* from 0 to 3 .* found {index}"
    ):
        run_text(text, np.float32([1, 2, 3, 4]), index)


MIXED = """
func.func private @helper(%t: tensor<?xf32>, %s: f32) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    outs(%t : tensor<?xf32>) {
  ^bb0(%e: f32):
    %v = arith.mulf %e, %s : f32
    linalg.yield %v : f32
  } -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %r = relax.dataflow {
    %z = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    %o = relax.add %z, %x : (T, T) -> T
    %y = relax.from_builtin %b : (tensor<?xf32>) -> !relax.tensor<[?], f32>
    %b = arith.addf %t, %t : tensor<?xf32>
    %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
    relax.output %o : !relax.tensor<[n], f32>
  }
  %p = relax.binding_block {
    %two = arith.constant 2.000000e+00 : f32
    %t0 = relax.to_builtin %r : (!relax.tensor<[n], f32>) -> tensor<?xf32>
    %h = func.call @helper(%t0, %two) : (tensor<?xf32>, f32) -> tensor<?xf32>
    %u = relax.from_builtin %h : (tensor<?xf32>) -> !relax.tensor<[?], f32>
    %w = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    relax.output %w : !relax.tensor<[n], f32>
  }
  relax.return %p : !relax.tensor<[n], f32>
}
""".replace("(T, T) -> T", "({0}, {0}) -> {0}".format("!relax.tensor<[n], f32>"))


@pytest.mark.parametrize("n", [0, 1, 5])
def test_relax_with_other_dialects(n):
    x = numbers((n,))
    np.testing.assert_array_equal(run_text(MIXED, x), 2 * (x + x + x))
