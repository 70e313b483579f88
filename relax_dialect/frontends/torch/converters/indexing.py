"""Elements at indices."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import Value, const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode


@converter("embedding")
def embedding(node: TorchNode) -> Any:
    return op.take(node.tensor("weight"), node.tensor("indices"), 0)


@converter("index_select")
def index_select(node: TorchNode) -> Any:
    if not node.rank(0):
        return node.tensor(0)
    return op.take(node.tensor(0), op.reshape(node.tensor("index"), [-1]), node.axis("dim"))


@converter("gather")
def gather(node: TorchNode) -> Any:
    if not node.rank(0):
        return op.reshape(node.tensor(0), node.out_shape)
    return op.gather_elements(node.tensor(0), node.tensor("index"), node.axis("dim"))


@converter("take_along_dim")
def take_along(node: TorchNode) -> Any:
    if node.arg("dim") is None:
        node.unsupported("a flattened tensor")
    return op.gather_elements(node.tensor(0), node.tensor("indices"), node.axis("dim"))


def positions(node: TorchNode) -> tuple[list[int], list[Value]]:
    """Return the indexed axes, and the index of each; a mask becomes the indices of its true elements."""
    axes: list[int] = []
    found: list[Value] = []
    axis = 0
    for each in node.arg("indices"):
        if each is None:
            axis += 1
            continue
        if str(each.meta["val"].dtype) not in ("torch.bool", "torch.uint8"):
            axes.append(axis)
            found.append(node.cast(node.as_tensor(each), "i64"))
            axis += 1
            continue
        rank = len(each.meta["val"].shape)
        rows = _true_elements(node, each, rank)
        axes.extend(range(axis, axis + rank))
        found.extend(rows)
        axis += rank
    return axes, found


def _true_elements(node: TorchNode, mask: Any, rank: int) -> list[Value]:
    """Return the indices of the true elements of a mask, one vector for each axis."""
    count = node.importer.sizes.names.fresh("count")
    table = node.with_shape(op.nonzero(node.as_tensor(mask, "i1")), [symbolic.const(rank), count])
    return [
        node.emit(op.reshape(op.strided_slice(table, [0], [i], [i + 1]), [count]))
        for i in range(rank)
    ]


def to_front(axes: list[int], rank: int) -> list[int]:
    """Return the order of axes that moves some to the front."""
    return [*axes, *(axis for axis in range(rank) if axis not in axes)]


def is_in_order(order: list[int]) -> bool:
    return order == sorted(order)


@converter("index.Tensor", "_unsafe_index.Tensor")
def index(node: TorchNode) -> Any:
    """The indexed axes are moved to the front; theirs of the result go back if they are neighbours."""
    axes, indices = positions(node)
    x, rank = node.tensor(0), node.rank(0)
    if len(axes) == 1:
        return op.take(x, indices[0], axes[0])
    order = to_front(axes, rank)
    moved = x if is_in_order(order) else op.permute_dims(x, order)
    found = node.emit(op.index_tensor(moved, indices))
    if axes != list(range(axes[0], axes[0] + len(axes))) or not axes[0]:
        return found
    width = len(found.shape) - (rank - len(axes))
    before = axes[0]
    back = [*range(width, width + before), *range(width), *range(width + before, len(found.shape))]
    return op.permute_dims(found, back)


@converter("index_put", "_unsafe_index_put")
def index_put(node: TorchNode) -> Any:
    """A mask with one value is a choice; otherwise the indexed axes are moved to the front, and back."""
    given = [each for each in node.arg("indices") if each is not None]
    if (
        len(given) == 1
        and str(given[0].meta["val"].dtype) == "torch.bool"
        and not node.rank("values")
    ):
        return _masked(node, given[0])
    axes, indices = positions(node)
    rank, accumulate = node.rank(0), bool(node.arg("accumulate"))
    order = to_front(axes, rank)
    x, values = node.tensor(0), node.tensor("values", node.out_dtype)
    if is_in_order(order):
        return op.index_put(x, indices, values, accumulate)
    neighbours = axes == list(range(axes[0], axes[0] + len(axes)))
    if neighbours and node.rank("values") > rank - len(axes):
        values = _indexed_first(node, values, axes[0], rank - len(axes))
    elif neighbours and axes[0] and node.rank("values") > rank - len(axes) - axes[0]:
        node.unsupported("values that broadcast to indexed axes in the middle")
    found = op.index_put(op.permute_dims(x, order), indices, values, accumulate)
    return op.permute_dims(found, [order.index(axis) for axis in range(rank)])


def _indexed_first(node: TorchNode, values: Value, before: int, rest: int) -> Value:
    """Move the axes of the indices to the front of the values."""
    rank = node.rank("values")
    width = rank - rest
    order = [*range(before, before + width), *range(before), *range(before + width, rank)]
    return node.emit(op.permute_dims(values, order))


def _masked(node: TorchNode, mask: Any) -> Any:
    at = list(node.arg("indices")).index(mask)
    shape = node.shape_of(mask.meta["val"])
    wide = [*[1] * at, *shape, *[1] * (node.rank(0) - at - len(shape))]
    x, value = node.tensor(0), node.tensor("values", node.out_dtype)
    if node.arg("accumulate"):
        value = node.emit(op.add(x, value))
    return op.where(op.reshape(node.as_tensor(mask), wide), value, x)


@converter("masked_select")
def masked_select(node: TorchNode) -> Any:
    """The elements where a mask is true, in row-major order."""
    x, mask = node.shape(0), node.shape("mask")
    rank = max(len(x), len(mask))
    pairs = zip(*([symbolic.const(1)] * (rank - len(s)) + s for s in (x, mask)))
    shape = [b if a.value == 1 else a for a, b in pairs]
    flat, chosen = (
        op.reshape(op.broadcast_to(node.tensor(key), shape), [-1]) for key in (0, "mask")
    )
    table = node.with_shape(op.nonzero(chosen), [symbolic.const(1), *node.out_shape])
    return op.take(flat, op.reshape(table, node.out_shape), 0)


@converter("masked_scatter")
def masked_scatter(node: TorchNode) -> Any:
    """The elements of a source, one after the other, where a mask is true."""
    shape, dtype = node.out_shape, node.out_dtype
    mask = node.emit(op.broadcast_to(node.tensor("mask"), shape))
    before = op.cumsum(op.astype(op.reshape(mask, [-1]), "i64"), 0)
    index = op.maximum(op.subtract(before, const(1, "i64")), const(0, "i64"))
    source = op.reshape(node.tensor("source", dtype), [-1])
    values = op.reshape(op.take(source, index, 0, mode="clip"), shape)
    return op.where(mask, values, node.tensor(0, dtype))
