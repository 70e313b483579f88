"""Demands of operators on sizes: refused at build time if they provably do not hold, and checked at run
time unless proved, with one message in interpreter and compiled code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import Dim
from relax_dialect.ops.base import DeclaredOp
from relax_dialect.prim.run_time_checks import demanded, hole, plain
from relax_dialect.symbolic import Expr


@dataclass(frozen=True)
class Demand:
    """A size that must equal the wanted one; `found` has the sizes in holes."""

    expected: str
    size: Expr
    wanted: Expr
    found: str
    mend: str


MEND = "slice or reshape one of the operands"
"""The default fix of a demand on sizes, which run-time checks of sizes use too."""


def guarded(size: Callable[[], Expr]) -> Dim:
    """Return a size, unknown if the expression would grow beyond the limits."""
    try:
        return size()
    except symbolic.SymbolicOverflow:
        return None


def divisible(expected: str, size: Dim, divisor: Dim | int, mend: str) -> Iterator[Demand]:
    """Yield the demand that a number divides a size, if both are known."""
    if size is None or divisor is None:
        return
    rest = guarded(partial(symbolic.floormod, size, divisor))
    if rest is not None:
        yield Demand(expected, rest, symbolic.const(0), hole(size), mend)


def at_least(expected: str, size: Dim, least: Dim, mend: str) -> Iterator[Demand]:
    """Yield the demand that a size is at least another, if both are known."""
    if size is None or least is None:
        return
    wanted = guarded(partial(symbolic.maximum, size, least))
    if wanted is not None:
        yield Demand(expected, size, wanted, hole(size), mend)


def not_empty(
    sizes: Sequence[Dim], letters: Sequence[str], expected: str, constraint: str, mend: str
) -> Iterator[Demand]:
    """Yield the demand for an element along every axis."""
    for letter, size in zip(letters, sizes):
        told = f"{expected} along {letter} ({constraint})"
        yield from at_least(told, size, symbolic.const(1), mend)


def refuse_unmet(op: DeclaredOp, demands: Iterable[Demand]) -> None:
    """Report the first demand that is provably not met, or by sizes of zero alone."""
    for demand in demands:
        if symbolic.differ_unless_empty(demand.size, demand.wanted):
            op.fail(demand.expected, plain(demand.found), demand.mend or MEND)


def run_time_message(demand: Demand) -> str:
    """Return the message for sizes that do not meet a demand when the program runs, with holes; the caller
    prefixes the name of the op."""
    return demanded(demand.expected, demand.found, demand.mend)


def require(demands: Iterable[Demand]) -> None:
    """Stop at the first demand that numbers do not meet; the interpreter names the op."""
    for demand in demands:
        if demand.size is not demand.wanted:
            raise RelaxError(plain(run_time_message(demand)))


def one_or(expected: str, size: Dim, wanted: Dim, mend: str) -> Iterator[Demand]:
    """Yield the demand that a size is 1 or another one, if both are known, as a product that is 0."""
    if size is None or wanted is None:
        return
    found = f"{hole(size)} for {hole(wanted)}"
    if symbolic.provably_different(size, symbolic.const(1)) and symbolic.differ_unless_empty(
        size, wanted
    ):
        yield Demand(expected, size, wanted, found, mend)
    elif (product := guarded(lambda: (size - 1) * (size - wanted))) is not None:
        yield Demand(expected, product, symbolic.const(0), found, mend)


def least_and_greatest(size: Expr, wanted: Expr) -> str:
    """Return the text of two sizes, the smaller first, if their order does not say which is right."""
    ends = [guarded(partial(end, size, wanted)) for end in (symbolic.minimum, symbolic.maximum)]
    return " and ".join(map(hole, ends if None not in ends else (size, wanted)))


def equal(expected: str, size: Dim, wanted: Dim, mend: str) -> Iterator[Demand]:
    """Yield the demand that two sizes are equal, if both are known."""
    if size is not None and wanted is not None:
        yield Demand(expected, size, wanted, f"{hole(size)} for {hole(wanted)}", mend)
