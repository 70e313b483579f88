"""Fourier transforms, weights of mels, columns put back into images."""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import Draw, Drawn, draws


@draws("DFT")
def dft(draw: Draw) -> Drawn:
    parts, dtype = draw.int(1, 2), draw.one("float32", "float32", "float64")
    shape = [draw.int(1, 3), *(draw.int(1, 12) for _ in range(draw.int(1, 2)))]
    axis = draw.int(0 if len(shape) > 2 else 1, len(shape) - 1)
    given = {"inverse": draw.int(0, 1)}
    given["onesided"] = draw.int(0, 1) if parts == 1 and not given["inverse"] else 0
    length = np.array(draw.int(1, 14)) if draw.chance(0.4) else None
    x: Any = draw.numbers.standard_normal([*shape, parts]).astype(dtype)
    if draw.opset < 20:
        return Drawn("DFT", [x, length], {**given, "axis": axis}, [1] if length is not None else [],
                     tolerance=100, symbolic=False)  # fmt: skip
    at = np.array(axis - len(shape) - 1 if draw.chance() else axis)
    constants = [2] if length is None else [1, 2]
    return Drawn("DFT", [x, length, at], given, constants, tolerance=100, symbolic=False)


@draws("STFT")
def stft(draw: Draw) -> Drawn:
    """The peer needs a window or a length."""
    length = draw.int(1, 12)
    x = draw.numbers.standard_normal([draw.int(1, 2), draw.int(length, 30), 1]).astype("float32")
    window = draw.positive("float32", [length]) if draw.chance(0.7) else None
    inputs = [x, np.array(draw.int(1, 5)), window]
    if window is None or draw.chance():
        inputs.append(np.array(length))
    constants = [1, 3] if len(inputs) > 3 else [1]
    given = {"onesided": draw.int(0, 1)}
    return Drawn("STFT", inputs, given, constants, tolerance=100, symbolic=False)


@draws("MelWeightMatrix")
def mel_weight_matrix(draw: Draw) -> Drawn:
    rate, low = draw.one(8000, 8192, 16000), draw.one(0.0, 20.0, 100.0)
    high = low + draw.one(0.2, 0.4, 0.49) * rate
    numbers = [draw.int(2, 10), draw.int(16, 128), rate]
    inputs = [
        *map(np.array, numbers),
        np.array(low, "float32"),
        np.array(min(high, rate / 2), "float32"),
    ]
    return Drawn(
        "MelWeightMatrix", inputs, {}, [0, 1] if draw.chance() else [0, 1, 2, 3, 4], tolerance=10
    )


@draws("Col2Im")
def col_2_im(draw: Draw) -> Drawn:
    """Along one axis the peer has other results than ONNX where places are apart."""
    axes = draw.int(1, 2)
    block = [draw.int(1, 3) for _ in range(axes)]
    strides, dilations = ([draw.int(1, most) for _ in range(axes)] for most in (2, axes))
    counts = [draw.int(1, 4) for _ in range(axes)]
    reaches = [(k - 1) * d + 1 for k, d in zip(block, dilations)]
    pads = [draw.int(0, 1) for _ in range(2 * axes)]
    sizes = [(n - 1) * s + r + draw.int(0, s - 1) for n, s, r in zip(counts, strides, reaches)]
    image = [max(1, n - pads[d] - pads[d + axes]) for d, n in enumerate(sizes)]
    pads[axes:] = [n - m - pads[d] for d, (n, m) in enumerate(zip(sizes, image))]
    if min(pads) < 0:
        pads, image = [0] * (2 * axes), sizes
    shape = [draw.int(1, 2), draw.int(1, 2) * int(np.prod(block)), int(np.prod(counts))]
    given = {"strides": strides, "dilations": dilations, "pads": pads}
    x = draw.numbers.standard_normal(shape).astype("float32")
    constants = draw.one([1, 2], [2], [])
    return Drawn("Col2Im", [x, np.array(image), np.array(block)], given, constants, tolerance=10)
