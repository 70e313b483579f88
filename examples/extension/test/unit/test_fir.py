"""Filters interpreted and compiled, compared with numpy's convolution by the same taps reversed."""

from __future__ import annotations

import numpy as np
import pytest
from relax_signal.ops import FirOp

import lowering
from relax_dialect import RelaxError, interpret, parse
from relax_dialect.builder import BlockBuilder, const
from relax_dialect.gradient import vjp
from relax_dialect.ir.types import TensorType

RANDOM = np.random.default_rng(0)
TAPS = RANDOM.standard_normal(5, dtype=np.float32)


def program(*filters: np.ndarray):
    """Filter signals by known taps, one filter after the other."""
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(["b", "n"], "f32")}) as (value,):
        with builder.dataflow():
            for taps in filters:
                value = builder.emit(FirOp(value, builder.emit(const(taps))))  # pyright: ignore
            value = builder.emit_output(value)
        builder.emit_func_output(value)
    return builder.get()


def filtered(x: np.ndarray, *filters: np.ndarray) -> np.ndarray:
    """Compute the result in numpy."""
    for taps in filters:
        x = np.stack([np.convolve(row, taps[::-1], "valid") for row in x])
    return x


@pytest.fixture(scope="module")
def compiled():
    return lowering.compile(program(TAPS))


@pytest.mark.parametrize("shape", [(1, 5), (3, 41), (2, 64)])
def test_the_interpreter_and_the_kernel(compiled, shape: tuple[int, int]):
    x = RANDOM.standard_normal(shape, dtype=np.float32)
    expected = filtered(x, TAPS)
    np.testing.assert_allclose(
        interpret.run(program(TAPS), "main", x), expected, rtol=1e-5, atol=1e-5
    )
    np.testing.assert_allclose(compiled.main(x), expected, rtol=1e-5, atol=1e-5)


def test_too_few_samples(compiled):
    x = np.zeros((1, 4), np.float32)
    expected = r"signal.fir.*: expected an element along the result \(C3\), found 0"
    with pytest.raises(RelaxError, match=expected):
        interpret.run(program(TAPS), "main", x)
    with pytest.raises(RelaxError, match=expected):
        compiled.main(x)


def test_joined_filters_mean_the_same():
    x, second = RANDOM.standard_normal((2, 21), dtype=np.float32), TAPS[:3]
    module = lowering.lower(parse(str(program(TAPS, second))), ["relax-optimize{level=2}"])
    assert str(module).count("signal.fir") == 1
    found = interpret.run(module, "main", x)
    np.testing.assert_allclose(found, filtered(x, TAPS, second), rtol=1e-4, atol=1e-4)


def test_the_gradient_is_that_of_the_tensor_expression():
    """Check the gradient without a rule: reversed, the taps spread the cotangent."""
    module = program(TAPS)
    x = RANDOM.standard_normal((2, 21), dtype=np.float32)
    head = RANDOM.standard_normal((2, 17), dtype=np.float32)
    _, (found,) = interpret.run(module, vjp(module, "main"), x, head)
    expected = np.stack([np.convolve(row, TAPS) for row in head])
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
