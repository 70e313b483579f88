"""Where in one piece of memory values lie whose lifetimes overlap or not, for all sizes at once.

    a  4096 * n bytes, ops 0 to 4         a at 0
    b  1024 * n bytes, ops 2 to 8    ->   b at 4096 * n
    c  2048 * n bytes, ops 6 to 9         c at 0, the place of a
                                          5120 * n bytes together

Values are placed one after the other (the largest first, those needed longest first, or in the order of the
program, whichever turns out best), each in the first gap that those alive at the same time leave. A gap
counts where it is provably large enough, whatever the symbolic variables are; after the last of them there
is always room, from the maximum of their ends on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from lowering.memory.lifetimes import Value
from lowering.memory.sizes import magnitude
from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import Expr

TYPICAL = 128
"""What every symbolic variable is taken to be where the larger of two sizes is only guessed: the places
are right for all sizes, and good ones for such."""

LONGEST = 400
"""The most characters of an offset: past it a value gets no place."""

MOST_NEIGHBOURS = 256
"""Among more values than this that are alive at the same time no gap is looked for."""

DEEPEST = 4
"""How many maxima are taken apart to compare two sizes."""

ZERO = symbolic.const(0)


@dataclass(frozen=True)
class Place:
    """A piece of memory, with the size that it typically has."""

    start: Expr
    end: Expr
    typical_start: int
    typical_end: int


@dataclass
class Placement:
    """The places of values, and the size of the memory that holds them all."""

    places: dict[Value, Place] = field(default_factory=dict)
    size: Expr = ZERO
    bound: Expr = ZERO
    """What no number exceeds that comes up while places and size are computed."""
    typical: int = 0

    def offset(self, value: Value) -> Expr | None:
        return self.places[value].start if value in self.places else None


def typical(size: Expr) -> int:
    """A size where the symbolic variables are typical."""
    return max(0, size.evaluate(dict.fromkeys(size.free_variables, TYPICAL)))


def place(values: Sequence[Value]) -> Placement:
    """The places of the values that can have one, in the best of three orders."""
    placeable = [v for v in values if v.is_placeable]
    sizes = {v: typical(v.size) for v in placeable if v.size is not None}
    overlapping = overlaps(placeable)
    by_size = sorted(placeable, key=lambda v: (-sizes[v], v.start))
    by_time = sorted(placeable, key=lambda v: v.start - (v.end or v.start))
    found: list[Placement] = []
    for order in (by_size, by_time, placeable):
        found.append(_place(order, sizes, overlapping))
        if len(found[-1].places) == len(placeable) and found[-1].typical <= needed(sizes):
            break
    return min(found, key=lambda p: (-len(p.places), p.typical))


def needed(sizes: Mapping[Value, int]) -> int:
    """The most bytes that values of these sizes take at once."""
    changes: dict[int, int] = defaultdict(int)
    for value, size in sizes.items():
        assert value.end is not None
        changes[value.start] += size
        changes[value.end] -= size
    return max(accumulate(changes[number] for number in sorted(changes)), default=0)


def overlaps(values: Iterable[Value]) -> Mapping[Value, Sequence[Value]]:
    """The values that are alive at some time together with each."""
    found: dict[Value, list[Value]] = {}
    alive: list[Value] = []
    for value in sorted(values, key=lambda v: v.start):
        alive = [other for other in alive if other.end is None or other.end > value.start]
        found[value] = list(alive)
        for other in alive:
            found[other].append(value)
        alive.append(value)
    return found


def _place(
    order: Sequence[Value],
    sizes: Mapping[Value, int],
    overlapping: Mapping[Value, Sequence[Value]],
) -> Placement:
    result = Placement()
    for value in order:
        assert value.size is not None
        taken = [result.places[other] for other in overlapping[value] if other in result.places]
        if len(taken) > MOST_NEIGHBOURS:
            taken = [Place(ZERO, result.size, 0, result.typical)]
        try:
            found = _first_gap(value.size, sizes[value], taken)
            size = larger(result.size, found.end)
            bound = magnitude((result.bound, found.start, size))
        except SymbolicError:  # too large to reason about
            continue
        if len(str(found.end)) <= LONGEST and len(str(size)) <= LONGEST:
            result.places[value] = found
            result.size, result.bound = size, bound
            result.typical = max(result.typical, found.typical_end)
    return result


def _first_gap(size: Expr, typical: int, taken: Sequence[Place]) -> Place:
    """The first place of a size between those that are taken."""
    rest = sorted(taken, key=lambda p: (p.typical_start, p.typical_end))
    start, at = ZERO, 0
    for i, place in enumerate(rest):
        if at + typical <= place.typical_start and all(
            fits(start + size, other.start) for other in rest[i:]
        ):
            break
        start, at = larger(start, place.end), max(at, place.typical_end)
    return Place(start, start + size, at, at + typical)


def fits(end: Expr, start: Expr) -> bool:
    """Whether what ends somewhere provably ends before something else starts."""
    return at_least(start, end)


def larger(a: Expr, b: Expr) -> Expr:
    """The maximum of two sizes."""
    if at_least(a, b):
        return a
    return b if at_least(b, a) else symbolic.maximum(a, b)


def at_least(a: Expr, b: Expr, depth: int = DEEPEST) -> bool:
    """Whether a >= b provably: a maximum in b is each of its arguments in turn, one in a any of them."""
    if a.value is not None and b.value is not None:
        return a.value >= b.value
    try:
        low, _ = (a - b).bounds()
    except SymbolicError:  # too long to reason about
        return False
    if low is not None and low >= 0:
        return True
    if depth == 0:
        return False
    if cases := _without_maximum(b):
        return all(at_least(a, case, depth - 1) for case in cases)
    return any(at_least(case, b, depth - 1) for case in _without_maximum(a))


def _without_maximum(size: Expr) -> Sequence[Expr]:
    """A sum with a maximum among its terms, once with each argument in place of it."""
    for factors, coefficient in size.terms:
        if len(factors) == 1 and factors[0].kind == "max" and coefficient > 0:
            rest = size - coefficient * symbolic.maximum(*factors[0].args)
            return [rest + coefficient * arg for arg in factors[0].args]
    return ()
