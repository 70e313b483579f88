"""Tensors joined, and split into parts."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode


@converter("cat", "concat", "concatenate")
def cat(node: TorchNode) -> Any:
    """Join tensors; empty vectors are left out, as PyTorch has them fit everywhere."""
    rank = len(node.result.shape)
    parts = [p for p in node.arg(0) if len(p.meta["val"].shape) == rank]
    values = [node.as_tensor(part, node.out_dtype) for part in parts]
    return values[0] if len(values) == 1 else op.concat(values, node.axis("dim", rank))


@converter("stack")
def stack(node: TorchNode) -> Any:
    return op.stack(node.tensors(0, node.out_dtype), node.axis("dim", len(node.result.shape)))


@converter(
    "split", "split_with_sizes", "chunk", "tensor_split", "split_copy", "split_with_sizes_copy"
)
def split(node: TorchNode) -> Any:
    axis, x, begin, found = node.axis("dim"), node.tensor(0), symbolic.const(0), []
    for example in node.result:
        end = begin + node.shape_of(example)[axis]
        found.append(node.emit(op.strided_slice(x, [axis], [begin], [end])))
        begin = end
    return found


@converter("unbind", "unbind_copy")
def unbind(node: TorchNode) -> Any:
    axis, x = node.axis("dim"), node.tensor(0)
    slices = [op.strided_slice(x, [axis], [i], [i + 1]) for i in range(len(node.result))]
    return [op.reshape(s, node.shape_of(e)) for s, e in zip(slices, node.result)]


@converter("meshgrid")
def meshgrid(node: TorchNode) -> Any:
    return op.meshgrid(node.tensors(0), node.arg("indexing", "ij"))
