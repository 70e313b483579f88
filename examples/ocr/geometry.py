"""Shapes in pictures: connected pixels, the smallest rectangle around them, what a quadrilateral shows.

Points are rows `(x, y)` in pixels, x to the right and y down; the middle of the first pixel is (0, 0).
A picture is `[height, width, channels]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np


class Rectangle(NamedTuple):
    """A rectangle that may be rotated: its centre, the unit vector along its width, and its two sides."""

    middle: np.ndarray
    along: np.ndarray
    width: float
    height: float

    def grown(self, by: float) -> Rectangle:
        """Return the rectangle with every side moved outwards."""
        return self._replace(width=self.width + 2 * by, height=self.height + 2 * by)

    def corners(self) -> np.ndarray:
        """Return its corners in the order of `ordered`, `[4, 2]`."""
        across = np.array([-self.along[1], self.along[0]])
        right, down = self.along * self.width / 2, across * self.height / 2
        return ordered(
            self.middle + np.array([-right - down, right - down, right + down, down - right])
        )

    def contains(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Returns whether points lie in it or on its edge."""
        dx, dy = x - self.middle[0], y - self.middle[1]
        across = np.abs(dy * self.along[0] - dx * self.along[1])
        along = np.abs(dx * self.along[0] + dy * self.along[1])
        return (along <= self.width / 2 + 1e-6) & (across <= self.height / 2 + 1e-6)


def ordered(corners: np.ndarray) -> np.ndarray:
    """Order four corners as top left, top right, bottom right, bottom left of a line that is not too
    steep."""
    left_to_right = corners[np.argsort(corners[:, 0], kind="stable")]
    left, right = left_to_right[:2], left_to_right[2:]
    (top_left, bottom_left), (top_right, bottom_right) = (
        side[np.argsort(side[:, 1], kind="stable")] for side in (left, right)
    )
    return np.array([top_left, top_right, bottom_right, bottom_left])


def runs(mask: np.ndarray) -> np.ndarray:
    """Return the runs of consecutive pixels in a mask's rows, `[runs, 3]`: row, first column, end."""
    padded = np.pad(mask.astype(np.int8), ((0, 0), (1, 1)))
    change = np.diff(padded, axis=1)
    (row, first), (_, end) = np.nonzero(change == 1), np.nonzero(change == -1)
    return np.stack([row, first, end], axis=1)


def components(mask: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the runs of every set of adjacent pixels, by an edge or a corner.

    Runs of neighbouring rows that touch are joined in a forest, in which each points to an earlier one.
    """
    all_runs = runs(mask)
    row_starts = np.searchsorted(all_runs[:, 0], np.arange(mask.shape[0] + 1))
    parent = list(range(len(all_runs)))

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = run = parent[parent[run]]
        return run

    rows, firsts, ends = (column.tolist() for column in all_runs.T)
    for run, row in enumerate(rows):
        above, stop = (row_starts[row - 1], row_starts[row]) if row else (0, 0)
        above += np.searchsorted(all_runs[above:stop, 2], firsts[run])
        while above < stop and firsts[above] <= ends[run]:
            low, high = sorted((root(above), root(run)))
            parent[high] = low
            above += 1
    roots = np.array([root(run) for run in range(len(parent))], int)
    order = np.argsort(roots, kind="stable")
    starts = np.flatnonzero(np.diff(roots[order], prepend=-1))
    yield from (all_runs[part] for part in np.split(order, starts)[1:])


def hull(points: np.ndarray) -> np.ndarray:
    """Return the corners of the convex hull, in their order around it (A. M. Andrew's monotone chain,
    1979)."""
    unique = np.unique(points, axis=0).tolist()
    if len(unique) <= 2:
        return np.array(unique)

    def chain(points: list[list[float]]) -> list[list[float]]:
        kept: list[list[float]] = []
        for x, y in points:
            while len(kept) >= 2:
                (ax, ay), (bx, by) = kept[-2:]
                if (bx - ax) * (y - ay) > (by - ay) * (x - ax):
                    break
                kept.pop()
            kept.append([x, y])
        return kept[:-1]

    return np.array(chain(unique) + chain(unique[::-1]))


def smallest_rectangle(points: np.ndarray) -> Rectangle:
    """Return the rectangle of the least area around points: one of its sides lies on an edge of their hull
    (H. Freeman and R. Shapira, 1975), so every edge is tried."""
    corners = hull(points).astype(float)
    if len(corners) == 1:
        return Rectangle(corners[0], np.array([1.0, 0.0]), 0.0, 0.0)
    edges = np.roll(corners, -1, axis=0) - corners
    along = edges / np.linalg.norm(edges, axis=1, keepdims=True)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    projected = np.stack([along @ corners.T, across @ corners.T])
    low, high = projected.min(axis=2), projected.max(axis=2)
    width, height = high - low
    best = int(np.argmin(width * height))
    x, y = (low[:, best] + high[:, best]) / 2
    return Rectangle(
        x * along[best] + y * across[best], along[best], float(width[best]), float(height[best])
    )


def sample(picture: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Interpolate the values at points bilinearly; outside the picture its border is used."""
    height, width = picture.shape[:2]
    x, y = np.clip(x, 0, width - 1), np.clip(y, 0, height - 1)
    left, top = x.astype(int), y.astype(int)
    right, bottom = np.minimum(left + 1, width - 1), np.minimum(top + 1, height - 1)
    dx = (x - left).astype(np.float32)[..., None]
    dy = (y - top).astype(np.float32)[..., None]
    upper = picture[top, left] * (1 - dx) + picture[top, right] * dx
    lower = picture[bottom, left] * (1 - dx) + picture[bottom, right] * dx
    return upper * (1 - dy) + lower * dy


def resize(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """Resize the picture, as f32: first the side along which it shrinks more."""
    sizes = [(0, height), (1, width)]
    for axis, size in sorted(sizes, key=lambda each: each[1] / picture.shape[each[0]]):
        picture = resize_axis(picture, axis, size)
    return picture


def resize_axis(picture: np.ndarray, axis: int, size: int) -> np.ndarray:
    """Interpolate the values at `size` equidistant points along an axis."""
    count = picture.shape[axis]
    at = np.clip((np.arange(size) + 0.5) * (count / size) - 0.5, 0, count - 1)
    before = at.astype(int)
    after = np.minimum(before + 1, count - 1)
    part = (at - before).astype(np.float32).reshape([-1 if i == axis else 1 for i in range(3)])
    return picture.take(before, axis) * (1 - part) + picture.take(after, axis) * part


def perspective(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the matrix `[3, 3]` that maps four points to four others: h of `(u, v, w) = h (x, y, 1)`, with
    `(u / w, v / w)` the target; its last element is 1, the others solve eight equations."""
    rows, values = [], []
    for (x, y), (u, v) in zip(source, target):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    return np.append(np.linalg.solve(np.array(rows, float), np.array(values, float)), 1).reshape(
        3, 3
    )


def crop(picture: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Crop a quadrilateral and straighten it to a rectangle as wide and high as its longer sides."""
    lengths = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    width, height = int(max(lengths[0], lengths[2], 1)), int(max(lengths[1], lengths[3], 1))
    rectangle = np.array([[0, 0], [width, 0], [width, height], [0, height]])
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    u, v, w = np.einsum(
        "ij,jyx->iyx", perspective(rectangle, corners), np.stack([x, y, np.ones_like(x)])
    )
    return sample(picture, u / w, v / w)
