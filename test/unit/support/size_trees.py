"""Trees of operations on sizes: as canonical expressions, and as terms of z3 without any simplification."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from relax_dialect.errors import SymbolicError
from relax_dialect.prove.size_terms import OPERATIONS
from relax_dialect.prove.z3_package import z3
from relax_dialect.symbolic import (
    Expr,
    broadcast,
    ceildiv,
    const,
    floordiv,
    floormod,
    maximum,
    minimum,
    provably_at_least,
    provably_different,
    var,
)
from relax_dialect.symbolic.expr import divisor

Tree = str | int | tuple[str, Any, Any]

NAMES = ("n", "m", "k")
BUILD = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "floordiv": floordiv,
    "ceildiv": ceildiv,
    "mod": floormod,
    "min": minimum,
    "max": maximum,
    "broadcast": broadcast,
}
TERMS = {
    **OPERATIONS,
    "-": lambda a, b: a - b,
    "ceildiv": lambda a, b: -OPERATIONS["floordiv"](-a, b),
}
DIVISIONS = ("floordiv", "ceildiv", "mod")


def drawn(source: random.Random, depth: int) -> Tree:
    """A tree of some depth; divisors are numbers, and so is an operand of most products."""
    if depth == 0 or source.random() < 0.15:
        return source.choice(NAMES) if source.random() < 0.7 else source.randint(-3, 6)
    op = source.choice((*BUILD, "+", "-", "*", "floordiv", "mod"))
    if op in DIVISIONS:
        divisor = source.choice((1, 2, 3, 4, 6, 8, -2, -3, 64))
        return op, drawn(source, depth - 1), divisor
    if op == "*" and source.random() < 0.9:
        return op, drawn(source, depth - 1), source.randint(-4, 8)
    return op, drawn(source, depth - 1), drawn(source, depth - 1)


def expression(tree: Tree) -> Expr:
    """The canonical expression of a tree."""
    if isinstance(tree, tuple):
        return BUILD[tree[0]](expression(tree[1]), expression(tree[2]))
    return var(tree) if isinstance(tree, str) else const(tree)


def term(tree: Tree, facts: list[Any]) -> Any:
    """The term of a tree; `facts` gets what holds where it has a value."""
    if not isinstance(tree, tuple):
        return z3.Int(tree) if isinstance(tree, str) else z3.IntVal(tree)
    a, b = (term(each, facts) for each in tree[1:])
    if tree[0] == "broadcast":
        facts.append(z3.Or(a == b, a == 1, b == 1))
    return TERMS[tree[0]](a, b)


def known(tree: Tree) -> tuple[Expr, Any, list[Any]] | None:
    """A tree's expression, its term, and what holds of its variables; None where it is refused."""
    try:
        found = expression(tree)
    except SymbolicError:
        return None
    facts = [z3.Int(name) >= 0 for name in NAMES]
    return found, term(tree, facts), facts


def relations_of(a: Tree, b: Tree) -> Iterator[tuple[str, Any, list[Any]]]:
    """What the algebra has found of two sizes, as claims."""
    left, right = known(a), known(b)
    if left is None or right is None:
        return
    (x, p, facts), (y, q, more) = left, right
    every = [*facts, *more]
    if provably_different(x, y):
        yield f"{x} differs from {y}", p != q, every
    if provably_at_least(x, y):
        yield f"{x} is at least {y}", p >= q, every
    if (step := divisor(x)) > 1:
        yield f"{step} divides {x}", p % step == 0, facts
