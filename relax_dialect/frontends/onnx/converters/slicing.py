"""Slices along axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx import run_time
from relax_dialect.frontends.onnx.evaluation.shape_arithmetic import is_positive, positive
from relax_dialect.frontends.onnx.imported_values import is_natural
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.symbolic import Expr

LARGEST = 2**31 - 1
"""Bounds of this magnitude, INT_MAX and INT_MIN of ONNX's text, are the end of an axis of any size."""
FAR = 2**60
"""A bound beyond all sizes, which can be added to them."""
LARGE = 10**9
"""TensorFlow's bound for the end of an axis: it is checked that no axis is longer."""


@converter("Slice")
def slice_by_attributes(node: OnnxNode) -> Any:
    starts, ends = (list(map(_near, node.attr(name))) for name in ("starts", "ends"))
    axes = list(node.attr("axes", None) or range(len(starts)))
    return op.strided_slice(node.tensor(0), axes, starts, ends)


@converter("Slice", since=10)
def slice_by_inputs(node: OnnxNode) -> Any:
    rank = node.rank(0)
    if any(run_time.is_at_run_time(node, place) for place in range(1, 5)):
        return run_time.sliced(node)
    count = node.count(1)
    axes = [node.checked_axis(a, rank) for a in node.ints(3, range(count))]
    steps = node.ints(4, [1] * count)
    if node.known(1) is not None and node.known(2) is not None:
        starts, ends = (list(map(_near, node.ints(place))) for place in (1, 2))
        if not any(start < 0 > step for start, step in zip(starts, steps)):
            return _by_numbers(node, axes, starts, ends, steps)
        return run_time.sliced(node)  # a begin before the first element counts as the first
    if any(step < 0 for step in steps):
        return run_time.sliced(node)
    shape = node.shape(0)
    begin, end = [
        [_from_front(bound, shape[axis]) for bound, axis in zip(node.sizes(place), axes)]
        for place in (1, 2)
    ]
    return op.strided_slice(node.tensor(0), axes, begin, end, steps)


def _by_numbers(
    node: OnnxNode, axes: Sequence[int], starts: list[int], ends: list[int], steps: list[int]
) -> Any:
    """Slice by known bounds; a whole axis keeps its size."""
    whole = {
        axis
        for axis, start, end, step in zip(axes, starts, ends, steps)
        if start == 0 and step == 1 and LARGE <= end < FAR
    }
    sliced = op.strided_slice(node.tensor(0), axes, starts, ends, steps)
    if not whole:
        return sliced
    value = node.emit(sliced)
    old, new = node.shape(0), node.shape_of(value)
    return node.with_sizes(value, [old[d] if d in whole else new[d] for d in range(len(old))])


def _near(bound: int) -> int:
    """Clamp a bound that may be the end of an axis, so that it can be added to sizes."""
    return bound if abs(bound) < LARGEST else FAR if bound > 0 else -FAR


def _from_front(bound: Expr, size: Expr) -> Expr | int:
    """Return a bound counted from the front: a negative one counts from the end, clamped to the first
    element."""
    if bound.value is not None and abs(bound.value) >= LARGEST:
        return FAR if bound.value > 0 else 0
    if is_natural(bound):
        return bound
    from_end = positive(-bound)
    return positive(bound) + positive(size - from_end) * is_positive(from_end)
