"""Quantization, and integer arithmetic on quantized tensors."""

from __future__ import annotations

from xdsl.ir import Operation

OPS: list[type[Operation]] = []
