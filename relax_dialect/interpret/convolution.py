"""Convolutions, as sums over the window; floats are accumulated in f64."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.interpret.windows import in_order, known_sizes, sizes, slid, sum_type
from relax_dialect.ops.convolution import (
    Conv1dOp,
    Conv1dTransposeOp,
    Conv2dOp,
    Conv2dTransposeOp,
    Conv3dOp,
    Conv3dTransposeOp,
    ConvolutionOp,
    ForwardConvolutionOp,
    TransposedConvolutionOp,
)
from relax_dialect.ops.demands import require


def _prepared(op: ConvolutionOp, x: Array, weight: Array) -> tuple[Array, Array, np.dtype[Any]]:
    """Return x as [n, group, channel, ...] and the kernel as [group, ., ., ...], to be accumulated in their
    type, and that of the result."""
    images = in_order(x, op.x_layout, op.letters)
    kernel = in_order(weight, op.weight_layout, op.KERNEL + op.SPATIAL)
    dtype = x.dtype if op.out_dtype is None else numpy_dtype(op.out_dtype)
    groups = op.group_count
    images = images.reshape(len(images), groups, images.shape[1] // groups, *images.shape[2:])
    kernel = kernel.reshape(groups, len(kernel) // groups, *kernel.shape[1:])
    return images.astype(sum_type(dtype)), kernel.astype(sum_type(dtype)), dtype


def _finished(op: ConvolutionOp, y: Array, dtype: np.dtype[Any]) -> Array:
    """Return the groups [n, group, channel, ...] joined, in the layout and type of the result."""
    joined = y.reshape(len(y), y.shape[1] * y.shape[2], *y.shape[3:])
    return in_order(joined, op.letters, op.result_layout).astype(dtype)


def convolution(op: ForwardConvolutionOp, x: Array, weight: Array) -> Array:
    """`y[n, o, p] = sum(x[n, i, s * p + d * k] * w[o, i, k])`, group by group."""
    x_sizes, kernel_sizes = sizes(x, op.x_layout), sizes(weight, op.weight_layout)
    require(op.demands(x_sizes, kernel_sizes))
    images, kernel, dtype = _prepared(op, x, weight)
    windows, counts = (
        op.kernel_windows(kernel_sizes),
        known_sizes(op.extents(x_sizes, kernel_sizes)),
    )
    y = np.zeros((len(images), *kernel.shape[:2], *counts), images.dtype)
    for place, seen in slid(images, windows, counts, 0):
        y += np.einsum("ngi...,goi->ngo...", seen, kernel[(..., *place)])
    return _finished(op, y, dtype)


def transposed(op: TransposedConvolutionOp, x: Array, weight: Array) -> Array:
    """`y[n, o, s * p + d * k] += x[n, i, p] * w[i, o, k]`, group by group; the padding is cut off."""
    x_sizes, kernel_sizes = sizes(x, op.x_layout), sizes(weight, op.weight_layout)
    require(op.demands(x_sizes, kernel_sizes))
    images, kernel, dtype = _prepared(op, x, weight)
    windows, extents = (
        op.kernel_windows(kernel_sizes),
        known_sizes(op.extents(x_sizes, kernel_sizes)),
    )
    whole = [extent + w.before + w.after for extent, w in zip(extents, windows)]
    y = np.zeros((len(images), len(kernel), kernel.shape[2], *whole), images.dtype)
    spatial = images.shape[3:]
    for place in product(*map(range, kernel.shape[3:])):
        reached = [
            slice(first := p * w.dilation, first + size * w.stride, w.stride)
            for p, w, size in zip(place, windows, spatial)
        ]
        y[(..., *reached)] += np.einsum("ngi...,gio->ngo...", images, kernel[(..., *place)])
    kept = [slice(w.before, w.before + extent) for w, extent in zip(windows, extents)]
    return _finished(op, y[(..., *kept)], dtype)


@register_impls
class ConvolutionFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.convolution`."""

    conv1d = operator_with_attributes(Conv1dOp, convolution)
    conv2d = operator_with_attributes(Conv2dOp, convolution)
    conv3d = operator_with_attributes(Conv3dOp, convolution)
    conv1d_transpose = operator_with_attributes(Conv1dTransposeOp, transposed)
    conv2d_transpose = operator_with_attributes(Conv2dTransposeOp, transposed)
    conv3d_transpose = operator_with_attributes(Conv3dTransposeOp, transposed)
