"""The derivative of a function of one number by differences of its values, precise to some ten digits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from relax_dialect.interpret.runtime_values import Array

RUNGS = 6
"""The number of steps that are tried, each a sixteenth of the one before it."""

FIRST = 2.0**-5
PRECISE = 1e-10
"""The estimated error, relative to the largest derivative, at which no smaller step is tried."""

CLEAR = 1e-5
"""The estimated error above which there is no derivative."""

ROUNDED = 1e-12
"""A slope of numbers around 1 that may be an error of rounding."""


def slopes(values: Callable[[float], Array], here: Array, scale: float) -> Array:
    """Return the derivative at 0 of each element of `values(t)`, which is `here` at 0; NaN if there is
    none. Differences over h, h/2 and h/4 are combined such that terms up to h^5 cancel (Richardson's
    extrapolation). The first h is `scale` / 32; an element whose estimates differ, or whose slopes to the
    left and to the right do, as at a kink nearby, gets a smaller one.
    """
    found = np.zeros_like(here)
    error = np.full_like(here, np.inf)
    for rung in range(RUNGS):
        step = FIRST * scale / 16**rung
        new, apart = _estimate(values, here, step, scale)
        better = apart < error
        found[better], error[better] = new[better], apart[better]
        largest = np.max(np.abs(found), initial=0, where=np.isfinite(error))
        if np.all(error <= PRECISE * (np.abs(found) + largest) + ROUNDED / scale):
            break
    found[~(error <= CLEAR * (np.abs(found) + largest) + ROUNDED / scale)] = np.nan
    return found


def _estimate(
    values: Callable[[float], Array], here: Array, step: float, scale: float
) -> tuple[Array, Array]:
    """Return derivatives by a step and their errors, infinite at a kink or for values that are not
    finite."""
    central, bends = [], []
    constant = np.ones(here.shape, bool)
    for h in (step, step / 2, step / 4):
        ahead, behind = values(h), values(-h)
        constant &= _equal(ahead, here) & _equal(behind, here)
        central.append((ahead - behind) / (2 * h))
        bends.append(np.abs((ahead - here) - (here - behind)) / h)
    first, second = ((4 * fine - coarse) / 3 for coarse, fine in pairwise(central))
    found = (16 * second - first) / 15
    rounding = np.finfo(np.float64).eps * np.where(np.isfinite(here), np.abs(here), 0) / step
    error = np.abs(found - second) + rounding
    least = 1e-9 * np.abs(found) + 256 * rounding + ROUNDED / scale
    is_kink = (bends[2] > 0.6 * bends[0]) & (bends[2] > least)
    error[is_kink | np.isnan(error)] = np.inf
    found[constant], error[constant] = 0, rounding[constant]
    return found, error


def _equal(a: Array, b: Array) -> Array:
    """Compare elementwise; NaN equals NaN."""
    return (a == b) | (np.isnan(a) & np.isnan(b))
