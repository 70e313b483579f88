"""Quantization in f32 (f64 if an operand is f64), and integer arithmetic in i32."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.convolution import convolution
from relax_dialect.interpret.elementwise import operator, operator_with_attributes
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.interpret.stored_values import LARGEST as LARGEST_STORED
from relax_dialect.interpret.stored_values import stored
from relax_dialect.interpret.total_arithmetic import astype
from relax_dialect.ir.storage import bit_width, is_storage
from relax_dialect.ops.demands import require
from relax_dialect.ops.quantization import (
    LARGEST,
    BlockedOp,
    Conv2dIntegerOp,
    DequantizeOp,
    DynamicQuantizeOp,
    IntegerMatmulOp,
    MatmulIntegerOp,
    ParameterOp,
    QlinearMatmulOp,
    QuantizeOp,
    RequantizeOp,
    f32,
)
from relax_dialect.ops.type_rules import is_unsigned


def _computed_in(*arrays: Array) -> np.dtype[Any]:
    """Return the type to compute in."""
    wide = any(array.dtype == np.float64 for array in arrays)
    return np.dtype(np.float64 if wide else np.float32)


def saturated(x: Array, dtype: np.dtype[Any]) -> Array:
    """Return floats as integers, clamped to the bounds; NaN becomes 0."""
    return astype(np.round(x), dtype)


def _laid(op: ParameterOp, data: Array, *parameters: Array) -> list[Array]:
    """Return scales and zero points with as many axes as data, so that they broadcast with it."""
    require(op.demands(dims(data, *parameters)))
    if isinstance(op, BlockedOp) and op.block_size:
        axis = op.axis_of(data.ndim)
        each = (slice(None),) * axis + (slice(data.shape[axis]),)
        return [p if not p.ndim else p.repeat(op.block_size, axis)[each] for p in parameters]
    after = (1,) * (data.ndim - 1 - op.axis_of(data.ndim)) if data.ndim else ()
    return [p.reshape(-1, *after) if p.ndim else p for p in parameters]


def quantize(op: QuantizeOp, data: Array, scale: Array, zero_point: Array) -> Array:
    """`round(data / scale) + zero_point`."""
    wide = _computed_in(data, scale)
    scale, zero_point = (p.astype(wide) for p in _laid(op, data, scale, zero_point))
    found, dtype = data.astype(wide) / scale, numpy_dtype(op.quantized)
    if not is_storage(op.quantized):
        return saturated(np.round(found) + zero_point, dtype)
    if dtype.name.startswith("float"):
        return stored(
            np.asarray(found + zero_point), dtype, dtype.name in LARGEST_STORED, "nearest"
        )
    low, high = bounds(op.quantized)
    whole = saturated(np.round(found) + zero_point, np.dtype(np.int8 if low else np.uint8))
    return np.asarray(np.clip(whole, low, high)).astype(dtype)


def bounds(type: Any) -> tuple[int, int]:
    """Return the least and the greatest number of an integer type of less than a byte."""
    count = 1 << bit_width(type)
    return (0, count - 1) if is_unsigned(type) else (-count // 2, count // 2 - 1)


def dequantize(op: DequantizeOp, data: Array, scale: Array, zero_point: Array) -> Array:
    """`scale * (data - zero_point)`."""
    out = f32 if op.out_dtype is None else op.out_dtype
    dtype = numpy_dtype(out)
    wide = _computed_in(scale, np.empty(0, dtype))
    scale, zero_point = _laid(op, data, scale, zero_point)
    is_whole = not any(a.dtype.name.startswith("float") for a in (data, zero_point))
    kind = np.int64 if is_whole else wide
    found = (data.astype(kind) - zero_point.astype(kind)).astype(wide) * scale.astype(wide)
    bound = LARGEST.get(out) if is_whole else None
    return (found if bound is None else np.clip(found, -bound, bound)).astype(dtype)


def requantize(op: RequantizeOp, data: Array, *parameters: Array) -> Array:
    """`round((data - input zero point) * (input scale / output scale)) + output zero point`."""
    wide = _computed_in(*parameters)
    scale, zero_point, new_scale, new_zero_point = _laid(op, data, *parameters)
    centered = (data.astype(np.int64) - zero_point.astype(np.int64)).astype(wide)
    found = np.round(centered * (scale.astype(wide) / new_scale.astype(wide)))
    return saturated(found + new_zero_point.astype(wide), numpy_dtype(op.quantized))


def dynamic_quantize(x: Array) -> tuple[Array, ...]:
    """Quantize x by its own range, with the scale and the zero point of that."""
    x = x.astype(_computed_in(x))
    low, high = np.min(x, initial=0), np.max(x, initial=0)
    scale = np.where(high == low, x.dtype.type(1), (high - low) / x.dtype.type(255))
    zero_point = saturated(-low / scale, np.dtype(np.uint8))
    shifted = np.round(x / scale) + np.asarray(zero_point).astype(x.dtype)
    return saturated(shifted, np.dtype(np.uint8)), scale.astype(x.dtype), zero_point


def _sums(
    op: IntegerMatmulOp, lhs: Array, lhs_zero_point: Array, rhs: Array, rhs_zero_point: Array
) -> Array:
    """Return the product of the matrices, less their zero points, in i32."""
    require(op.depths(*dims(lhs, rhs)))
    a = lhs.astype(np.int32) - _of_rows(lhs_zero_point).astype(np.int32)
    return np.asarray(np.matmul(a, rhs.astype(np.int32) - rhs_zero_point.astype(np.int32)))


def _of_rows(parameter: Array) -> Array:
    return parameter[:, None] if parameter.ndim else parameter


def _check(op: IntegerMatmulOp, operands: Sequence[Array]) -> None:
    require(op.demands(dims(*operands)))


def matmul_integer(op: MatmulIntegerOp, *operands: Array) -> Array:
    """`(lhs - lhs_zero_point) @ (rhs - rhs_zero_point)`."""
    _check(op, operands)
    lhs, rhs, lhs_zero_point, rhs_zero_point = operands
    return _sums(op, lhs, lhs_zero_point, rhs, rhs_zero_point)


def qlinear_matmul(op: QlinearMatmulOp, *operands: Array) -> Array:
    """Return the sums, scaled and rounded, plus the zero point of the result."""
    _check(op, operands)
    lhs, lhs_scale, lhs_zero, rhs, rhs_scale, rhs_zero, scale, zero = operands
    wide = _computed_in(lhs_scale, rhs_scale, scale)
    factor = _of_rows(lhs_scale.astype(wide)) * rhs_scale.astype(wide) / scale.astype(wide)
    sums = _sums(op, lhs, lhs_zero, rhs, rhs_zero)
    if rhs.ndim == 1 and factor.ndim:
        factor = factor[:, 0]
    return saturated(np.round(sums.astype(wide) * factor) + zero.astype(wide), zero.dtype)


def conv2d_integer(
    op: Conv2dIntegerOp, x: Array, weight: Array, x_zero: Array, weight_zero: Array
) -> Array:
    """Convolve after subtracting the zero points."""
    filters = op.weight_layout.index("O")
    shape = dims(weight, weight_zero)
    require(op.zero_demands(shape[0][filters], shape[1]))
    after = (1,) * (weight.ndim - 1 - filters) if weight_zero.ndim else ()
    zeros = x_zero, weight_zero.reshape((*weight_zero.shape, *after))
    left = (a.astype(np.int32) - z.astype(np.int32) for a, z in zip((x, weight), zeros))
    return convolution(op, *left)


@register_impls
class QuantizationFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.quantization`."""

    quantize = operator_with_attributes(QuantizeOp, quantize)
    dequantize = operator_with_attributes(DequantizeOp, dequantize)
    requantize = operator_with_attributes(RequantizeOp, requantize)
    dynamic_quantize = operator(DynamicQuantizeOp, dynamic_quantize)
    matmul_integer = operator_with_attributes(MatmulIntegerOp, matmul_integer)
    conv2d_integer = operator_with_attributes(Conv2dIntegerOp, conv2d_integer)
    qlinear_matmul = operator_with_attributes(QlinearMatmulOp, qlinear_matmul)
