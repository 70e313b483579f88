"""The facts on symbolic sizes at a point of a program: equalities that were checked before it.

`Facts` keeps them as a substitution. A variable that an equality can be solved for is written in
terms of others, so that equal sizes become one expression; an equality that cannot be solved maps
the larger of its sides to the other. Nothing is concluded beyond that: sizes that `reduce` to one
expression are equal, others may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import gcd
from typing import Any

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.types import Dim
from relax_dialect.symbolic import Expr, SymbolicOverflow, const, provably_different

MAX_UNSOLVED = 64
"""The maximum number of unsolvable equalities kept for one variable."""


class ContradictionError(SymbolicError):
    """Two sizes were checked to be equal that were proved to differ before."""


class Facts:
    """Equalities between sizes, each valid until the `scope` ends in which it was added."""

    def __init__(self) -> None:
        self._solved: dict[str, Expr] = {}
        """A variable in terms of others, which may be solved for themselves."""
        self._unsolved: dict[Expr, Expr] = {}
        """Maps a size to the smaller size it equals, or to itself if that equality was retracted."""
        self._naming: dict[str, tuple[Expr, ...]] = {}
        """The keys of `_unsolved` whose key or value names a variable."""
        self._trail: list[tuple[dict[Any, Any], Any, Any]] = []
        self._reduced: dict[Expr, Expr] = {}
        self.upper_bounds: Mapping[str, int] = {}
        """The greatest values that variables have, as far as it is known."""

    def __bool__(self) -> bool:
        return bool(self._solved or self._unsolved)

    # Scopes

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Retract equalities that are added inside at the end of the context."""
        mark = self.mark()
        yield
        self.undo(mark)

    def mark(self) -> int:
        """Return the state of now, for `undo`."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Retract everything added since the mark."""
        if len(self._trail) > mark:
            self._reduced = {}
        while len(self._trail) > mark:
            table, key, old = self._trail.pop()
            if old is None:
                del table[key]
            else:
                table[key] = old

    def _set(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        self._trail.append((table, key, table.get(key)))
        table[key] = value

    # Questions

    def concern(self, names: Iterable[str]) -> bool:
        """Return whether anything is known that could reduce a size of these variables."""
        return any(name in self._solved or name in self._naming for name in names)

    def reduce(self, size: Expr) -> Expr:
        """Return the canonical expression of all sizes known to equal this one."""
        if not self:
            return size
        if (known := self._reduced.get(size)) is None:
            known = self._reduced[size] = self._reduce(size)
        return known

    def reduce_dim(self, dim: Dim) -> Dim:
        """`reduce`, of a size that may be unknown."""
        return None if dim is None else self.reduce(dim)

    def equal(self, a: Expr, b: Expr) -> bool:
        """Return whether the sizes are known to be equal."""
        if a is b or (a := self.reduce(a)) is (b := self.reduce(b)):
            return True
        if not self.upper_bounds:
            return False
        return symbolic.under_bounds(a, self.upper_bounds) is symbolic.under_bounds(
            b, self.upper_bounds
        )

    def _reduce(self, size: Expr) -> Expr:
        """Replace to a fixed point; a size that grows past the caps is left as it is.

        Terminates because a replacement is itself reduced when it is added.
        """
        while True:
            mapping = {v: self._solution(v) for v in size.free_variables if v in self._solved}
            try:
                new = size.substitute(mapping)
            except SymbolicError:
                return size
            new = self._unsolved.get(new, new)
            if new is size:
                return size
            size = new

    def _solution(self, name: str) -> Expr:
        """Return the solution for a variable, itself free of variables that are solved."""
        stack = [name]
        seen: set[str] = set()
        while stack:
            current = stack[-1]
            found = self._solved[current]
            inner = [v for v in found.free_variables if v in self._solved]
            if current not in seen:
                seen.add(current)
                stack.extend(v for v in inner if v not in seen)
                continue
            stack.pop()
            if inner:
                try:
                    new = found.substitute({v: self._solved[v] for v in inner})
                except SymbolicError:
                    continue
                self._set(self._solved, current, new)
        return self._solved[name]

    # Additions

    def add(self, size: Expr, kept: Expr) -> bool:
        """Record that two sizes are equal; return whether that is new. Raises `ContradictionError` if they
        cannot be equal.

        If either can be the canonical one, it is `kept`.
        """
        pending = [(size, kept)]
        is_new = False
        while pending:
            first, second = pending.pop()
            a, b = self.reduce(first), self.reduce(second)
            if a is b:
                continue
            if provably_different(a, b):
                known = [f"{x} = {y}" for x, y in ((first, a), (second, b)) if x is not y]
                raise ContradictionError(
                    f"expected {first} to be {second}, found "
                    + (f"{' and '.join(known)} by what was checked before" if known else str(a))
                )
            if (solved := self._solve(a, b)) is not None:
                name, solution = solved
                self._set(self._solved, name, solution)
                pending += (*self._take_back(name), (a, b))
            elif not self._keep(a, b):
                continue
            self._reduced = {}
            is_new = True
        return is_new

    def _solve(self, a: Expr, b: Expr) -> tuple[str, Expr] | None:
        """Return a variable and its solution of a == b: a variable of a if possible, as b is to be kept.

        Only solutions that are provably sizes count: n == m - 1 is solved for m.
        """
        if a.name is not None and (b.is_variable or b.is_constant):
            return a.name, b
        if b.is_variable and not (a.is_variable or a.is_constant):
            return None
        try:
            difference = _primitive(a - b)
        except SymbolicOverflow:
            return None
        for factors, coefficient in sorted(difference.terms, key=lambda t: _rank(t.factors, a, b)):
            name = factors[0].name if len(factors) == 1 else None
            if name is None or abs(coefficient) != 1:
                continue
            try:
                solution = self.reduce(symbolic.var(name) - difference * coefficient)
            except SymbolicOverflow:
                continue
            low, _ = solution.bounds()
            if name not in solution.free_variables and low is not None and low >= 0:
                return name, solution
        return None

    def _keep(self, a: Expr, b: Expr) -> bool:
        """Map one size to the other, the larger one or else `a`, unless there are too many such."""
        key, value = (b, a) if (b.size, b.depth) > (a.size, a.depth) else (a, b)
        names = dict.fromkeys((*key.free_variables, *value.free_variables))
        places = {name: self._naming.get(name, ()) for name in names}
        if any(len(keys) >= MAX_UNSOLVED for keys in places.values()):
            return False
        for name, keys in places.items():
            self._set(self._naming, name, (*keys, key))
        self._set(self._unsolved, key, value)
        return True

    def _take_back(self, name: str) -> list[tuple[Expr, Expr]]:
        """Retract and return the equalities that name a variable which is now solved: they are to be added
        again."""
        found: list[tuple[Expr, Expr]] = []
        for key in self._naming.get(name, ()):
            value = self._unsolved.get(key, key)
            if value is not key:
                found.append((key, value))
                self._set(self._unsolved, key, key)
        self._set(self._naming, name, ())
        return found


def _rank(factors: Any, a: Expr, b: Expr) -> tuple[bool, bool]:
    """Return the rank of a variable to solve for: variables of a alone first, then those of both, then
    those of b alone."""
    names = {f.name for f in factors}
    return bool(names & set(b.free_variables)), not names & set(a.free_variables)


def _primitive(size: Expr) -> Expr:
    """Return the size over the greatest number that divides all its coefficients: 2 * n - 2 * m -> n -
    m."""
    divisor = gcd(*(coefficient for _, coefficient in size.terms))
    return symbolic.exact_quotient(size, const(divisor)) or size
