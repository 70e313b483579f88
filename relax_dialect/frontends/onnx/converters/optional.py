"""Optionals, which are known at import to be present or absent."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.frontends.onnx.imported_values import NOTHING
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


def holds(node: OnnxNode) -> bool:
    """Returns whether the input of a node is a present optional."""
    return node.has(0) and node.input(0) is not NOTHING


@converter("Optional")
def optional(node: OnnxNode) -> Any:
    return (node.input(0) if node.has(0) else NOTHING,)


@converter("OptionalHasElement")
def optional_has_element(node: OnnxNode) -> Any:
    return np.array(holds(node))


@converter("OptionalGetElement")
def optional_get_element(node: OnnxNode) -> Any:
    if not holds(node):
        node.fail("an optional that holds something", "an empty one", "correct the model")
    return (node.input(0),)
