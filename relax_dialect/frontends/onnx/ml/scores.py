"""Scores of classifiers and regressors: their transforms, and the labels that they choose."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.node import OnnxNode

ERFINV_A = 0.147
"""The constant of Winitzki's formula for the inverse of erf, which ONNX Runtime uses."""
TINY = 1e-7
"""Scores up to this magnitude are zero for SOFTMAX_ZERO."""


def rows(node: OnnxNode, dtype: str = "float32") -> Value:
    """Return the first input as a matrix of an element type; a vector is one row."""
    x: Any = node.tensor(0)
    rank = node.rank(0)
    if rank == 1:
        x = op.reshape(x, [1, -1])
    elif rank != 2:
        node.unsupported(f"an input of rank {rank}", "reshape it to [rows, features]")
    return node.emit(x if node.dtype(0).name == dtype else op.astype(x, dtype))


def probit(scores: Any) -> Any:
    """Compute `sqrt(2) * erfinv(2 * scores - 1)`."""
    x = op.subtract(op.multiply(scores, 2.0), 1.0)
    log = op.log(op.multiply(op.subtract(1.0, x), op.add(1.0, x)))
    v = op.add(op.multiply(log, 0.5), 2 / (math.pi * ERFINV_A))
    inner = op.sqrt(op.subtract(op.square(v), op.multiply(log, 1 / ERFINV_A)))
    magnitude = op.sqrt(op.subtract(inner, v))
    return op.multiply(
        op.multiply(op.where(op.less(x, 0.0), np.float32(-1), np.float32(1)), magnitude),
        math.sqrt(2),
    )


def softmax_zero(scores: Any) -> Any:
    """Compute a softmax that excludes scores that are zero."""
    largest = op.max(scores, -1, True)
    is_zero = op.less_equal(op.abs(scores), TINY)
    powers = op.exp(op.subtract(scores, largest))
    total = op.sum(op.where(is_zero, 0.0, powers), -1, True)
    kept = op.where(is_zero, op.multiply(scores, op.exp(op.negative(largest))), powers)
    return op.divide(kept, total)


TRANSFORMS = {
    "NONE": lambda scores: scores,
    "LOGISTIC": op.sigmoid,
    "SOFTMAX": lambda scores: op.softmax(scores, -1),
    "SOFTMAX_ZERO": softmax_zero,
    "PROBIT": probit,
}
NUMBERED = dict(enumerate(("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")))
"""The transforms by the numbers that TreeEnsemble has for them."""


def transformed(node: OnnxNode, scores: Value) -> Any:
    """Apply the `post_transform` of a node to scores; to a single score ONNX Runtime applies only
    PROBIT."""
    transform = node.choice("post_transform", TRANSFORMS, "NONE")
    if node.shape_of(scores)[-1].value == 1 and transform is not probit:
        return scores
    return transform(scores)


def both_classes(node: OnnxNode, scores: Value, *, positive: bool) -> Any:
    """Return the scores of two classes: 1 - s and s if weights are `positive`, else -s and s."""
    name = node.attr("post_transform", "NONE")
    if name == "PROBIT":
        return probit(scores)
    if name == "LOGISTIC":
        return op.sigmoid(op.concat([op.negative(scores), scores], -1))
    other = op.subtract(1.0, scores) if positive else op.negative(scores)
    return op.concat([other, scores], -1)


def labels(node: OnnxNode, name: str) -> Any:
    """Return the labels of the classes, which are integers."""
    if node.attr(name.replace("int64s", "strings").replace("ints", "strings"), None):
        node.unsupported(
            "labels that are strings", "export the model with labels that are integers"
        )
    found = node.attr(name, None)
    if not found:
        node.fail(f"labels in {name}", "none", "correct the model")
    return np.array(found, np.int64)


def chosen(classes: Any, numbers: Any) -> Any:
    """Return the labels of classes by their numbers."""
    if (classes == np.arange(len(classes))).all():
        return numbers
    return op.take(classes, numbers, 0)


def one_of_two(is_positive: Any, classes: Any) -> Any:
    """Return the second label where a condition holds, else the first."""
    return op.where(is_positive, *(np.array(label, np.int64) for label in classes[::-1]))
