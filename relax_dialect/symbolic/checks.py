"""The conditions under which a size is defined at run time, and their messages: one rule for interpreter
and C.

Products of sizes are at most `MAX_EXTENT`, those by small numbers and sums at most `MAX_SUM`, so that
nothing overflows 64 bits; divisors are other than 0, and sizes that broadcast are equal or 1.
"""

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic.caps import MAX_EXTENT, MAX_SUM, SMALL_FACTOR

LARGE_PRODUCT = f"expected sizes of at most {MAX_EXTENT}, found a product that is larger"
"""The message for sizes whose product is larger, and may exceed 64 bits."""
LARGE_SUM = f"expected sizes of at most {MAX_EXTENT}, found a sum that leaves 64 bits"
"""The same for sums, of numbers written in the program for the most part."""
BROADCAST = "sizes to broadcast: to be equal, or one of them 1"
"""The demand on sizes that broadcast, for errors."""


def zero_divisor(size: object) -> str:
    """Return the message for a size that divides by zero."""
    return f"expected divisors other than 0, found 0 in '{size}'"


def is_small(factor: int) -> bool:
    """Return whether a literal of the program multiplies a size without leaving 64 bits."""
    return abs(factor) <= SMALL_FACTOR


def product_limit(factor: int | None) -> int:
    """Return the maximum of a product, by a literal of the program or of sizes alone."""
    return MAX_SUM if factor is not None and is_small(factor) else MAX_EXTENT


def require_size(size: object, op: str, x: int, y: int, factor: int | None) -> None:
    """Refuse an operation on sizes that compiled programs do not compute; `factor` is x if that is a
    literal of the program."""
    if op in ("floordiv", "mod") and y == 0:
        raise SymbolicError(zero_divisor(size))
    if op == "*" and abs(x * y) > product_limit(factor):
        raise SymbolicError(LARGE_PRODUCT)
    if op == "+" and max(abs(x), abs(y), abs(x + y)) > MAX_SUM:
        raise SymbolicError(LARGE_SUM)
    if op == "broadcast" and x != y and 1 not in (x, y):
        raise SymbolicError(f"expected {BROADCAST}, found {min(x, y)} and {max(x, y)}")
