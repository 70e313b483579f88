"""Slices, and tensors with a slice replaced."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode
from relax_dialect.symbolic import Expr

WHOLE = 2**62
"""PyTorch's end of a slice that has none is the greatest i64."""


def from_front(position: Expr, size: Expr) -> Expr:
    """Return a position counted from the front, within an axis."""
    if position.value is not None and position.value > WHOLE:
        return size
    high = position.bounds()[1]
    return position if high is None or high >= 0 else symbolic.maximum(size + position, 0)


def bounds(node: TorchNode, length: Expr) -> tuple[int, Expr, Expr, int]:
    """Return the axis, begin, end and step of a slice that holds `length` elements."""
    axis, step = node.axis("dim"), int(node.number("step"))
    begin = symbolic.const(0)
    if node.arg("start") is not None:
        begin = from_front(node.size("start"), node.shape(0)[axis])
    return axis, begin, begin + (length if step == 1 else (length - 1) * step + 1), step


@converter("slice.Tensor", "slice_copy.Tensor")
def slice_of(node: TorchNode) -> Any:
    axis = node.axis("dim")
    length, size = node.out_shape[axis], node.shape(0)[axis]
    axis, begin, end, step = bounds(node, length)
    if begin.value == 0 and step == 1 and symbolic.provably_equal(length, size):
        return node.tensor(0)
    return op.strided_slice(node.tensor(0), [axis], [begin], [end], [step])


def index_along(node: TorchNode, axis: int) -> Expr:
    """Return the argument `index`, counted from the front."""
    index = node.size("index")
    high = index.bounds()[1]
    return node.shape(0)[axis] + index if high is not None and high < 0 else index


@converter("select.int", "select_copy.int")
def select(node: TorchNode) -> Any:
    axis = node.axis("dim")
    if not is_a_size(node):
        return op.take(node.tensor(0), node.tensor("index"), axis)
    index = index_along(node, axis)
    return op.reshape(
        op.strided_slice(node.tensor(0), [axis], [index], [index + 1]), node.out_shape
    )


def is_a_size(node: TorchNode) -> bool:
    """Returns whether the index is a number or a size, and no result of `item` that may be negative."""
    index = node.arg("index")
    return isinstance(index, int) or node.importer.values.get(index) is None


@converter("narrow", "narrow_copy")
def narrow(node: TorchNode) -> Any:
    axis = node.axis("dim")
    begin = from_front(node.size("start"), node.shape(0)[axis])
    return op.strided_slice(node.tensor(0), [axis], [begin], [begin + node.out_shape[axis]])


@converter("slice_scatter")
def slice_scatter(node: TorchNode) -> Any:
    axis = node.axis("dim")
    axis, begin, end, step = bounds(node, node.shape("src")[axis])
    return op.slice_scatter(
        node.tensor(0), node.tensor("src", node.out_dtype), begin, end, step, axis
    )


@converter("select_scatter")
def select_scatter(node: TorchNode) -> Any:
    axis = node.axis("dim")
    index = index_along(node, axis)
    src = op.expand_dims(node.tensor("src", node.out_dtype), [axis])
    return op.slice_scatter(node.tensor(0), src, index, index + 1, 1, axis)
