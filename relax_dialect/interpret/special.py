"""Special functions of f64 arrays that numpy lacks, each exact to about an ulp."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_erf = np.frompyfunc(math.erf, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def erf(x: Any) -> Any:
    """Return the error function."""
    return np.asarray(_erf(x), dtype=np.float64)


def erfc(x: Any) -> Any:
    """`1 - erf(x)`, exact where erf(x) is next to 1."""
    return np.asarray(_erfc(x), dtype=np.float64)


def sigmoid(x: Any) -> Any:
    """`1 / (1 + exp(-x))`, without overflow for large negative x."""
    power = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, power) / (1.0 + power)


def rsqrt(x: Any) -> Any:
    """`1 / sqrt(x)`."""
    return 1.0 / np.sqrt(x)


def gelu(x: Any) -> Any:
    """`x * (1 + erf(x / sqrt(2))) / 2`, by erfc: no digits cancel for negative x."""
    return 0.5 * x * erfc(-x * math.sqrt(0.5))
