"""Calls with numpy arrays: what is passed without a copy, what is refused, threads."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lowering.runtime import arguments
from relax_dialect.errors import RelaxError

DOUBLE = """
func.func @main(%n: index {relax.symbol = "n"}, %x: memref<?x3xf32> {relax.dims = ["n", "3"]})
    -> (memref<?x3xf32> {relax.dims = ["n", "3"]}) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %out = memref.alloc(%n) : memref<?x3xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %v = memref.load %x[%i, %j] : memref<?x3xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %out[%i, %j] : memref<?x3xf32>
    }
  }
  func.return %out : memref<?x3xf32>
}
func.func @fill(%x: memref<2xf32>, %v: f32) attributes {relax.entry} {
  %c1 = arith.constant 1 : index
  memref.store %v, %x[%c1] : memref<2xf32>
  func.return
}
func.func @flip(%x: memref<i1>) -> (memref<i1>) attributes {relax.entry} {
  %true = arith.constant true
  %v = memref.load %x[] : memref<i1>
  %w = arith.xori %v, %true : i1
  %out = memref.alloc() : memref<i1>
  memref.store %w, %out[] : memref<i1>
  func.return %out : memref<i1>
}
func.func @both(%x: memref<1xi8>) -> (memref<1xi8>, i8) attributes {relax.entry} {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<1xi8>
  %out = memref.alloc() : memref<1xi8>
  memref.store %v, %out[%c0] : memref<1xi8>
  func.return %out, %v : memref<1xi8>, i8
}
"""


@pytest.fixture(scope="module", params=["versioned", "plain"])
def module(build, request):
    """Once with DLPack 1.0, as numpy has it from 2.1 on, and once with the form before it."""
    export = {"versioned": arguments.find_export(), "plain": arguments.PLAIN_EXPORT}[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arguments, "find_export", lambda: export)
        return build(DOUBLE)


def test_arrays_of_any_layout(module):
    x = np.arange(12, dtype="float32").reshape(4, 3)
    read_only = x.copy()
    read_only.flags.writeable = False
    fortran, reversed_, broadcast = np.asfortranarray(x), x[::-1], np.broadcast_to(x[:1], (5, 3))
    for a in (x, read_only, fortran, reversed_, broadcast, x[1:1], x[:0].T.reshape(0, 3), x[::2]):
        kept = a.copy()
        np.testing.assert_array_equal(module.main(a), kept + kept)
        np.testing.assert_array_equal(a, kept)
    assert module.main(np.ones((0, 3), "float32")).shape == (0, 3)


def test_an_array_without_dimensions(module):
    for value in (True, False):
        result = module.flip(np.array(value))
        assert result.shape == () and result.dtype == bool and result[()] == (not value)


def test_several_results(module):
    tensor, number = module.both(np.array([-7], "int8"))
    assert tensor.tolist() == [-7] and number == -7


def test_written_in_place(module):
    x = np.zeros(2, "float32")
    assert module.fill(x, 5.0) is None
    assert x.tolist() == [0, 5]
    read_only = np.zeros(2, "float32")
    read_only.flags.writeable = False
    for bad in (read_only, np.zeros(4, "float32")[::2], [0.0, 0.0]):
        with pytest.raises(RelaxError, match="'x': expected a contiguous, writeable numpy array"):
            module.fill(bad, 5.0)


@pytest.mark.parametrize(
    "array, message",
    [
        (np.zeros((1, 3), ">f4"), "'x': expected numbers in native byte order, found >f4"),
        (np.array([["a", "b", "c"]]), "'x': expected numbers in native byte order, found <U1"),
        (np.zeros((1, 3), object), "'x': expected numbers in native byte order, found object"),
        (
            np.zeros((1, 3), "M8[s]"),
            r"'x': expected numbers in native byte order, found datetime64",
        ),
        (np.zeros((1, 3), "complex64"), "'x': expected element type f32, found complex64"),
        (np.zeros((1, 3), "float16"), "'x': expected element type f32, found f16"),
        (np.zeros(3, "float32"), r"'x': expected 2 dimensions, \[n, 3\], found 1, \[3\]"),
    ],
)
def test_what_is_no_array_of_its_type(module, array, message):
    with pytest.raises(RelaxError, match=f"main: (argument )?{message}"):
        module.main(array)


def test_arguments_are_let_go(module):
    x = np.ones((4, 3), "float32")
    before = sys.getrefcount(x)
    for _ in range(10):
        module.main(x)
    with pytest.raises(RelaxError):
        module.main(x.reshape(3, 4))
    assert sys.getrefcount(x) == before


def test_threads_share_nothing(module):
    """Calls at once, of different sizes, some of which fail with a message of their own."""

    def work(seed: int) -> bool:
        x = np.full((seed * 1000, 3), seed, "float32")
        bad = np.zeros((1, 4 + seed), "float32")
        good = True
        for _ in range(50):
            y = module.main(x)
            good &= y.shape == x.shape and bool((y == 2 * seed).all())
            try:
                module.main(bad)
                good = False
            except RelaxError as e:
                good &= str(e).endswith(f"expected size 3 in dimension 1, found {4 + seed}")
        return good

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(1, 9)))


def test_names_of_entry_points(module):
    assert module.main is module["main"]
    with pytest.raises(AttributeError, match="missing"):
        _ = module.missing
