"""Functions of three elements."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode


@converter("where.self", "where.default", "where.ScalarSelf", "where.ScalarOther", "where.Scalar")
def where(node: TorchNode) -> Any:
    dtype = node.out_dtype
    return op.where(node.tensor(0, "i1"), node.tensor(1, dtype), node.tensor(2, dtype))


@converter("masked_fill")
def masked_fill(node: TorchNode) -> Any:
    dtype = node.out_dtype
    return op.where(node.tensor("mask"), node.tensor("value", dtype), node.tensor(0, dtype))


@converter("clamp", "clamp_min", "clamp_max", "clip")
def clamp(node: TorchNode) -> Any:
    dtype = node.out_dtype
    found = node.tensor(0, dtype)
    if (low := node.optional("min", dtype)) is not None:
        found = node.emit(op.maximum(found, low))
    if (high := node.optional("max", dtype)) is not None:
        found = node.emit(op.minimum(found, high))
    return found


@converter("lerp")
def lerp(node: TorchNode) -> Any:
    dtype = node.out_dtype
    return op.lerp(node.tensor(0), node.tensor("end"), node.tensor("weight", dtype))


@converter("addcmul", "addcdiv")
def scaled_sum(node: TorchNode) -> Any:
    dtype = node.out_dtype
    make = op.multiply if node.operator == "addcmul" else op.divide
    found = make(node.tensor(1, dtype), node.tensor(2, dtype))
    if node.arg("value", 1) != 1:
        found = op.multiply(found, node.tensor("value", dtype))
    return op.add(node.tensor(0, dtype), found)
