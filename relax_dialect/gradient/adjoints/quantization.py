"""Quantization: rounding is flat, scales have derivatives where the result is a float.

To train as if rounding were not there, straight through: `x + no_grad(dequantize(quantize(x)) - x)`.
"""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint, constant, expansion
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import quantization as ops

constant(
    "its results are integers",
    *(ops.QuantizeOp, ops.RequantizeOp),
    *(ops.MatmulIntegerOp, ops.QlinearMatmulOp, ops.Conv2dIntegerOp),
)


@adjoint(ops.DequantizeOp)
def dequantize(of: Applied[ops.DequantizeOp], gy: Any) -> Any:
    """Of the scale: `data - zero_point`, the result for a scale of 1, summed over all elements that it is
    for."""
    this, (data, scale, zero_point) = of.op, of.inputs
    one = op.ones_like(scale)
    numbers = op.dequantize(data, one, zero_point, this.axis, this.out_dtype, this.block_size)
    found = gy * numbers
    shape, rank = of.shape(1), len(of.shape())
    if this.block_size:
        axis = this.axis % rank
        blocks = of.sizes(1)[axis]
        missing = blocks * this.block_size - of.sizes()[axis]
        more = [(missing if a == axis else size) for a, size in enumerate(of.sizes())]
        whole = op.concat([found, op.zeros(more, this.out_dtype)], axis=axis)
        sizes = of.sizes()
        split = [*sizes[:axis], blocks, this.block_size, *sizes[axis + 1 :]]
        return None, op.sum(op.reshape(whole, split), [axis + 1]), None
    if not shape:
        return None, op.sum(found), None
    axis = this.axis % rank if rank else 0
    return None, op.sum(found, [a for a in range(rank) if a != axis]), None


@expansion(ops.DynamicQuantizeOp)
def dynamic_quantize(of: Applied[ops.DynamicQuantizeOp]) -> Any:
    """The scale `(high - low) / 255`."""
    scale = of.outputs[1].type
    assert isinstance(scale, TensorType)
    high, low = op.maximum(op.max(of.x), 0.0), op.minimum(op.min(of.x), 0.0)
    spread = high.astype(scale.dtype) - low.astype(scale.dtype)
    return of.y, spread * (1 / 255)
