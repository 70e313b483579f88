"""Caps on the growth of symbolic sizes, beyond which they are no longer tracked."""

from relax_dialect.errors import SymbolicError

MAX_TERMS = 64
"""The most terms that a sum, and arguments that a `min`, `max` or `broadcast`, may have."""
MAX_SIZE = 1024
"""The most variables, constants and operations that an expression may have."""
MAX_DEPTH = 32
"""The deepest nesting of operations other than sums and products."""
MAX_COEFFICIENT = 2**63 - 1
"""The largest magnitude of a coefficient: sizes are 64-bit integers at run time."""

MAX_EXTENT = 2**48
"""The largest size that a program meets at run time, beyond any machine's memory: sums of such sizes are
far from the end of 64-bit integers, and products are checked."""
SMALL_FACTOR = 4096
"""Constants up to this one multiply sizes unchecked."""
MAX_SUM = 2**62 - 1
"""The largest magnitude of operands of sizes: sums of two such numbers fit into 64 bits."""


class SymbolicOverflow(SymbolicError):
    """A symbolic size grew past the caps of this module; callers fall back to an unknown size."""


def check_cap(found: int, limit: int, what: str) -> None:
    """Refuse an expression that is too large to be worth reasoning about."""
    if found > limit:
        raise SymbolicOverflow(
            f"a symbolic size has {what} {found}, above the limit of {limit}; "
            "leave the size unknown ('?')"
        )
