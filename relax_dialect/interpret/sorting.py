"""Sorting along an axis. All sorts are stable, and NaN counts as the greatest number."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.interpret.statistical import widened
from relax_dialect.ops.demands import require
from relax_dialect.ops.sorting import ArgsortOp, SortOp, TopkOp


def order(x: Array, axis: int, descending: bool) -> Array:
    """Return the indices of the elements in order. A stable descending order is the reverse of the stable
    ascending one of the reversed elements."""
    rows = widened(x)
    if not descending:
        return np.argsort(rows, axis=axis, kind="stable")
    reverse = np.argsort(np.flip(rows, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - reverse, axis)


def sort(op: SortOp, x: Array) -> Array:
    """Return the elements in order."""
    axis = op.axis_of(x.ndim)
    return np.take_along_axis(x, order(x, axis, op.descending), axis)


def argsort(op: ArgsortOp, x: Array) -> Array:
    """Return the indices of the elements in order."""
    return order(x, op.axis_of(x.ndim), op.descending).astype(numpy_dtype(op.dtype))


def topk(op: TopkOp, x: Array) -> tuple[Array, ...]:
    """Return the first elements in order, and their indices."""
    axis = op.axis_of(x.ndim)
    require(op.demands(dims(x)[0]))
    count = x.shape[axis] if op.k < 1 else op.k
    places = np.take(order(x, axis, op.largest), range(count), axis)
    results: list[Array] = []
    if op.gives_values:
        results.append(np.take_along_axis(x, places, axis))
    if op.gives_indices:
        results.append(places.astype(numpy_dtype(op.dtype)))
    return tuple(results)


@register_impls
class SortingFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.sorting`."""

    sort = operator_with_attributes(SortOp, sort)
    argsort = operator_with_attributes(ArgsortOp, argsort)
    topk = operator_with_attributes(TopkOp, topk)
