"""Activations, with the biases that are fused into them."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.microsoft import DOMAIN
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


def biased(node: OnnxNode, place: int = 1) -> Any:
    """Add the optional bias to the first input."""
    x = node.tensor(0)
    return op.add(x, node.tensor(place)) if node.has(place) else x


@converter("Gelu", "BiasGelu", domain=DOMAIN)
def gelu(node: OnnxNode) -> Any:
    return op.gelu(biased(node))


@converter("FastGelu", domain=DOMAIN)
def fast_gelu(node: OnnxNode) -> Any:
    return op.gelu_tanh(biased(node))


@converter("QuickGelu", domain=DOMAIN)
def quick_gelu(node: OnnxNode) -> Any:
    x = node.tensor(0)
    return op.multiply(x, op.sigmoid(op.multiply(x, node.attr("alpha", 1.702))))
