"""The order of values by offset, chosen with numbers substituted for the symbolic variables.

Values are placed one after the other (largest first, longest live range first, or in program order), each
in the first gap between the values whose live ranges overlap its own. Only the order of the offsets is
kept, from the lowest on: which gap fits depends on the sizes, but a value that begins at the end of those
below it is right for all sizes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from lowering.memory.in_place.size_order import TYPICAL, typical
from lowering.memory.plan.lifetimes import OwnedMemory

SAMPLES = (TYPICAL, 1, 2, 16, 1024)
"""The numbers for all symbolic variables for which orders are made and compared."""

LONG = 200
"""The most characters of a size on which others may lie: each of their offsets would repeat it."""

MOST_PAIRS = 100_000
"""With more pairs of overlapping values, orders are made for only one of the numbers."""

GOOD = 1.01
"""An order that takes at most this many times the least possible is good enough: the search ends."""

Overlaps = Mapping[OwnedMemory, Sequence[OwnedMemory]]
Numbers = Mapping[OwnedMemory, int]


def overlaps(values: Iterable[OwnedMemory]) -> dict[OwnedMemory, list[OwnedMemory]]:
    """Return the values that are alive at some time together with each."""
    found: dict[OwnedMemory, list[OwnedMemory]] = {}
    alive: list[OwnedMemory] = []
    for value in sorted(values, key=lambda v: v.start):
        alive = [other for other in alive if other.end is None or other.end > value.start]
        found[value] = list(alive)
        for other in alive:
            found[other].append(value)
        alive.append(value)
    return found


def needed(sizes: Numbers) -> int:
    """Return the most bytes that values of these sizes take at once."""
    changes: dict[int, int] = defaultdict(int)
    for value, size in sizes.items():
        assert value.end is not None
        changes[value.start] += size
        changes[value.end] -= size
    return max(accumulate(changes[number] for number in sorted(changes)), default=0)


def stacks(values: Sequence[OwnedMemory], together: Overlaps) -> list[Sequence[OwnedMemory]]:
    """Orders of values from the lowest on, the order with the best worst case first."""
    found = sorted(_judged(values, together), key=lambda pair: pair[0])
    return [order for _, order in found]


def _judged(
    values: Sequence[OwnedMemory], together: Overlaps
) -> Iterator[tuple[float, Sequence[OwnedMemory]]]:
    """Orders, and the most that they take for any of the numbers compared with the least possible."""
    few = sum(map(len, together.values())) <= MOST_PAIRS
    samples: list[Numbers] = []
    for number in SAMPLES if few else (TYPICAL,):
        sizes = {v: typical(v.size, number) for v in values if v.size is not None}
        if sizes not in samples:
            samples.append(sizes)
    least = [max(1, needed(sizes)) for sizes in samples]
    for sizes in samples:
        by_size = sorted(values, key=lambda v: (-sizes[v], v.start))
        by_time = sorted(values, key=lambda v: v.start - (v.end or v.start))
        for placed_first in (by_size, by_time, values):
            order = _stacked(placed_first, sizes, together)
            worst = max(_height(order, s, together) / n for s, n in zip(samples, least))
            yield worst, order
            if worst <= GOOD:
                return


def _stacked(
    values: Sequence[OwnedMemory], sizes: Numbers, together: Overlaps
) -> Sequence[OwnedMemory]:
    """Assign offsets to the values one after the other; return the values ordered by offset."""
    starts: dict[OwnedMemory, int] = {}
    late = {v: _lateness(v) for v in values}
    for value in sorted(values, key=late.__getitem__):
        taken = sorted((starts[v], starts[v] + sizes[v]) for v in together[value] if v in starts)
        at = 0
        for start, end in taken:
            if at + sizes[value] <= start and not late[value]:
                break
            at = max(at, end)
        starts[value] = at
    return sorted(values, key=lambda v: (late[v], starts[v], v.start))


def _lateness(value: OwnedMemory) -> int:
    """Values of long sizes come last, and of these the frames of the functions that are called."""
    return 0 if len(str(value.size)) <= LONG else 1 if value.memref is not None else 2


def _height(order: Sequence[OwnedMemory], sizes: Numbers, together: Overlaps) -> int:
    """Return the height of a stack of values, each placed on the values below it."""
    ends: dict[OwnedMemory, int] = {}
    for value in order:
        at = max((ends[v] for v in together[value] if v in ends), default=0)
        ends[value] = at + sizes[value]
    return max(ends.values(), default=0)
