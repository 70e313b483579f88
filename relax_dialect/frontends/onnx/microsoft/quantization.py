"""Operators on quantized tensors, computed in f32 and quantized again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import Value, const, op
from relax_dialect.frontends.onnx.converters.quantization import (
    dequantize_linear,
    parameter,
    qlinear_conv,
    quantize_linear,
    zero_point,
)
from relax_dialect.frontends.onnx.imported_values import Array
from relax_dialect.frontends.onnx.microsoft import DOMAIN
from relax_dialect.frontends.onnx.microsoft.delegates import (
    Delegate,
    channels_first,
    channels_last,
    delegated,
)
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.interpret.runtime_values import dtype_name, ml_dtype

converter("QuantizeLinear", domain=DOMAIN)(quantize_linear)
converter("DequantizeLinear", domain=DOMAIN)(dequantize_linear)


def dequantized(node: OnnxNode, place: int) -> Value:
    """Dequantize an input, whose scale and zero point are the next inputs, to f32."""
    zero = zero_point(node, place + 2, place, node.dtype(place).name)
    return node.emit(op.dequantize(node.tensor(place), parameter(node, place + 1), zero))


def quantized(node: OnnxNode, x: Any, place: int, dtype: str = "") -> Any:
    """Quantize a result, with the scale at input `place` and the zero point at the next."""
    dtype = node.dtype(place + 1).name if node.has(place + 1) else dtype or node.dtype(0).name
    zero = zero_point(node, place + 1, place, dtype)
    return op.quantize(x, parameter(node, place), zero, out_dtype=dtype)


BINARY: dict[str, Callable[..., Any]] = {"QLinearAdd": op.add, "QLinearMul": op.multiply}


@converter(*BINARY, domain=DOMAIN)
def binary(node: OnnxNode) -> Any:
    found = BINARY[node.op_type](dequantized(node, 0), dequantized(node, 3))
    return quantized(node, found, 6)


@converter("QLinearSigmoid", domain=DOMAIN)
def sigmoid(node: OnnxNode) -> Any:
    return quantized(node, op.sigmoid(dequantized(node, 0)), 3)


@converter("QLinearLeakyRelu", domain=DOMAIN)
def leaky_relu(node: OnnxNode) -> Any:
    return quantized(node, op.leakyrelu(dequantized(node, 0), node.attr("alpha", 0.01)), 3)


@converter("QLinearSoftmax", domain=DOMAIN)
def softmax(node: OnnxNode) -> Any:
    x, shape = dequantized(node, 0), node.shape(0)
    axis = node.axis(len(shape), default=-1)
    if node.attr("opset", 13) >= 13:
        return quantized(node, op.softmax(x, axis), 3)
    flat = op.softmax(op.reshape(x, [*shape[:axis], -1]), -1)
    return quantized(node, op.reshape(flat, shape), 3)


@converter("QLinearAveragePool", "QLinearGlobalAveragePool", domain=DOMAIN)
def average_pool(node: OnnxNode) -> Any:
    name, is_last = node.op_type.removeprefix("QLinear"), bool(node.attr("channels_last", 0))
    x = dequantized(node, 0)
    if not is_last:
        return quantized(node, delegated(node, name, x), 3)
    found = delegated(node, name, channels_first(node, x))
    return quantized(node, channels_last(node, found), 3)


@converter("QLinearReduceMean", domain=DOMAIN)
def reduce_mean(node: OnnxNode) -> Any:
    found = op.mean(dequantized(node, 0), node.attr("axes"), bool(node.attr("keepdims", 1)))
    return quantized(node, found, 3)


@converter("QLinearConcat", domain=DOMAIN)
def concat(node: OnnxNode) -> Any:
    """Convert a `QLinearConcat`: first the result's scale and zero point, then each input with its own."""
    parts = [dequantized(node, place) for place in range(2, len(node.inputs), 3)]
    axis = node.axis(node.rank(2), default=0)
    return quantized(node, op.concat(parts, axis), 0)


@converter("QLinearWhere", domain=DOMAIN)
def where(node: OnnxNode) -> Any:
    found = op.where(node.tensor(0), dequantized(node, 1), dequantized(node, 4))
    return quantized(node, found, 7)


@converter("QLinearConv", domain=DOMAIN)
def conv(node: OnnxNode) -> Any:
    """Convert a `QLinearConv`: that of ONNX, for channels that are last too."""
    own = {a.name: node.attr(a.name) for a in node.proto.attribute}
    own.setdefault("group", 1)
    if not node.attr("channels_last", 0):
        return qlinear_conv(Delegate(node, "QLinearConv", node.inputs, own))
    inputs = (channels_first(node, node.tensor(0)), *node.inputs[1:])
    return channels_last(node, qlinear_conv(Delegate(node, "QLinearConv", inputs, own)))


# Products ----------------------------------------------------------------------------------------


def scaled(node: OnnxNode, sums: Any, *factors: Any, bias: int) -> Any:
    """Convert sums to f32, times factors, plus an optional bias."""
    scale = factors[0] if len(factors) == 1 else op.multiply(*factors)
    found = op.multiply(op.astype(sums, "f32"), scale)
    return op.add(found, node.tensor(bias)) if node.has(bias) else found


