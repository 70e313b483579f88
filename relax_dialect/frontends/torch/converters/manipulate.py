"""Other shapes of the same elements."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode


@converter(
    "view", "_unsafe_view", "reshape", "flatten", "unflatten", "squeeze", "view_as", "reshape_as",
    "_reshape_alias", "ravel", "view_copy", "squeeze_copy",
)  # fmt: skip
def reshape(node: TorchNode) -> Any:
    if node.overload == "dtype":
        node.unsupported("another element type for the same bits")
    return op.reshape(node.tensor(0), node.out_shape)


@converter("unsqueeze", "unsqueeze_copy")
def unsqueeze(node: TorchNode) -> Any:
    return op.expand_dims(node.tensor(0), [node.axis("dim", node.rank(0) + 1)])


@converter("expand", "expand_as", "broadcast_to", "expand_copy")
def expand(node: TorchNode) -> Any:
    return op.broadcast_to(node.tensor(0), node.out_shape)


@converter("permute", "permute_copy")
def permute(node: TorchNode) -> Any:
    return op.permute_dims(node.tensor(0), node.axes("dims") or [])


def moved(node: TorchNode, order: list[int]) -> Any:
    """Permute the axes of the first argument."""
    return node.tensor(0) if order == sorted(order) else op.permute_dims(node.tensor(0), order)


@converter(
    "transpose.int", "t", "numpy_T", "mT", "swapaxes", "transpose_copy.int", "t_copy", "adjoint"
)
def transpose(node: TorchNode) -> Any:
    rank = node.rank(0)
    order = list(range(rank))
    if node.operator == "numpy_T":
        return moved(node, order[::-1])
    keys = node.keys[1:3]
    a, b = (node.axis(keys[0]), node.axis(keys[1])) if keys else (rank - 2, rank - 1)
    if rank > 1:
        order[a], order[b] = order[b], order[a]
    return moved(node, order)


@converter("movedim")
def move_axes(node: TorchNode) -> Any:
    source, target = node.axes("source") or [], node.axes("destination") or []
    rest = iter(axis for axis in range(node.rank(0)) if axis not in source)
    order = [source[target.index(i)] if i in target else next(rest) for i in range(node.rank(0))]
    return moved(node, order)


@converter("as_strided", "as_strided_copy")
def as_strided(node: TorchNode) -> Any:
    """A view of the elements in row-major order: other strides depend on memory."""
    count = symbolic.product(node.out_shape)
    wanted = symbolic.const(1)
    for size, stride in reversed(list(zip(node.out_shape, node.sizes("stride")))):
        if size.value != 1 and not symbolic.provably_equal(stride, wanted):
            node.unsupported("strides that are not those of contiguous elements")
        wanted = wanted * size
    offset = node.arg("storage_offset")
    flat = op.reshape(node.tensor(0), [symbolic.product(node.shape(0))])
    if offset or not symbolic.provably_equal(count, symbolic.product(node.shape(0))):
        first = node.size("storage_offset") if offset else symbolic.const(0)
        flat = op.strided_slice(flat, [0], [first], [first + count])
    return op.reshape(flat, node.out_shape)


@converter("diagonal", "diagonal_copy")
def diagonal(node: TorchNode) -> Any:
    """Elements whose indices along two axes differ by an offset: an axis of both is gathered."""
    a, b = node.axis("dim1"), node.axis("dim2")
    offset, rank = int(node.number("offset")), node.rank(0)
    shape, count = node.shape(0), node.out_shape[-1]
    rest = [axis for axis in range(rank) if axis not in (a, b)]
    moved = op.permute_dims(node.tensor(0), [*rest, a, b])
    flat = op.reshape(moved, [*(shape[axis] for axis in rest), shape[a] * shape[b]])
    step = shape[b] + 1
    first = symbolic.const(offset) if offset >= 0 else shape[b] * -offset
    index = op.add(
        op.multiply(op.arange(0, count, 1, dtype="i64"), node.importer.scalars.size(step)),
        node.importer.scalars.size(first),
    )
    return op.take(flat, index, rank - 2)
