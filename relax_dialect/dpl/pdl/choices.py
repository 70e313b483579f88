"""The ways to read a pattern that PDL writes as several patterns: `|`, and both orders of arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeVar

from relax_dialect.dpl.errors import PatternError

MOST_WAYS = 64
"""One pattern becomes so many of PDL's, and no more."""

T = TypeVar("T")


class ImpossibleError(Exception):
    """This way can match nothing: an attribute or type would have two values."""


class Choices:
    """One way: at each choice, in the order in which they are met, which one is taken."""

    def __init__(self, taken: list[int]):
        self.taken = taken
        self.counts: list[int] = []

    def take(self, count: int) -> int:
        """Return one of `count` choices; the first if this way does not determine it."""
        place = len(self.counts)
        self.counts.append(count)
        if place == len(self.taken):
            self.taken.append(0)
        return self.taken[place]

    def following(self) -> list[int] | None:
        """Return the next way, which differs in the last choice that has one left."""
        for place in reversed(range(len(self.counts))):
            if self.taken[place] + 1 < self.counts[place]:
                return [*self.taken[:place], self.taken[place] + 1]
        return None


def each_way(what: str, make: Callable[[Choices], T]) -> Iterator[T]:
    """Yield the result of each way, in the order in which the search tries them."""
    taken: list[int] | None = []
    tried = 0
    while taken is not None:
        if tried == MOST_WAYS:
            raise PatternError(
                f"to_pdl: expected a pattern that is at most {MOST_WAYS} patterns of PDL, one for each "
                f"alternative and each order of arguments, found more in {what}; split it with |, or use "
                "in_order=True for one order"
            )
        tried += 1
        choices = Choices(taken)
        with suppress(ImpossibleError):
            made = make(choices)
            yield made
        taken = choices.following()
