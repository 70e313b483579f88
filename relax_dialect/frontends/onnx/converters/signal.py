"""Signals: Fourier transforms, of a whole signal and of its frames, and the weights of the mel scale."""

from __future__ import annotations

import math
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.converters.datatype import element_type
from relax_dialect.frontends.onnx.fourier import fourier
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.symbolic import Expr


@converter("DFT")
def dft(node: OnnxNode) -> Any:
    return _dft(node, node.attr("axis"))


@converter("DFT", since=20)
def dft_of_axis(node: OnnxNode) -> Any:
    return _dft(node, node.ints(2)[0] if node.has(2) else -2)


def _dft(node: OnnxNode, axis: int) -> Any:
    sizes = node.shape(0)
    axis = node.checked_axis(axis, len(sizes))
    inverse, onesided = bool(node.attr("inverse", 0)), bool(node.attr("onesided", 0))
    if node.has(1):
        length = node.sizes(1)[0]
    else:
        length = (sizes[axis] - 1) * 2 if inverse and onesided else sizes[axis]
    return fourier(node, node.tensor(0), axis, length, inverse=inverse, onesided=onesided)


@converter("STFT")
def stft(node: OnnxNode) -> Any:
    """Convert an `STFT`: frames are taken step by step, weighted by the window, and transformed."""
    size, step = node.shape(0)[1], node.sizes(1)[0]
    length: Expr = size
    if node.has(3):
        length = node.sizes(3)[0]
    elif node.has(2):
        length = node.shape(2)[0]
    count = symbolic.floordiv(size - length, step) + 1
    first = op.reshape(op.arange(0, count), [count, 1])
    steps = op.multiply(first, op.shape_to_tensor(op.shape([step])))
    frames = op.take(
        node.tensor(0), op.add(steps, op.reshape(op.arange(0, length), [1, length])), 1
    )
    if node.has(2):
        frames = op.multiply(frames, op.reshape(node.tensor(2), [length, 1]))
    onesided = bool(node.attr("onesided"))
    return fourier(node, node.emit(frames), 2, length, inverse=False, onesided=onesided)


@converter("MelWeightMatrix")
def mel_weight_matrix(node: OnnxNode) -> Any:
    """Convert a `MelWeightMatrix`: triangles over the bins of a spectrum, with corners equidistant in
    mels."""
    bands, length = node.sizes(0)[0], node.sizes(1)[0]
    bins = symbolic.floordiv(length, 2) + 1
    rate = op.astype(op.reshape(node.tensor(2), []), "f64")

    def mel(place: int) -> Any:
        hertz = op.astype(op.reshape(node.tensor(place), []), "f64")
        return node.emit(
            op.multiply(op.log(op.add(op.divide(hertz, 700.0), 1.0)), 2595 / math.log(10))
        )

    low, high = mel(3), mel(4)
    width = op.divide(op.subtract(high, low), op.astype(_number(bands + 2), "f64"))
    mels = op.add(op.multiply(op.astype(op.arange(0, bands + 2), "f64"), width), low)
    hertz = op.multiply(op.expm1(op.multiply(mels, math.log(10) / 2595)), 700.0)
    places = op.floor(op.divide(op.multiply(hertz, op.astype(_number(length + 1), "f64")), rate))
    corners = node.emit(op.reshape(places, [1, bands + 2]))
    left, middle, right = (
        node.emit(op.strided_slice(corners, [1], [i], [bands + i])) for i in range(3)
    )
    bin = node.emit(op.astype(op.reshape(op.arange(0, bins), [bins, 1]), "f64"))
    rising = op.divide(op.subtract(bin, left), op.maximum(op.subtract(middle, left), 1.0))
    falling = op.divide(op.subtract(right, bin), op.maximum(op.subtract(right, middle), 1.0))
    before = op.logical_and(op.greater_equal(bin, left), op.less(bin, middle))
    after = op.logical_and(op.greater(bin, middle), op.less(bin, right))
    sides = op.where(before, rising, op.where(after, falling, 0.0))
    found = op.where(op.equal(bin, middle), 1.0, sides)
    return op.astype(found, element_type(node, node.attr("output_datatype")))


def _number(size: Expr) -> Any:
    """Return a size as a vector of one element."""
    return op.shape_to_tensor(op.shape([size]))
