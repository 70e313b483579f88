"""Cases of the operators on regions of images."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from relax_dialect.ops.vision import RoiAlignOp, RoiPoolOp

from .compiled import Case, keep, special, tensor


def coarse(rois: np.ndarray) -> np.ndarray:
    """Regions whose edges are exact in every type, some reaching out of the image, one turned over."""
    rois = np.round(rois * 16) / 8
    rois[:, 0] = np.arange(len(rois)) % 2
    rois[:, 3:] = rois[:, 1:3] + np.abs(rois[:, 3:]) * 2
    rois[2:3, 3:] -= 9
    return rois


def hat(size: int, spot: float) -> np.ndarray:
    """The weight of every element of an axis at a place, by its distance."""
    if not -1 <= spot <= size:
        return np.zeros(size)
    spot = float(np.clip(spot, 0, size - 1))
    return np.maximum(0, 1 - np.abs(np.arange(size) - spot))


def addend(image: np.ndarray, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """The largest of four weighed elements of each channel; those at a place between fewer count as 0."""
    seen = image[:, row > 0][:, :, column > 0] * np.outer(row[row > 0], column[column > 0])
    return seen.max((1, 2), initial=-np.inf if seen[0].size == 4 else 0)


def roi_align(
    type: Any,
    rois: Any,
    pooled: tuple[int, int],
    scale: float = 1.0,
    ratio: int = -1,
    aligned: bool = False,
    layout: str = "NCHW",
    mode: str = "avg",
    **more: Any,
) -> Case:
    """Every sample is a sum over the whole image."""

    def weights(low: float, high: float, bins: int, size: int) -> list[np.ndarray]:
        """The rows of weights of the samples in each bin."""
        low, high = low * scale - aligned / 2, high * scale - aligned / 2
        extent = high - low if aligned else max(high - low, 1)
        count = ratio if ratio > 0 else max(int(np.ceil(extent / bins)), 0)
        edges = np.linspace(low, low + extent, bins * count + 1) if count else np.zeros(1)
        rows = [hat(size, spot) for spot in (edges[1:] + edges[:-1]) / 2]
        return [np.array(rows[b * count : (b + 1) * count]).reshape(-1, size) for b in range(bins)]

    def meaning(x: np.ndarray, rois: np.ndarray) -> np.ndarray:
        images = (x if layout == "NCHW" else x.transpose(0, 3, 1, 2)).astype(np.float64)
        y = np.zeros((len(rois), images.shape[1], *pooled))
        for k, (number, x1, y1, x2, y2) in enumerate(rois.astype(float)):
            rows = weights(y1, y2, pooled[0], images.shape[2])
            columns = weights(x1, x2, pooled[1], images.shape[3])
            for i, j in np.ndindex(*pooled):
                seen = np.einsum("rh,chw,kw->crk", rows[i], images[int(number)], columns[j])
                if mode == "max_addend":
                    pairs = [(r, c) for r in rows[i] for c in columns[j]]
                    largest = [addend(images[int(number)], *pair) for pair in pairs]
                    y[k, :, i, j] = np.max(largest, 0) if largest else 0
                elif seen[0].size:
                    y[k, :, i, j] = seen.mean((1, 2)) if mode == "avg" else seen.max((1, 2))
        return (y if layout == "NCHW" else y.transpose(0, 2, 3, 1)).astype(x.dtype)

    def build(x: Any, rois: Any) -> RoiAlignOp:
        return RoiAlignOp(x, rois, pooled, scale, ratio, aligned, layout, mode)

    return Case(build, [type, rois], meaning, values=[keep, coarse], **{"sizes": SIZES, **more})


def roi_pool(
    type: Any, rois: Any, pooled: tuple[int, int], scale: float = 1.0, layout: str = "NCHW"
) -> Case:
    """Element by element, the bins that it is in."""

    def bins(low: float, high: float, count: int, size: int) -> list[list[int]]:
        """The elements of an axis that each bin takes."""
        first, last = (int(math.copysign(math.floor(abs(e) + 0.5), e)) for e in (low, high))
        part = Fraction(max(last - first + 1, 1), count)
        return [
            [k for k in range(size) if p * part < k - first + 1 and k - first < (p + 1) * part]
            for p in range(count)
        ]

    def meaning(x: np.ndarray, rois: np.ndarray) -> np.ndarray:
        images = x if layout == "NCHW" else x.transpose(0, 3, 1, 2)
        y = np.zeros((len(rois), images.shape[1], *pooled), x.dtype)
        for k, (number, x1, y1, x2, y2) in enumerate(rois.astype(float)):
            rows = bins(y1 * scale, y2 * scale, pooled[0], images.shape[2])
            columns = bins(x1 * scale, x2 * scale, pooled[1], images.shape[3])
            for i, j in np.ndindex(*pooled):
                seen = images[int(number)][:, rows[i]][:, :, columns[j]]
                y[k, :, i, j] = seen.max((1, 2)) if rows[i] and columns[j] else 0
        return y if layout == "NCHW" else y.transpose(0, 2, 3, 1)

    def build(x: Any, rois: Any) -> RoiPoolOp:
        return RoiPoolOp(x, rois, pooled, scale, layout)

    return Case(build, [type, rois], meaning, SIZES, values=[special, coarse])


SIZES = [{"n": 5, "m": 7, "k": 6}, {"n": 1, "m": 1, "k": 1}, {"n": 3, "m": 2, "k": 0}]
IMAGES, ROIS = tensor(2, 3, "n", "m"), tensor("k", 5)

CASES: dict[str, Case] = {
    "roi_align": roi_align(IMAGES, ROIS, (2, 3)),
    "roi_align_ratio": roi_align(IMAGES, ROIS, (2, 2), 0.5, 2),
    "roi_align_aligned": roi_align(IMAGES, ROIS, (2, 3), 2.0, aligned=True),
    "roi_align_max": roi_align(IMAGES, ROIS, (3, 1), mode="max"),
    "roi_align_max_addend": roi_align(IMAGES, ROIS, (2, 2), ratio=2, mode="max_addend"),
    "roi_align_nhwc": roi_align(
        tensor(2, "n", "m", 3, dtype="f64"), tensor("k", 5, dtype="f64"), (2, 2), layout="NHWC"
    ),
    "roi_pool": roi_pool(IMAGES, ROIS, (2, 3)),
    "roi_pool_scaled": roi_pool(IMAGES, ROIS, (3, 3), 0.75),
    "roi_pool_nhwc": roi_pool(
        tensor(2, "n", "m", 3, dtype="f16"), tensor("k", 5, dtype="f16"), (4, 1), 0.5, "NHWC"
    ),
    "roi_align_half": roi_align(
        tensor(2, 3, "n", 4, dtype="f16"), tensor("k", 5, dtype="f16"), (2, 2), ratio=3
    ),
}
