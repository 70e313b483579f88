"""Operators that look for elements: argmax, argmin, bucketize, nonzero, unique."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator, operator_with_attributes
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.interpret.statistical import widened
from relax_dialect.ops.demands import require
from relax_dialect.ops.search import (
    ArgmaxOp,
    ArgminOp,
    ArgReductionOp,
    BucketizeOp,
    NonzeroOp,
    PlacementOp,
    SearchsortedOp,
    UniqueOp,
)
from relax_dialect.ops.statistical import some_element


def _arg(op_type: type[ArgReductionOp], find: Any) -> Any:
    """Return the semantics of numpy's function of an axis."""

    def run(op: ArgReductionOp, x: Array) -> Array:
        axes = op.axes(x.ndim)
        require(some_element(op, tuple(map(symbolic.const, x.shape)), axes, "C2"))
        axis = None if op.axis is None else axes[0]
        return np.asarray(find(widened(x), axis=axis, keepdims=op.keepdims), np.int64)

    return operator_with_attributes(op_type, run)


def _placed(op: PlacementOp, row: Array, values: Array) -> Array:
    """`numpy.searchsorted` of values in one row."""
    side = "right" if op.right else "left"
    found = np.searchsorted(widened(row), widened(values), side=side)
    return np.asarray(found, numpy_dtype(op.place_type))


def bucketize(op: BucketizeOp, values: Array, boundaries: Array) -> Array:
    """Return the insertion index of every value in the boundaries."""
    return _placed(op, boundaries, values)


def searchsorted(op: SearchsortedOp, rows: Array, values: Array) -> Array:
    """Return the insertion index of every value in its row."""
    if rows.ndim == 1:
        return _placed(op, rows, values)
    if rows.shape[:-1] != values.shape[:-1]:
        sizes = f"{list(rows.shape)} and {list(values.shape)}"
        raise RelaxError(f"expected {op.DEMAND}, found {sizes}")
    result = np.zeros(values.shape, numpy_dtype(op.place_type))
    for place in np.ndindex(values.shape[:-1]):
        result[place] = _placed(op, rows[place], values[place])
    return result


def nonzero(x: Array) -> Array:
    """Return the indices as columns."""
    return np.stack(np.nonzero(np.atleast_1d(x))).astype(np.int64)


def _key(row: Sequence[Any]) -> list[Any]:
    """Return a row in a form that sorts and compares like it: every NaN is equal, after the numbers."""
    return [(value != value, 0 if value != value else value) for value in row]


def unique(op: UniqueOp, x: Array) -> tuple[Array, ...]:
    """Group equal slices by sorting."""
    axis = None if op.axis is None else op.axis_of(x.ndim)
    slices = x.reshape(-1) if axis is None else np.moveaxis(x, axis, 0)
    keys = [_key(np.asarray(widened(s)).reshape(-1).tolist()) for s in slices]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    groups = [list(group) for _, group in groupby(order, key=keys.__getitem__)]
    if not op.sorted:
        groups.sort()
    first = np.array([group[0] for group in groups], np.int64)
    inverse = np.zeros(len(keys), np.int64)
    for number, group in enumerate(groups):
        inverse[group] = number
    values = slices[first] if axis is None else np.take(x, first, axis)
    counts = np.array([len(group) for group in groups], np.int64)
    more = zip(op.returned, (first, inverse, counts))
    return (values, *(vector for given, vector in more if given))


@register_impls
class SearchFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.search`."""

    argmax = _arg(ArgmaxOp, np.argmax)
    argmin = _arg(ArgminOp, np.argmin)
    bucketize = operator_with_attributes(BucketizeOp, bucketize)
    searchsorted = operator_with_attributes(SearchsortedOp, searchsorted)
    nonzero = operator(NonzeroOp, nonzero)
    unique = operator_with_attributes(UniqueOp, unique)
