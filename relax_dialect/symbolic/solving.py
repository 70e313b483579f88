"""Matching of declared sizes against actual ones, which defines variables.

A variable is defined by a declared size that is that variable alone, or else by one that is affine in it
once all other variables are known: `4 * h`, and `m + n` beside `m`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic.caps import SymbolicOverflow
from relax_dialect.symbolic.division import floordiv
from relax_dialect.symbolic.expr import Expr, expect, from_terms
from relax_dialect.symbolic.extremum import maximum
from relax_dialect.symbolic.relations import provably_different


@dataclass
class Solution:
    """The result of matching declared sizes against actual ones."""

    bindings: dict[str, Expr] = field(default_factory=dict)
    """The variables bound here: bare ones in the order of their first appearance, then solved ones."""
    checks: list[tuple[Expr, Expr]] = field(default_factory=list)
    """Declared and actual sizes whose equality is to be checked at run time."""
    unknown: list[str] = field(default_factory=list)
    """Variables left unbound, as the size at every position they bind is unknown."""
    unknown_checks: list[tuple[int, Expr]] = field(default_factory=list)
    """Positions of unknown sizes with a known declared size: to be read and checked at run time."""
    check_positions: list[int] = field(default_factory=list)
    """The position of each entry of `checks`."""


def solve(
    patterns: Sequence[Expr | None],
    values: Sequence[Expr | int | None],
    env: Mapping[str, Expr | int],
    *,
    allow_unknown: bool = False,
) -> Solution:
    """Match declared sizes against actual ones, with variables already bound by `env`.

    An unbound variable is bound to the first known value whose declared size is that variable alone, or to
    the solution of the size that defines it (`definitions`). Every other size, after substitution, is
    proved equal, refused, or left to a check. A declared None accepts anything; an actual None is unknown.
    """
    if len(patterns) != len(values):
        raise SymbolicError(
            f"cannot match {_dims(values)} against the declared {_dims(patterns)}: "
            f"expected {len(patterns)} dimensions, found {len(values)}"
        )
    matching = _Matching(patterns, [None if v is None else expect(v) for v in values], env)
    matching.bind(allow_unknown)
    matching.compare()
    return matching.solution


class _Matching:
    """The state of `solve`."""

    def __init__(
        self,
        patterns: Sequence[Expr | None],
        values: Sequence[Expr | None],
        env: Mapping[str, Expr | int],
    ):
        self.patterns = patterns
        self.values = values
        self.env = env
        self.solution = Solution()
        self.binders: set[int] = set()
        """The positions whose size is equal by definition."""
        self.solved: dict[int, str] = {}
        """The variables that are solved for, by position."""

    def bind(self, allow_unknown: bool) -> None:
        """Bind the variables that sizes define."""
        bindings = self.solution.bindings
        for position, (pattern, value) in enumerate(zip(self.patterns, self.values)):
            name = pattern.name if pattern is not None else None
            if name is None or value is None or name in self.env or name in bindings:
                continue
            _refuse_negative(name, value)
            bindings[name] = value
            self.binders.add(position)
        for name, position in definitions(self.patterns, self.env.__contains__).items():
            if name in bindings or self._solve(name, position):
                continue
            if not allow_unknown:
                raise SymbolicError(
                    f"cannot bind '{name}' in {_dims(self.patterns)}: the size of dimension {position} is "
                    "unknown; state its size by a match_cast first"
                )
            self.solution.unknown.append(name)

    def _solve(self, name: str, position: int) -> bool:
        """Bind a variable to the solution of a size, if it is known and an expression."""
        pattern, value = self.patterns[position], self.values[position]
        assert pattern is not None
        if pattern.name is not None:
            self.binders.add(position)
            return False
        self.solved[position] = name
        if value is None or any(v in self.solution.unknown for v in pattern.free_variables):
            return False
        affine = affine_in(pattern, name)
        assert affine is not None
        try:
            rest = affine.rest.substitute({**self.env, **self.solution.bindings})
            self.solution.bindings[name] = affine.solution(rest, value)
        except SymbolicOverflow:
            return False
        return True

    def compare(self) -> None:
        """Prove, refuse or leave to a check each size that is not equal by definition."""
        bound = {**self.env, **self.solution.bindings}
        for position, (pattern, value) in enumerate(zip(self.patterns, self.values)):
            if pattern is None or position in self.binders:
                continue
            _refuse_unbound(pattern, self.patterns, bound, self.solution.unknown)
            expected = pattern.substitute(bound)
            if value is None:
                self.solution.unknown_checks.append((position, expected))
            elif expected is not value:
                self._refuse_different(position, pattern, expected, value)
                self.solution.checks.append((expected, value))
                self.solution.check_positions.append(position)

    def _refuse_different(self, position: int, pattern: Expr, expected: Expr, value: Expr) -> None:
        if any(name in self.solution.unknown for name in pattern.free_variables):
            return
        if provably_different(expected, value):
            declared = f"'{pattern}'" if expected is pattern else f"'{pattern}' = '{expected}'"
            if (name := self.solved.get(position)) is not None:
                declared = f"'{pattern}' for an integer {name} of at least 0"
            raise SymbolicError(f"dimension {position}: expected {declared}, found '{value}'")


class Affine(NamedTuple):
    """A size as `coefficient * variable + rest`, whose rest does not name the variable."""

    coefficient: int
    rest: Expr

    def solution(self, rest: Expr, size: Expr) -> Expr:
        """Return the variable for a size, with the rest in the variables of the size.

        If the expression is equal to the size for some integer of at least 0, it is for this one.

        4 * h = n -> n floordiv 4; m + h = n -> max(n - m, 0)
        """
        return maximum(floordiv(size - rest, self.coefficient), 0)

    @property
    def is_bounded(self) -> bool:
        """Whether the variable is at most the size."""
        low, _ = self.rest.bounds()
        return self.coefficient > 0 and low is not None and low >= 0

    def nearest(self, rest: int, size: int) -> int:
        """Return `solution` for numbers."""
        return max((size - rest) // self.coefficient, 0)


def affine_in(size: Expr, name: str) -> Affine | None:
    """Return a size as affine in a variable, None if it is not."""
    own = [term for term in size.terms if any(name in atom.variables for atom in term.factors)]
    if len(own) != 1 or len(own[0].factors) != 1 or own[0].factors[0].name != name:
        return None
    return Affine(own[0].coefficient, size - from_terms({own[0].factors: own[0].coefficient}))


def definitions(
    sizes: Iterable[Expr | None], is_known: Callable[[str], bool] = lambda name: False
) -> dict[str, int]:
    """Return the variables that declared sizes define, each with the position of the size, in an order in
    which each is defined by a size whose other variables are known before.

    A variable that is a whole size is defined by the first such size. Linear in the number of variables.
    """
    dims = list(sizes)
    found: dict[str, int] = {}
    for position, dim in enumerate(dims):
        if dim is not None and dim.name is not None and not is_known(dim.name):
            found.setdefault(dim.name, position)
    unknown = {
        position: {v for v in dim.free_variables if v not in found and not is_known(v)}
        for position, dim in enumerate(dims)
        if dim is not None and dim.name is None and dim.value is None
    }
    naming: dict[str, list[int]] = {}
    for position, names in unknown.items():
        for name in names:
            naming.setdefault(name, []).append(position)
    ready = deque(position for position, names in unknown.items() if len(names) == 1)
    while ready:
        position = ready.popleft()
        for name in list(unknown[position]):  # one, or none any more
            dim = dims[position]
            if dim is None or affine_in(dim, name) is None:
                continue
            found[name] = position
            for other in naming[name]:
                unknown[other].discard(name)
                if len(unknown[other]) == 1:
                    ready.append(other)
    return found


def solved_sizes(dims: Iterable[Expr | None], sizes: Sequence[int]) -> dict[str, int]:
    """Return the variables that declared sizes define, for actual sizes that are known to match."""
    found: dict[str, int] = {}
    for name, position, affine in _solutions(tuple(dims)):
        found[name] = affine.nearest(affine.rest.evaluate(found), sizes[position])
    return found


@lru_cache(1024)
def _solutions(dims: tuple[Expr | None, ...]) -> Sequence[tuple[str, int, Affine]]:
    """Return the variables that sizes define, with the position and the form of the size."""
    return [
        (name, position, affine)
        for name, position in definitions(dims).items()
        if (dim := dims[position]) is not None and (affine := affine_in(dim, name)) is not None
    ]


def _dims(dims: Iterable[Expr | int | None]) -> str:
    return f"[{', '.join('?' if d is None else str(d) for d in dims)}]"


def _refuse_negative(name: str, value: Expr) -> None:
    _, high = value.bounds()
    if high is not None and high < 0:
        raise SymbolicError(f"cannot bind '{name}' to '{value}': expected a size of at least 0")


def _refuse_unbound(
    pattern: Expr,
    patterns: Sequence[Expr | None],
    bound: Mapping[str, Expr | int],
    unknown: Sequence[str],
) -> None:
    for name in pattern.free_variables:
        if name not in bound and name not in unknown:
            raise SymbolicError(
                f"cannot solve '{pattern}' for '{name}' in {_dims(patterns)}: expected '{name}' "
                "to be a whole dimension, or to be bound before, or the only unknown of an affine one; "
                f"pass it in by a parameter '!relax.shape<[{name}]>'"
            )


def defined_by(dims: Iterable[Expr | None]) -> list[str]:
    """Return the variables that are bare sizes, in the order of their first appearance."""
    return list(dict.fromkeys(d.name for d in dims if d is not None and d.name is not None))
