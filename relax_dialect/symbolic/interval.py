"""Interval arithmetic on integers: the one table of the ranges of operations. It is used for sizes
(`Expr.bounds`), indices of tensor expressions (`te.ranges`, with ends that are sizes) and integers of
programs (`lowering.ir.integer_ranges`). An end is a number, an infinity for unbounded values, or a symbolic
size, of which only facts that hold for all values of its variables are used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial, reduce
from typing import Any, NamedTuple

End = Any
"""An end of an interval: an `int`, an infinity of `math`, or an `Expr`."""

EXTREMA: dict[str, Callable[[End, End], End]] = {}
"""The comparison of symbolic ends: "min" and "max" of the algebra, which imports this file."""


class Interval(NamedTuple):
    """All integers from `low` to `high`, both included."""

    low: End
    high: End

    @property
    def magnitude(self) -> int | float:
        """The largest absolute value of an interval between numbers."""
        return max(abs(self.low), abs(self.high))

    def holds(self, value: int) -> bool:
        """Return whether a value may be in the interval."""
        return not (at_least(self.low, value + 1) or at_most(self.high, value - 1))


EVERYTHING = Interval(-math.inf, math.inf)
SIZES = Interval(0, math.inf)


def point(value: End) -> Interval:
    """Return the interval of one value."""
    return Interval(value, value)


def interval(low: int | None, high: int | None) -> Interval:
    """Return an interval from ends; None is unbounded."""
    return Interval(-math.inf if low is None else low, math.inf if high is None else high)


def ends(x: Interval) -> tuple[int | None, int | None]:
    """Return the ends of an interval; None is unbounded."""
    low, high = x
    return None if isinstance(low, float) else low, None if isinstance(high, float) else high


def at_least(x: End, number: int | float) -> bool:
    """Return whether an end is provably no less than a number."""
    if isinstance(x, int | float):
        return x >= number
    return interval(*x.bounds()).low >= number


def at_most(x: End, number: int | float) -> bool:
    """Return whether an end is provably no more than a number."""
    if isinstance(x, int | float):
        return x <= number
    return interval(*x.bounds()).high <= number


# Ends ----------------------------------------------------------------------------------------------------


def _plus(x: End, y: End) -> End:
    """Add two ends; integers too large for a float may meet an infinity."""
    if isinstance(x, float):
        return x
    return y if isinstance(y, float) else x + y


def _times(x: int | float, y: int | float) -> int | float:
    """Multiply two numbers; zero times infinity is zero."""
    if isinstance(x, int) and isinstance(y, int):
        return x * y
    if x == 0 or y == 0:
        return 0
    return math.inf if (x > 0) == (y > 0) else -math.inf


def _over(x: End, by_negative: End, by_other: End, unknown: End) -> End:
    """Floor-divide a negative end by one positive end, any other by another one."""
    if isinstance(x, float):
        return x
    if by_negative != by_other and not at_least(x, 0) and not at_most(x, -1):
        return unknown
    by = by_negative if at_most(x, -1) else by_other
    if isinstance(by, float):
        return -1 if at_most(x, -1) else 0
    return 0 if at_least(x, 0) and at_most(x, 0) else x // by


def _extremum(kind: str, x: End, y: End) -> End:
    if isinstance(x, int | float) and isinstance(y, int | float):
        return min(x, y) if kind == "min" else max(x, y)
    for end, other in ((x, y), (y, x)):
        if isinstance(end, float):
            return end if (end < 0) == (kind == "min") else other
    return EXTREMA[kind](x, y)


# Operations ----------------------------------------------------------------------------------------------


def union(x: Interval, y: Interval) -> Interval:
    """Return the values of either."""
    return Interval(_extremum("min", x.low, y.low), _extremum("max", x.high, y.high))


def intersection(x: Interval, y: Interval) -> Interval:
    """Return the values of both, for numbers of one expression: it is not empty."""
    return Interval(max(x.low, y.low), min(x.high, y.high))


def negate(x: Interval) -> Interval:
    """Return the values of -x."""
    return Interval(-x.high, -x.low)


def add(x: Interval, y: Interval) -> Interval:
    """Return the values of x + y."""
    return Interval(_plus(x.low, y.low), _plus(x.high, y.high))


def subtract(x: Interval, y: Interval) -> Interval:
    """Return the values of x - y."""
    return add(x, negate(y))


def multiply(x: Interval, y: Interval) -> Interval:
    """Return the values of x * y; symbolic ends are multiplied if their signs are known."""
    if all(isinstance(end, int | float) for end in (*x, *y)):
        corners = [_times(a, b) for a in x for b in y]
        return Interval(min(corners), max(corners))
    if x.low == x.high:
        x, y = y, x
    if at_most(y.high, 0):
        x, y = negate(x), negate(y)
    if not at_least(y.low, 0) or not (y.low == y.high or at_least(x.low, 0)):
        return EVERYTHING
    low = x.low if isinstance(x.low, float) else x.low * y.low
    is_bounded = not isinstance(x.high, float) and not isinstance(y.high, float)
    return Interval(low, x.high * y.high if is_bounded else math.inf)


def _by_signs(
    divide: Callable[[Interval, Interval], Interval], x: Interval, y: Interval, sign: int = 1
) -> Interval:
    """Divide x by the positive divisors, and -x by the negated negative ones, whose result is multiplied by
    a sign; by 0 everything is 0."""
    parts = [point(0)] if y.holds(0) else []
    for a, b, times in ((x, y, 1), (negate(x), negate(y), sign)):
        if not at_most(b.high, 0):
            low = b.low if at_least(b.low, 1) else 1
            part = divide(a, Interval(low, _extremum("max", b.high, 1)))
            parts.append(part if times == 1 else negate(part))
    return reduce(union, parts)


def _down(x: Interval, y: Interval) -> Interval:
    """Return the values of x floordiv y, for y of at least 1."""
    low = _over(x.low, y.low, y.high, -math.inf)
    return Interval(low, _over(x.high, y.high, y.low, math.inf))


def _rest(x: Interval, y: Interval) -> Interval:
    """Return the values of x mod y, for y of at least 1."""
    most = _plus(y.high, -1)
    if not at_least(x.low, 0):
        return Interval(0, most)
    if at_least(_plus(_plus(y.low, -1), -x.high), 0):
        return x
    return Interval(0, _extremum("min", x.high, most))


def _from_zero(
    divide: Callable[[Interval, Interval], Interval], x: Interval, y: Interval
) -> Interval:
    """Divide the magnitude of x, and apply the sign of x to the result."""
    if at_least(x.low, 0):
        return divide(x, y)
    negative = negate(divide(Interval(0, -x.low), y))
    return negative if at_most(x.high, 0) else union(negative, divide(Interval(0, x.high), y))


def floordiv(x: Interval, y: Interval) -> Interval:
    """Return the values of x floordiv y."""
    return _by_signs(_down, x, y)


def floormod(x: Interval, y: Interval) -> Interval:
    """Return the values of x mod y: the remainder of floordiv."""
    return _by_signs(_rest, x, y, -1)


def ceildiv(x: Interval, y: Interval) -> Interval:
    """Return the values of the quotient rounded up."""
    return negate(floordiv(negate(x), y))


def truncdiv(x: Interval, y: Interval) -> Interval:
    """Return the values of the quotient rounded towards zero."""
    return _by_signs(lambda a, b: _from_zero(_down, a, b), x, y)


def remainder(x: Interval, y: Interval) -> Interval:
    """Return the values of the remainder of truncdiv, which has the sign of x."""
    return _by_signs(lambda a, b: _from_zero(_rest, a, b), x, y, -1)


def minimum(x: Interval, y: Interval) -> Interval:
    """Return the values of min(x, y)."""
    return Interval(_extremum("min", x.low, y.low), _extremum("min", x.high, y.high))


def maximum(x: Interval, y: Interval) -> Interval:
    """Return the values of max(x, y)."""
    return Interval(_extremum("max", x.low, y.low), _extremum("max", x.high, y.high))


def broadcast(x: Interval, y: Interval) -> Interval:
    """Return the range of x broadcast with y: that of the operand which is not 1."""
    for decides in (x, y):
        if not decides.holds(1):
            return decides
    return union(x, y)


def conjunction(x: Interval, y: Interval) -> Interval:
    """Return the values of the bits that x and y have in common: no more than an operand without a sign."""
    highs = [each.high for each in (x, y) if at_least(each.low, 0)]
    return Interval(0, reduce(partial(_extremum, "min"), highs)) if highs else EVERYTHING


def within(x: Interval, type: Interval) -> Interval:
    """Return the values of x as a type holds them: the whole range of the type if some do not fit, as they
    wrap."""
    return x if at_least(x.low, type.low) and at_most(x.high, type.high) else type


OPERATIONS: Mapping[str, Callable[[Interval, Interval], Interval]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "floordiv": floordiv,
    "ceildiv": ceildiv,
    "truncdiv": truncdiv,
    "mod": floormod,
    "rem": remainder,
    "min": minimum,
    "max": maximum,
    "broadcast": broadcast,
    "and": conjunction,
    "either": union,
}
"""Each operation on intervals, by its name in the algebra of sizes as far as that has it."""
