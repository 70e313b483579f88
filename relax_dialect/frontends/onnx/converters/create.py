"""Tensors filled with numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import Node
from relax_dialect.frontends.onnx.registry import converter


@converter("ConstantOfShape")
def constant_of_shape(node: Node) -> Any:
    value = node.attr("value", np.zeros(1, np.float32))
    return op.full(list(node.sizes(0)), np.asarray(value.reshape(-1)[0]))
