"""The rules by which sizes are divided, for all sizes and divisors; and the table of intervals on every path."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from symbolic_numbers import Symbolic, paths, term_of

from relax_dialect.prove import Limits, VerdictKind
from relax_dialect.prove.queries import holds
from relax_dialect.prove.size_terms import floordiv
from relax_dialect.prove.z3_package import z3
from relax_dialect.symbolic.interval import OPERATIONS, Interval

LIMITS = Limits(milliseconds=12_000)

x, k, r, q, low, high, b, c, g = z3.Ints("x k r q low high b c g")


def floormod(a: Any, b: Any) -> Any:
    """The remainder, by its definition."""
    return a - b * floordiv(a, b)


class Law(NamedTuple):
    """An equation, and what holds of its variables."""

    claim: Any
    facts: tuple[Any, ...]


SPLIT = floordiv(c * q + r, c) == q + floordiv(r, c)

LAWS: Mapping[str, Law] = {
    "(c * q + r) floordiv c = q + r floordiv c": Law(SPLIT, (c > 0,)),
    "(g * x + k) floordiv (g * c) = x floordiv c": Law(
        floordiv(g * x + k, g * c) == floordiv(x, c), (g > 0, c > 0, k >= 0, k < g)
    ),
    "(x floordiv b + k) floordiv c = (x + b * k) floordiv (b * c)": Law(
        floordiv(floordiv(x, b) + k, c) == floordiv(x + b * k, b * c), (b > 0, c > 0)
    ),
    "(-x) floordiv c = -((x + c - 1) floordiv c)": Law(
        floordiv(-x, c) == -floordiv(x + c - 1, c), (c > 0,)
    ),
    "x floordiv -c = (-x) floordiv c": Law(floordiv(x, -c) == floordiv(-x, c), (c > 0,)),
    "r floordiv c = low floordiv c, where that of the bounds is": Law(
        floordiv(r, c) == floordiv(low, c),
        (c > 0, low <= r, r <= high, floordiv(low, c) == floordiv(high, c)),
    ),
    "(r + k * (x mod b)) floordiv c = (r + k * x) floordiv c - g * (x floordiv b), k * b = g * c": Law(
        floordiv(r + k * floormod(x, b), c) == floordiv(r + k * x, c) - g * floordiv(x, b),
        (c > 0, b > 0, k * b == g * c),
    ),
    "(c * q + r) mod c = r mod c": Law(floormod(c * q + r, c) == floormod(r, c), (c > 0, SPLIT)),
    "(g * x + k) mod (g * c) = g * (x mod c) + k": Law(
        floormod(g * x + k, g * c) == g * floormod(x, c) + k,
        (g > 0, c > 0, k >= 0, k < g, floordiv(g * x + k, g * c) == floordiv(x, c)),
    ),
    "(k * (x mod b) + r) mod c = (k * x + r) mod c, k * b = g * c": Law(
        floormod(k * floormod(x, b) + r, c) == floormod(k * x + r, c),
        (
            *(c > 0, b > 0, k * b == g * c),
            floordiv(r + k * floormod(x, b), c) == floordiv(r + k * x, c) - g * floordiv(x, b),
        ),
    ),
    "x mod -c = -((-x) mod c)": Law(
        floormod(x, -c) == -floormod(-x, c), (c > 0, floordiv(x, -c) == floordiv(-x, c))
    ),
    "ceildiv(x, c) = (x + c - 1) floordiv c": Law(
        -floordiv(-x, c) == floordiv(x + c - 1, c), (c > 0,)
    ),
}
"""The rules of `symbolic.division`; a fact that is no bound of a variable is a law above."""


def law_holds(name: str) -> bool:
    """Whether z3 proves a law."""
    return holds(LAWS[name].claim, LAWS[name].facts, LIMITS, "default").kind is VerdictKind.PROVED


def truncdiv(a: Any, b: Any) -> Any:
    """The quotient rounded towards zero."""
    magnitude = z3.If(a >= 0, a, -a) / z3.If(b >= 0, b, -b)
    return z3.If((a >= 0) == (b >= 0), magnitude, -magnitude)


def _total(divide: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: z3.If(b == 0, 0, divide(a, b))


VALUES: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "floordiv": _total(floordiv),
    "ceildiv": _total(lambda a, b: -floordiv(-a, b)),
    "truncdiv": _total(truncdiv),
    "mod": _total(floormod),
    "rem": _total(lambda a, b: a - b * truncdiv(a, b)),
    "min": lambda a, b: z3.If(a <= b, a, b),
    "max": lambda a, b: z3.If(a >= b, a, b),
    "broadcast": lambda a, b: z3.If(a == 1, b, a),
    "and": lambda a, b: z3.Int("bits"),
    "either": lambda a, b: z3.If(z3.Bool("first"), a, b),
}
"""The value of each operation of the table; the bits that two numbers have in common are at most each of them
that is not negative, as `bits_are_fewer` shows."""


def _facts(name: str, a: Any, b: Any) -> list[Any]:
    if name == "broadcast":
        return [z3.Or(a == b, a == 1, b == 1)]
    if name == "and":
        bits = z3.Int("bits")
        return [z3.Implies(each >= 0, z3.And(bits >= 0, bits <= each)) for each in (a, b)]
    return []


def bits_are_fewer() -> bool:
    """Whether the bits of numbers of 64 bits are as `VALUES` says."""
    a, b = z3.BitVecs("a b", 64)
    claim = z3.Implies(a >= 0, z3.And((a & b) >= 0, (a & b) <= a))
    return holds(claim, [], LIMITS).kind is VerdictKind.PROVED


def interval_claims(name: str) -> Iterator[tuple[Any, list[Any]]]:
    """That a value is in the interval of the table, on each path of its code, with and without ends."""
    x, y = z3.Ints("x y")
    for bounded in product((True, False), repeat=4):
        ends = [
            Symbolic.named(each) if finite else (-1) ** (place + 1) * math.inf
            for place, (each, finite) in enumerate(zip("abcd", bounded))
        ]
        facts = _facts(name, x, y)
        for value, least, most in ((x, *ends[:2]), (y, *ends[2:])):
            facts += [term_of(least) <= value] if isinstance(least, Symbolic) else []
            facts += [value <= term_of(most)] if isinstance(most, Symbolic) else []
        operands = Interval(*ends[:2]), Interval(*ends[2:])
        value = VALUES[name](x, y)
        for conditions, found in paths(lambda: OPERATIONS[name](*operands), facts):  # noqa: B023
            if not isinstance(found.low, float):
                yield term_of(found.low) <= value, conditions
            if not isinstance(found.high, float):
                yield value <= term_of(found.high), conditions


def interval_holds(name: str) -> int:
    """How many claims about an operation are proved; 0 if one is not."""
    count = 0
    for claim, conditions in interval_claims(name):
        if holds(claim, conditions, LIMITS, "default").kind is not VerdictKind.PROVED:
            return 0
        count += 1
    return count
