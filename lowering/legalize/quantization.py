"""Quantization, and integer arithmetic on quantized tensors."""

from __future__ import annotations
