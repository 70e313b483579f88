"""The order of two sizes, for all values of the symbolic variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import Expr, interval, provably_at_least

TYPICAL = 128
"""The assumed value of every symbolic variable if the larger of two sizes is only guessed."""

READABLE = 400
"""The most characters of a maximum that a report spells out."""

ZERO = symbolic.const(0)


def typical(size: Expr, number: int = TYPICAL) -> int:
    """Return a size where every symbolic variable is some number; 0 if no call has sizes of that number."""
    try:
        return max(0, size.evaluate(dict.fromkeys(size.free_variables, number)))
    except SymbolicError:
        return 0


def larger(a: Expr, b: Expr) -> Expr:
    """Return the maximum of two sizes."""
    if provably_at_least(a, b):
        return a
    return b if provably_at_least(b, a) else symbolic.maximum(a, b)


@dataclass
class Maximum:
    """The largest of several sizes, without sizes that another one is provably at least as large as."""

    sizes: list[Expr] = field(default_factory=lambda: [ZERO])

    def add(self, size: Expr) -> None:
        if not any(provably_at_least(other, size) for other in self.sizes):
            self.sizes = [other for other in self.sizes if not provably_at_least(size, other)] + [
                size
            ]
            self.sizes.sort(key=typical, reverse=True)

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        return max(size.evaluate(sizes) for size in self.sizes)

    def most(self, bounds: Mapping[str, int]) -> int | None:
        """Return the greatest value where variables have upper bounds, if it is known."""
        known = {name: (0, most) for name, most in bounds.items()}
        (_, high) = interval.ends(
            reduce(interval.union, (interval.interval(*size.bounds(known)) for size in self.sizes))
        )
        return high

    def variables(self) -> set[str]:
        return {name for size in self.sizes for name in size.free_variables}

    def __str__(self) -> str:
        try:
            text = str(symbolic.maximum(*self.sizes))
        except SymbolicError:
            text = ""
        if text and len(text) <= READABLE:
            return text
        return f"the largest of {len(self.sizes)} sizes, most often {self.sizes[0]}"
