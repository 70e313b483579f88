"""Adjoints of sorts: cotangents go where the elements came from."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint, constant
from relax_dialect.ops import sorting as ops


@adjoint(ops.SortOp)
def sort(of: Applied[ops.SortOp], gy: Any) -> Any:
    axis = of.op.axis
    places = op.argsort(of.x, axis, of.op.descending, "i64")
    return op.scatter_elements(op.zeros_like(of.x), places, gy, axis, "update")


@adjoint(ops.TopkOp)
def topk(of: Applied[ops.TopkOp], gy: Any, *_: Any) -> Any:
    axis, this = of.op.axis, of.op
    places = (
        of.outputs[1]
        if this.gives_indices
        else op.topk(of.x, this.k, axis, "indices", this.largest, "i64")
    )
    return op.scatter_elements(op.zeros_like(of.x), places, gy, axis, "update")


constant("its results are indices", ops.ArgsortOp)
