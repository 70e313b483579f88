"""Pools: over windows, and over whole images."""

from __future__ import annotations

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
