"""Scalar terms of z3, with symbols for functions that are costly or undefined there.

A function that z3 does not define (`exp`), and at the first attempt a costly one too (the product of two
floats), is uninterpreted: a symbol for each list of arguments, the same for equal arguments. A proof about
symbols holds for every function.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from relax_dialect.prove.z3_package import z3
from relax_dialect.symbolic import Expr, var

MOST_APPLICATIONS = 24
"""The maximum number of applications of one function for which congruence is stated: equal arguments
yield equal results."""


@dataclass(frozen=True)
class ReductionOperator:
    """An operator that reduces elements."""

    name: str


class Terms:
    """The symbols of one query."""

    def __init__(self, exact: bool):
        self.exact = exact
        """Whether costly functions are computed, not symbols."""
        self.memo: dict[Hashable, Any] = {}
        self.leaves: dict[tuple[int, Any], Any] = {}
        """The symbols of elements, by tensor and index."""
        self._alive: list[Any] = []
        """Terms kept alive because their ids are used as names, which z3 may otherwise reuse."""
        self._binders: dict[Hashable, tuple[Any, str]] = {}
        """The symbols of reductions, and the operators that they are of."""
        self._bound = 0
        self._applied: dict[Hashable, dict[tuple[int, ...], tuple[Sequence[Any], Any]]] = {}

    def leaf(self, key: tuple[int, Any], sort: Any) -> Any:
        """Return the symbol of an element."""
        if key not in self.leaves:
            self.leaves[key] = z3.Const(f"e{len(self.leaves)}", sort)
        return self.leaves[key]

    def function(self, name: Hashable, args: Sequence[Any], sort: Any) -> Any:
        """Return the symbol of a function of some arguments."""
        known = self._applied.setdefault((name, str(sort), len(args)), {})
        key = tuple(arg.get_id() for arg in args)
        if key not in known:
            # a name of its own; the arguments stay alive, and so their numbers are theirs
            known[key] = (args, z3.FreshConst(sort, "f"))
        return known[key][1]

    @contextmanager
    def bound(self, count: int) -> Iterator[list[Expr]]:
        """Yield the variables of `count` reduced axes, distinct from those of enclosing reductions."""
        start, self._bound = self._bound, self._bound + count
        try:
            yield [var(f"r{number}__") for number in range(start, start + count)]
        finally:
            self._bound = start

    def binder(self, header: Hashable, operator: str, args: Sequence[Any], sort: Any) -> Any:
        """Return the symbol of a reduction of terms in bound variables; only equal terms have equal
        symbols."""
        args = [z3.simplify(arg) for arg in args]
        key = (header, tuple(arg.get_id() for arg in args))
        if key not in self._binders:
            self._alive.append(args)
            self._binders[key] = z3.Const(f"s{len(self._binders)}", sort), operator
        return self._binders[key][0]

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        """Return a where a condition is true, else b."""
        return z3.If(condition, a, b)

    def costly(
        self,
        name: Hashable,
        args: Sequence[Any],
        compute: Callable[..., Any],
        commutes: bool = False,
    ) -> Any:
        """Return a function that is computed where the query is exact, and a symbol else."""
        args = [z3.simplify(arg) for arg in args]
        if self.exact:
            return compute(*args)
        result = compute(*args)
        simplified = z3.simplify(result)
        if z3.is_fp_value(simplified) or z3.is_bv_value(simplified):
            return simplified
        ordered = sorted(args, key=lambda arg: arg.get_id()) if commutes else args
        return self.function(name, ordered, result.sort())

    def unshared(self, a: Any, b: Any) -> Iterator[Any]:
        """Yield the symbols that one of two terms has: keys of tensors, and names of functions."""
        named = {symbol.get_id(): key for (key, _), symbol in self.leaves.items()}
        for (name, *_), known in self._applied.items():  # pyright: ignore
            named |= {symbol.get_id(): f"relax.{name[0]}" for _, symbol in known.values()}
        named |= {
            symbol.get_id(): ReductionOperator(operator)
            for symbol, operator in self._binders.values()
        }
        found = (constants_in(a), constants_in(b))
        yield from (named[symbol] for symbol in found[0] ^ found[1] if symbol in named)

    def congruences(self) -> Iterator[Any]:
        """Yield the congruence axioms: equal arguments yield equal results."""
        for known in self._applied.values():
            if len(known) <= MOST_APPLICATIONS:
                for (xs, fx), (ys, fy) in combinations(known.values(), 2):
                    yield z3.Implies(z3.And([x == y for x, y in zip(xs, ys)]), fx == fy)


def constants_in(term: Any) -> set[int]:
    """Return the numbers of the constants in a term."""
    work, seen, found = [term], set(), set()
    while work:
        each = work.pop()
        if each.get_id() not in seen:
            seen.add(each.get_id())
            work += each.children()
            if z3.is_const(each):
                found.add(each.get_id())
    return found
