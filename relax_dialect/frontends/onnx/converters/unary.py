"""Functions of one element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter

PLAIN: dict[str, Callable[..., Any]] = {
    "Abs": op.abs,
    "Acos": op.acos,
    "Acosh": op.acosh,
    "Asin": op.asin,
    "Asinh": op.asinh,
    "Atan": op.atan,
    "Atanh": op.atanh,
    "BitwiseNot": op.bitwise_not,
    "Ceil": op.ceil,
    "Cos": op.cos,
    "Cosh": op.cosh,
    "Erf": op.erf,
    "Exp": op.exp,
    "Floor": op.floor,
    "IsNaN": op.isnan,
    "Log": op.log,
    "Neg": op.negative,
    "Not": op.logical_not,
    "Reciprocal": op.reciprocal,
    "Round": op.round,
    "Sigmoid": op.sigmoid,
    "Sign": op.sign,
    "Sin": op.sin,
    "Sinh": op.sinh,
    "Sqrt": op.sqrt,
    "Tan": op.tan,
    "Tanh": op.tanh,
}


@converter(*PLAIN)
def plain(node: OnnxNode) -> Any:
    return PLAIN[node.op_type](node.tensor(0))


@converter("IsInf")
def is_inf(node: OnnxNode) -> Any:
    x = node.tensor(0)
    below, above = node.attr("detect_negative"), node.attr("detect_positive")
    if below and above:
        return op.isinf(x)
    if not below and not above:
        return op.zeros_like(x, "i1")
    return op.equal(x, np.array(np.inf if above else -np.inf, node.dtype(0)))
