"""Powers of unsigned numbers of 64 bits: exponents with the highest bit are no negative ones."""

from __future__ import annotations

import numpy as np

import lowering
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType

BASES = (0, 1, 2, 3, 5, 12345678901234567, 1 << 63, (1 << 64) - 1)
EXPONENTS = (
    0,
    1,
    2,
    3,
    63,
    64,
    (1 << 63) - 1,
    1 << 63,
    (1 << 63) + 1,
    (1 << 64) - 2,
    (1 << 64) - 1,
)


def test_every_exponent_agrees_with_numpy_and_python():
    bb = BlockBuilder()
    vector = TensorType(["n"], "ui64")
    with bb.function("main", {"x": vector, "y": vector}) as (x, y):
        bb.emit_func_output(bb.emit(op.power(x, y)))
    a, b = (v.ravel() for v in np.meshgrid(np.array(BASES, "u8"), np.array(EXPONENTS, "u8")))
    expected = np.power(a, b)
    assert expected.tolist() == [pow(int(x), int(y), 1 << 64) for x, y in zip(a, b)]
    np.testing.assert_array_equal(run(bb.get(), "main", a, b), expected, strict=True)
    np.testing.assert_array_equal(lowering.compile(bb.get()).main(a, b), expected, strict=True)
