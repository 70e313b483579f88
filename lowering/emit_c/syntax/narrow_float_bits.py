"""f16 and bf16 as their bits: how C holds them."""

from __future__ import annotations

import numpy as np

NARROW = ("float16", "bfloat16")
"""numpy's names for these types (`bfloat16` is that of the package `ml_dtypes`)."""


def bits_of(value: float, dtype: str) -> int:
    """Return the bits of a number, rounded to nearest, ties to even; a bfloat16 is rounded from an f32."""
    with np.errstate(over="ignore", under="ignore"):
        if dtype == "float16":
            return int(np.float64(value).astype(np.float16).view(np.uint16))
        bits = int(np.float64(value).astype(np.float32).view(np.uint32))
    if value != value:
        return bits >> 16 | 0x40
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def value_of(bits: int, dtype: str) -> float:
    """Return the number that has these bits."""
    if dtype == "float16":
        return float(np.uint16(bits).view(np.float16))
    return float(np.uint32(bits << 16).view(np.float32))
