"""Element types."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.errors import OnnxError
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.onnx_dtypes import numpy_of
from relax_dialect.frontends.onnx.registry import converter


def element_type(node: OnnxNode, code: int) -> str:
    """Return numpy's name of an element type's code."""
    try:
        return numpy_of(code).name
    except OnnxError as error:
        raise node.error(str(error)) from None


@converter("Cast")
def cast(node: OnnxNode) -> Any:
    return converted(node, element_type(node, node.attr("to")), node.attr("round_mode", "up"))


def converted(node: OnnxNode, dtype: str, rounding: str = "up") -> Any:
    """Cast the first input to another type; floats of 8 bits saturate unless `saturate` is 0."""
    if node.dtype(0).name == dtype:
        return node.tensor(0)
    saturate = bool(node.attr("saturate", 1)) and dtype.startswith("float8")
    rounding = rounding if dtype == "float8_e8m0fnu" else "nearest"
    return op.astype(node.tensor(0), dtype, saturate, rounding)


@converter("CastLike")
def cast_like(node: OnnxNode) -> Any:
    return converted(node, node.dtype(1).name, node.attr("round_mode", "up"))


@converter("BitCast")
def bit_cast(node: OnnxNode) -> Any:
    """Convert a `BitCast`; a truth value is a byte that is 0 or 1."""
    x: Any = node.tensor(0)
    dtype, old = element_type(node, node.attr("to")), node.dtype(0).name
    if "bool" in (dtype, old):
        if {dtype, old} - {"bool", "int8", "uint8"}:
            node.fail("element types of one width", f"{old} and {dtype}", "correct the model")
        return op.astype(x, dtype)
    return op.view(x, dtype=dtype)
