"""Interval arithmetic over the integers, with infinite ends, for the bounds of symbolic sizes."""

import math
from collections.abc import Callable
from typing import NamedTuple

End = int | float
"""An end of an interval: an integer, or an infinity of `math`."""


class Interval(NamedTuple):
    """All integers from `low` to `high`, both included."""

    low: End
    high: End


EVERYTHING = Interval(-math.inf, math.inf)
SIZES = Interval(0, math.inf)


def point(value: int) -> Interval:
    """The interval of one value."""
    return Interval(value, value)


def interval(low: int | None, high: int | None) -> Interval:
    """An interval from ends where None stands for no bound."""
    return Interval(-math.inf if low is None else low, math.inf if high is None else high)


def ends(x: Interval) -> tuple[int | None, int | None]:
    """The ends of an interval, None standing for no bound."""
    low, high = x
    return (
        low if isinstance(low, int) else None,
        high if isinstance(high, int) else None,
    )


def _plus(x: End, y: End) -> End:
    """Add two ends; integers too large for a float may meet an infinity."""
    if isinstance(x, float):
        return x
    return y if isinstance(y, float) else x + y


def _times(x: End, y: End) -> End:
    """Multiply two ends; zero times infinity is zero."""
    if isinstance(x, int) and isinstance(y, int):
        return x * y
    if x == 0 or y == 0:
        return 0
    return math.inf if (x > 0) == (y > 0) else -math.inf


def _over(x: End, y: End) -> End:
    """Floor-divide an end by a positive end."""
    if isinstance(x, float):
        return x
    if isinstance(y, float):
        return -1 if x < 0 else 0
    return x // y


def add(x: Interval, y: Interval) -> Interval:
    """The values of x + y."""
    return Interval(_plus(x.low, y.low), _plus(x.high, y.high))


def multiply(x: Interval, y: Interval) -> Interval:
    """The values of x * y."""
    corners = [_times(a, b) for a in x for b in y]
    return Interval(min(corners), max(corners))


def floordiv(x: Interval, y: Interval) -> Interval:
    """The values of x floordiv y; a divisor that is a size is at least one where it is defined."""
    if y.low < 0:
        return EVERYTHING
    small, large = max(y.low, 1), max(y.high, 1)
    low = _over(x.low, small if x.low < 0 else large)
    high = _over(x.high, large if x.high < 0 else small)
    return Interval(low, high)


def floormod(x: Interval, y: Interval) -> Interval:
    """The values of x mod y; a modulus that is a size is at least one where it is defined."""
    if y.low < 0:
        return EVERYTHING
    if x.low >= 0 and x.high < max(y.low, 1):
        return x
    most = _plus(max(y.high, 1), -1)
    return Interval(0, min(x.high, most) if x.low >= 0 else most)


def minimum(x: Interval, y: Interval) -> Interval:
    """The values of min(x, y)."""
    return Interval(min(x.low, y.low), min(x.high, y.high))


def maximum(x: Interval, y: Interval) -> Interval:
    """The values of max(x, y)."""
    return Interval(max(x.low, y.low), max(x.high, y.high))


def broadcast(x: Interval, y: Interval) -> Interval:
    """The values that x and y broadcast to: that of the one which is not 1."""
    for decides in (x, y):
        if not decides.low <= 1 <= decides.high:
            return decides
    return Interval(min(x.low, y.low), max(x.high, y.high))


OPERATIONS: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": add,
    "*": multiply,
    "floordiv": floordiv,
    "mod": floormod,
    "min": minimum,
    "max": maximum,
    "broadcast": broadcast,
}
"""Each operation of a symbolic expression, on intervals."""
