"""A permutation between two reshapes as a permutation of the axes of the first tensor, if it is one.

    [2, 3, 4, 5]  reshape  [6, 4, 5]  permute_dims [0, 2, 1]  [6, 5, 4]  reshape  [2, 3, 5, 4]

reorders the axes as [0, 1, 3, 2]: both reshapes merge and split the same axes. The sizes are compared as
expressions, so the permutation holds for every value of their variables.
"""

from __future__ import annotations

from collections.abc import Sequence

from relax_dialect.symbolic import Expr
from relax_dialect.symbolic import product as size_of

Sizes = Sequence[Expr]
Part = tuple[int, int]
"""A part of an axis: an axis of the first tensor, and the index among the parts of that axis."""


def permutation_through(
    first: Sizes, seen: Sizes, turn: Sequence[int], last: Sizes
) -> list[int] | None:
    """Return the permutation from `first` to `last` through `seen`, whose axes are permuted by `turn`;
    None if there is none."""
    merged = _parts(first, seen)
    if merged is None:
        return None
    counts = [0] * len(first)
    for axis, _ in (part for parts in merged for part in parts):
        counts[axis] += 1
    turned = [part for axis in turn for part in merged[axis]]
    ones = [axis for axis, size in enumerate(first) if size.value == 1]
    order: list[int] = []
    start = 0
    for size in last:
        if size.value == 1:
            if not ones:
                return None
            order.append(ones.pop(0))
            continue
        if start == len(turned):
            return None
        axis = turned[start][0]
        whole = [(axis, place) for place in range(counts[axis])]
        if turned[start : start + len(whole)] != whole or first[axis] != size:
            return None
        order.append(axis)
        start += len(whole)
    return order if start == len(turned) and not ones else None


def _parts(first: Sizes, seen: Sizes) -> list[list[Part]] | None:
    """Return for each axis of `seen` the parts of axes of `first` that it merges; None if there are none.

    Axes are merged whole, or one is split; axes of size 1 have no part.
    """
    found: list[list[Part]] = [[] for _ in seen]
    own = [axis for axis, size in enumerate(first) if size.value != 1]
    others = [axis for axis, size in enumerate(seen) if size.value != 1]
    i = j = 0
    while i < len(own) and j < len(others):
        merged = _run(first, own[i:], seen[others[j]])
        parted = _run(seen, others[j:], first[own[i]])
        if merged:
            found[others[j]] = [(axis, 0) for axis in own[i : i + merged]]
            i, j = i + merged, j + 1
        elif parted:
            for place, axis in enumerate(others[j : j + parted]):
                found[axis] = [(own[i], place)]
            i, j = i + 1, j + parted
        else:
            return None
    return found if i == len(own) and j == len(others) else None


def _run(sizes: Sizes, axes: Sequence[int], size: Expr) -> int:
    """Return the length of the prefix of the axes whose product is that size; 0 if there is none."""
    for count in range(1, len(axes) + 1):
        if size_of([sizes[axis] for axis in axes[:count]]) == size:
            return count
    return 0
