"""Pools: over windows, and over whole images."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter
from relax_dialect.frontends.onnx.windows import numbers, paddings, spatial_rank

MAXIMA = (op.max_pool1d, op.max_pool2d, op.max_pool3d)
MEANS = (op.avg_pool1d, op.avg_pool2d, op.avg_pool3d)


def _window(node: Node) -> tuple[int, dict[str, Any]]:
    spatial = spatial_rank(node)
    kernel = numbers(node, "kernel_shape", spatial)
    strides, dilation = (numbers(node, name, spatial) for name in ("strides", "dilations"))
    found: dict[str, Any] = {
        "pool_size": kernel,
        "strides": strides,
        "padding": paddings(node, kernel, strides, dilation),
        "dilation": dilation,
        "ceil_mode": bool(node.attr("ceil_mode", 0)),
    }
    return spatial, found


@converter("MaxPool")
def max_pool(node: Node) -> Any:
    if len(node.outputs) > 1 and node.outputs[1]:
        node.unsupported("the places of the maxima as a second output")
    spatial, window = _window(node)
    return MAXIMA[spatial - 1](node.tensor(0), **window)


@converter("AveragePool")
def average_pool(node: Node) -> Any:
    spatial, window = _window(node)
    include = bool(node.attr("count_include_pad", 0))
    return MEANS[spatial - 1](node.tensor(0), **window, count_include_pad=include)


@converter("GlobalAveragePool")
def global_average_pool(node: Node) -> Any:
    return op.mean(node.tensor(0), axis=list(range(2, node.rank(0))), keepdims=True)


@converter("GlobalMaxPool")
def global_max_pool(node: Node) -> Any:
    return op.max(node.tensor(0), axis=list(range(2, node.rank(0))), keepdims=True)


@converter("GlobalLpPool")
def global_lp_pool(node: Node) -> Any:
    return _lp_norm(node, lambda x: op.sum(x, list(range(2, node.rank(0))), True))


@converter("LpPool")
def lp_pool(node: Node) -> Any:
    """A sum over windows is their mean times the number of their elements, padded ones counted."""
    spatial, window = _window(node)
    count = float(prod(window["pool_size"]))
    mean = MEANS[spatial - 1]
    if window["ceil_mode"]:
        node.unsupported("ceil_mode")
    return _lp_norm(node, lambda x: op.multiply(mean(x, **window, count_include_pad=True), count))


def _lp_norm(node: Node, total: Callable[[Any], Any]) -> Any:
    x, p = node.tensor(0), node.attr("p")
    if p == 1:
        return total(op.abs(x))
    if p == 2:
        return op.sqrt(total(op.square(x)))
    return op.power(total(op.power(op.abs(x), float(p))), 1.0 / p)
