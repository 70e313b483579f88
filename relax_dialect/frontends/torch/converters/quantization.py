"""Quantized tensors, as PT2E writes them: `quantized_decomposed`."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode

SPACE = "quantized_decomposed::"


def parameters(node: TorchNode, dtype: str) -> tuple[Any, Any, int]:
    """Return scales, zero points and axis; a tensor as a whole has one of each."""
    is_channel = "per_channel" in node.operator
    scale, zero = (node.arg(i) for i in (1, 2))
    axis = node.axis("axis") if is_channel else 0
    whole = isinstance(scale, int | float)
    scales = node.emit(const(float(scale), "f32")) if whole else node.tensor(1, "f32")
    if zero is None:
        zero = 0
    zeros = node.emit(const(zero, dtype)) if isinstance(zero, int) else node.tensor(2, dtype)
    return scales, zeros, axis


@converter(*(f"{SPACE}quantize_per_{part}" for part in ("tensor", "channel")))
def quantize(node: TorchNode) -> Any:
    dtype = node.out_dtype
    scales, zeros, axis = parameters(node, dtype)
    found = op.quantize(node.tensor(0), scales, zeros, axis, dtype)
    low, high = (int(node.number(key)) for key in ("quant_min", "quant_max"))
    return op.clip(found, low, high)


@converter(*(f"{SPACE}dequantize_per_{part}" for part in ("tensor", "channel")))
def dequantize(node: TorchNode) -> Any:
    scales, zeros, axis = parameters(node, node.dtype(0))
    return op.dequantize(node.tensor(0), scales, zeros, axis, node.out_dtype)
