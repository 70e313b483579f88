"""Activations, and softmax."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from relax_dialect.builder import const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode

PLAIN: Mapping[str, Callable[..., Any]] = {
    "hardsigmoid": op.hard_sigmoid,
    "hardswish": op.hard_swish,
    "log_sigmoid": op.log_sigmoid,
    "mish": op.mish,
    "selu": op.selu,
    "silu": op.silu,
}


@converter(*PLAIN)
def plain(node: TorchNode) -> Any:
    return PLAIN[node.operator](node.tensor(0))


@converter("gelu")
def gelu(node: TorchNode) -> Any:
    return (op.gelu_tanh if node.arg("approximate") == "tanh" else op.gelu)(node.tensor(0))


@converter("leaky_relu")
def leaky_relu(node: TorchNode) -> Any:
    return op.leakyrelu(node.tensor(0), float(node.number("negative_slope")))


@converter("elu")
def elu(node: TorchNode) -> Any:
    alpha, scale, inner = (float(node.number(key)) for key in ("alpha", "scale", "input_scale"))
    x = node.tensor(0)
    if inner != 1:
        below = op.multiply(
            op.expm1(op.multiply(x, const(inner, node.out_dtype))), const(alpha, node.out_dtype)
        )
        found = op.where(op.greater(x, const(0.0, node.out_dtype)), x, below)
    else:
        found = op.elu(x, alpha)
    return found if scale == 1 else op.multiply(found, const(scale, node.out_dtype))


@converter("celu")
def celu(node: TorchNode) -> Any:
    return op.celu(node.tensor(0), float(node.number("alpha")))


@converter("prelu", "_prelu_kernel")
def prelu(node: TorchNode) -> Any:
    x, slope, dtype = node.tensor(0), node.tensor("weight"), node.out_dtype
    if node.operator == "prelu" and node.rank(0) > 1 and node.rank("weight") == 1:
        return op.prelu(x, slope, 1)
    return op.where(op.greater(x, const(0.0, dtype)), x, op.multiply(x, slope))


@converter("hardtanh")
def hard_tanh(node: TorchNode) -> Any:
    low, high = (node.number(key) for key in ("min_val", "max_val"))
    if node.is_float:
        return op.hard_tanh(node.tensor(0), float(low), float(high))
    return op.clip(node.tensor(0), int(low), int(high))


@converter("softplus")
def softplus(node: TorchNode) -> Any:
    return op.softplus(node.tensor(0), float(node.number("beta")), float(node.number("threshold")))


@converter("threshold")
def threshold(node: TorchNode) -> Any:
    x, dtype = node.tensor(0), node.out_dtype
    return op.where(
        op.less_equal(x, node.tensor("threshold", dtype)), node.tensor("value", dtype), x
    )


@converter("hardshrink")
def hard_shrink(node: TorchNode) -> Any:
    return op.hard_shrink(node.tensor(0), float(node.number("lambd")))


@converter("softshrink")
def soft_shrink(node: TorchNode) -> Any:
    return op.soft_shrink(node.tensor(0), float(node.number("lambd")))


@converter("glu")
def glu(node: TorchNode) -> Any:
    return op.glu(node.tensor(0), node.axis("dim"))


@converter("softmax.int", "_softmax")
def softmax(node: TorchNode) -> Any:
    if not node.rank(0):
        return op.ones([], node.out_dtype)
    return op.softmax(node.tensor(0, node.out_dtype), node.axis("dim"))


@converter("_safe_softmax")
def safe_softmax(node: TorchNode) -> Any:
    """Softmax with zeros for rows of -inf alone, which are masked entirely."""
    if not node.rank(0):
        return softmax(node)
    x, axis = node.tensor(0, node.out_dtype), node.axis("dim")
    is_masked = op.equal(op.max(x, [axis], True), const(-math.inf, node.out_dtype))
    return op.where(is_masked, const(0.0, node.out_dtype), op.softmax(x, axis))


@converter("log_softmax.int", "_log_softmax")
def log_softmax(node: TorchNode) -> Any:
    if not node.rank(0):
        return op.zeros([], node.out_dtype)
    return op.log_softmax(node.tensor(0, node.out_dtype), node.axis("dim"))
