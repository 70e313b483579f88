"""Elements found: nonzero ones, buckets."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode


@converter("nonzero")
def nonzero(node: TorchNode) -> Any:
    count, rank = node.out_shape
    found = node.with_shape(op.nonzero(node.tensor(0)), [rank, count])
    return op.permute_dims(found, [1, 0])


@converter("bucketize.Tensor")
def bucketize(node: TorchNode) -> Any:
    options = bool(node.arg("out_int32")), bool(node.arg("right"))
    return op.bucketize(node.tensor(0), node.tensor("boundaries", node.dtype(0)), *options)


@converter("searchsorted.Tensor")
def searchsorted(node: TorchNode) -> Any:
    right = bool(node.arg("right")) or node.arg("side") == "right"
    values = node.tensor("self", node.dtype("sorted_sequence"))
    return op.searchsorted(
        node.tensor("sorted_sequence"), values, bool(node.arg("out_int32")), right
    )


@converter("_unique2")
def unique(node: TorchNode) -> Any:
    """The distinct elements in order, the number of that of each element, and counts."""
    inverse, counts = bool(node.arg("return_inverse")), bool(node.arg("return_counts"))
    found = node.emit(op.unique(node.tensor(0), True, False, inverse, counts))
    values = iter(found if inverse or counts else [found])
    results: list[Any] = [node.with_shape(next(values), node.shape_of(node.result[0]))]
    results.append(op.reshape(next(values), node.shape(0)) if inverse else None)
    return [*results, next(values) if counts else None]


@converter("item", "_local_scalar_dense")
def item(node: TorchNode) -> Any:
    """A number of the program; an integer of at least 0 becomes a size."""
    x = op.reshape(node.tensor(0), [])
    if not _is_size(node.result):
        return x
    size = node.importer.size_of(node.result)
    vector = op.reshape(op.astype(node.emit(x), "i64"), [1])
    node.importer.builder.match_shape(node.emit(op.tensor_to_shape(vector)), [size])
    return None


def _is_size(result: Any) -> bool:
    """Returns whether a number is an integer that is known to be at least 0."""
    if type(result).__name__ != "SymInt":
        return False
    inner = result.node
    return inner.expr.is_Symbol and bool(inner.shape_env.bound_sympy(inner.expr).lower >= 0)
