"""Tensors filled with numbers, and parts of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.converters.datatype import element_type
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


@converter("ConstantOfShape")
def constant_of_shape(node: OnnxNode) -> Any:
    value = node.attr("value", np.zeros(1, np.float32))
    return op.full(list(node.sizes(0)), np.asarray(value.reshape(-1)[0]))


@converter("EyeLike")
def eye_like(node: OnnxNode) -> Any:
    code = node.attr("dtype", None)
    dtype = node.dtype(0).name if code is None else element_type(node, code)
    return op.eye_like(node.tensor(0), node.attr("k"), dtype)


@converter("Trilu")
def trilu(node: OnnxNode) -> Any:
    """Convert a `Trilu`; a diagonal that is computed at run time is compared with the indices."""
    x, upper = node.tensor(0), node.attr("upper")
    if not node.has(1) or node.known(1) is not None:
        make = op.triu if upper else op.tril
        return make(x, node.array(1, np.zeros((), np.int64)).item())
    rows, columns = (op.arange(0, size, 1, "i64") for size in node.shape(0)[-2:])
    diagonal = op.subtract(op.subtract(columns, op.expand_dims(rows, [1])), node.scalar(1))
    kept = op.greater_equal(diagonal, 0) if upper else op.less_equal(diagonal, 0)
    return op.where(kept, x, op.zeros_like(x))
