"""Axes of a tensor: counted from the front, and refused where there are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def normalize_axis(op: Any, axis: int, rank: int, constraint: str = "C2") -> int:
    """Return an axis counted from the front; negative ones count from the end."""
    if not -rank <= axis < rank:
        op.fail(
            f"an axis from {-rank} to {rank - 1} for a tensor of rank {rank} ({constraint})"
            if rank
            else f"no axis for a tensor of rank 0 ({constraint})",
            str(axis),
            "axes count from zero, negative ones from the end",
        )
    return axis + rank if axis < 0 else axis


def normalize_axes(
    op: Any, axes: Sequence[int] | None, rank: int, constraint: str = "C2"
) -> tuple[int, ...]:
    """Normalise axes to count from the front, by default all; raises an error for an axis named twice."""
    if axes is None:
        return tuple(range(rank))
    found = tuple(normalize_axis(op, axis, rank, constraint) for axis in axes)
    if len(set(found)) != len(found):
        mend = "leave out the repeated ones"
        op.fail(f"each axis once ({constraint})", str(list(axes)), mend)
    return found
