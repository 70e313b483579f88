"""The ends that the index of an access lies between, as symbolic sizes.

An index is a sum of terms: of loop counters, and of whatever else it is made of. `n - 1 - i` for i
below n lies between 0 and n - 1, and reaches both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import is_
from typing import NamedTuple

from relax_dialect import symbolic
from relax_dialect.symbolic import MAX_EXTENT, Expr, SymbolicOverflow, interval
from relax_dialect.symbolic.interval import EVERYTHING, Interval, add, multiply, point
from relax_dialect.te.dtypes import I64, INDEX, DType, kind, limits
from relax_dialect.te.operations import INTERVALS
from relax_dialect.te.scalar import Apply, Cast, Choice, IterVar, Scalar, ScalarConstant, Size
from relax_dialect.te.tensor import Load

ZERO, ONE, MINUS_ONE = map(symbolic.const, (0, 1, -1))


class Range(NamedTuple):
    """Between which symbolic ends an index lies; `exact` if both are reached."""

    span: Interval = EVERYTHING
    exact: bool = False


@dataclass(frozen=True)
class SymbolicSum:
    """A sum of terms with symbolic coefficients, and a constant; a term is the number of a node."""

    terms: Mapping[int, Expr]
    constant: Expr

    def plus(self, other: SymbolicSum, factor: Expr = ONE) -> SymbolicSum:
        total = dict(self.terms)
        for term, c in other.terms.items():
            total[term] = total.get(term, ZERO) + c * factor
        kept = {term: c for term, c in total.items() if c is not ZERO}
        return SymbolicSum(kept, self.constant + other.constant * factor)


class Ranges:
    """The ranges of the indices of one prim func; equal expressions are one term of a form."""

    def __init__(self) -> None:
        self.ranges: dict[int, Range] = {}
        """The ranges of loop counters, by their term."""
        self._numbers: dict[object, int] = {}
        self._numbers_of: dict[Scalar, int] = {}
        self.nodes: list[Scalar] = []
        self._forms: dict[Scalar, SymbolicSum] = {}

    def declare(self, counter: Scalar, steps: Expr) -> None:
        """Declare a counter that runs through all numbers below `steps`."""
        self.ranges[self.term(counter)] = Range(Interval(0, steps - 1), True)

    # Forms

    def form(self, node: Scalar) -> SymbolicSum:
        """Return an index as a sum of terms."""
        if node not in self._forms:
            try:
                self._forms[node] = self._form(node)
            except SymbolicOverflow:
                self._forms[node] = SymbolicSum({self.term(node): ONE}, ZERO)
        return self._forms[node]

    def _form(self, node: Scalar) -> SymbolicSum:
        match node:
            case ScalarConstant() if kind(node.dtype) != "float":
                return SymbolicSum({}, symbolic.const(int(node.value)))
            case Size():
                return SymbolicSum({}, node.expr)
            case Cast() if {node.dtype, node.operands[0].dtype} <= {INDEX, I64}:
                return self.form(node.operands[0])
            case Apply() if _index_remainder(node) is not None:
                pass
            case Apply() if node.name in ("add", "sub", "mul") and node.dtype in (INDEX, I64):
                a, b = map(self.form, node.operands)
                if node.name != "mul":
                    return a.plus(b, ONE if node.name == "add" else MINUS_ONE)
                if a.terms:
                    a, b = b, a
                if not a.terms:
                    return SymbolicSum({}, ZERO).plus(b, a.constant)
        return SymbolicSum({self.term(node): ONE}, ZERO)

    def term(self, node: Scalar) -> int:
        """Return the number of a node: the same for nodes that compute the same."""
        if node not in self._numbers_of:
            match node:
                case Load():
                    what: tuple[object, ...] = (node.tensor,)
                case Apply():
                    what = (node.name,)
                case Cast():
                    what = ("cast",)
                case Choice():
                    what = ("choice",)
                case ScalarConstant():
                    what = ("constant", node.value)
                case Size():
                    what = (node.expr,)
                case _:
                    what = (node,)
            key = (type(node), node.dtype, *what, *map(self.term, node.operands))
            number = self._numbers.setdefault(key, len(self.nodes))
            if number == len(self.nodes):
                self.nodes.append(node)
            self._numbers_of[node] = number
        return self._numbers_of[node]

    # Ranges

    def range(self, form: SymbolicSum) -> Range:
        """Return the range of a sum: its ends are reached if no two terms move together."""
        span, exact, moving = point(form.constant), True, set[Scalar]()
        for term, c in form.terms.items():
            part, variables = self._range(term), _variables(self.nodes[term])
            span = add(span, multiply(part.span, point(c)))
            exact = exact and part.exact and not moving & variables
            moving |= variables
        return Range(span, exact)

    def _range(self, term: int) -> Range:
        if term not in self.ranges:
            try:
                self.ranges[term] = self._range_of(self.nodes[term])
            except SymbolicOverflow:
                self.ranges[term] = Range()
        return self.ranges[term]

    def _range_of(self, node: Scalar) -> Range:
        if isinstance(node, IterVar):
            return Range(Interval(0, node.extent - 1), True)
        if isinstance(node, Cast):
            return Range(_wrapped(self._value(node.operands[0]).span, node.dtype))
        name, operands = _operation(node)
        if name is None:
            return Range(_wrapped(EVERYTHING, node.dtype))
        ranges = [self._value(operand) for operand in operands]
        span = reduce(interval.OPERATIONS[name], (each.span for each in ranges))
        if name in MAY_WRAP:
            span = _wrapped(span, node.dtype)
        exact = all(each.exact for each in ranges) and _reaches_ends(name, operands, ranges)
        return Range(span, exact)

    def _value(self, node: Scalar) -> Range:
        """Return the range of an operand; the sums that make up its form wrap as its type does."""
        form = self.form(node)
        span, exact = self.range(form)
        is_sum = form.constant is not ZERO or list(form.terms.values()) != [ONE]
        return Range(_wrapped(span, node.dtype) if is_sum else span, exact)


MAY_WRAP = ("+", "-", "*", "floordiv", "truncdiv")
"""The operations whose results may not fit their type: quotients by -1 among them."""


def _operation(node: Scalar) -> tuple[str | None, Sequence[Scalar]]:
    """Return the operation of the table of intervals that a node is, and its operands."""
    if isinstance(node, Choice):
        divided = _signed_remainder(node)
        return ("either", node.operands[1:]) if divided is None else ("mod", divided)
    if not isinstance(node, Apply) or kind(node.dtype) not in ("integer", "unsigned"):
        return None, ()
    divided = _index_remainder(node)
    return (INTERVALS.get(node.name), node.operands) if divided is None else ("mod", divided)


def _wrapped(span: Interval, dtype: DType) -> Interval:
    """Return the range of a result as its type holds it; indices are taken not to overflow."""
    if dtype == INDEX or kind(dtype) == "float":
        return span if dtype == INDEX else EVERYTHING
    type = Interval(0, 1) if kind(dtype) == "bool" else Interval(*limits(dtype))
    if all(type.low <= end <= type.high for each in span for end in _numbers(each)):
        return span
    return EVERYTHING if dtype == I64 else type


def _numbers(end: Expr | int | float) -> Interval:
    """Return an interval that contains an end, for the sizes that occur in programs."""
    if not isinstance(end, Expr):
        return point(end)
    return interval.interval(*end.bounds(dict.fromkeys(end.free_variables, (0, MAX_EXTENT))))


def _reaches_ends(name: str, operands: Sequence[Scalar], ranges: Sequence[Range]) -> bool:
    """Return whether an operation on values that reach their ends reaches its own."""
    if name in ("min", "max"):
        a, b = map(_variables, operands)
        return not a & b
    x, y = ranges[0].span, ranges[-1].span
    if y.low != y.high or not interval.at_least(y.low, 1):
        return False
    if name in ("mod", "rem"):
        return isinstance(operands[0], IterVar) and x.low == 0
    return name in ("floordiv", "truncdiv")


def _index_remainder(node: Apply) -> tuple[Scalar, Scalar] | None:
    """Return the operands of `a % b` if a node is `a - a floordiv b * b`."""
    a, product = node.operands if len(node.operands) == 2 else (node, node)
    if node.name != "sub" or not isinstance(product, Apply) or product.name != "mul":
        return None
    quotient, b = product.operands
    is_quotient = isinstance(quotient, Apply) and quotient.name == "floordiv"
    return (a, b) if is_quotient and all(map(is_, quotient.operands, (a, b))) else None


def _signed_remainder(node: Choice) -> tuple[Scalar, Scalar] | None:
    """Return the operands of `a % b` if a node is a remainder rounded towards zero, plus b if its sign is
    not that of b."""
    _, more, rest = node.operands
    if not isinstance(rest, Apply) or rest.name != "rem" or not isinstance(more, Apply):
        return None
    a, b = rest.operands
    return (a, b) if more.name == "add" and more.operands == (rest, b) else None


def _variables(node: Scalar) -> set[Scalar]:
    """Return the nodes that an expression depends on."""
    found, work = set[Scalar](), [node]
    while work:
        node = work.pop()
        if node not in found:
            found.add(node)
            work.extend(node.operands)
    return {
        each for each in found if not each.operands and not isinstance(each, ScalarConstant | Size)
    }
