"""Tensors put together, and taken apart."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


@converter("Concat")
def concat(node: OnnxNode) -> Any:
    tensors = node.tensors()
    return op.concat(
        tensors, node.axis(node.rank(0), default=1 if node.opset < 4 else node.attr("axis"))
    )


@converter("Split")
def split(node: OnnxNode) -> Any:
    """Split into parts of explicit lengths, or into as many equal parts as there are outputs."""
    x, shape = node.tensor(0), node.shape(0)
    axis, count = node.axis(len(shape)), len(node.outputs)
    given = node.attr("split", None)
    lengths = list(map(symbolic.const, given)) if given else node.sizes(1) if node.has(1) else None
    if lengths is None:
        found = node.emit(op.split(x, count, axis))
        return found if isinstance(found, tuple) else (found,)
    if len(lengths) != count:
        node.fail(f"{count} lengths, one for each output", str(len(lengths)), "correct the model")
    total, ends = symbolic.total(lengths), list(accumulate(lengths))
    if symbolic.provably_different(total, shape[axis]):
        node.fail(f"lengths that add up to {shape[axis]}", str(total), "correct the model")
    known = [end.value for end in ends if end.value is not None]
    if len(known) == len(ends):
        found = node.emit(op.split(x, known[:-1], axis))
        return found if isinstance(found, tuple) else (found,)
    begins = [symbolic.const(0), *ends[:-1]]
    return tuple(op.strided_slice(x, [axis], [b], [e]) for b, e in zip(begins, ends))
