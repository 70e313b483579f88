"""Proofs that indices are within their tensors, and run-time checks of the others.

If the range of an index is no proof, an index whose ends are both reached becomes a requirement on the
sizes, `X[i + 1]` for i below n that X has more than n elements. Any other index, `X[rows[i]]`, is checked
at its use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TypeAlias

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.prim.run_time_checks import filled, hole, literal
from relax_dialect.symbolic import Expr, SymbolicOverflow, interval, provably_at_least
from relax_dialect.symbolic.interval import Interval
from relax_dialect.te.dtypes import I1, I64, INDEX
from relax_dialect.te.emit.access import certain_loads
from relax_dialect.te.emit.ranges import MINUS_ONE, ONE, ZERO, Range, Ranges, SymbolicSum
from relax_dialect.te.scalar import Apply, Scalar
from relax_dialect.te.tensor import Requirement

_NEGATED = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le"}
_LEAST_OF = {ONE: "minimum", MINUS_ONE: "maximum"}
"""The extremum, by factor, whose multiple is not negative exactly if that of both operands is."""
_MAX_PROOF = 2
"""The maximum number of facts that a proof may add up."""


Facts: TypeAlias = tuple[SymbolicSum, ...]
"""Forms that are not negative."""
Loops: TypeAlias = Sequence[Expr]
"""The extents of loops."""


class Bounds(Ranges):
    """Facts about the indices of one prim func, and their consequences."""

    def count(self, counter: Scalar, lower: Scalar, upper: Scalar) -> Facts:
        """Return the facts of a counter that runs from `lower` up, in steps, as long as it is below
        `upper`."""
        lowest, above = (self.range(self.form(end)).span for end in (lower, upper))
        self.ranges[self.term(counter)] = Range(Interval(lowest.low, above.high - 1))
        i = self.form(counter)
        return (
            i.plus(self.form(lower), MINUS_ONE),
            self.form(upper).plus(i, MINUS_ONE).plus(SymbolicSum({}, MINUS_ONE)),
        )

    def facts(self, condition: Scalar, holds: bool = True) -> Facts:
        """Return the facts about indices that follow from a condition that holds, or does not."""
        if not isinstance(condition, Apply):
            return ()
        a, b = condition.operands if len(condition.operands) == 2 else (None, None)
        if a is None or b is None:
            return ()
        if condition.name == ("and" if holds else "or") and condition.dtype == I1:
            return (*self.facts(a, holds), *self.facts(b, holds))
        if {a.dtype, b.dtype} - {INDEX, I64}:
            return ()
        name = condition.name if holds else _NEGATED.get(condition.name, "")
        less = SymbolicSum({}, MINUS_ONE)
        x, y = self.form(a), self.form(b)
        match name:
            case "ge":
                return (x.plus(y, MINUS_ONE),)
            case "le":
                return (y.plus(x, MINUS_ONE),)
            case "gt":
                return (x.plus(y, MINUS_ONE).plus(less),)
            case "lt":
                return (y.plus(x, MINUS_ONE).plus(less),)
            case "eq":
                return (x.plus(y, MINUS_ONE), y.plus(x, MINUS_ONE))
        return ()

    def proves(
        self, form: SymbolicSum, facts: Facts, loops: Loops, steps: int = _MAX_PROOF
    ) -> bool:
        """Return whether a form is not negative where facts hold and loops of these extents run."""
        low = self.range(form).span.low
        if not isinstance(low, float) and provably_at_least(_where_loops_run(low, loops), ZERO):
            return True
        for term, c in form.terms.items():
            node = self.nodes[term]
            if isinstance(node, Apply) and node.name == _LEAST_OF.get(c):
                rest = form.plus(SymbolicSum({term: c}, ZERO), MINUS_ONE)
                ends = (rest.plus(self.form(operand), c) for operand in node.operands)
                return all(self.proves(end, facts, loops, steps) for end in ends)
        return steps > 0 and any(
            self.proves(form.plus(fact, MINUS_ONE), facts, loops, steps - 1) for fact in facts
        )

    def within(self, index: Scalar, size: Expr) -> Facts:
        """Return the facts that follow once an index has been checked."""
        form = self.form(index)
        return form, SymbolicSum({}, size - 1).plus(form, MINUS_ONE)

    def is_within(self, index: Scalar, size: Expr, facts: Facts, loops: Loops) -> bool:
        """Return whether an index is proved to be one of a dimension of this size."""
        try:
            return all(self.proves(form, facts, loops) for form in self.within(index, size))
        except SymbolicOverflow:
            return False

    def reached(self, index: Scalar) -> Sequence[Expr]:
        """Return the ends of an index, if both are reached and known."""
        with suppress(SymbolicOverflow):
            span, exact = self.range(self.form(index))
            if exact and not any(isinstance(end, float) for end in span):
                return [symbolic.as_expr(end) for end in span]
        return ()


def required(
    bounds: Bounds, bodies: Sequence[Scalar], loops: Loops, name: str
) -> Iterator[Requirement]:
    """Yield the requirements on sizes under which the unconditional accesses of bodies in loops are in
    bounds.

    `Y[i]` for i below n, where Y is of size m, requires `n * max(n - m, 0)` to be 0: a loop that runs
    over nothing reads nothing.
    """
    for load in certain_loads(*bodies):
        for dimension, (index, size) in enumerate(zip(load.operands, load.tensor.shape)):
            ends = bounds.reached(index)
            if not ends or bounds.is_within(index, size, (), loops):
                continue
            low, high = ends
            read = f"te.compute '{literal(name)}': reads '{literal(load.tensor.name)}'"
            mend = "change the index or the shape, or guard the access with te.if_then_else"
            first, last, there = (str(e) if e.is_constant else hole(e) for e in (low, high, size))
            message = (
                f"{read} at indices {first} to {last} of dimension {dimension}, whose size is {there}; "
                f"{mend}"
            )
            beyond = symbolic.maximum(high + 1 - size, 0) + symbolic.maximum(-low, 0)
            if interval.at_least(_where_loops_run(beyond, loops), 1):
                raise RelaxError(filled(message, str))
            yield Requirement(message, _runs(loops, beyond) * beyond, (ZERO,), shows=True)


def _where_loops_run(end: Expr | int, loops: Loops) -> Expr:
    """Return an end where the loops of bare extents run at least once."""
    expr = symbolic.as_expr(end)
    names = {loop.name for loop in loops if loop.name is not None}
    return expr.substitute({name: symbolic.var(name) + 1 for name in names}) if names else expr


def _runs(loops: Loops, beyond: Expr) -> Expr:
    """Return how often an access is made, without the loops whose empty case `beyond` already counts as
    zero."""
    kept = (e for e in loops if not e.name or beyond.substitute({e.name: 0}).bounds()[1] != 0)
    return symbolic.product(kept)
