"""Random indices of tensors, and sizes for operators that count by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from relax_dialect.ir.types import TensorType

from .compiled import Sizes, tensor

SOME: Sequence[Sizes] = (
    {"n": 7, "m": 5, "k": 3, "b": 2},
    {"n": 1, "m": 1, "k": 1, "b": 1},
    {"n": 2, "m": 0, "k": 4, "b": 1},
    {"n": 3, "m": 2, "k": 0, "b": 0},
    {"n": 0, "m": 2, "k": 0, "b": 3},
)
"""Where an axis that indices count along is empty, there are no indices."""


EQUAL: Sequence[Sizes] = (
    {"n": 3, "m": 2, "k": 3, "b": 3},
    {"n": 1, "m": 2, "k": 1, "b": 1},
)
"""Sizes that operators demand to be equal, under several names."""

PROVED: Sequence[Sizes] = ({"n": 3, "m": 4, "k": 3, "b": 4},)


def of_size(size: int) -> Callable[[np.ndarray], np.ndarray]:
    """Random numbers as indices of an axis, negative ones among them where the type has them."""
    return lambda i: i % size if i.dtype.kind == "u" else i % (2 * size) - size


def index(*dims: object, dtype: str = "i64") -> TensorType:
    return tensor(*dims, dtype=dtype)
