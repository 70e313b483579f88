"""The ends that the index of an access lies between, as symbolic sizes.

An index is a sum of terms: of loop counters, and of whatever else it is made of. `n - 1 - i` for i
below n lies between 0 and n - 1, and reaches both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from relax_dialect import symbolic
from relax_dialect.symbolic import Expr, SymbolicOverflow
from relax_dialect.te.dtypes import I64, INDEX, kind
from relax_dialect.te.scalar import Apply, Cast, Choice, Constant, IterVar, Scalar, Size
from relax_dialect.te.tensor import Load

ZERO, ONE, MINUS_ONE = map(symbolic.const, (0, 1, -1))


class Range(NamedTuple):
    """The ends that an index lies between, None where not known; `exact` if both are reached."""

    low: Expr | None
    high: Expr | None
    exact: bool = False


UNKNOWN = Range(None, None)


@dataclass(frozen=True)
class Form:
    """A sum of terms with symbolic coefficients, and a constant; a term is the number of a node."""

    terms: Mapping[int, Expr]
    constant: Expr

    def plus(self, other: Form, factor: Expr = ONE) -> Form:
        total = dict(self.terms)
        for term, c in other.terms.items():
            total[term] = total.get(term, ZERO) + c * factor
        kept = {term: c for term, c in total.items() if c is not ZERO}
        return Form(kept, self.constant + other.constant * factor)


class Ranges:
    """The ranges of the indices of one prim func; equal expressions are one term of a form."""

    def __init__(self) -> None:
        self.ranges: dict[int, Range] = {}
        """Those of loop counters, by their term."""
        self._numbers: dict[object, int] = {}
        self._numbers_of: dict[Scalar, int] = {}
        self.nodes: list[Scalar] = []
        self._forms: dict[Scalar, Form] = {}

    def declare(self, counter: Scalar, steps: Expr) -> None:
        """A counter that runs through all numbers below `steps`."""
        self.ranges[self.term(counter)] = Range(ZERO, steps - 1, True)

    # Forms

    def form(self, node: Scalar) -> Form:
        """An index as a sum of terms."""
        if node not in self._forms:
            try:
                self._forms[node] = self._form(node)
            except SymbolicOverflow:
                self._forms[node] = Form({self.term(node): ONE}, ZERO)
        return self._forms[node]

    def _form(self, node: Scalar) -> Form:
        match node:
            case Constant() if kind(node.dtype) != "float":
                return Form({}, symbolic.const(int(node.value)))
            case Size():
                return Form({}, node.expr)
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
                    return Form({}, ZERO).plus(b, a.constant)
        return Form({self.term(node): ONE}, ZERO)

    def term(self, node: Scalar) -> int:
        """The number of a node: the same for nodes that compute the same."""
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
                case Constant():
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

    def range(self, form: Form) -> Range:
        """The range of a sum: its ends are reached if no two terms move together."""
        low: Expr | None = form.constant
        high: Expr | None = form.constant
        exact, moving = True, set[Scalar]()
        for term, c in form.terms.items():
            part = self._range(term)
            least, most = c.bounds()
            if least is None or least < 0:
                if most is None or most > 0:
                    return UNKNOWN
                part = Range(part.high, part.low, part.exact)
            low = None if low is None or part.low is None else low + part.low * c
            high = None if high is None or part.high is None else high + part.high * c
            variables = _variables(self.nodes[term])
            exact = exact and part.exact and not moving & variables
            moving |= variables
        return Range(low, high, exact)

    def _range(self, term: int) -> Range:
        if term not in self.ranges:
            self.ranges[term] = self._range_of(self.nodes[term])
        return self.ranges[term]

    def _range_of(self, node: Scalar) -> Range:
        match node:
            case IterVar():
                return Range(ZERO, node.extent - 1, True)
            case Cast():
                source = node.operands[0]
                if kind(source.dtype) in ("unsigned", "bool"):
                    return Range(ZERO, None)
                if kind(source.dtype) == "integer" and node.dtype in (INDEX, I64):
                    return self.range(self.form(source))
            case Choice() if (divided := _signed_remainder(node)) is not None:
                return self._remainder(*divided)
            case Choice():
                ends = [self.range(self.form(value)) for value in node.operands[1:]]
                return Range(_all(ends, "low"), _all(ends, "high"))
            case Apply() if node.name in ("maximum", "minimum"):
                ends = [self.range(self.form(value)) for value in node.operands]
                return _extremum(node, ends)
            case Apply() if (divided := _index_remainder(node)) is not None:
                return self._remainder(*divided)
            case Apply() if node.name in ("floordiv", "truncdiv", "rem"):
                return self._quotient(node)
        return UNKNOWN

    def _quotient(self, node: Apply) -> Range:
        a, b = map(self.form, node.operands)
        by, of = b.constant, self.range(a)
        if b.terms or not at_least(by, 0) or of.low is None:
            return UNKNOWN
        if node.name != "floordiv" and not at_least(of.low, 0):
            return UNKNOWN
        if node.name == "rem":
            return self._remainder(*node.operands)
        if not at_least(by, 1):
            return Range(ZERO, of.high) if at_least(of.low, 0) else UNKNOWN
        return Range(of.low // by, None if of.high is None else of.high // by, of.exact)

    def _remainder(self, a: Scalar, b: Scalar) -> Range:
        """The range of a remainder that is not negative; the ends are reached by a bare counter."""
        by, of = self.form(b), self.range(self.form(a))
        if by.terms or not at_least(by.constant, 0):
            return UNKNOWN
        most = symbolic.maximum(by.constant - 1, 0)
        if not isinstance(a, IterVar) or of.high is None or not at_least(by.constant, 1):
            return Range(ZERO, most)
        return Range(ZERO, symbolic.minimum(most, of.high), of.exact and of.low is ZERO)


def at_least(expr: Expr, least: int) -> bool:
    low = expr.bounds()[0]
    return low is not None and low >= least


def _index_remainder(node: Apply) -> tuple[Scalar, Scalar] | None:
    """The operands of `a % b` where that is `a - a floordiv b * b`."""
    a, product = node.operands if len(node.operands) == 2 else (node, node)
    if node.name != "sub" or not isinstance(product, Apply) or product.name != "mul":
        return None
    quotient, b = product.operands
    is_quotient = isinstance(quotient, Apply) and quotient.name == "floordiv"
    return (a, b) if is_quotient and quotient.operands == (a, b) else None


def _signed_remainder(node: Choice) -> tuple[Scalar, Scalar] | None:
    """The operands of `a % b` where that is a remainder rounded towards zero, b more where it has not
    the sign of b."""
    _, more, rest = node.operands
    if not isinstance(rest, Apply) or rest.name != "rem" or not isinstance(more, Apply):
        return None
    a, b = rest.operands
    return (a, b) if more.name == "add" and more.operands == (rest, b) else None


def _variables(node: Scalar) -> set[Scalar]:
    """The nodes that an expression depends on."""
    found, work = set[Scalar](), [node]
    while work:
        node = work.pop()
        if node not in found:
            found.add(node)
            work.extend(node.operands)
    return {each for each in found if not each.operands and not isinstance(each, Constant | Size)}


def _all(ends: Sequence[Range], side: str) -> Expr | None:
    values = [getattr(end, side) for end in ends]
    pick = symbolic.minimum if side == "low" else symbolic.maximum
    return None if None in values else pick(*values)


def _extremum(node: Apply, ends: Sequence[Range]) -> Range:
    """The range of a maximum or minimum: one end of either operand is enough on one side."""
    is_max = node.name == "maximum"
    pick = symbolic.maximum if is_max else symbolic.minimum
    lows = [end.low for end in ends if end.low is not None]
    highs = [end.high for end in ends if end.high is not None]
    low = pick(*lows) if lows and (is_max or len(lows) == 2) else None
    high = pick(*highs) if highs and (not is_max or len(highs) == 2) else None
    a, b = map(_variables, node.operands)
    return Range(low, high, all(end.exact for end in ends) and not a & b)
