"""Activations of neural networks, and softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter

PLAIN: dict[str, Callable[..., Any]] = {
    "Relu": op.relu,
    "Softsign": op.softsign,
    "Mish": op.mish,
    "HardSwish": op.hard_swish,
}


@converter(*PLAIN)
def plain(node: Node) -> Any:
    return PLAIN[node.op_type](node.tensor(0))


SOFTMAX: dict[str, Callable[..., Any]] = {"Softmax": op.softmax, "LogSoftmax": op.log_softmax}


@converter(*SOFTMAX)
def softmax_of_matrix(node: Node) -> Any:
    """Over all axes from one on, as a matrix."""
    shape = node.shape(0)
    axis = node.axis(len(shape))
    make = SOFTMAX[node.op_type]
    if axis == len(shape) - 1:
        return make(node.tensor(0), -1)
    rest = symbolic.product(shape[axis:])
    return op.reshape(make(op.reshape(node.tensor(0), [*shape[:axis], rest]), -1), shape)


@converter(*SOFTMAX, since=13)
def softmax(node: Node) -> Any:
    return SOFTMAX[node.op_type](node.tensor(0), node.attr("axis"))
