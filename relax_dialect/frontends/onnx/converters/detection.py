"""Boxes that detectors find."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


@converter("NonMaxSuppression")
def non_max_suppression(node: OnnxNode) -> Any:
    """Convert a `NonMaxSuppression`; omitted numbers are 0, but an omitted threshold is not compared."""
    limit, iou, score = (_number(node, place) for place in (2, 3, 4))
    return op.all_class_non_max_suppression(
        node.tensor(0), node.tensor(1),
        node.emit(np.zeros((), np.int64)) if limit is None else limit,
        node.emit(np.zeros((), np.float32)) if iou is None else iou,
        score, center_point_box=bool(node.attr("center_point_box")),
    )  # fmt: skip


def _number(node: OnnxNode, place: int) -> Any:
    """Return an input of one element as a tensor of rank 0."""
    if not node.has(place):
        return None
    found = node.tensor(place)
    return found if node.rank(place) == 0 else node.emit(op.reshape(found, []))
