"""Arithmetic, comparisons and logic, element by element with broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
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


@converter(*PLAIN)
def plain(node: Node) -> Any:
    lhs, rhs = node.tensor(0), node.tensor(1)
    axis = node.attr("axis", None) if node.opset < 7 else None
    if axis is not None:  # the axes of the second operand are those of the first from this one on
        trailing = node.rank(0) - axis - node.rank(1)
        rhs = op.reshape(rhs, [*node.shape(1), *[1] * trailing])
    return PLAIN[node.op_type](lhs, rhs)


FOLDED: dict[str, Callable[..., Any]] = {"Sum": op.add, "Max": op.maximum, "Min": op.minimum}


@converter(*FOLDED)
def folded(node: Node) -> Any:
    return reduce(FOLDED[node.op_type], node.tensors())


@converter("Mean")
def mean(node: Node) -> Any:
    tensors = node.tensors()
    return op.divide(reduce(op.add, tensors), float(len(tensors)))
