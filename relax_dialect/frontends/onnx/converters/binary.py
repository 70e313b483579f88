"""Arithmetic, comparisons and logic, element by element with broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter

PLAIN: dict[str, Callable[..., Any]] = {
    "Add": op.add,
    "Sub": op.subtract,
    "Mul": op.multiply,
    "Div": op.divide,
    "And": op.logical_and,
    "Or": op.logical_or,
    "Xor": op.logical_xor,
    "Equal": op.equal,
    "Less": op.less,
    "Greater": op.greater,
    "LessOrEqual": op.less_equal,
    "GreaterOrEqual": op.greater_equal,
    "BitwiseAnd": op.bitwise_and,
    "BitwiseOr": op.bitwise_or,
    "BitwiseXor": op.bitwise_xor,
}


def operands(node: OnnxNode) -> tuple[Any, Any]:
    """Return both operands; before opset 7 an attribute is the position of the second one's axes."""
    lhs, rhs = node.tensor(0), node.tensor(1)
    axis = node.attr("axis", None) if node.opset < 7 else None
    if axis is None:
        return lhs, rhs
    trailing = node.rank(0) - node.checked_axis(axis, node.rank(0)) - node.rank(1)
    return lhs, op.reshape(rhs, [*node.shape(1), *[1] * trailing])


@converter(*PLAIN)
def plain(node: OnnxNode) -> Any:
    return PLAIN[node.op_type](*operands(node))


FOLDED: dict[str, Callable[..., Any]] = {"Sum": op.add, "Max": op.maximum, "Min": op.minimum}


@converter(*FOLDED)
def folded(node: OnnxNode) -> Any:
    return reduce(FOLDED[node.op_type], node.tensors())


@converter("Mean")
def mean(node: OnnxNode) -> Any:
    tensors = node.tensors()
    return op.divide(reduce(op.add, tensors), float(len(tensors)))


@converter("Pow")
def power(node: OnnxNode) -> Any:
    """Convert a `Pow` in the element type of the base; with a fractional exponent an integer base becomes a
    float."""
    lhs, rhs = operands(node)
    base, exponent = node.dtype(0), node.dtype(1)
    if base == exponent:
        return op.power(lhs, rhs)
    if base.kind == "f" or exponent.kind != "f":
        return op.power(lhs, op.astype(rhs, base.name))
    return op.astype(op.power(op.astype(lhs, "f64"), op.astype(rhs, "f64")), base.name)


@converter("Mod")
def modulo(node: OnnxNode) -> Any:
    make = op.mod if node.attr("fmod") else op.floor_mod
    return make(node.tensor(0), node.tensor(1))


@converter("BitShift")
def bit_shift(node: OnnxNode) -> Any:
    direction = node.attr("direction")
    if direction not in ("LEFT", "RIGHT"):
        node.fail("a direction LEFT or RIGHT", str(direction), "correct the model")
    make = op.left_shift if direction == "LEFT" else op.right_shift
    return make(node.tensor(0), node.tensor(1))


@converter("PRelu")
def prelu(node: OnnxNode) -> Any:
    """Convert a `PRelu`; a slope for each channel is that of our operator; any other broadcasts."""
    x, shape, slope = node.tensor(0), node.shape(0), node.shape(1)
    if node.opset < 7 and len(slope) == 1 and slope[0] is shape[1]:
        return op.prelu(x, node.tensor(1), 1)
    if node.dtype(0).kind != "f":
        zero = np.zeros((), node.dtype(0))
        return op.where(op.less(x, zero), op.multiply(x, node.tensor(1)), x)
    per_channel = len(slope) == len(shape) - 1 and all(d.value == 1 for d in slope[1:])
    if per_channel and len(slope) > 1 and slope[0] is shape[1]:
        return op.prelu(x, op.reshape(node.tensor(1), [slope[0]]), 1)
    return op.where(op.less(x, 0.0), op.multiply(x, node.tensor(1)), x)
