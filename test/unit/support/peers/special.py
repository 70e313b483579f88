"""Trials of values that arithmetic treats apart, at sizes about multiples of the lanes."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from .drawing import SIZES, Draw, Values, everything, extremes, is_float, normal, ties

LENGTHS = tuple(lanes + by for lanes in (4, 8, 16, 32, 64) for by in (-1, 0, 1))
"""Sizes below, at and above multiples of the lanes of all CPUs."""
SHORT = (1, 1, 2, 3)
NOT_FINITE = (np.nan, np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40)
FREE = 0.5
"""How many of the trials ignore the values that a peer is restricted to."""
DEMANDING = ("searchsorted", "bucketize", "multinomial_from_uniform")
"""Operators that demand sorted numbers, or shares of 1."""
INTERPOLATING = ("resize", "grid_sample", "roi_align", "roi_pool")
"""Families whose weights are 0 or next to it by rounding, so that their products with infinity are left open."""
PADDING = ("conv", "deform")
"""Families that leave open whether padding is multiplied by weights, which are finite then."""


class SpecialDraw(Draw):
    """Draws one long size about a multiple of the lanes, and special values first, last and between.

    Where the table restricts values, as a peer differs for some, half of the trials ignore that for floats:
    then interpreter and C are compared alone.
    """

    def __init__(self, operator: str, build: random.Random, run: random.Random):
        super().__init__(operator, build, run)
        self.long, self.sizes_drawn = build.randrange(3), 0
        self.is_free = run.random() < FREE and not operator.startswith((*DEMANDING, *INTERPOLATING))

    def size(self, choices: Sequence[int] = SIZES) -> int:
        if choices is SIZES:
            choices = LENGTHS if self.sizes_drawn == self.long else SHORT
            self.sizes_drawn += 1
        return super().size(choices)

    def array(self, shape: Sequence[int], dtype: str, values: Values | None = None) -> np.ndarray:
        if values is None or values is everything:
            values = sparse
        elif self.is_free and is_float(dtype) and not self._is_weight:
            self.has_meaning, values = False, not_finite(values)
        return super().array(shape, dtype, values)

    @property
    def _is_weight(self) -> bool:
        """Whether the next operand has weights that may meet padding."""
        return bool(self.arguments) and self.operator.startswith(PADDING)


def sparse(x: np.ndarray, d: Draw) -> np.ndarray:
    """Special values at ends and in the middle, among numbers, ties or one value."""
    if x.dtype == bool or not x.size:
        return normal(x, d)
    among = extremes(x.dtype)
    made = np.array(d.run.choice((normal, ties, one_value))(x, d))
    return put(made.astype(among.dtype), among, d)


def not_finite(values: Values) -> Values:
    """Values of which some are replaced by special ones that no sum overflows by."""
    return lambda x, d: put(np.array(values(x, d), float), np.array(NOT_FINITE), d)


def one_value(x: np.ndarray, d: Draw) -> np.ndarray:
    return np.full(x.shape, d.run.choice(list(extremes(x.dtype))))


def put(made: np.ndarray, among: np.ndarray, d: Draw) -> np.ndarray:
    """Put some of the values first, in the middle, last or anywhere along the longest axis."""
    if not made.size:
        return made
    rows = np.moveaxis(made, int(np.argmax(made.shape)), -1) if made.ndim else made.reshape(1)
    length = rows.shape[-1]
    for _ in range(d.run.choice((0, 1, 1, 2, 3))):
        place = d.run.choice((0, length // 2, length - 1, d.run.randrange(length)))
        some = d.numbers.random(rows.shape[:-1]) < d.run.choice((0.4, 1.0))
        rows[..., place] = np.where(some, d.run.choice(list(among)), rows[..., place])
    return made
