"""Linear models."""

from __future__ import annotations

from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.ml import DOMAIN
from relax_dialect.frontends.onnx.ml.scores import (
    both_classes,
    chosen,
    labels,
    one_of_two,
    rows,
    transformed,
)
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter


def products(node: OnnxNode, count: int) -> Value:
    """Return the products with the coefficients of each target, plus the intercepts if their number
    matches."""
    given = np.array(node.attr("coefficients"), np.float32)
    if not count or given.size % count:
        node.fail(f"coefficients for {count} targets", str(given.size), "correct the model")
    found = op.matmul(rows(node), np.ascontiguousarray(given.reshape(count, -1).T))
    intercepts = np.array(node.attr("intercepts", None) or [], np.float32)
    return node.emit(op.add(found, intercepts) if intercepts.size == count else found)


@converter("LinearRegressor", domain=DOMAIN)
def linear_regressor(node: OnnxNode) -> Any:
    return transformed(node, products(node, node.attr("targets")))


@converter("LinearClassifier", domain=DOMAIN)
def linear_classifier(node: OnnxNode) -> Any:
    """Return the label of the largest score, and the scores; one score is that of the second of two
    classes."""
    count = len(node.attr("intercepts", None) or ())
    scores = products(node, count)
    classes = labels(node, "classlabels_ints")
    if count > 1:
        return chosen(classes, op.argmax(scores, -1)), transformed(node, scores)
    two = classes if len(classes) == 2 else np.arange(2)
    label = one_of_two(op.greater(op.reshape(scores, [-1]), 0.0), two)
    if len(classes) == 2:
        return label, both_classes(node, scores, positive=True)
    return label, transformed(node, scores)
