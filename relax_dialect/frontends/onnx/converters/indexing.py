"""Elements read and written at indices."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter

REDUCTIONS = {"none": "update", "add": "add", "mul": "mul", "min": "min", "max": "max"}


@converter("Gather")
def gather(node: OnnxNode) -> Any:
    return op.take(node.tensor(0), node.tensor(1), node.axis(node.rank(0)))


@converter("GatherElements")
def gather_elements(node: OnnxNode) -> Any:
    return op.gather_elements(node.tensor(0), node.tensor(1), node.axis(node.rank(0)))


@converter("GatherND")
def gather_nd(node: OnnxNode) -> Any:
    batch, rank = node.attr("batch_dims", 0), node.scope.declared_rank(node.outputs[0])
    depth = None if rank is None else node.rank(0) + node.rank(1) - 1 - batch - rank
    return op.gather_nd(node.tensor(0), _of_depth(node, depth), batch)


def _of_depth(node: OnnxNode, depth: int | None) -> Any:
    """Return the indices; if the length of their tuples is unknown but follows from the ranks, it is
    checked."""
    *sizes, last = node.shape(1) or [symbolic.const(0)]
    if last.value is not None or depth is None or depth < 0:
        return node.tensor(1)
    return node.with_sizes(node.tensor(1), [*sizes, symbolic.const(depth)])


@converter("Scatter", "ScatterElements")
def scatter_elements(node: OnnxNode) -> Any:
    axis, reduction = node.axis(node.rank(0)), node.choice("reduction", REDUCTIONS, "none")
    x, indices, updates = (node.tensor(i) for i in range(3))
    return op.scatter_elements(x, indices, updates, axis, reduction)


@converter("ScatterND")
def scatter_nd(node: OnnxNode) -> Any:
    reduction = node.choice("reduction", REDUCTIONS, "none")
    depth = node.rank(0) + node.rank(1) - 1 - node.rank(2)
    return op.scatter_nd(node.tensor(0), _of_depth(node, depth), node.tensor(2), reduction)


@converter("Compress")
def compress(node: OnnxNode) -> Any:
    """Select the elements, or slices along an axis, where a condition holds."""
    x, axis = node.tensor(0), node.attr("axis", None)
    if axis is None:
        x, axis = op.flatten(x), 0
    return op.take(x, op.squeeze(op.nonzero(node.tensor(1)), [0]), axis)


@converter("TensorScatter")
def tensor_scatter(node: OnnxNode) -> Any:
    """Convert a `TensorScatter`: consecutive updates along an axis, from the index of their sample on."""
    cache, update = node.shape(0), node.shape(1)
    axis = node.axis(len(cache))
    if axis == 0:
        node.fail("another axis than 0, the batch", "0", "correct the model")

    def along(place: int, row: Any, size: Any) -> Any:
        """Reshape a row of indices to broadcast along one of the first axes."""
        return op.reshape(row, [size if d == place else 1 for d in range(axis + 1)])

    index = [along(d, op.arange(0, size), size) for d, size in enumerate(update[: axis + 1])]
    if node.has(2):
        start = along(0, op.astype(node.tensor(2), "i64"), update[0])
        index[axis] = op.add(start, index[axis])
    if node.attr("mode") == "circular":
        size = op.shape_to_tensor(op.shape([cache[axis]]))
        index[axis] = op.floor_mod(index[axis], size)
    return op.index_put(node.tensor(0), [node.emit(each) for each in index], node.tensor(1))
