"""Fused products: with transposes, factors, biases, activations."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.microsoft import DOMAIN
from relax_dialect.frontends.onnx.microsoft.delegates import delegated, given_inputs
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter, find


def activated(node: OnnxNode, x: Any, name: str, **parameters: Any) -> Any:
    """Apply one of ONNX's own activations, or none without a name."""
    if not name:
        return x
    if find("", name, 17) is None:
        node.unsupported(f"an activation {name}")
    return delegated(node, name, x, **parameters)


def _factor(node: OnnxNode, place: int, side: str) -> Any:
    """Return a factor with its last two axes last, preceded by the batch axes."""
    x, rank = node.tensor(place), node.rank(place)
    if rank < 2:
        return x
    axes = list(range(rank))
    if node.attr(f"transBatch{side}", 0):
        axes = [*axes[1:-1], 0, rank - 1]
    if node.attr(f"trans{side}", 0):
        axes[-2:] = axes[:-3:-1]
    return op.permute_dims(x, axes) if axes != list(range(rank)) else x


@converter("FusedMatMul", "TransposeMatMul", domain=DOMAIN)
def fused_matmul(node: OnnxNode) -> Any:
    """Convert a `FusedMatMul`: `alpha * a @ b`."""
    found, alpha = op.matmul(_factor(node, 0, "A"), _factor(node, 1, "B")), node.attr("alpha", 1.0)
    return op.multiply(found, alpha) if alpha != 1 else found


@converter("FusedGemm", domain=DOMAIN)
def fused_gemm(node: OnnxNode) -> Any:
    found = delegated(node, "Gemm", *given_inputs(node, 0, 1, 2))
    names = ("alpha", "beta", "gamma")
    parameters = {name: node.attr(f"activation_{name}", None) for name in names}
    return activated(node, found, node.attr("activation", ""), **parameters)
