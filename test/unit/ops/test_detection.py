"""Boxes of detectors, as compiled C, against lists of boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from lowering.runtime.loading import CompiledModule
from relax_dialect.interpret import run
from relax_dialect.ops.detection import (
    OPS,
    AllClassNonMaxSuppressionOp,
    GetValidCountsOp,
    NonMaxSuppressionOp,
)

from .compiled import Case, Sizes, check, compile_cases, each_case, keep, tensor
from .inputs import refused, x
from .stopping import same_words

SIZES = [{"b": 2, "n": 23}, {"b": 1, "n": 1}, {"b": 3, "n": 0}, {"b": 0, "n": 4}]


def boxes(data: np.ndarray) -> np.ndarray:
    """Rows of a class from -1 to 1, a score in tenths with ties among them, and corners, some turned over,
    on a coarse grid, so that f16 computes the same areas."""
    data = np.round(data * 4)
    data[..., 0] = np.clip(np.round(data[..., 0] / 3), -1, 1)
    data[..., 1] = np.round(data[..., 1]) % 11 / 8 - 0.125
    return data


def valid_counts(threshold: float, classes: int, score: int) -> Any:
    def meaning(data: np.ndarray) -> tuple[np.ndarray, ...]:
        counts = np.zeros(len(data), "i")
        found, indices = np.full_like(data, -1), np.full(data.shape[:2], -1, "i")
        for image, j in np.ndindex(*data.shape[:2]):
            row, count = data[image, j], counts[image]
            if row[score] > threshold and (classes < 0 or row[classes] >= 0):
                found[image, count], indices[image, count] = row, j
                counts[image] += 1
        return counts, found, indices

    return meaning


def part_of_both(one: Sequence[float], other: Sequence[float]) -> float:
    """The common area by that of both boxes."""
    lengths, areas = [1.0], [1.0, 1.0]
    for axis in (0, 1):
        a, b = (sorted((box[axis], box[axis + 2])) for box in (one, other))
        lengths.append(max(min(a[1], b[1]) - max(a[0], b[0]), 0))
        areas = [area * (c[1] - c[0]) for area, c in zip(areas, (a, b))]
    common = math.prod(lengths)
    both = sum(areas) - common
    return common / both if both > 0 else 0.0


def suppressed(rows: list[list[float]], how: dict[str, Any]) -> list[list[float]]:
    """The boxes that are kept, in order, each with the number it had as its last element."""
    sigma, coordinates = how.get("soft_nms_sigma", 0.0), how.get("coord_start", 2)
    floor = how.get("score_threshold", 0.0) if sigma else 0.0
    one_class = how.get("force_suppress") or how.get("id_index", 0) < 0
    limit, rest, kept = how.get("max_output_size", -1), list(rows), list[list[float]]()
    while rest and not 0 < limit <= len(kept):
        best = max(rest, key=lambda row: row[1])
        rest.remove(best)
        if not best[1] > floor:
            break
        kept.append(best)
        left = []
        for row in rest:
            part = part_of_both(best[coordinates:], row[coordinates:])
            if one_class or row[0] == best[0]:
                if part >= how.get("iou_threshold", 0.5):
                    continue
                if sigma:
                    row[1] *= math.exp(-part * part / (2 * sigma))
            left.append(row)
        rest = left
    return kept


def suppression(dtype: str = "f32", **how: Any) -> Case:
    def meaning(data: np.ndarray, counts: np.ndarray, indices: np.ndarray) -> Any:
        out, number = np.full_like(data, -1), np.zeros((len(data), 1), "i")
        chosen = np.full(data.shape[:2], -1, "i")
        for image, count in enumerate(counts):
            rows = [[*map(float, row), j] for j, row in enumerate(data[image, :count])]
            rows.sort(key=lambda row: -row[1])
            rows = rows[: how["top_k"]] if how.get("top_k", -1) > 0 else rows
            before = [row[-1] for row in rows]
            kept = suppressed(rows, how)
            moves = how.get("invalid_to_bottom") or how.get("soft_nms_sigma")
            for place, row in enumerate(kept):
                out[image, place if moves else before.index(row[-1])] = row[:-1]
                chosen[image, place] = indices[image, int(row[-1])]
            number[image] = len(kept)
        boxes = [out] if how.get("soft_nms_sigma") or not how.get("return_indices", True) else []
        found = (*boxes, *((chosen, number) if how.get("return_indices", True) else ()))
        return found if len(found) > 1 else found[0]

    def all_but_some(counts: np.ndarray) -> np.ndarray:
        return np.full_like(counts, sizes_of_counts[0])

    sizes_of_counts = [0]

    def remembered(data: np.ndarray) -> np.ndarray:
        sizes_of_counts[0] = max(data.shape[1] - 2, 0)
        return boxes(data)

    types = [
        tensor("b", "n", 7, dtype=dtype), tensor("b", dtype="i32"), tensor("b", "n", dtype="i32")
    ]  # fmt: skip
    return Case(
        lambda *operands: NonMaxSuppressionOp(*operands, **how),
        types, meaning, SIZES, [remembered, all_but_some, keep],
        tolerance=1e-2 if dtype == "f16" else 1e-5,
    )  # fmt: skip


def all_classes(dtype: str = "f32", thresholds: bool = True, centres: bool = False) -> Case:
    def corners(box: Sequence[float]) -> list[float]:
        if not centres:
            return list(box)
        return [c + sign * size / 2 for sign in (-1, 1) for c, size in zip(box[:2], box[2:])]

    def meaning(boxes: np.ndarray, scores: np.ndarray, limit: Any, *numbers: Any) -> np.ndarray:
        found = []
        for image, number in np.ndindex(*scores.shape[:2]):
            row = [(float(score), -j) for j, score in enumerate(scores[image, number])]
            kept: list[int] = []
            for _, j in sorted(
                (r for r in row if not thresholds or r[0] > numbers[1]), reverse=True
            ):
                ends = [corners([*map(float, boxes[image, k])]) for k in (-j, *kept)]
                parts = [part_of_both(ends[0], other) for other in ends[1:]]
                if len(kept) < limit and all(part <= numbers[0] for part in parts):
                    kept.append(-j)
            found += [(image, number, j) for j in kept]
        return np.array(found, np.int64).reshape(-1, 3)

    def sizes_of_boxes(x: np.ndarray) -> np.ndarray:
        x = np.round(x * 4)
        return np.concatenate([x[..., :2], np.abs(x[..., 2:])], -1) if centres else x

    given = [lambda x, v=v: np.full_like(x, v) for v in (3, 0.25, 0.25)]
    types = [
        tensor("b", "n", 4, dtype=dtype),
        tensor("b", 2, "n", dtype=dtype),
        tensor(dtype="i32"),
    ]
    return Case(
        lambda *operands: AllClassNonMaxSuppressionOp(*operands, center_point_box=centres),
        [*types, *[tensor()] * (1 + thresholds)], meaning, SIZES,
        [sizes_of_boxes, lambda x: np.round(x * 4) / 4, *given[: 2 + thresholds]],
    )  # fmt: skip


CASES: dict[str, Case] = {
    "classes": all_classes(),
    "classes_half": all_classes("f16", thresholds=False),
    "classes_centres": all_classes("f64", centres=True),
    "valid": Case(GetValidCountsOp, [tensor("b", "n", 6)], valid_counts(0, 0, 1), SIZES, boxes),
    "valid_above": Case(
        lambda x: GetValidCountsOp(x, 0.5, -1, 1),
        [tensor("b", "n", 3, dtype="f16")], valid_counts(0.5, -1, 1), SIZES, boxes,
    ),
    "hard": suppression(),
    "hard_limited": suppression(iou_threshold=0.25, max_output_size=3, top_k=9),
    "hard_of_all": suppression(force_suppress=True, coord_start=3),
    "hard_boxes": suppression(id_index=-1, return_indices=False),
    "hard_boxes_up": suppression(
        "f16", return_indices=False, invalid_to_bottom=True, iou_threshold=0.25
    ),
    "soft": suppression(soft_nms_sigma=0.5, score_threshold=0.2),
    "soft_limited": suppression(
        soft_nms_sigma=0.25, max_output_size=4, top_k=12, force_suppress=True, iou_threshold=0.75
    ),
    "soft_boxes": suppression("f64", soft_nms_sigma=0.5, return_indices=False),
}  # fmt: skip


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_lists(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


def test_what_is_no_number_is_no_box(model: CompiledModule):
    data = np.full((1, 3, 7), np.nan, np.float32)
    data[0, 1] = [0, 0.5, 0, 0, 1, 1, 0]
    for name in ("hard", "soft"):
        *_, chosen, number = model[name](data, np.array([3], "i"), np.array([[7, 8, 9]], "i"))
        assert (chosen.tolist(), number.tolist()) == ([[8, -1, -1]], [[1]])


def test_there_are_not_more_boxes_than_rows(model: CompiledModule):
    module = ModuleOp([CASES["hard"].function("hard")])
    arrays: list[Any] = [np.zeros((2, 3, 7), "f"), np.array([3, 4], "i"), np.zeros((2, 3), "i")]
    same_words(
        lambda: run(module, "hard", *arrays),
        lambda: model.hard(*arrays),
        "every count in 'valid_count' to be from 0 to the number of boxes, found 4 for 3",
    )


def test_boxes_C3():
    refused("C3", lambda: GetValidCountsOp(x("b", "n", 6), id_index=6))
    refused("C3", lambda: NonMaxSuppressionOp(*TYPED, coord_start=-1))
    NonMaxSuppressionOp(*TYPED, id_index=9, force_suppress=True)  # is not read


TYPED = (x("b", "n", 6), x("b", dtype="i32"), x("b", "n", dtype="i32"))


def test_all_classes_C1():
    numbers = x(dtype="i64"), x()
    other = x("b", 2, "n", dtype="f64")
    refused("C1", lambda: AllClassNonMaxSuppressionOp(x("b", "n", 4), other, *numbers))


def test_all_classes_C2():
    numbers = x(dtype="i64"), x()
    refused("C2", lambda: AllClassNonMaxSuppressionOp(x("b", "n", 5), x("b", 2, "n"), *numbers))
    refused("C2", lambda: AllClassNonMaxSuppressionOp(x(1, "n", 4), x(2, 2, "n"), *numbers))
    refused("C2", lambda: AllClassNonMaxSuppressionOp(x("b", 3, 4), x("b", 2, 4), *numbers))


def test_all_classes_C3():
    pair = x("b", "n", 4), x("b", 2, "n")
    refused("C3", lambda: AllClassNonMaxSuppressionOp(*pair, x(1, dtype="i64"), x()))
    refused("C3", lambda: AllClassNonMaxSuppressionOp(*pair, x(), x()))
    refused("C3", lambda: AllClassNonMaxSuppressionOp(*pair, x(dtype="i64"), x(), x(1)))
