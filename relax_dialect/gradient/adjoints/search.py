"""Operators that search elements: only `relax.unique` returns elements themselves."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, constant, expansion
from relax_dialect.ops import search as ops

constant(
    "its results are indices",
    ops.ArgmaxOp,
    ops.ArgminOp,
    ops.BucketizeOp,
    ops.SearchsortedOp,
    ops.NonzeroOp,
)


@expansion(ops.UniqueOp)
def unique(of: Applied[ops.UniqueOp]) -> Any:
    """The elements, or slices along an axis, at the first index of each."""
    axis = of.op.axis
    first = op.unique(of.x, of.op.sorted, return_index=True, axis=axis)[1]
    x = op.flatten(of.x) if axis is None else of.x
    return op.take(x, first, 0 if axis is None else axis)
