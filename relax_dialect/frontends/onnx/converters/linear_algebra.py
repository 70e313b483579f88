"""Matrix products."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


@converter("MatMul")
def matmul(node: OnnxNode) -> Any:
    return op.matmul(node.tensor(0), node.tensor(1))


@converter("Gemm")
def gemm(node: OnnxNode) -> Any:
    """Convert a `Gemm`, `alpha * a @ b + beta * c`; a transposed b is the weight of a linear layer."""
    a, b = node.tensor(0), node.tensor(1)
    alpha, beta = node.attr("alpha"), node.attr("beta")
    if node.attr("transA"):
        a = op.permute_dims(a)
    if node.attr("transB") and node.has(2) and alpha == beta == 1 and node.rank(2) == 1:
        return op.linear(a, b, node.tensor(2))
    y = op.linear(a, b) if node.attr("transB") else op.matmul(a, b)
    if alpha != 1:
        y = op.multiply(y, alpha)
    if not node.has(2) or beta == 0:
        return y
    c: Any = node.tensor(2)
    return op.add(y, c if beta == 1 else op.multiply(c, beta))


@converter("Einsum")
def einsum(node: OnnxNode) -> Any:
    return op.einsum(node.tensors(), node.attr("equation").replace(" ", ""))


@converter("Det")
def det(node: OnnxNode) -> Any:
    return op.det(node.tensor(0))
