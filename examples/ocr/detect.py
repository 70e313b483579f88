"""Lines of text in a picture: the input of the detector's network, and the boxes from its output.

The network returns for every pixel the likelihood of text, a little inside the lines: connected pixels
become a rectangle, which is grown again (differentiable binarization, M. Liao et al., 2020).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from geometry import Rectangle, components, resize, smallest_rectangle

Network = Callable[[np.ndarray], np.ndarray]

SHORT_SIDE, LONG_SIDE = 736, 2016
"""The network sees a shorter side of at least so many pixels, and a longer one of at most so many."""
STEP = 32
"""The network takes heights and widths that are multiples of it."""
LIKELY = 0.3
"""The least likelihood of a pixel of text ..."""
SURE = 0.5
"""... and the least mean of them in a rectangle that is kept."""
GROWTH = 1.6
"""A rectangle grows by its area / its perimeter, times this: the network was trained to shrink lines."""
LEAST_HEIGHT = 3
"""Lines that are lower, in pixels of the network's picture, are noise."""


def as_input(picture: np.ndarray) -> np.ndarray:
    """Convert a picture `[h, w, 3]` of RGB from 0 to 255 for networks: `[3, h, w]` of BGR from -1 to 1."""
    return (picture[:, :, ::-1].transpose(2, 0, 1) / np.float32(127.5) - 1).astype(np.float32)


def network_size(height: int, width: int) -> tuple[int, int]:
    """Return the size to which the network's picture is scaled."""
    scale = max(1.0, SHORT_SIDE / min(height, width))
    scale = min(scale, LONG_SIDE / max(height, width))
    rounded = lambda side: max(STEP, round(side * scale / STEP) * STEP)  # noqa: E731
    return rounded(height), rounded(width)


def rectangles(likelihoods: np.ndarray) -> Iterator[tuple[Rectangle, float]]:
    """Yield the rectangles of a map `[h, w]`, and the mean likelihood in each before it grew."""
    mask = np.pad(likelihoods > LIKELY, ((1, 0), (1, 0)))
    mask = mask[1:, 1:] | mask[:-1, 1:] | mask[1:, :-1] | mask[:-1, :-1]  # closes gaps of a pixel
    for found in components(mask):
        row, first, end = found.T
        ends = np.stack([np.concatenate([first, end - 1]), np.concatenate([row, row])], axis=1)
        rectangle = smallest_rectangle(ends)
        if min(rectangle.width, rectangle.height) < LEAST_HEIGHT:
            continue
        score = mean_inside(likelihoods, rectangle)
        area, perimeter = (
            rectangle.width * rectangle.height,
            2 * (rectangle.width + rectangle.height),
        )
        if score >= SURE:
            yield rectangle.grown(GROWTH * area / perimeter), score


def mean_inside(values: np.ndarray, rectangle: Rectangle) -> float:
    """Return the mean of the values in a rectangle."""
    corners = rectangle.corners()
    left, top = np.maximum(np.floor(corners.min(axis=0)), 0).astype(int)
    right, bottom = np.ceil(corners.max(axis=0)).astype(int)
    part = values[top : bottom + 1, left : right + 1]
    y, x = np.indices(part.shape)
    return float(part[rectangle.contains(x + left, y + top)].mean())


def in_reading_order(boxes: list[np.ndarray]) -> list[np.ndarray]:
    """Sort boxes from top to bottom; those of a row, less than half a height apart, from left to right."""
    rows: list[list[np.ndarray]] = []
    for box in sorted(boxes, key=lambda box: box[0, 1]):
        height = np.linalg.norm(box[3] - box[0])
        if rows and box[0, 1] - rows[-1][-1][0, 1] < height / 2:
            rows[-1].append(box)
        else:
            rows.append([box])
    return [box for row in rows for box in sorted(row, key=lambda box: box[0, 0])]


def detect(network: Network, picture: np.ndarray) -> list[np.ndarray]:
    """Return the corners `[4, 2]` of every line of text in a picture `[h, w, 3]`, in the order of
    reading."""
    height, width = picture.shape[:2]
    rows, columns = network_size(height, width)
    (likelihoods,) = network(as_input(resize(picture, rows, columns))[None])[:, 0]
    scale = np.array([width / columns, height / rows])
    boxes = [rectangle.corners() * scale for rectangle, _ in rectangles(likelihoods)]
    return in_reading_order([np.clip(box, 0, (width - 1, height - 1)) for box in boxes])
