"""Proofs about two sizes, and matching declared sizes against actual ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, itemgetter

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import interval
from relax_dialect.symbolic.caps import SymbolicOverflow
from relax_dialect.symbolic.division import exact_quotient
from relax_dialect.symbolic.expr import (
    OPERATIONS,
    Expr,
    const,
    expect,
    from_terms,
    var,
    variable_divisor,
)

DEEPEST = 4
"""The maximum number of extrema split in a proof."""


def provably_equal(a: Expr, b: Expr) -> bool:
    """Return whether the sizes are proved equal for all values of the variables."""
    return a is b


def provably_different(a: Expr, b: Expr) -> bool:
    """Return whether the sizes are proved to differ for all values of the variables."""
    if a is b or (a.is_variable and b.is_variable):
        return False
    if a.value is not None and b.value is not None:
        return True
    try:
        difference = a - b
    except SymbolicOverflow:
        return False
    low, high = difference.bounds()
    if (low is not None and low > 0) or (high is not None and high < 0):
        return True
    constant = difference.terms[-1] if difference.terms else None
    if constant is None or constant.factors:
        return False
    step = variable_divisor(difference)
    return step != 0 and constant.coefficient % step != 0


def differ_unless_empty(a: Expr, b: Expr) -> bool:
    """Return whether the sizes are proved to differ for all values of the variables unless a factor of both
    is zero: n * 64 and n * 60 do, n * 64 and 0 do not."""
    if provably_different(a, b):
        return True
    if not a.terms or not b.terms:
        return False
    shared = reduce(and_, (Counter(factors) for factors, _ in (*a.terms, *b.terms)))
    if not shared:
        return False
    factor = from_terms({tuple(shared.elements()): 1})
    x, y = exact_quotient(a, factor), exact_quotient(b, factor)
    return x is not None and y is not None and provably_different(x, y)


def provably_at_least(a: Expr, b: Expr, depth: int = DEEPEST) -> bool:
    """Return whether a >= b is proved for all values of the variables."""
    try:
        return _is_size(a - b, depth)
    except SymbolicOverflow:
        return False


def _is_size(expr: Expr, depth: int) -> bool:
    """Return whether an expression is never negative: for a maximum in it one of its arguments will do, for
    one that is subtracted all must, and the other way round for a minimum."""
    if interval.at_least(expr, 0):
        return True
    extrema = [
        ((atom.kind == "max") == (coefficient > 0), atom, coefficient)
        for (atom, *others), coefficient in (term for term in expr.terms if term.factors)
        if not others and atom.kind in ("min", "max")
    ]
    if not extrema or not depth:
        return False
    one_will_do, atom, coefficient = min(extrema, key=itemgetter(0))
    rest = expr - from_terms({(atom,): coefficient})
    cases = (_is_size(rest + coefficient * argument, depth - 1) for argument in atom.args)
    return any(cases) if one_will_do else all(cases)


def under_bounds(size: Expr, most: Mapping[str, int]) -> Expr:
    """Return a size without the arguments of extrema that never decide under the variables' upper bounds.

    min(n, 512) -> n for n of at most 300
    """
    known = {name: (0, high) for name, high in most.items()}

    def apply(op: str, x: Expr, y: Expr) -> Expr:
        if op in ("min", "max"):
            low, high = (x - y if op == "max" else y - x).bounds(known)
            if (low is not None and low >= 0) or (high is not None and high <= 0):
                return x if low is not None and low >= 0 else y
        return OPERATIONS[op](x, y)

    try:
        return size.fold(const, var, apply)
    except SymbolicError:
        return size


@dataclass
class Solution:
    """The result of matching declared sizes against actual ones."""

    bindings: dict[str, Expr] = field(default_factory=dict)
    """The variables bound here, in the order of their first bare appearance."""
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

    An unbound variable is bound to the first known value whose declared size is that variable alone. Every
    other size, after substitution, is proved equal, refused, or left to a check. A declared None accepts
    anything; an actual None is an unknown size.
    """
    if len(patterns) != len(values):
        raise SymbolicError(
            f"cannot match {_dims(values)} against the declared {_dims(patterns)}: "
            f"expected {len(patterns)} dimensions, found {len(values)}"
        )
    actual = [None if v is None else expect(v) for v in values]
    solution = Solution()
    binders: set[int] = set()
    unread: dict[str, int] = {}
    for position, (pattern, value) in enumerate(zip(patterns, actual)):
        name = pattern.name if pattern is not None else None
        if name is None or name in env or name in solution.bindings:
            continue
        if value is None:
            unread.setdefault(name, position)
            continue
        _refuse_negative(name, value)
        solution.bindings[name] = value
        binders.add(position)
    for name, position in unread.items():
        if name in solution.bindings:
            continue
        if not allow_unknown:
            raise SymbolicError(
                f"cannot bind '{name}' in {_dims(patterns)}: the size of dimension {position} is "
                "unknown; state its size by a match_cast first"
            )
        solution.unknown.append(name)
        binders.add(position)
    bound = {**env, **solution.bindings}
    for position, (pattern, value) in enumerate(zip(patterns, actual)):
        if pattern is None or position in binders:
            continue
        _refuse_unbound(pattern, patterns, bound, solution.unknown)
        expected = pattern.substitute(bound)
        if value is None:
            solution.unknown_checks.append((position, expected))
        elif expected is not value:
            _refuse_different(position, pattern, expected, value, solution.unknown)
            solution.checks.append((expected, value))
            solution.check_positions.append(position)
    return solution


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
                "to be a whole dimension or to be bound before; pass it in by a "
                f"parameter '!relax.shape<[{name}]>'"
            )


def _refuse_different(
    position: int, pattern: Expr, expected: Expr, value: Expr, unknown: Sequence[str]
) -> None:
    if any(name in unknown for name in pattern.free_variables):
        return
    if provably_different(expected, value):
        declared = f"'{pattern}'" if expected is pattern else f"'{pattern}' = '{expected}'"
        raise SymbolicError(f"dimension {position}: expected {declared}, found '{value}'")


def defined_by(dims: Iterable[Expr | None]) -> list[str]:
    """Return the variables that are bare sizes, in the order of their first appearance."""
    return list(dict.fromkeys(d.name for d in dims if d is not None and d.name is not None))
