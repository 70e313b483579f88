"""A region in integers: quantize, the product in i32 with its bias and relu, dequantize.

q = quantize(x, sx, zx)
sums = maximum(matmul_integer(q, w, zx, 0) + b, 0)          i32
y = dequantize(sums, sx * sw, 0)                            f32, one scale for each channel
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.builder.constant_values import const
from relax_dialect.builder.values import Expression, Value
from relax_dialect.ops.convolution import Conv2dOp
from relax_dialect.ops.linear_algebra import LinearOp
from relax_dialect.rewrites.quantization.quantizing.quantized_regions import Region
from relax_dialect.rewrites.quantization.quantizing.scheme import Parameters, quantized_weights


def scalar(number: float, dtype: str) -> Expression:
    """Return a constant of rank 0."""
    return const(number, dtype)


def replacement(region: Region, x: Parameters) -> Expression | None:
    """Return the replacement of a region whose input has these parameters; None if i32 is too narrow."""
    found = quantized_weights(region.weight, region.channel, region.bias, x)
    if found is None:
        return None
    values = found.values.T if isinstance(region.product, LinearOp) else found.values
    zero_point = scalar(x.zero_point, x.dtype)
    source = Value(region.product.operands[0])
    quantized = op.quantize(source, const(x.scale), zero_point, out_dtype=x.dtype)
    operands = quantized, const(np.ascontiguousarray(values)), zero_point, scalar(0, "i8")
    if isinstance(region.product, Conv2dOp):
        sums = op.conv2d_integer(*operands, **_windows(region.product))
    else:
        sums = op.matmul_integer(*operands)
    if found.bias is not None and found.bias.any():
        after = (1,) * (region.rank - 1 - region.result_axis)
        sums = op.add(sums, const(found.bias.reshape(-1, *after)))
    if region.has_relu:
        sums = op.maximum(sums, scalar(0, "i32"))
    axis = -1 if region.result_axis == region.rank - 1 else region.result_axis
    return op.dequantize(sums, const(found.sum_scales), scalar(0, "i32"), axis=axis)


def _windows(old: Conv2dOp) -> dict[str, Any]:
    """Return the windows, groups and layouts of a convolution, as `op.conv2d_integer` takes them."""
    same = (
        "strides",
        "padding",
        "dilation",
        "groups",
        "data_layout",
        "kernel_layout",
        "out_layout",
    )
    return {name: getattr(old, name) for name in same}
