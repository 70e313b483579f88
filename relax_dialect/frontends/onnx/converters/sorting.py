"""Elements in order."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


@converter("TopK")
def topk(node: OnnxNode) -> Any:
    """Convert a `TopK`; for a symbolic number of elements, all are sorted and the first ones kept."""
    shape = node.shape(0)
    axis = node.axis(len(shape))
    count = node.size(1) if node.opset >= 10 else None
    k = node.attr("k") if count is None else count.value
    largest = bool(node.attr("largest", 1))
    if k == 0:
        empty = [0 if i == axis else d for i, d in enumerate(shape)]
        return op.zeros(empty, node.dtype(0).name), op.zeros(empty, "i64")
    found = node.emit(op.topk(node.tensor(0), k or -1, axis, largest=largest, dtype="i64"))
    if k is not None:
        return found
    return tuple(op.strided_slice(value, [axis], [0], [count]) for value in found)
