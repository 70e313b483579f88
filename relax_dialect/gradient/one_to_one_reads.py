"""Operators whose result elements each read a single index: cotangents are accumulated at these indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied
from relax_dialect.symbolic import Expr


def numbered(of: Applied[Any], index: int = 0) -> Any:
    """Return the elements of an operand numbered in row-major order, in its shape, as i64."""
    sizes = of.sizes(index)
    return op.reshape(op.arange(0, symbolic.product(sizes), 1), sizes)


def added_at(
    sizes: Sequence[Expr], dtype: Any, places: Any, gy: Any, *, may_miss: bool = False
) -> Any:
    """Accumulate cotangents into zeros at indices in row-major order; with `may_miss`, an index of -1
    means none."""
    places, gy = op.flatten(places), op.flatten(gy)
    if may_miss:
        found = places >= 0
        places, gy = op.where(found, places, op.zeros_like(places)), op.where(found, gy, 0.0)
    zeros = op.zeros([symbolic.product(sizes)], dtype)
    return op.reshape(op.index_put(zeros, [places], gy, True), sizes)


def number(size: Expr, dtype: Any) -> Any:
    """Return a size as a tensor of rank 0, or as a number where it is known."""
    if size.value is not None:
        return size.value
    return op.squeeze(op.arange(size, size + 1, 1), [0]).astype(dtype)
