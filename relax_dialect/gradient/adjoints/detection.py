"""Operators on boxes: rows are moved, cotangents go back to where they came from."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint, constant, refused
from relax_dialect.ops import detection as ops


@adjoint(ops.GetValidCountsOp)
def get_valid_counts(of: Applied[ops.GetValidCountsOp], _: Any, gy: Any, *__: Any) -> Any:
    """Rows are scattered back to the indices in the third result; rows padded with -1 are constant."""
    batch, _boxes, _numbers = of.sizes()
    places = of.outputs[2]
    found = places >= 0
    rows = op.where(op.expand_dims(found, [2]), gy, 0.0)
    image = op.expand_dims(op.arange(0, batch, 1, "i32"), [1])
    indices = [image, op.where(found, places, op.zeros_like(places))]
    return op.index_put(op.zeros_like(of.x), indices, rows, True)


constant("its results are indices", ops.AllClassNonMaxSuppressionOp)
refused("its boxes are chosen by comparisons", ops.NonMaxSuppressionOp)
