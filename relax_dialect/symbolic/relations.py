"""Proofs about two sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
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
