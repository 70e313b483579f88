"""Which of two sizes is larger, whatever the symbolic variables are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import Expr

TYPICAL = 128
"""The assumed value of every symbolic variable where the larger of two sizes is only guessed."""

READABLE = 400
"""The most characters of a maximum that a report spells out."""

DEEPEST = 4
"""How many maxima are taken apart to compare two sizes."""

ZERO = symbolic.const(0)


def typical(size: Expr, number: int = TYPICAL) -> int:
    """A size where every symbolic variable is some number."""
    return max(0, size.evaluate(dict.fromkeys(size.free_variables, number)))


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


@dataclass
class Maximum:
    """The largest of several sizes, without those that another one is always as large as."""

    sizes: list[Expr] = field(default_factory=lambda: [ZERO])

    def add(self, size: Expr) -> None:
        if not any(at_least(other, size) for other in self.sizes):
            self.sizes = [other for other in self.sizes if not at_least(size, other)] + [size]
            self.sizes.sort(key=typical, reverse=True)

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        return max(size.evaluate(sizes) for size in self.sizes)

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
