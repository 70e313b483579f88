"""Support vector machines."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from relax_dialect.builder import Value, op
from relax_dialect.frontends.onnx.imported_values import Array
from relax_dialect.frontends.onnx.ml import DOMAIN
from relax_dialect.frontends.onnx.ml.linear_models import products
from relax_dialect.frontends.onnx.ml.scores import (
    both_classes,
    chosen,
    labels,
    rows,
    transformed,
)
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter

NEAR = 1e-7
"""Probabilities of pairs are at least so far from 0 and 1."""
MOST_SWEEPS = 100
PRECISION = 0.005
"""When the sweeps over the probabilities of classes end: this over the number of classes."""


def floats(node: OnnxNode, name: str) -> Array:
    """Return an attribute that is a list of floats; empty if omitted."""
    return np.array(node.attr(name, None) or [], np.float32)


def kernels(node: OnnxNode, count: int) -> Value:
    """Return the kernel of each row with each support vector."""
    vectors = floats(node, "support_vectors")
    if not vectors.size or vectors.size % count:
        node.fail(f"{count} support vectors", f"{vectors.size} numbers", "correct the model")
    vectors = vectors.reshape(count, -1)
    gamma, constant, degree = (float(p) for p in [*floats(node, "kernel_params"), 0, 0, 0][:3])
    x, kind = rows(node), node.attr("kernel_type")
    if kind == "RBF":
        far = op.subtract(op.expand_dims(x, [1]), vectors)
        return node.emit(op.exp(op.multiply(op.sum(op.square(far), -1), -gamma)))
    dots = op.matmul(x, np.ascontiguousarray(vectors.T))
    if kind == "LINEAR":
        return node.emit(dots)
    line = op.add(op.multiply(dots, gamma), constant)
    made = {"POLY": lambda: op.power(line, degree), "SIGMOID": lambda: op.tanh(line)}
    return node.emit(node.choice("kernel_type", made)())


@converter("SVMRegressor", domain=DOMAIN)
def svm_regressor(node: OnnxNode) -> Any:
    count, weights = node.attr("n_supports"), floats(node, "coefficients")
    rho = floats(node, "rho")[:1]
    if count > 0:
        found = op.matmul(kernels(node, count), weights.reshape(-1, 1)[:count])
    else:
        found = products(node, 1)
    found = op.add(found, rho)
    return (
        op.where(op.greater(found, 0.0), np.float32(1), np.float32(-1))
        if node.attr("one_class")
        else found
    )


@converter("SVMClassifier", domain=DOMAIN, loops=True)
def svm_classifier(node: OnnxNode) -> Any:
    """Convert one-against-one classes; the labels by votes, or by the sign of the score without a
    kernel."""
    classes = labels(node, "classlabels_ints")
    if not node.attr("vectors_per_class", None):
        return _linear(node, classes)
    scores, votes = _pairs(node, len(classes))
    winner = node.emit(op.argmax(votes, -1))
    if floats(node, "prob_a").size:
        found = node.emit(_probabilities(node, scores, len(classes)))
        return chosen(classes, winner), transformed(node, found)
    if len(classes) > 2:
        return chosen(classes, winner), transformed(node, scores)
    positive = node.attr("post_transform", "NONE") != "NONE"
    return chosen(classes, winner), both_classes(node, scores, positive=positive)


def _linear(node: OnnxNode, classes: Array) -> Any:
    """Return the products with the coefficients of each class."""
    scores = node.emit(op.add(products(node, len(classes)), floats(node, "rho")[:1]))
    winner = chosen(classes, op.argmax(scores, -1))
    if len(classes) == 2:
        least = 0.5 if (floats(node, "coefficients") >= 0).all() else 0.0
        largest = op.max(scores, -1)
        compare = op.greater_equal if least else op.greater
        winner = op.where(compare(largest, least), classes[1], winner)
    return winner, transformed(node, scores)


def _pairs(node: OnnxNode, count: int) -> tuple[Value, Any]:
    """Return the scores of all pairs of classes, and the votes for each class."""
    per_class = node.attr("vectors_per_class")
    total = sum(per_class)
    starts = np.cumsum([0, *per_class])
    given = floats(node, "coefficients").reshape(-1, total)
    pairs = list(combinations(range(count), 2))
    weights = np.zeros((total, len(pairs)), np.float32)
    for number, (i, j) in enumerate(pairs):
        for own, row in ((i, j - 1), (j, i)):
            part = slice(starts[own], starts[own + 1])
            weights[part, number] = given[row, part]
    sums = op.matmul(kernels(node, total), weights)
    scores = node.emit(op.add(sums, floats(node, "rho")[: len(pairs)]))
    wins = op.astype(op.greater(scores, 0.0), "f32")
    first, second = (np.eye(count, dtype=np.float32)[[p[k] for p in pairs]] for k in (0, 1))
    votes = op.add(op.matmul(wins, first - second), second.sum(0))
    return scores, votes


def _probabilities(node: OnnxNode, scores: Value, count: int) -> Any:
    """Return the class probabilities that fit those of the pairs best (Wu, Lin and Weng, 2004)."""
    a, b = (floats(node, name) for name in ("prob_a", "prob_b"))
    each = op.sigmoid(op.negative(op.add(op.multiply(scores, a), b)))
    each = node.emit(op.clip(each, NEAR, 1 - NEAR))
    shape = [node.shape_of(scores)[0], count, count]
    below = _spread(count)
    r = op.add(op.matmul(each, below - below[:, _turned(count)]), below[:, _turned(count)].sum(0))
    return _coupled(node, node.emit(op.reshape(r, shape)), count)


def _turned(count: int) -> Array:
    """Return the flat indices of a matrix of pairs in its transpose."""
    return np.arange(count * count).reshape(count, count).T.reshape(-1)


def _spread(count: int) -> Array:
    """Return a map from the pairs i < j to the flat indices of a matrix."""
    pairs = list(combinations(range(count), 2))
    found = np.zeros((len(pairs), count * count), np.float32)
    for number, (i, j) in enumerate(pairs):
        found[number, i * count + j] = 1
    return found


def _coupled(node: OnnxNode, r: Value, count: int) -> Any:
    """Sweep over the classes until the conditions of the minimum hold; finished rows are unchanged."""
    turned = node.emit(op.permute_dims(r, [0, 2, 1]))
    off = np.float32(1) - np.eye(count, dtype=np.float32)
    squares = op.sum(op.multiply(op.square(turned), off), -1, True)
    q = node.emit(
        op.add(op.multiply(squares, 1 - off), op.multiply(op.multiply(op.negative(r), turned), off))
    )
    first = op.full([node.shape_of(r)[0], count], np.float32(1 / count))

    def go_on(turn: Value, p: Value, going: Value) -> Any:
        return op.logical_and(op.less(turn, MOST_SWEEPS), op.any(going))

    def body(turn: Value, p: Value, going: Value) -> list[Any]:
        qp = node.emit(op.sum(op.multiply(q, op.expand_dims(p, [1])), -1))
        pqp = node.emit(op.sum(op.multiply(p, qp), -1, True))
        error = op.max(op.abs(op.subtract(qp, pqp)), -1, True)
        going = node.emit(op.greater_equal(error, np.float32(PRECISION / count)))
        return [op.add(turn, 1), op.where(going, _swept(node, q, p, qp, pqp, count), p), going]

    start = [node.emit(v) for v in (np.array(0), first, op.ones([node.shape_of(r)[0], 1], "bool"))]
    return node.context.builder.while_(go_on, body, *start)[1]


def _swept(node: OnnxNode, q: Value, p: Value, qp: Value, pqp: Value, count: int) -> Any:
    """Run one sweep: update each probability in sequence, and divide all by their new sum."""
    for i in range(count):
        (own, at) = _column(node, q, i), np.eye(count, dtype=np.float32)[i]
        diagonal = node.emit(op.strided_slice(own, [1], [i], [i + 1]))
        own_qp = op.strided_slice(qp, [1], [i], [i + 1])
        diff = node.emit(op.divide(op.subtract(pqp, own_qp), diagonal))
        grown = node.emit(op.add(diff, 1.0))
        change = op.multiply(diff, op.add(op.multiply(diff, diagonal), op.multiply(own_qp, 2.0)))
        pqp = node.emit(op.divide(op.divide(op.add(pqp, change), grown), grown))
        qp = node.emit(op.divide(op.add(qp, op.multiply(diff, own)), grown))
        p = node.emit(op.divide(op.add(p, op.multiply(diff, at)), grown))
    return p


def _column(node: OnnxNode, q: Value, i: int) -> Value:
    """Return a row of each of the matrices, which are symmetric."""
    return node.emit(op.squeeze(op.strided_slice(q, [1], [i], [i + 1]), [1]))
