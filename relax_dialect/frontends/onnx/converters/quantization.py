"""Quantized numbers: their scales and zero points, and products of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.converters.datatype import element_type
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.frontends.onnx.windows import known_kernel, numbers, padded_input, spatial_rank
from relax_dialect.ir.storage import MLIR_NAMES


def parameter(node: OnnxNode, place: int) -> Any:
    """Return a scale or zero point; a vector of one element is a scalar."""
    found = node.tensor(place)
    return found if is_vector(node, place) else op.reshape(found, [])


def scale(node: OnnxNode) -> Any:
    """Return the scale as a float: scales may be integers, or powers of two of 8 bits."""
    found: Any = parameter(node, 1)
    name = node.dtype(1).name
    is_plain = name.startswith(("float", "bfloat")) and name not in MLIR_NAMES
    return found if is_plain else op.astype(found, "f32")


def zero_point(node: OnnxNode, place: int, like: int, dtype: str) -> Any:
    """Return a zero point, 0 if omitted, with the shape of a scale."""
    if node.has(place):
        return parameter(node, place)
    return op.zeros([], "int8" if dtype in MLIR_NAMES else dtype)


def is_vector(node: OnnxNode, place: int) -> bool:
    """Returns whether a scale or zero point varies; a vector of one element is a scalar."""
    shape = node.shape(place)
    return len(shape) > 1 or any(size.value != 1 for size in shape)


def quantized_axis(node: OnnxNode) -> int:
    """Return the axis along which the scale varies; any axis for a scalar."""
    return node.attr("axis", 1) if is_vector(node, 1) else -1


def blocks(node: OnnxNode) -> int:
    """Return the size of blocks; 0 without blocks, or for a scalar."""
    size = node.attr("block_size", 0)
    if size < 0:
        node.fail("block_size of at least 0", str(size), "correct the model")
    return size if is_vector(node, 1) else 0


@converter("QuantizeLinear")
def quantize_linear(node: OnnxNode) -> Any:
    code = node.attr("output_dtype", 0)
    dtype = element_type(node, code) if code else node.dtype(2).name if node.has(2) else "uint8"
    precision = node.attr("precision", 0)
    wide = element_type(node, precision) if precision else "float32"
    if dtype.startswith("float8") and not node.attr("saturate", 1):
        return op.astype(quotient(node, wide), dtype)
    x: Any = node.tensor(0)
    if node.dtype(0).kind != "f" and node.dtype(0).name != "bfloat16":
        x = op.astype(x, "f32")
    zero = zero_point(node, 2, 1, dtype)
    axis = quantized_axis(node)
    if wide in ("float16", "bfloat16"):
        one = op.ones(node.shape(1), "f32") if blocks(node) else np.float32(1)
        return op.quantize(quotient(node, wide), one, zero, axis, dtype, blocks(node))
    return op.quantize(x, scale(node), zero, axis, dtype, blocks(node))


def quotient(node: OnnxNode, dtype: str) -> Any:
    """Divide numbers by their scales, in an element type."""
    step = scale(node)
    rank = node.rank(0)
    if size := blocks(node):
        axis = node.axis(rank, default=1)
        step = op.repeat(step, size, axis)
        step = op.strided_slice(step, [axis], [0], [node.shape(0)[axis]])
    elif is_vector(node, 1):
        after = rank - 1 - node.attr("axis", 1) % rank
        step = op.reshape(step, [-1] + [1] * after)
    return op.divide(op.astype(node.tensor(0), dtype), op.astype(step, dtype))


@converter("DequantizeLinear")
def dequantize_linear(node: OnnxNode) -> Any:
    code = node.attr("output_dtype", 0)
    dtype = element_type(node, code) if code else node.dtype(1).name
    zero = zero_point(node, 2, 1, node.dtype(0).name)
    axis = quantized_axis(node)
    return op.dequantize(node.tensor(0), scale(node), zero, axis, dtype, blocks(node))


@converter("DynamicQuantizeLinear")
def dynamic_quantize_linear(node: OnnxNode) -> Any:
    return op.dynamic_quantize(node.tensor(0))


def _zero_point(node: OnnxNode, place: int, dtype: str) -> Any:
    return parameter(node, place) if node.has(place) else op.zeros([], dtype)


@converter("MatMulInteger")
def matmul_integer(node: OnnxNode) -> Any:
    zeros = [_zero_point(node, i + 2, node.dtype(i).name) for i in (0, 1)]
    return op.matmul_integer(node.tensor(0), node.tensor(1), *zeros)


@converter("QLinearMatMul")
def qlinear_matmul(node: OnnxNode) -> Any:
    values = [node.tensor(i) if i in (0, 3) else parameter(node, i) for i in range(8)]
    return op.qlinear_matmul(*values)


def _convolution(node: OnnxNode, weight: int, x_zero: Any, weight_zero: Any) -> Any:
    """Return the convolution in i32; along one axis or three, of numbers less their zero points."""
    spatial = spatial_rank(node)
    kernel = known_kernel(node, weight, spatial)
    strides, dilation = (numbers(node, name, spatial) for name in ("strides", "dilations"))
    options = {"strides": strides, "dilation": dilation, "groups": node.attr("group")}
    x, options["padding"] = padded_input(node, node.tensor(0), kernel, strides, dilation, x_zero)
    w = node.tensor(weight)
    if spatial == 2:
        return op.conv2d_integer(x, w, x_zero, weight_zero, **options)
    zeros = node.emit(op.astype(weight_zero, "i32"))
    if node.shape_of(zeros):
        zeros = op.reshape(zeros, [-1, *[1] * (spatial + 1)])
    left = op.subtract(op.astype(x, "i32"), op.astype(x_zero, "i32"))
    right = op.subtract(op.astype(w, "i32"), zeros)
    return (op.conv1d if spatial == 1 else op.conv3d)(left, right, **options)


@converter("ConvInteger")
def conv_integer(node: OnnxNode) -> Any:
    x_zero = _zero_point(node, 2, node.dtype(0).name)
    return _convolution(node, 1, x_zero, _filter_zeros(node, 3, node.dtype(1).name))


def _filter_zeros(node: OnnxNode, place: int, dtype: str) -> Any:
    """Return the zero points of a kernel: one for each filter, or a scalar if they are known to be
    equal."""
    known = node.known(place)
    if known is not None and known.size and (known == known.flat[0]).all():
        return np.array(known.flat[0])
    return _zero_point(node, place, dtype)


@converter("QLinearConv")
def qlinear_conv(node: OnnxNode) -> Any:
    weight_zero = _filter_zeros(node, 5, node.dtype(3).name)
    sums = _convolution(node, 3, parameter(node, 2), weight_zero)
    if node.has(8):
        sums = op.add(sums, op.reshape(node.tensor(8), [-1, *[1] * spatial_rank(node)]))
    scale = op.multiply(parameter(node, 1), parameter(node, 4))
    zero = np.array(0, np.int32)
    dtype = node.dtype(7).name
    return op.requantize(sums, scale, zero, parameter(node, 6), parameter(node, 7), 1, dtype)
