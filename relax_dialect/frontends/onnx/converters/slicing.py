"""Slices along axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.frontends.onnx.values import Known, Sizes
from relax_dialect.symbolic import Expr

FAR = 2**31 - 1
"""Bounds beyond this stand for the end of an axis."""


@converter("Slice")
def slice_by_attributes(node: Node) -> Any:
    starts, ends = (list(node.attr(name)) for name in ("starts", "ends"))
    axes = list(node.attr("axes", None) or range(len(starts)))
    return op.strided_slice(node.tensor(0), axes, starts, ends)


@converter("Slice", since=10)
def slice_by_inputs(node: Node) -> Any:
    rank = node.rank(0)
    bounds = [node.input(1), node.input(2)]
    if not all(isinstance(bound, Known | Sizes) for bound in bounds):
        return _at_run_time(node, rank)
    starts, ends = node.sizes(1), node.sizes(2)
    axes = [node.checked_axis(a, rank) for a in node.ints(3, range(len(starts)))]
    steps = node.ints(4, [1] * len(starts))
    if all(b.value is not None for b in (*starts, *ends)):
        plain = [[b.value for b in side] for side in (starts, ends)]
        return op.strided_slice(node.tensor(0), axes, *plain, steps)
    shape = node.shape(0)
    clamped = zip(starts, ends, axes, steps)
    pairs = [_bounds(start, end, shape[axis], step) for start, end, axis, step in clamped]
    return op.strided_slice(node.tensor(0), axes, *(list(side) for side in zip(*pairs)), steps)


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


def _at_run_time(node: Node, rank: int) -> Any:
    """A slice whose bounds are computed at run time, for every axis of x."""
    starts, ends = node.tensor(1), node.tensor(2)
    (count,) = node.shape(1, 1)
    if count.value is None:
        node.unsupported("bounds whose number is not known")
    axes = [node.checked_axis(a, rank) for a in node.ints(3, range(count.value))]
    steps = node.ints(4, [1] * count.value)
    full = np.array([FAR] * rank)
    begins, limits, strides = np.zeros(rank, np.int64), full, np.ones(rank, np.int64)
    strides[axes] = steps
    places = np.array(axes).reshape(-1, 1)
    sides = [
        op.scatter_nd(base, places, op.astype(given, "i64"), "update")
        for base, given in ((begins, starts), (limits, ends))
    ]
    return op.dynamic_strided_slice(node.tensor(0), *sides, strides)
