"""Pools: over windows, and over whole images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.imported_values import vector
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.frontends.onnx.windows import (
    numbers,
    padded_input,
    paddings,
    spatial_rank,
)
from relax_dialect.symbolic import Expr

MAXIMA = (op.max_pool1d, op.max_pool2d, op.max_pool3d)
INDEXED = (
    op.max_pool1d_with_indices,
    op.max_pool2d_with_indices,
    op.max_pool3d_with_indices,
)
MEANS = (op.avg_pool1d, op.avg_pool2d, op.avg_pool3d)


def _window(node: OnnxNode) -> tuple[int, dict[str, Any]]:
    """Return the number of spatial axes, and the operators' attributes of the window except for the
    padding."""
    spatial = spatial_rank(node)
    strides, dilation = (numbers(node, name, spatial) for name in ("strides", "dilations"))
    found: dict[str, Any] = {
        "pool_size": numbers(node, "kernel_shape", spatial),
        "strides": strides,
        "dilation": dilation,
        "ceil_mode": bool(node.attr("ceil_mode", 0)),
    }
    return spatial, found


def _padded(node: OnnxNode, x: Any, window: dict[str, Any], fill: Any) -> Any:
    """Return the tensor that the window is applied to; sets the remaining padding of the window."""
    sizes = window["pool_size"], window["strides"], window["dilation"]
    padded, window["padding"] = padded_input(node, x, *sizes, np.array(fill, node.dtype(0)))
    return padded


@converter("MaxPool")
def max_pool(node: OnnxNode) -> Any:
    spatial, window = _window(node)
    if len(node.outputs) == 1 or not node.outputs[1]:
        dtype = node.dtype(0)
        least = -np.inf if dtype.kind not in "iu" else np.iinfo(dtype).min
        return MAXIMA[spatial - 1](_padded(node, node.tensor(0), window, least), **window)
    sizes = window["pool_size"], window["strides"], window["dilation"]
    window["padding"] = paddings(node, *sizes)
    by_columns = bool(node.attr("storage_order", 0))
    return INDEXED[spatial - 1](node.tensor(0), **window, column_major=by_columns)


@converter("MaxUnpool")
def max_unpool(node: OnnxNode) -> Any:
    """Convert a `MaxUnpool`: elements are written at their indices, which count in the window's output
    sizes; a larger result is zero beyond these."""
    spatial, shape = spatial_rank(node), node.shape(0)
    kernel, strides = (numbers(node, name, spatial) for name in ("kernel_shape", "strides"))
    pads = node.attr("pads", None) or [0] * (2 * spatial)
    sizes = [
        (size - 1) * stride - (pads[d] + pads[d + spatial]) + k
        for d, (size, stride, k) in enumerate(zip(shape[2:], strides, kernel))
    ]
    inner = [*shape[:2], *sizes]
    target = list(node.sizes(2)) if node.has(2) else inner
    if len(target) != len(inner):
        node.fail(f"{len(inner)} sizes in output_shape", str(len(target)), "correct the model")
    places = op.reshape(node.tensor(1), [-1])
    if target != inner:
        places = _renumbered(node, places, inner, target)
    zeros = op.zeros([symbolic.product(target)], node.dtype(0).name)
    flat = op.scatter_elements(zeros, places, op.reshape(node.tensor(0), [-1]), 0)
    return op.reshape(flat, target)


def _renumbered(node: OnnxNode, places: Any, inner: Sequence[Expr], target: Sequence[Expr]) -> Any:
    """Map flat indices of a shape to those of another shape, in row-major order."""
    rest, step, found = node.emit(places), symbolic.const(1), None
    for size, wanted in zip(reversed(inner), reversed(target)):
        length, stride = (node.context.placed(vector([n])) for n in (size, step))
        place = op.multiply(op.floor_mod(rest, length), stride)
        found = place if found is None else op.add(found, place)
        rest, step = node.emit(op.floor_divide(rest, length)), step * wanted
    return found


@converter("AveragePool")
def average_pool(node: OnnxNode) -> Any:
    spatial, window = _window(node)
    include, mean = bool(node.attr("count_include_pad", 0)), MEANS[spatial - 1]
    x = node.tensor(0)
    padded = _padded(node, x, window, 0)
    y = mean(padded, **window, count_include_pad=include)
    if include or padded is x:
        return y
    inside = _padded(node, op.ones_like(x), window, 0)
    return op.divide(y, mean(inside, **window))  # by the part of each window that is no padding


@converter("GlobalAveragePool")
def global_average_pool(node: OnnxNode) -> Any:
    return op.mean(node.tensor(0), axis=list(range(2, node.rank(0))), keepdims=True)


@converter("GlobalMaxPool")
def global_max_pool(node: OnnxNode) -> Any:
    return op.max(node.tensor(0), axis=list(range(2, node.rank(0))), keepdims=True)


@converter("GlobalLpPool")
def global_lp_pool(node: OnnxNode) -> Any:
    return _lp_norm(node, node.tensor(0), lambda x: op.sum(x, list(range(2, node.rank(0))), True))


@converter("LpPool")
def lp_pool(node: OnnxNode) -> Any:
    """Convert an `LpPool`: the sum over a window is its mean times the number of its elements, with
    padding."""
    spatial, window = _window(node)
    count = float(prod(window["pool_size"]))
    mean, x = MEANS[spatial - 1], _padded(node, node.tensor(0), window, 0)
    if window["ceil_mode"]:
        node.unsupported("ceil_mode")
    return _lp_norm(
        node, x, lambda x: op.multiply(mean(x, **window, count_include_pad=True), count)
    )


def _lp_norm(node: OnnxNode, x: Any, total: Callable[[Any], Any]) -> Any:
    p = node.attr("p")
    if p == 1:
        return total(op.abs(x))
    if p == 2:
        return op.sqrt(total(op.square(x)))
    return op.power(total(op.power(op.abs(x), float(p))), 1.0 / p)
