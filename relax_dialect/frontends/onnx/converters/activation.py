"""Activations of neural networks, and softmax."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.converters.ranges import is_at
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter

PLAIN: dict[str, Callable[..., Any]] = {
    "HardSwish": op.hard_swish,
    "Mish": op.mish,
    "Relu": op.relu,
    "Softsign": op.softsign,
}

OF_ALPHA: dict[str, Callable[..., Any]] = {
    "Celu": op.celu,
    "Elu": op.elu,
    "LeakyRelu": op.leakyrelu,
    "ThresholdedRelu": op.thresholded_relu,
}


@converter(*PLAIN)
def plain(node: OnnxNode) -> Any:
    return PLAIN[node.op_type](node.tensor(0))


@converter(*OF_ALPHA)
def of_alpha(node: OnnxNode) -> Any:
    return OF_ALPHA[node.op_type](node.tensor(0), node.attr("alpha"))


@converter("Softplus")
def softplus(node: OnnxNode) -> Any:
    return op.log_add_exp(node.tensor(0), 0.0)


@converter("Selu")
def selu(node: OnnxNode) -> Any:
    return op.multiply(op.elu(node.tensor(0), node.attr("alpha")), node.attr("gamma"))


@converter("Gelu")
def gelu(node: OnnxNode) -> Any:
    make = op.gelu_tanh if node.attr("approximate") == "tanh" else op.gelu
    return make(node.tensor(0))


@converter("HardSigmoid")
def hard_sigmoid(node: OnnxNode) -> Any:
    line = op.add(op.multiply(node.tensor(0), node.attr("alpha")), node.attr("beta"))
    return op.clip(line, 0.0, 1.0)


@converter("Shrink")
def shrink(node: OnnxNode) -> Any:
    """Convert a `Shrink`; integers are computed as floats, and rounded towards zero."""
    x, bound, bias = node.tensor(0), node.attr("lambd"), node.attr("bias")
    is_float = node.dtype(0).kind == "f"
    if not is_float:
        x = node.emit(op.astype(x, "f64"))
    below = op.where(op.less(x, -bound), op.add(x, bias), op.zeros_like(x))
    found = op.where(op.greater(x, bound), op.subtract(x, bias), below)
    return found if is_float else op.astype(found, node.dtype(0).name)


SOFTMAX: dict[str, Callable[..., Any]] = {"Softmax": op.softmax, "LogSoftmax": op.log_softmax}


@converter(*SOFTMAX)
def softmax_of_matrix(node: OnnxNode) -> Any:
    """Compute a softmax over all axes from one on, as a matrix."""
    shape = node.shape(0)
    axis = node.axis(len(shape))
    make = SOFTMAX[node.op_type]
    if axis == len(shape) - 1:
        return make(node.tensor(0), -1)
    rest = symbolic.product(shape[axis:])
    return op.reshape(make(op.reshape(node.tensor(0), [*shape[:axis], rest]), -1), shape)


@converter(*SOFTMAX, since=13)
def softmax(node: OnnxNode) -> Any:
    return SOFTMAX[node.op_type](node.tensor(0), node.attr("axis"))


def _first_of_largest(node: OnnxNode, x: Any, axis: int, size: symbolic.Expr) -> Any:
    """Mark the first largest element by 1, others by 0. An axis that may be empty is padded by a
    minimum."""
    if symbolic.maximum(size, symbolic.const(1)) is not size:
        widths = [0, 0] * len(node.shape_of(node.emit(x)))
        widths[2 * axis + 1] = 1
        x = op.pad(x, widths, pad_value=-math.inf)
    places = node.emit(op.argmax(x, axis))
    return op.astype(is_at(places, len(node.shape_of(places)), size, axis), node.dtype(0).name)


@converter("Hardmax")
def hardmax_of_matrix(node: OnnxNode) -> Any:
    shape = node.shape(0)
    axis = node.axis(len(shape))
    rest = symbolic.product(shape[axis:])
    flat = op.reshape(node.tensor(0), [*shape[:axis], rest])
    return op.reshape(_first_of_largest(node, flat, axis, rest), shape)


@converter("Hardmax", since=13)
def hardmax(node: OnnxNode) -> Any:
    axis = node.axis(node.rank(0))
    return _first_of_largest(node, node.tensor(0), axis, node.shape(0)[axis])
