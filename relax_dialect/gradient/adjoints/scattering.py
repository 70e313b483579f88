"""Adjoints of scatters: cotangents are read where values were written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import scattering as ops

Read = Callable[[Any], Any]
"""The elements of a tensor where the scatter writes, one for each update."""
Write = Callable[[Any, Any, str], Any]
"""The scatter of other updates into another tensor, by some reduction."""


@adjoint(ops.ScatterElementsOp)
def scatter_elements(of: Applied[ops.ScatterElementsOp], gy: Any) -> Any:
    """For updates that replace an element the cotangent goes to all of them; for a maximum or a minimum
    it is shared among the equal elements."""
    indices, axis = of.inputs[1], of.op.axis
    return _through(
        of,
        gy,
        lambda x: op.gather_elements(x, indices, axis),
        lambda x, updates, how: op.scatter_elements(x, indices, updates, axis, how),
    )


@adjoint(ops.ScatterNdOp)
def scatter_nd(of: Applied[ops.ScatterNdOp], gy: Any) -> Any:
    """The same as for `scatter_elements`."""
    indices = of.inputs[1]
    return _through(
        of,
        gy,
        lambda x: op.gather_nd(x, indices),
        lambda x, updates, how: op.scatter_nd(x, indices, updates, how),
    )


def _through(of: Applied[ops.ScatterOp], gy: Any, read: Read, write: Write) -> Any:
    """The gradients of data and updates, for each reduction."""
    data, _, updates = of.inputs
    match of.op.reduction:
        case "update":
            return write(gy, op.zeros_like(updates), "update"), None, read(gy)
        case "add":
            return gy, None, read(gy)
        case "mean":
            share = gy / write(op.ones_like(data), op.ones_like(updates), "add")
            return share, None, read(share)
        case "mul":
            return _of_products(data, updates, gy, read, write)
        case _:
            own, new = data == of.y, updates == read(of.y)
            share = gy / write(_counted(own, data), _counted(new, updates), "add")
            return op.where(own, share, 0.0), None, op.where(new, read(share), 0.0)


def _of_products(data: Any, updates: Any, gy: Any, read: Read, write: Write) -> Any:
    """The product of the other factors: the whole product divided by the factor if none is zero; the
    product of the nonzero factors for a single zero."""
    is_zero, are_zero = data == 0.0, updates == 0.0
    factor, factors = op.where(is_zero, 1.0, data), op.where(are_zero, 1.0, updates)
    product = gy * write(factor, factors, "mul")
    zeros = write(_counted(is_zero, data), _counted(are_zero, updates), "add")
    of_all, of_zero = op.where(zeros == 0.0, product, 0.0), op.where(zeros == 1.0, product, 0.0)
    return (
        op.where(is_zero, of_zero, of_all / factor),
        None,
        op.where(are_zero, read(of_zero), read(of_all) / factors),
    )


def _counted(holds: Any, like: Any) -> Any:
    """One where a condition holds, and else zero."""
    return op.where(holds, op.ones_like(like), 0.0)


@adjoint(ops.IndexPutOp)
def index_put(of: Applied[ops.IndexPutOp], gy: Any) -> Any:
    _, *indices, values = of.inputs
    kept = gy if of.op.accumulate else op.index_put(gy, indices, op.zeros_like(values))
    return kept, *(None for _ in indices), op.index_tensor(gy, indices)
