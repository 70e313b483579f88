"""Adjoints of gathers: cotangents are accumulated at the indices that were read."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.one_to_one_reads import added_at, number, numbered
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import indexing as ops


@adjoint(ops.TakeOp)
def take(of: Applied[ops.TakeOp], gy: Any) -> Any:
    """The axis that was indexed is brought to the front, where `index_put` adds."""
    x, indices = of.inputs
    rank, places = len(of.shape()), len(of.shape(1))
    axis = 0 if of.op.axis is None else of.op.axis % rank
    to_front = [axis, *(a for a in range(rank) if a != axis)]
    read = list(range(axis, axis + places))
    total = rank - 1 + places
    if of.op.mode != "fast":
        indices, gy = _within(of, indices, axis, gy)
    if axis == 0:  # a form that sums of cotangents recognise: they accumulate at these indices
        return op.index_put(op.zeros_like(x), [indices], gy, True), None
    values = op.permute_dims(gy, [*read, *(a for a in range(total) if a not in read)])
    added = op.index_put(op.zeros_like(op.permute_dims(x, to_front)), [indices], values, True)
    return op.permute_dims(added, [to_front.index(a) for a in range(rank)]), None


def _within(of: Applied[ops.TakeOp], indices: Any, axis: int, gy: Any) -> tuple[Any, Any]:
    """Return indices adjusted to the mode, and the cotangents without those of out-of-bounds indices,
    which read NaN."""
    size = number(of.sizes()[axis], of.type(1).dtype)
    if of.op.mode == "wrap":
        return op.floor_mod(indices, size), gy
    inside = op.minimum(op.maximum(indices, 0), size - 1)
    if of.op.mode == "clip":
        return inside, gy
    after = len(of.shape()) - 1 - axis
    seen = inside == indices
    seen = op.expand_dims(seen, list(range(-after, 0))) if after else seen
    return inside, op.where(seen, gy, 0.0)


@adjoint(ops.GatherElementsOp)
def gather_elements(of: Applied[ops.GatherElementsOp], gy: Any) -> Any:
    data, indices = of.inputs
    zeros = op.zeros_like(data)
    return op.scatter_elements(zeros, indices, gy, of.op.axis, "add"), None


@adjoint(ops.IndexTensorOp)
def index_tensor(of: Applied[ops.IndexTensorOp], gy: Any) -> Any:
    data, *indices = of.inputs
    return op.index_put(op.zeros_like(data), indices, gy, True), *(None for _ in indices)


@adjoint(ops.GatherNdOp)
def gather_nd(of: Applied[ops.GatherNdOp], gy: Any) -> Any:
    data, indices = of.inputs
    if of.op.batch_dims:
        places = op.gather_nd(numbered(of), indices, of.op.batch_dims)
        return added_at(of.sizes(), of.type().dtype, places, gy), None
    return op.scatter_nd(op.zeros_like(data), indices, gy, "add"), None
