"""Adjoints of scatters: cotangents are read where values were written."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ir.order import describe
from relax_dialect.ops import scattering as ops


def adds(of: Applied[Any]) -> bool:
    """Whether values are added to what was there; else they replace it."""
    if of.op.reduction not in ("add", "update"):
        raise GradientError(
            f"{describe(of.op)}: expected reduction 'add' or 'update' to differentiate it, found "
            f"'{of.op.reduction}'; use relax.where on a mask of the places"
        )
    return of.op.reduction == "add"


@adjoint(ops.ScatterElementsOp)
def scatter_elements(of: Applied[ops.ScatterElementsOp], gy: Any) -> Any:
    """Updates of one element must not meet unless they are added: the cotangent goes to all."""
    _, indices, updates = of.inputs
    axis = of.op.axis
    kept = (
        gy if adds(of) else op.scatter_elements(gy, indices, op.zeros_like(updates), axis, "update")
    )
    return kept, None, op.gather_elements(gy, indices, axis)


@adjoint(ops.ScatterNdOp)
def scatter_nd(of: Applied[ops.ScatterNdOp], gy: Any) -> Any:
    _, indices, updates = of.inputs
    kept = gy if adds(of) else op.scatter_nd(gy, indices, op.zeros_like(updates), "update")
    return kept, None, op.gather_nd(gy, indices)


@adjoint(ops.IndexPutOp)
def index_put(of: Applied[ops.IndexPutOp], gy: Any) -> Any:
    _, *indices, values = of.inputs
    kept = gy if adds(of) else op.index_put(gy, indices, op.zeros_like(values))
    return kept, *(None for _ in indices), op.index_tensor(gy, indices)
