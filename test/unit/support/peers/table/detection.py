"""Boxes of detectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from peers.drawing import Draw, finite
from peers.libraries import by_numpy, by_onnx
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.ops.detection import (
    AllClassNonMaxSuppressionOp,
    GetValidCountsOp,
    NonMaxSuppressionOp,
)

MANY = (0, 1, 2, 5, 9, 17)


def boxes(x: np.ndarray, d: Draw) -> np.ndarray:
    """Rows of a class, a score and two corners, in any order."""
    corners = d.numbers.random((*x.shape[:2], 2))
    others = corners + d.numbers.uniform(-0.3, 0.4, corners.shape)
    classes = d.numbers.integers(-1, 3, (*x.shape[:2], 1))
    return np.concatenate([classes, d.numbers.random(classes.shape), corners, others], 2)


@peer("get_valid_counts", **exact)
def get_valid_counts(d: Draw) -> tuple[Build, Meaning]:
    threshold, classes = d.one((0.0, 0.25, 0.75)), d.one((0, -1))
    d.array([d.size((0, 1, 2, 3)), d.size(MANY), 6], d.one(("float32", "float64")), boxes)

    def theirs(x: np.ndarray) -> Any:
        valid = (x[..., 1] > threshold) & ((x[..., 0] >= 0) | (classes < 0))
        order = np.argsort(~valid, 1, kind="stable")
        kept = np.take_along_axis(valid, order, 1)
        rows = np.take_along_axis(x, order[..., None], 1)
        found = np.where(kept[..., None], rows, np.asarray(-1, x.dtype)), np.where(kept, order, -1)
        return valid.sum(1).astype(np.int32), found[0], found[1].astype(np.int32)

    return lambda x: GetValidCountsOp(x, threshold, classes), by_numpy(theirs)


@peer("non_max_suppression", **exact)
def non_max_suppression(d: Draw) -> tuple[Build, Meaning]:
    """ONNX gives [image, class, box] of every box kept; of each image for itself, as of one class."""
    limit, threshold = d.one((1, 4, 20)), d.one((0.1, 0.3, 0.6))
    batch, count = d.size((1, 2, 3)), d.size(MANY[1:])
    d.array([batch, count, 6], "float32", boxes)
    d.array([batch], "int32", lambda x, _: np.full(x.shape, count))
    d.array([batch, count], "int32", lambda x, _: np.broadcast_to(np.arange(count), x.shape))
    node: Any = by_onnx("NonMaxSuppression")

    def theirs(x: np.ndarray, *_: np.ndarray) -> tuple[np.ndarray, ...]:
        numbers = [np.array([v], t) for v, t in ((limit, "q"), (threshold, "f"), (0.0, "f"))]
        (found,) = node(x[..., 2:], x[..., 1][:, None], *numbers)
        chosen, number = np.full(x.shape[:2], -1, np.int32), np.zeros((len(x), 1), np.int32)
        for image, _, place in found:
            chosen[image, number[image, 0]] = place
            number[image] += 1
        return chosen, number

    return lambda *operands: NonMaxSuppressionOp(
        *operands, limit, threshold, force_suppress=True
    ), theirs


@peer("all_class_non_max_suppression", **exact)
def all_classes(d: Draw) -> tuple[Build, Meaning]:
    centres, thresholds = d.flag(), d.flag()
    limit, *numbers = d.one((0, 1, 4, 20)), d.one((0.1, 0.3, 0.6)), d.one((0.0, 0.2))
    batch, count = d.size((1, 2, 3)), d.size(MANY[1:])
    d.array([batch, count, 4], "float32", lambda x, _: np.abs(x) if centres else x)
    d.array([batch, d.size((1, 2)), count], "float32", finite)
    d.array([], "int64", lambda x, _: np.full(x.shape, limit))
    for number in numbers[: 1 + thresholds]:
        d.array([], "float32", lambda x, _, n=number: np.full(x.shape, n, np.float32))
    node = by_onnx("NonMaxSuppression", center_point_box=int(centres))
    return lambda *operands: AllClassNonMaxSuppressionOp(
        *operands, center_point_box=centres
    ), lambda boxes, scores, *rest: node(boxes, scores, *(np.reshape(v, [1]) for v in rest))