def zero_like(node: OnnxNode, place: int, like: int) -> Any:
    """Return a zero point, 0 if omitted."""
    return zero_point(node, place, like, node.dtype(like).name)


@converter("MatMulIntegerToFloat", domain=DOMAIN)
def matmul_integer_to_float(node: OnnxNode) -> Any:
    sums = op.matmul_integer(
        node.tensor(0), node.tensor(1), zero_like(node, 4, 0), zero_like(node, 5, 1)
    )
    return scaled(node, sums, parameter(node, 2), parameter(node, 3), bias=6)


@converter("DynamicQuantizeMatMul", domain=DOMAIN)
def dynamic_quantize_matmul(node: OnnxNode) -> Any:
    x, x_scale, x_zero = node.emit(op.dynamic_quantize(node.tensor(0)))
    sums = op.matmul_integer(x, node.tensor(1), x_zero, zero_like(node, 3, 1))
    return scaled(node, sums, x_scale, parameter(node, 2), bias=4)


@converter("QGemm", domain=DOMAIN)
def qgemm(node: OnnxNode) -> Any:
    """Convert a `QGemm`: `alpha * a @ b` with an i32 bias; f32 without a scale of the result."""
    a, b = (
        op.permute_dims(node.tensor(place)) if node.attr(name, 0) else node.tensor(place)
        for place, name in ((0, "transA"), (3, "transB"))
    )
    sums: Any = op.matmul_integer(a, b, parameter(node, 2), parameter(node, 5))
    if node.has(6):
        sums = op.add(sums, node.tensor(6))
    scale = op.multiply(parameter(node, 1), parameter(node, 4))
    if (alpha := node.attr("alpha", 1.0)) != 1:
        scale = op.multiply(scale, alpha)
    found = op.multiply(op.astype(sums, "f32"), scale)
    return quantized(node, found, 7) if node.has(7) else found


# Weights of few bits -----------------------------------------------------------------------------


def unpacked(packed: Array, bits: int, count: int) -> Array:
    """Unpack the numbers in the last axis of an array of bytes, the first in the lowest bits."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    spread = (packed[..., None] >> shifts) & np.uint8((1 << bits) - 1)
    return spread.reshape(*packed.shape[:-1], -1)[..., :count]


@converter("MatMulNBits", domain=DOMAIN)
def matmul_of_few_bits(node: OnnxNode) -> Any:
    """Convert `a @ w.T + bias`, the rows of w in blocks with a scale and a zero point each.

    The weights stay narrow; with zero points that are floats, which `relax.dequantize` has not, they become
    floats here.
    """
    if node.has(4) or node.attr("weight_prepacked", 0):
        node.unsupported("reordered or prepacked weights")
    rows, columns = node.attr("N"), node.attr("K")
    bits, block = node.attr("bits", 4), node.attr("block_size")
    if bits not in (2, 4, 8):
        node.fail("bits among 2, 4, 8", str(bits), "correct the model")
    blocks = -(-columns // block)
    data = unpacked(node.array(1).reshape(rows, -1), bits, columns)
    scales, zeros = node.array(2).reshape(rows, blocks), _zeros(node, rows, blocks, bits)
    x, (*sizes, _) = node.tensor(0), node.shape(0)
    x = node.with_sizes(x, [*sizes, symbolic.const(columns)])
    whole = np.issubdtype(zeros.dtype, np.integer)
    made = _dequantized if whole else _as_floats
    found = op.linear(x, made(node, data, scales, zeros, (bits, block)))
    return op.add(found, node.tensor(5)) if node.has(5) else found


def _dequantized(
    node: OnnxNode, data: Array, scales: Array, zeros: Array, form: tuple[int, int]
) -> Any:
    """Return narrow weights, as floats of the type of the other factor."""
    bits, block = form
    narrow = np.uint8 if bits == 8 else ml_dtype(f"uint{bits}")
    codes, points = const(data.astype(narrow)), const(zeros.reshape(scales.shape).astype(narrow))
    dtype = dtype_name(np.dtype(node.dtype(0)))
    return op.dequantize(codes, const(scales), points, axis=1, block_size=block, out_dtype=dtype)


def _as_floats(
    node: OnnxNode, data: Array, scales: Array, zeros: Array, form: tuple[int, int]
) -> Array:
    """Return weights as floats."""
    rows, columns = data.shape
    scale, zero = (
        np.repeat(each.reshape(rows, -1).astype(np.float32), form[1], 1)[:, :columns]
        for each in (scales, zeros)
    )
    return np.ascontiguousarray(((data - zero) * scale).astype(node.dtype(0)))


def _zeros(node: OnnxNode, rows: int, blocks: int, bits: int) -> Array:
    """Return the zero points of blocks: packed like the weights, or floats; the middle by default."""
    if not node.has(3):
        return np.full((rows, blocks), 1 << (bits - 1))
    given = node.array(3)
    packed = given.dtype == np.uint8
    return unpacked(given.reshape(rows, -1), bits, blocks) if packed else given
