"""Tensors that sizes and numbers determine."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode

VALUES = {"full": 1, "full_like": 1, "new_full": 2, "fill": 1}
"""The index of the argument that is the value of all elements."""


@converter(*VALUES)
def full(node: TorchNode) -> Any:
    value = node.arg(VALUES[node.operator])
    if isinstance(value, int | float):
        value = bool(value) if node.out_dtype == "i1" else value if node.is_float else int(value)
        value = float(value) if node.is_float else value
    return op.full(node.out_shape, node.as_tensor(value, node.out_dtype), node.out_dtype)


@converter("zeros", "zeros_like", "new_zeros", "empty", "empty_like", "new_empty", "empty_strided",
           "empty_permuted", "new_empty_strided", "zero")  # fmt: skip
def zeros(node: TorchNode) -> Any:
    return op.zeros(node.out_shape, node.out_dtype)


@converter("ones", "ones_like", "new_ones")
def ones(node: TorchNode) -> Any:
    return op.ones(node.out_shape, node.out_dtype)


@converter("scalar_tensor")
def scalar_tensor(node: TorchNode) -> Any:
    value = node.arg(0)
    if isinstance(value, int | float):
        value = (
            float(value) if node.is_float else bool(value) if node.out_dtype == "i1" else int(value)
        )
    return node.as_tensor(value, node.out_dtype)


@converter("arange")
def arange(node: TorchNode) -> Any:
    (count,), dtype = node.out_shape, node.out_dtype
    start, step = node.arg("start", 0), node.arg("step", 1)
    if not node.is_float:  # PyTorch counts in the element type
        start, step = (int(x) if isinstance(x, float) else x for x in (start, step))
    if isinstance(step, int) and step > 0 and not isinstance(node.arg("start"), float):
        first = node.size("start") if "start" in node.arguments else symbolic.const(0)
        return node.cast(op.arange(first, first + count * step, step, dtype="i64"), dtype)
    wide = "f64" if node.is_float else "i64"
    index = node.cast(op.arange(0, count, 1, dtype="i64"), wide)
    scaled = op.multiply(index, node.as_tensor(step, wide))
    return op.astype(op.add(scaled, node.as_tensor(start, wide)), dtype)


@converter("linspace")
def linspace(node: TorchNode) -> Any:
    start, end = (float(node.number(key)) for key in ("start", "end"))
    return op.linspace(start, end, node.size("steps"), node.out_dtype)


@converter("eye")
def eye(node: TorchNode) -> Any:
    rows, columns = node.out_shape
    return op.eye(rows, columns, 0, node.out_dtype)


@converter("tril", "triu")
def triangle(node: TorchNode) -> Any:
    return getattr(op, node.operator)(node.tensor(0), int(node.number("diagonal")))


@converter("one_hot")
def one_hot(node: TorchNode) -> Any:
    depth = node.out_shape[-1].value
    if depth is None:
        node.unsupported("a number of classes that depends on data", "pass num_classes")
    return op.one_hot(node.tensor(0), 1, 0, depth, -1)
