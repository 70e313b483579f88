"""The table of intervals, against all values of small intervals: none that is reached is excluded."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from optional import examples

from relax_dialect.symbolic import Expr, SymbolicOverflow, interval, parse
from relax_dialect.symbolic.interval import EVERYTHING, OPERATIONS, Interval, within


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def divided(divide: Callable[[int, int], int]) -> Callable[[int, int], Iterable[int]]:
    """A division as programs have it: by 0 it gives 0."""
    return lambda a, b: (divide(a, b) if b else 0,)


def broadcast(a: int, b: int) -> Iterable[int]:
    return () if a != b and 1 not in (a, b) else (b if a == 1 else a,)


def total(compute: Callable[[int, int], int]) -> Callable[[int, int], Iterable[int]]:
    return lambda a, b: (compute(a, b),)


VALUES: dict[str, Callable[[int, int], Iterable[int]]] = {
    "+": total(operator.add),
    "-": total(operator.sub),
    "*": total(operator.mul),
    "floordiv": divided(operator.floordiv),
    "ceildiv": divided(lambda a, b: -(-a // b)),
    "truncdiv": divided(truncated),
    "mod": divided(operator.mod),
    "rem": divided(lambda a, b: a - truncated(a, b) * b),
    "min": total(min),
    "max": total(max),
    "broadcast": broadcast,
    "and": total(operator.and_),
    "either": lambda a, b: (a, b),
}
"""The values that each operation of the table gives."""

TIGHT = {"+", "-", "*", "min", "max", "either", "floordiv", "ceildiv", "truncdiv"}
"""The operations whose intervals end at values that are reached."""

FAR = 9
"""How far from 0 the values of an interval without an end are looked at."""

END = st.one_of(st.none(), st.integers(-7, 7))


@st.composite
def boxes(draw: st.DrawFn) -> Interval:
    low, high = draw(END), draw(END)
    if low is not None and high is not None and low > high:
        low, high = high, low
    return interval.interval(low, high)


def values(x: Interval) -> range:
    low, high = (math.copysign(FAR, e) if isinstance(e, float) else e for e in x)
    return range(int(low), int(high) + 1)


def test_every_operation_is_tested():
    assert VALUES.keys() == OPERATIONS.keys()


@pytest.mark.parametrize("name", OPERATIONS)
@given(x=boxes(), y=boxes())
@examples(16)
def test_no_value_is_excluded(name: str, x: Interval, y: Interval):
    low, high = OPERATIONS[name](x, y)
    reached = [v for a in values(x) for b in values(y) for v in VALUES[name](a, b)]
    assert all(low <= v <= high for v in reached)
    if name in TIGHT and all(isinstance(end, int) for end in (*x, *y)):
        assert (low, high) == (min(reached), max(reached))


SYMBOLIC = [
    ("0", "n - 1"),
    ("n", "n"),
    ("m + 1", "m + 1"),
    ("-n", "m"),
    ("n - m", "n - m"),
    ("-3", "2 * n"),
    ("-m - 2", "-m - 2"),
    ("2", "4"),
    ("n", None),
    (None, "-n"),
]
"""Intervals between sizes."""


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_value_is_excluded_between_sizes(name: str):
    for x, y in product(SYMBOLIC, repeat=2):
        spans = [
            Interval(*(none if e is None else parse(e) for e, none in zip(each, EVERYTHING)))
            for each in (x, y)
        ]
        try:
            result = OPERATIONS[name](*spans)
        except SymbolicOverflow:
            continue
        for n, m in product((0, 1, 4), repeat=2):
            a, b, (low, high) = (
                [e.evaluate({"n": n, "m": m}) if isinstance(e, Expr) else e for e in each]
                for each in (*spans, result)
            )
            reached = product(values(Interval(*a)), values(Interval(*b)))
            assert all(low <= v <= high for pair in reached for v in VALUES[name](*pair)), (x, y)


def test_what_does_not_fit_a_type_wraps():
    byte = Interval(-128, 127)
    assert within(Interval(-128, 100), byte) == (-128, 100)
    assert within(Interval(0, 128), byte) == byte
    assert within(EVERYTHING, byte) == byte
    assert within(Interval(0, parse("min(n, 5)")), byte) == (0, parse("min(n, 5)"))
    assert within(Interval(0, parse("n")), byte) == byte
