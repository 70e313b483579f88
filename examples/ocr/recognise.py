"""The words of lines of text: upside-down lines are rotated, then read.

The recogniser returns, for every step of a few pixels along the line, the likelihood of each character, or
of none, the blank of connectionist temporal classification (A. Graves et al., 2006).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from detect import Network, as_input
from geometry import resize

HEIGHT = 48
"""The height of lines as both networks take them."""
CLASSIFIED_WIDTH, LEAST_WIDTH = 192, 320
"""The width that the classifier was trained with, and the least training width of the recogniser."""
TOGETHER = 6
"""Lines of about the same width are read so many at once, filled up to the width of the widest."""
UPSIDE_DOWN = 0.9
"""The minimum likelihood of a line that is rotated."""


class Words(NamedTuple):
    """The text of a line, and its confidence: the mean over its characters, from 0 to 1."""

    text: str
    confidence: float


def batch(lines: Sequence[np.ndarray], width: int) -> np.ndarray:
    """Batch lines `[h, w, 3]` as one array `[n, 3, 48, width]`: too wide ones are shrunk, others padded."""
    result = np.zeros((len(lines), 3, HEIGHT, width), np.float32)
    for filled, line in zip(result, lines):
        columns = min(width, math.ceil(HEIGHT * line.shape[1] / line.shape[0]))
        filled[:, :, :columns] = as_input(resize(line, HEIGHT, columns))
    return result


def upright(network: Network, lines: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the lines; those classified as upside down are rotated by 180 degrees."""
    likelihoods = network(batch(lines, CLASSIFIED_WIDTH))
    return [
        line[::-1, ::-1] if upside_down > UPSIDE_DOWN else line
        for line, (_, upside_down) in zip(lines, likelihoods)
    ]


def decode(likelihoods: np.ndarray, characters: Sequence[str]) -> Words:
    """Decode the likeliest path through `[steps, 1 + characters]`: repeats are merged, blanks dropped."""
    best = likelihoods.argmax(axis=1)
    kept = (best != 0) & (best != np.concatenate([[-1], best[:-1]]))
    text = "".join(characters[int(i) - 1] for i in best[kept])
    confidences = likelihoods.max(axis=1)[kept]
    return Words(text, float(confidences.mean()) if len(confidences) else 0.0)


def recognise(
    network: Network, characters: Sequence[str], lines: Sequence[np.ndarray]
) -> list[Words]:
    """Read the words of lines."""
    ratios = np.array([line.shape[1] / line.shape[0] for line in lines])
    found = [Words("", 0.0)] * len(lines)
    by_width = np.argsort(ratios, kind="stable")
    for start in range(0, len(lines), TOGETHER):
        part = by_width[start : start + TOGETHER]
        width = max(LEAST_WIDTH, int(HEIGHT * ratios[part[-1]]))
        for i, likelihoods in zip(part, network(batch([lines[i] for i in part], width))):
            found[i] = decode(likelihoods, characters)
    return found
