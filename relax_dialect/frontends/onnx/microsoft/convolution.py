"""Fused convolutions, and pools of images whose channels are last."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.microsoft import DOMAIN
from relax_dialect.frontends.onnx.microsoft.delegates import (
    channels_first,
    channels_last,
    delegated,
    given_inputs,
)
from relax_dialect.frontends.onnx.microsoft.linear_algebra import activated
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter

PARAMETERS = {"LeakyRelu": ("alpha",), "HardSigmoid": ("alpha", "beta")}


def _activated(node: OnnxNode, x: Any) -> Any:
    name, given = node.attr("activation", ""), node.attr("activation_params", None) or []
    if name == "Clip":
        return op.clip(x, *(np.float32(v) for v in given))
    return activated(node, x, name, **dict(zip(PARAMETERS.get(name, ()), given)))


@converter("FusedConv", domain=DOMAIN)
def fused_conv(node: OnnxNode) -> Any:
    """Convert a convolution, a sum, and an activation."""
    found: Any = delegated(node, "Conv", *given_inputs(node, 0, 1, 2))
    return _activated(node, op.add(found, node.tensor(3)) if node.has(3) else found)


@converter("NhwcMaxPool", domain=DOMAIN)
def channels_last_max_pool(node: OnnxNode) -> Any:
    return channels_last(node, delegated(node, "MaxPool", channels_first(node, node.tensor(0))))
