"""Operators on the boxes that an object detector finds, by images; f16 and bf16 are computed in f32."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.sorting import order
from relax_dialect.interpret.statistical import widened
from relax_dialect.ops.demands import require
from relax_dialect.ops.detection import (
    AllClassNonMaxSuppressionOp,
    GetValidCountsOp,
    NonMaxSuppressionOp,
)


def get_valid_counts(op: GetValidCountsOp, data: Array) -> tuple[Array, ...]:
    """Return the valid rows of each image, then rows of -1."""
    require(op.demands(dims(data)[0]))
    scores = widened(data[..., op.score_index])
    valid = scores > scores.dtype.type(op.score_threshold)
    if op.id_index >= 0:
        valid &= data[..., op.id_index] >= 0
    boxes, indices = np.full_like(data, -1), np.full(data.shape[:2], -1, np.int32)
    for image, rows in enumerate(valid):
        places = np.flatnonzero(rows)
        boxes[image, : len(places)] = data[image, places]
        indices[image, : len(places)] = places
    return valid.sum(1).astype(np.int32), boxes, indices


def overlap(op: NonMaxSuppressionOp, box: Array, others: Array) -> Array:
    """Return the common area of a box with others, as a part of the area of both."""
    corners = [widened(rows[..., op.coord_start : op.coord_start + 4]) for rows in (box, others)]
    (low, high), (lows, highs) = (
        (np.minimum(c[..., :2], c[..., 2:]), np.maximum(c[..., :2], c[..., 2:])) for c in corners
    )
    common = np.prod(np.maximum(np.minimum(high, highs) - np.maximum(low, lows), 0), -1)
    both = np.prod(high - low, -1) + np.prod(highs - lows, -1) - common
    return np.where(both <= 0, 0, common / both).astype(both.dtype)


def rivals(op: NonMaxSuppressionOp, rows: Array, j: int, places: Array) -> Array:
    """Return the rows after j that it may suppress, by their numbers."""
    alive = places[j + 1 :] >= 0
    if op.has_classes:
        alive &= rows[j + 1 :, op.id_index] == rows[j, op.id_index]
    return j + 1 + np.flatnonzero(alive)


def suppress(op: NonMaxSuppressionOp, rows: Array, places: Array) -> None:
    """Set the index of boxes that are suppressed, or no longer considered, to -1."""
    kept = 0
    for j in range(len(rows)):
        full = 0 < op.max_output_size <= kept
        if places[j] < 0 or full or not rows[j, op.score_index] > 0:
            places[j] = -1
            continue
        kept += 1
        others = rivals(op, rows, j, places)
        covered = overlap(op, rows[j], rows[others])
        places[others[covered >= covered.dtype.type(op.iou_threshold)]] = -1


def suppress_softly(op: NonMaxSuppressionOp, rows: Array, places: Array) -> None:
    """Move the boxes that are kept to the front, with the scores they have then."""
    scores = rows[:, op.score_index]
    wide = widened(scores).dtype.type
    kept = 0
    while kept < len(rows) and not 0 < op.max_output_size <= kept:
        alive = (places >= 0) & (widened(scores) > wide(op.score_threshold))
        alive[:kept] = False
        if not alive.any():
            break
        best = int(np.argmax(np.where(alive, widened(scores), -np.inf)))
        rows[[kept, best]], places[[kept, best]] = rows[[best, kept]], places[[best, kept]]
        others = rivals(op, rows, kept, places)
        others = others[widened(scores[others]) > wide(op.score_threshold)]
        covered = overlap(op, rows[kept], rows[others])
        factor = np.exp(wide(-0.5 / op.soft_nms_sigma) * covered * covered)
        hard = covered >= wide(op.iou_threshold)
        scores[others] = np.where(hard, scores[others], (widened(scores[others]) * factor))
        gone = hard | (widened(scores[others]) <= wide(op.score_threshold))
        places[others[gone]] = -1
        kept += 1
    places[kept:] = -1


def non_max_suppression(
    op: NonMaxSuppressionOp, data: Array, counts: Array, indices: Array
) -> tuple[Array, ...]:
    """Suppress boxes image by image: sorted, suppressed, and written as the attributes specify."""
    require(op.demands(*dims(data, counts, indices)))
    boxes, chosen = np.full_like(data, -1), np.full(data.shape[:2], -1, np.int32)
    number = np.zeros((len(data), 1), np.int32)
    for image, count in enumerate(counts):
        if not 0 <= count <= data.shape[1]:
            raise RelaxError(f"expected {op.WITHIN}, found {count} for {data.shape[1]}")
        places = order(data[image, : int(count), op.score_index], 0, True)
        places = places[: op.top_k] if op.top_k > 0 else places
        rows = data[image, places]
        (suppress_softly if op.is_soft else suppress)(op, rows, places)
        kept = np.flatnonzero(places >= 0)
        boxes[image, range(len(kept)) if op.moves_up else kept] = rows[kept]
        chosen[image, : len(kept)] = indices[image, places[kept]]
        number[image] = len(kept)
    return (*([boxes] * op.gives_boxes), *((chosen, number) if op.return_indices else ()))


def sides(op: AllClassNonMaxSuppressionOp, boxes: Array) -> tuple[Array, Array]:
    """Return the lower and the upper ends of boxes along both axes."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if op.center_point_box:
        half = second * second.dtype.type(0.5)
        return first - half, first + half
    return np.minimum(first, second), np.maximum(first, second)


def all_classes(
    op: AllClassNonMaxSuppressionOp,
    boxes: Array,
    scores: Array,
    limit: Array,
    iou_threshold: Array,
    score_threshold: Array | None = None,
) -> Array:
    """Suppress boxes image by image and class by class, comparing each box with those kept before it."""
    require(op.demands(*dims(boxes, scores)))
    wide, found = widened(scores), list[tuple[int, int, int]]()
    lows, highs = sides(op, widened(boxes))
    areas = np.prod(highs - lows, -1)
    for image, number in np.ndindex(*scores.shape[:2]):
        row = wide[image, number]
        some = ~np.isnan(row) if score_threshold is None else row > score_threshold
        candidates = np.flatnonzero(some)
        kept = list[int]()
        for box in candidates[np.argsort(-row[candidates], kind="stable")]:
            if len(kept) >= limit:
                break
            ends = np.minimum(highs[image, box], highs[image, kept]) - np.maximum(
                lows[image, box], lows[image, kept]
            )
            common = np.where((ends > 0).all(-1), np.prod(ends, -1), 0)
            ours, theirs = areas[image, box], areas[image, kept]
            valid = (common > 0) & (ours > 0) & (theirs > 0)
            part = common / np.where(valid, ours + theirs - common, 1)
            if not (valid & (part > iou_threshold)).any():
                kept.append(int(box))
        found += [(image, number, box) for box in kept]
    return np.array(found, np.int64).reshape(-1, 3)


@register_impls
class DetectionFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.detection`."""

    get_valid_counts = operator_with_attributes(GetValidCountsOp, get_valid_counts)
    non_max_suppression = operator_with_attributes(NonMaxSuppressionOp, non_max_suppression)
    all_class_non_max_suppression = operator_with_attributes(
        AllClassNonMaxSuppressionOp, all_classes
    )
