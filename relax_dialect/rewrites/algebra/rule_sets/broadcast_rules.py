"""Parameters laid along axes of a tensor, for rules on norms and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect.builder import op


def along_axes(parameter: Any, rank: int, axes: Sequence[int]) -> Any:
    """Reshape a parameter that has some axes of a tensor, in order, to broadcast with the tensor."""
    order = sorted(range(len(axes)), key=lambda position: axes[position])
    if order != list(range(len(axes))):
        parameter = op.permute_dims(parameter, order)
    missing = [axis for axis in range(rank) if axis not in axes]
    return op.expand_dims(parameter, missing) if missing else parameter
