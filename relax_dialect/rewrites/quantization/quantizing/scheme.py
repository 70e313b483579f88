"""The arithmetic of quantisation: scales and zero points of activations, weights and biases as integers.

A number r is represented by `q = round(r / scale) + zero_point`, clamped to the range of the type, as in
*Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference* (Jacob and
others, 2018). Activations have one scale for all; weights are symmetric, with one scale for each output
channel; a bias has the scale of the sums it is added to, which is that of x times that of the weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

ACTIVATIONS = {"ui8": (0, 255), "i8": (-128, 127)}
"""The ends of the types that activations may have: ui8 with a zero point, i8 symmetric around 0."""
MOST = 127
"""The largest magnitude of a quantised weight: -128 is left out, so that the scale is symmetric."""
BIAS_STEPS = 2.0**23
"""A channel's scale is never so small that its bias is more than so many steps."""
TINY = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True)
class Parameters:
    """The quantisation parameters of an activation."""

    scale: np.float32
    zero_point: int
    dtype: str

    @property
    def reach(self) -> int:
        """The largest distance of a quantised number from the zero point."""
        low, high = ACTIVATIONS[self.dtype]
        return max(self.zero_point - low, high - self.zero_point)


def activation_parameters(low: float, high: float, dtype: str) -> Parameters:
    """Parameters that cover a range and 0, which padding and relu need to be a number exactly."""
    low, high = min(low, 0.0), max(high, 0.0)
    steps = max(-low, high) / MOST if dtype == "i8" else (high - low) / 255
    scale = np.float32(max(steps, TINY)) if steps else np.float32(1)
    zero_point = 0 if dtype == "i8" else int(np.clip(np.round(-low / float(scale)), 0, 255))
    return Parameters(scale, zero_point, dtype)


@dataclass(frozen=True)
class QuantizedWeights:
    """Quantised weights: i8, the scale of each channel, the scale of the sums, and the bias in i32."""

    values: Array
    sum_scales: Array
    bias: Array | None


def quantized_weights(
    weight: Array, axis: int, bias: Array | None, x: Parameters
) -> QuantizedWeights | None:
    """Return weights with one scale for each index along `axis`, and a bias of that length, for inputs x.

    None if the sums may be beyond i32, or f32 does not hold the product of the scales.
    """
    others = tuple(place for place in range(weight.ndim) if place != axis)
    wide = weight.astype(np.float64)
    scales = np.abs(wide).max(axis=others) / MOST
    if bias is not None:
        scales = np.maximum(scales, np.abs(bias.astype(np.float64)) / float(x.scale) / BIAS_STEPS)
    with np.errstate(over="ignore"):
        scales = np.where(scales == 0, 1, scales).astype(np.float32)
        sums = (scales.astype(np.float64) * float(x.scale)).astype(np.float32)
    if not (np.isfinite(sums) & (sums >= TINY) & (scales >= TINY)).all():
        return None
    spread = scales.reshape([-1 if place == axis else 1 for place in range(weight.ndim)])
    values = np.clip(np.round(wide / spread), -MOST, MOST).astype(np.int8)
    shift = None if bias is None else np.round(bias.astype(np.float64) / sums)
    largest = np.abs(values.astype(np.int64)).sum(axis=others) * x.reach
    if (largest + (0 if shift is None else np.abs(shift)) >= 2.0**31).any():
        return None
    return QuantizedWeights(values, sums, None if shift is None else shift.astype(np.int32))
