"""Total arithmetic: operations that have a value for all operands, also where numpy's are undefined.

Emitted C computes the same. Integers wrap around, `x / 0` and `x % 0` are 0, a shift by the width or more
leaves no bits, and a float becomes the nearest integer that the type holds, NaN becomes 0. Results do not
depend on the machine, as numpy's do for the greater of 0 and -0.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def signed(x: Any) -> Any:
    """Read integers as signed numbers."""
    x = np.asarray(x)
    return -x.astype(np.int8) if x.dtype == np.bool_ else x


def unsigned(x: Any) -> Any:
    """Read integers as unsigned numbers."""
    x = np.asarray(x)
    return x.astype(np.uint8) if x.dtype == np.bool_ else x.view(f"u{x.dtype.itemsize}")


def truncated_quotient(a: Any, b: Any) -> Any:
    """Return the quotient rounded towards zero, as C divides."""
    return np.floor_divide(a - np.fmod(a, b), b)


def quotient(a: Any, b: Any) -> Any:
    """`a / b`, rounded towards zero for integers."""
    is_whole = np.asarray(a).dtype.kind in "iu"
    return truncated_quotient(a, b) if is_whole else np.divide(a, b)


def maximum(a: Any, b: Any) -> Any:
    """Return the greater operand, of equal ones (0 and -0) the first; NaN if either is NaN."""
    return np.where((a < b) | (b != b), b, a)[()]


def minimum(a: Any, b: Any) -> Any:
    """Return the less operand, of equal ones (0 and -0) the first; NaN if either is NaN."""
    return np.where((a > b) | (b != b), b, a)[()]


def ceil_quotient(a: Any, b: Any) -> Any:
    """Return the quotient rounded up."""
    return np.floor_divide(a, b) + (np.remainder(a, b) != 0)


def integer_power(a: Any, b: Any) -> Any:
    """`a ** b` by squaring; for b < 0 it is the quotient `1 / a ** -b`, rounded towards zero."""
    a, b = np.broadcast_arrays(a, b)
    result, base, rest = np.ones_like(a), a.copy(), np.maximum(b, 0)
    while rest.any():
        result = np.where(rest & 1, result * base, result)
        base, rest = base * base, rest >> 1
    reciprocal = np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (b & 1), 0))
    return np.where(b < 0, reciprocal, result).astype(a.dtype)


def leading_zeros(x: Any) -> Any:
    """Return the number of zeros above the highest one of the bits."""
    x = unsigned(x)
    bits = 8 * x.dtype.itemsize
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < bits:
            x = x | (x >> x.dtype.type(shift))
    return bits - ones(x)


def trailing_zeros(x: Any) -> Any:
    """Return the number of zeros below the lowest one of the bits."""
    x = unsigned(x)
    with np.errstate(over="ignore"):
        return ones((x & (~x + x.dtype.type(1))) - x.dtype.type(1))


def ones(x: Any) -> Any:
    """Return the number of ones among the bits."""
    x = unsigned(x)
    parts = np.ascontiguousarray(x).reshape(*x.shape, 1).view(np.uint8)
    return np.unpackbits(parts, axis=-1).sum(axis=-1).astype(x.dtype)


def to_integer(x: Any, dtype: np.dtype[Any]) -> Any:
    """Truncate floats to integers; the nearest one beyond the range, 0 for NaN."""
    wide = np.asarray(x).astype(np.float64)
    info = np.iinfo(dtype)
    below, above = wide < info.min, wide >= float(int(info.max) + 1)
    inside = np.where(below | above | np.isnan(wide), 0.0, wide).astype(dtype)
    return np.where(below, info.min, np.where(above, info.max, inside)).astype(dtype)[()]


def astype(x: Any, dtype: np.dtype[Any]) -> Any:
    """`numpy.ndarray.astype`, with `to_integer` for floats; a bfloat16 is rounded from an f32."""
    x = np.asarray(x)
    if dtype.kind in "iu" and x.dtype.kind not in "iub":
        return to_integer(x, dtype)
    return x.astype(dtype)[()]
