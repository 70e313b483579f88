"""Calls: frames of their own, checks on entry, prim funcs, Python functions."""

import numpy as np
import pytest

from relax_dialect.errors import ExecutionError
from relax_dialect.interpret import register_packed

from .programs import numbers, run_text

CALLER = """
relax.func private @add(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[n], f32>)
    -> !relax.tensor<[n], f32> {
  %c = relax.add %a, %b :
    (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %c : !relax.tensor<[n], f32>
}
relax.func @main(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[k], f32>)
    -> !relax.object {
  %f = relax.flatten %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n * m], f32>
  %z = relax.call @add(%f, %y) :
    (!relax.tensor<[n * m], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[n * m], f32>
  %s = relax.shape [n]
  %r = relax.tuple %z, %s : (!relax.tensor<[n * m], f32>, !relax.shape<[n]>) -> PAIR
  relax.return %r : PAIR
}
""".replace("PAIR", "tuple<!relax.tensor<[n * m], f32>, !relax.shape<[n]>>")


def test_a_call_has_a_frame_of_its_own():
    x, y = numbers((2, 3)), numbers((6,), seed=1)
    z, size = run_text(CALLER, x, y)
    np.testing.assert_array_equal(z, x.ravel() + y)
    assert size == (2,)  # n of the caller, though n is 6 in the callee


def test_sizes_not_proved_are_checked_on_entry():
    with pytest.raises(
        ExecutionError, match=r"^@add: argument 'b': expected size n = 6 in dimension 0, found 5"
    ):
        run_text(CALLER, numbers((2, 3)), numbers((5,)))


PRIM = """
func.func private @scaled_rows(%A: tensor<?x3xf32> {relax.dims = ["n", "3"]},
                               %B: tensor<?xf32> {relax.dims = ["n"]})
    -> (tensor<?x3xf32> {relax.dims = ["n", "3"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?x3xf32>
  %empty = tensor.empty(%n) : tensor<?x3xf32>
  %C = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                       affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%A, %B : tensor<?x3xf32>, tensor<?xf32>) outs(%empty : tensor<?x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<?x3xf32>
  func.return %C : tensor<?x3xf32>
}
func.func private @repeat(%A: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"})
    -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %C = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%A : tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  func.return %C : tensor<?x?xf32>
}
relax.func @rows(%a: !relax.tensor<[k, 3], f32>, %b: !relax.tensor<[j], f32>)
    -> !relax.tensor<[k, 3], f32> {
  %c = relax.call_tir @scaled_rows(%a, %b) :
    (!relax.tensor<[k, 3], f32>, !relax.tensor<[j], f32>) -> !relax.tensor<[k, 3], f32>
  relax.return %c : !relax.tensor<[k, 3], f32>
}
relax.func @main(%a: !relax.tensor<[k], f32>, %s: !relax.shape<[q]>)
    -> !relax.tensor<[k, 2 * q + 1], f32> {
  %c = relax.call_tir @repeat(%a)[2 * q + 1] :
    (!relax.tensor<[k], f32>) -> !relax.tensor<[k, 2 * q + 1], f32>
  relax.return %c : !relax.tensor<[k, 2 * q + 1], f32>
}
"""


@pytest.mark.parametrize("n", [0, 1, 5])
def test_prim_funcs(n):
    a, b = numbers((n, 3)), numbers((n,))
    np.testing.assert_array_equal(run_text(PRIM, a, b, entry="rows"), a * b[:, None])
    np.testing.assert_array_equal(run_text(PRIM, a, b, entry="scaled_rows"), a * b[:, None])


@pytest.mark.parametrize(("n", "q"), [(0, 0), (1, 0), (4, 2)])
def test_symbols_in_brackets(n, q):
    a = numbers((n,))
    expected = np.repeat(a[:, None], 2 * q + 1, axis=1)
    np.testing.assert_array_equal(run_text(PRIM, a, (q,)), expected)
    np.testing.assert_array_equal(run_text(PRIM, a, 2 * q + 1, entry="repeat"), expected)


def test_prim_funcs_check_their_dims():
    message = "^@scaled_rows: argument 'B': expected size n = 2 in dimension 0, found 3"
    for entry in ("rows", "scaled_rows"):
        with pytest.raises(ExecutionError, match=message):
            run_text(PRIM, numbers((2, 3)), numbers((3,)), entry=entry)


PACKED = """
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.call_packed "test.twice"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
"""


def test_packed_functions():
    register_packed("test.twice", lambda x: x + x)
    np.testing.assert_array_equal(run_text(PACKED, np.ones(3, np.float32)), [2, 2, 2])
    register_packed("test.twice", lambda x: np.concatenate([x, x]))
    with pytest.raises(
        ExecutionError,
        match=r'^@main: relax.call_packed "test.twice": result: expected size n = 3 .* found 6',
    ):
        run_text(PACKED, np.ones(3, np.float32))
    with pytest.raises(
        ExecutionError,
        match=r'@main: relax.call_packed \(%y\): expected .* function, found "nobody"',
    ):
        run_text(PACKED.replace('"test.twice"', '"nobody"'), np.ones(3, np.float32))


def test_variables_of_the_caller_are_not_seen_by_the_callee():
    """`k` is 6 in the caller and unbound in the callee, whose match_cast binds it to 2 anew."""
    text = """
    relax.func private @size(%a: !relax.tensor<[?], f32>) -> !relax.object {
      %b = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
      %s = relax.shape [k]
      relax.return %s : !relax.shape<[k]>
    }
    relax.func @main(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[?], f32>) -> !relax.object {
      %s = relax.call @size(%y) : (!relax.tensor<[?], f32>) -> !relax.object
      relax.return %s : !relax.object
    }
    """
    assert run_text(text, numbers((6,)), numbers((2,))) == (2,)
