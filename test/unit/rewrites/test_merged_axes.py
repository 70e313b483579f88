"""A permutation between two reshapes, against numpy."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np

from relax_dialect.rewrites.algebra.rule_sets.merged_axes import permutation_through
from relax_dialect.symbolic.expr import expect


def through(first: tuple[int, ...], seen: list[int], turn: list[int], last: list[int]):
    """The permutation for sizes that are numbers."""
    sizes = ([expect(size) for size in shape] for shape in (first, seen, last))
    before, between, after = sizes
    return permutation_through(before, between, turn, after)


def test_what_is_found_is_what_numpy_computes():
    draw = random.Random(5)
    sizes = (1, 2, 3, 4, 6, 12)
    shapes = [s for rank in range(1, 5) for s in itertools.product(sizes, repeat=rank)]
    shapes = [shape for shape in shapes if math.prod(shape) == 24]
    found = 0
    for _ in range(4000):
        first, seen, last = (list(draw.choice(shapes)) for _ in range(3))
        if draw.random() < 0.5:
            last = draw.sample(first, len(first))
        turn = draw.sample(range(len(seen)), len(seen))
        order = through(tuple(first), seen, turn, last)
        if order is None:
            continue
        found += 1
        x = np.arange(24).reshape(first)
        np.testing.assert_array_equal(
            x.transpose(order), x.reshape(seen).transpose(turn).reshape(last)
        )
    assert found > 40


def test_merged_axes_that_are_parted_again_are_found():
    assert through((2, 3, 4, 5), [6, 4, 5], [0, 2, 1], [2, 3, 5, 4]) == [0, 1, 3, 2]
    assert through((6, 4), [2, 3, 4], [2, 0, 1], [4, 6]) == [1, 0]


def test_parts_that_change_places_are_no_permutation_of_the_axes():
    assert through((4, 3), [2, 2, 3], [1, 0, 2], [4, 3]) is None
    assert through((4, 3), [3, 4], [0, 1], [4, 3]) is None
