"""The offsets in one piece of memory of values with or without overlapping live ranges, for all sizes at
once.

    a  4096 * n bytes, ops 0 to 4         a at 0
    b  1024 * n bytes, ops 2 to 8    ->   b at max(4096 * n, 2048 * m)
    c  2048 * m bytes, ops 6 to 9         c at 0, below b as a is
                                          1024 * n + max(4096 * n, 2048 * m) bytes together

Each value begins at the end of the values below it (`lowering.memory.plan.offset_order`) whose live ranges
overlap its own: a maximum, if that depends on the symbolic variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lowering.memory.in_place.memref_size_exprs import magnitude
from lowering.memory.in_place.size_order import ZERO, Maximum, larger
from lowering.memory.plan.lifetimes import OwnedMemory
from lowering.memory.plan.offset_order import Overlaps, overlaps, stacks
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import Expr

LONGEST = 1000
"""The most characters of an offset: past it a value is not placed."""

LONGEST_FRAME = 4000
"""The most characters of the total size, which is stated once."""

MOST_NEIGHBOURS = 256
"""Values with more than this that are alive at the same time lie above all others."""

MOST_TRIED = 3
"""The number of orders tried; the one that places the most values is taken."""


@dataclass
class Placement:
    """The start and end offsets of values, and the size of the memory that holds them all."""

    places: dict[OwnedMemory, tuple[Expr, Expr]] = field(default_factory=dict)
    size: Expr = ZERO
    bound: Expr = ZERO
    """An upper bound of all numbers that occur while offsets and size are computed."""


def place(values: Sequence[OwnedMemory]) -> Placement:
    """Assign offsets to the values that can have one."""
    placeable = [v for v in values if v.is_placeable]
    together = overlaps(placeable)
    crowded = [v for v in placeable if len(together[v]) > MOST_NEIGHBOURS]
    others = [v for v in placeable if len(together[v]) <= MOST_NEIGHBOURS]
    best = Placement()
    for order in stacks(others, together)[:MOST_TRIED]:
        found = _place(order, together)
        best = max(best, found, key=lambda p: len(p.places))
        if len(found.places) == len(others):
            break
    for value in crowded:
        _put(best, value, [best.size])
    return best


def _place(order: Sequence[OwnedMemory], together: Overlaps) -> Placement:
    """Place every value on the values below it."""
    result = Placement()
    below: dict[OwnedMemory, Sequence[OwnedMemory]] = {}
    rank = {value: i for i, value in enumerate(order)}
    for value in order:
        under = sorted((v for v in together[value] if v in below), key=rank.__getitem__)
        if _put(result, value, [result.places[v][1] for v in _topmost(under, below)]):
            below[value] = under
    return result


def _topmost(
    values: Iterable[OwnedMemory], below: Mapping[OwnedMemory, Sequence[OwnedMemory]]
) -> Iterator[OwnedMemory]:
    """Yield the values on which no other one lies."""
    covered: set[OwnedMemory] = set()
    for value in reversed(list(values)):
        if value not in covered:
            yield value
        covered.update(below[value])


def _put(result: Placement, value: OwnedMemory, ends: Iterable[Expr]) -> bool:
    """Place a value at the end of the last of others; return whether that was possible."""
    assert value.size is not None
    lowest = Maximum()
    try:
        for end in ends:
            lowest.add(end)
        start = symbolic.maximum(*lowest.sizes)
        end = start + value.size
        size = larger(result.size, end)
        bound = magnitude((result.bound, start, size))
    except SymbolicError:  # too large to reason about
        return False
    if len(str(start)) > LONGEST or len(str(size)) > LONGEST_FRAME:
        return False
    result.places[value] = start, end
    result.size, result.bound = size, bound
    return True
