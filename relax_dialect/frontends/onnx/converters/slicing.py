"""Slices along axes."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx import run_time
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.symbolic import Expr

FAR = 2**31 - 1
"""Bounds beyond this stand for the end of an axis."""


@converter("Slice")
def slice_by_attributes(node: Node) -> Any:
    starts, ends = (list(map(_near, node.attr(name))) for name in ("starts", "ends"))
    axes = list(node.attr("axes", None) or range(len(starts)))
    return op.strided_slice(node.tensor(0), axes, starts, ends)


@converter("Slice", since=10)
def slice_by_inputs(node: Node) -> Any:
    rank = node.rank(0)
    if any(run_time.is_at_run_time(node, place) for place in range(1, 5)):
        return run_time.sliced(node)
    count = node.count(1)
    axes = [node.checked_axis(a, rank) for a in node.ints(3, range(count))]
    steps = node.ints(4, [1] * count)
    if node.known(1) is not None and node.known(2) is not None:
        starts, ends = (list(map(_near, node.ints(place))) for place in (1, 2))
        if not any(start < 0 > step for start, step in zip(starts, steps)):
            return op.strided_slice(node.tensor(0), axes, starts, ends, steps)
        return run_time.sliced(node)  # a begin before the first element counts as the first
    shape = node.shape(0)
    clamped = zip(node.sizes(1), node.sizes(2), axes, steps)
    pairs = [_bounds(start, end, shape[axis], step) for start, end, axis, step in clamped]
    return op.strided_slice(node.tensor(0), axes, *(list(side) for side in zip(*pairs)), steps)


def _near(bound: int) -> int:
    """A bound that may stand for the end of an axis, small enough to be added to sizes."""
    return max(-FAR, min(bound, FAR))


def _bounds(start: Expr, end: Expr, size: Expr, step: int) -> tuple[Any, Any]:
    """Where a slice begins and ends, counted from the front; None for the end of the axis."""
    return _from_front(start, size, step < 0), _from_front(end, size, step > 0)


def _from_front(bound: Expr, size: Expr, is_high: bool) -> Any:
    if bound.value is not None and abs(bound.value) >= FAR:
        return None if (bound.value > 0) == is_high else 0
    high = bound.bounds()[1]
    if high is not None and high < 0:
        return symbolic.maximum(size + bound, 0)
    return bound
