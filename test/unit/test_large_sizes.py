"""Sizes that no memory holds: the same error in interpreter and C before 64 bits overflow."""

from __future__ import annotations

import numpy as np
import pytest

import lowering
from relax_dialect import interpret, parse
from relax_dialect.errors import RelaxError
from relax_dialect.symbolic import LARGE_PRODUCT, MAX_EXTENT

PROGRAM = """
relax.func @shape(%s: !relax.shape<[n]>) -> !relax.shape<[n * n]> {
  %0 = relax.shape [n * n]
  relax.return %0 : !relax.shape<[n * n]>
}
relax.func @zeros(%s: !relax.shape<[n]>) -> !relax.tensor<[n * n], f32> {
  %0 = relax.shape [n * n]
  %1 = relax.zeros %0 {dtype = f32} : (!relax.shape<[n * n]>) -> !relax.tensor<[n * n], f32>
  relax.return %1 : !relax.tensor<[n * n], f32>
}
relax.func @match(%s: !relax.shape<[n]>, %x: !relax.tensor<[?], f32>) -> !relax.tensor<[n * n], f32> {
  %0 = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n * n], f32>
  relax.return %0 : !relax.tensor<[n * n], f32>
}
relax.func @entry(%x: !relax.tensor<[n, n * n, 2], f32>) -> !relax.tensor<[n, n * n, 2], f32> {
  relax.return %x : !relax.tensor<[n, n * n, 2], f32>
}
relax.func @minimum(%s: !relax.shape<[n, m]>) -> !relax.shape<[max(0, m * min(n - m, 7))]> {
  %0 = relax.shape [max(0, m * min(n - m, 7))]
  relax.return %0 : !relax.shape<[max(0, m * min(n - m, 7))]>
}
relax.func @scaled(%s: !relax.shape<[n]>) -> !relax.shape<[1000000007 * n]> {
  %0 = relax.shape [1000000007 * n]
  relax.return %0 : !relax.shape<[1000000007 * n]>
}
relax.func @chain(%s: !relax.shape<[n]>) -> !relax.shape<[?]> {
  %0 = relax.shape [4096 * n]
  %1 = relax.match_shape %0 [m] : (!relax.shape<[4096 * n]>) -> !relax.shape<[m]>
  relax.return %1 : !relax.shape<[m]>
}
relax.func @read(%x: !relax.tensor<[2], i64>) -> !relax.shape<[?, ?]> {
  %0 = relax.tensor_to_shape %x : (!relax.tensor<[2], i64>) -> !relax.shape<[?, ?]>
  relax.return %0 : !relax.shape<[?, ?]>
}
"""

TOO_MUCH = f"expected sizes of at most {MAX_EXTENT}, found {{}} in dimension {{}}"
EMPTY = np.zeros(0, np.float32)
CASES = {
    "shape": ([(2**33,)], LARGE_PRODUCT),
    "zeros": ([(2**32,)], LARGE_PRODUCT),
    "match": ([(2**32,), EMPTY], LARGE_PRODUCT),
    "entry": ([np.empty((2**33, 0, 2), np.float32)], LARGE_PRODUCT),
    "scaled": ([(2**40,)], LARGE_PRODUCT),
    "chain": ([(2**40,)], TOO_MUCH.format(2**52, 0)),
    "read": ([np.array([3, 2**60])], TOO_MUCH.format(2**60, 1)),
}
FITTING = {
    "shape": [(2**24,)],
    "match": [(0,), EMPTY],
    "entry": [np.zeros((2, 4, 2), np.float32)],
    "minimum": [(3, 5)],
    "scaled": [(2**18,)],
    "chain": [(2**36,)],
    "read": [np.array([3, MAX_EXTENT])],
}


@pytest.fixture(scope="module")
def module():
    return parse(PROGRAM)


@pytest.fixture(scope="module")
def compiled(module):
    return lowering.compile(module, extra_flags=["-O0"])


@pytest.mark.parametrize("name", CASES)
def test_what_overflows_is_one_error(module, compiled, name: str):
    args, message = CASES[name]
    found: list[str] = []
    for run in (lambda: interpret.run(module, name, *args), lambda: compiled[name](*args)):
        with pytest.raises(RelaxError) as error:
            run()
        found.append(str(error.value))
    assert found[0] == found[1] and message in found[0]


@pytest.mark.parametrize("name", FITTING)
def test_what_fits_is_computed(module, compiled, name: str):
    expected = interpret.run(module, name, *FITTING[name])
    actual = compiled[name](*FITTING[name])
    assert np.shape(actual) == np.shape(expected) and np.all(np.asarray(actual) == expected)


@pytest.mark.parametrize("shape", ["4611686018427387904, 8", f"{MAX_EXTENT}, 0, 2"])
def test_static_sizes_that_no_memory_holds_are_refused(shape: str):
    type = f"!relax.tensor<[{shape}], i8>"
    module = parse(
        f"relax.func @f(%x: {type}) -> {type} {{\n"
        f"  %0 = relax.add %x, %x : ({type}, {type}) -> {type}\n"
        f"  relax.return %0 : {type}\n}}"
    )
    with pytest.raises(RelaxError, match=r"expected sizes whose product is at most .* correct"):
        lowering.to_c(module)
