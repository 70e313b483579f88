"""Fourier transforms of imported models against numpy's, frames and weights of mels against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx_models import expected, found, one_node

RANDOM = np.random.default_rng(0)
LENGTHS = (1, 2, 7, 36, 97, 210)
"""Of one number, prime ones, and with factors that are split once and again."""


def noise(*shape: int) -> Any:
    return RANDOM.standard_normal(shape)


def meant(x: Any, length: int | None, axis: int, inverse: int, onesided: int) -> Any:
    """numpy's transform of real or complex numbers."""
    numbers = x[..., 0] + (1j * x[..., 1] if x.shape[-1] == 2 else 0)
    if inverse and onesided:
        return np.fft.irfft(numbers, length, axis)[..., None]
    made = (np.fft.ifft if inverse else np.fft.fft)(numbers, length, axis)
    if onesided:
        made = np.take(made, range(made.shape[axis] // 2 + 1), axis)
    return np.stack([made.real, made.imag], -1)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(
    ("inverse", "onesided", "parts"), [(0, 0, 1), (0, 1, 1), (1, 0, 2), (1, 1, 2)]
)
def test_dft(length: int, inverse: int, onesided: int, parts: int):
    """Along each axis, of more numbers than there are, and of fewer."""
    for axis, wanted in ((0, None), (1, length + 3), (2, max(2, length - 1))):
        sizes = [2, 2, 2]
        sizes[axis] = max(length, 2)
        x = noise(*sizes, parts)
        inputs = [x, None if wanted is None else np.array(wanted), np.array(axis)]
        constants = [2] if wanted is None else [1, 2]
        how: Any = {"inverse": inverse, "onesided": onesided}
        model, given = one_node("DFT", inputs, 20, 1, False, constants, **how)
        (ours,) = found(model, given)
        np.testing.assert_allclose(ours, meant(x, wanted, axis, **how), 1e-12, 1e-12)


@pytest.mark.parametrize("length", [None, 6, 9, 16, 17])
@pytest.mark.parametrize(("inverse", "onesided"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_dft_of_a_length_that_is_a_symbol(inverse: int, onesided: int, length: int | None):
    """The length is that of x, or an input."""
    x = noise(2, 9, 1 + inverse * onesided).astype(np.float32)
    how: Any = {"inverse": inverse, "onesided": onesided}
    inputs = [x] if length is None else [x, np.array(length)]
    model, given = one_node("DFT", inputs, 17, axis=1, **how)
    (ours,) = found(model, given, dims={"x0_2": x.shape[2]})
    np.testing.assert_allclose(ours, meant(x, length, 1, **how), 1e-5, 1e-5)


@pytest.mark.parametrize("onesided", [0, 1])
def test_stft(onesided: int):
    inputs = [noise(2, 100, 1).astype(np.float32), np.array(7), noise(24).astype(np.float32)]
    model, given = one_node("STFT", inputs, 17, 1, True, [1], onesided=onesided)
    (ours,) = found(model, given, dims={"x0_2": 1, "x2_0": 24})
    np.testing.assert_allclose(ours, expected(model, given)[0], 1e-3, 2e-4)


@pytest.mark.parametrize(
    ("bands", "length", "rate", "low", "high"), [(8, 16, 8192, 0, 4096), (20, 512, 16000, 20, 7600)]
)
def test_mel_weight_matrix(bands: int, length: int, rate: int, low: float, high: float):
    inputs = [np.array(bands), np.array(length), np.array(rate), np.float32(low), np.float32(high)]
    model, given = one_node("MelWeightMatrix", inputs)
    np.testing.assert_allclose(found(model, given)[0], expected(model, given)[0], 1e-6)
