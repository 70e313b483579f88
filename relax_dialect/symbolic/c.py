"""Symbolic sizes as C expressions over int64_t."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from relax_dialect.symbolic.caps import MAX_EXTENT, MAX_SUM
from relax_dialect.symbolic.checks import product_limit
from relax_dialect.symbolic.expr import Atom, Expr, Term, from_terms

C_HELPERS: dict[str, str] = {
    "relax_floordiv": """\
static inline int64_t relax_floordiv(int64_t a, int64_t b) {
  return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
}
""",
    "relax_floormod": """\
static inline int64_t relax_floormod(int64_t a, int64_t b) {
  return b == 0 ? 0 : a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}
""",
    "relax_min": """\
static inline int64_t relax_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}
""",
    "relax_max": """\
static inline int64_t relax_max(int64_t a, int64_t b) {
  return a > b ? a : b;
}
""",
    "relax_broadcast": """\
static inline int64_t relax_broadcast(int64_t a, int64_t b) {
  return a == 1 ? b : b == 1 || a == b ? a : -1;
}
""",
}
"""The functions that `to_c` may call, with their definitions; they need <stdint.h>.

A size divided by zero is undefined, and so are sizes that do not broadcast: `demands` yields the conditions
to check before. The helpers return 0 and -1 instead of trapping.
"""

_DIVISIONS = {"floordiv": ("/", "relax_floordiv"), "mod": ("%", "relax_floormod")}


def to_c(e: Expr, names: Callable[[str], str]) -> str:
    """Return a C expression for a size; `names` returns the C spelling of a variable.

    It may be a sum: parenthesise it as an operand. Variables are non-negative.
    """
    text = "".join(_term(term, names, first=i == 0) for i, term in enumerate(e.terms))
    return text or "0"


@dataclass(frozen=True)
class SizeCondition:
    """A condition for a size to be defined (`symbolic.checks`), of the values of C expressions."""

    kind: str
    """"product", "sum", "divisor" or "broadcast"."""
    values: tuple[str, ...]
    factor: int = 1
    """The number that the values of a product are multiplied by first."""


def demands(e: Expr, names: Callable[[str], str]) -> Iterator[SizeCondition]:
    """Yield the conditions under which the result of `to_c` is defined, in the order of its computation."""
    most = 0
    for term in e.terms:
        for atom in term.factors:
            yield from _demands_of_atom(atom, names)
        bound, limit = abs(term.coefficient) * _most(term), product_limit(term.coefficient)
        is_scaled = term.coefficient != 1 and bool(term.factors)
        if len(term.factors) > 1 or (is_scaled and bound > limit):
            values = tuple(_atom(atom, names) for atom in term.factors)
            yield SizeCondition("product", values, term.coefficient)
            bound = limit if len(values) == 1 else MAX_EXTENT
        most += bound
    if len(e.terms) > 1 and most > MAX_SUM:
        yield SizeCondition("sum", tuple(_term(term, names, first=True) for term in e.terms))


def _most(term: Term) -> int:
    """Return the largest magnitude of the factors of a term, as far as it is known."""
    known = {name: (0, MAX_EXTENT) for atom in term.factors for name in atom.variables}
    ends = from_terms({term.factors: 1}).bounds(known)
    return max(abs(end) if end is not None else MAX_SUM + 1 for end in ends)


def _demands_of_atom(atom: Atom, names: Callable[[str], str]) -> Iterator[SizeCondition]:
    for arg in atom.args:
        yield from demands(arg, names)
    if atom.kind in _DIVISIONS and not atom.args[1].is_constant:
        yield SizeCondition("divisor", (to_c(atom.args[1], names),))
    elif atom.kind == "broadcast":
        yield SizeCondition("broadcast", tuple(to_c(arg, names) for arg in atom.args))


def _term(term: Term, names: Callable[[str], str], first: bool) -> str:
    """Return a term of a sum with its sign."""
    magnitude = abs(term.coefficient)
    words = [str(magnitude)] if magnitude != 1 or not term.factors else []
    words += [_atom(atom, names) for atom in term.factors]
    sign = "-" if term.coefficient < 0 else "+"
    lead = f" {sign} " if not first else sign.replace("+", "")
    return lead + " * ".join(words)


def _atom(atom: Atom, names: Callable[[str], str]) -> str:
    """Return a factor, parenthesised as far as it needs."""
    if atom.name is not None:
        return names(atom.name)
    args = [to_c(arg, names) for arg in atom.args]
    if atom.kind not in _DIVISIONS:
        text = args[-1]
        for arg in reversed(args[:-1]):
            text = f"relax_{atom.kind}({arg}, {text})"
        return text
    operator, helper = _DIVISIONS[atom.kind]
    a, b = atom.args
    low, _ = a.bounds()
    if b.is_constant and low is not None and low >= 0:
        left = args[0] if a.is_variable else f"({args[0]})"
        return f"({left} {operator} {args[1]})"
    return f"{helper}({', '.join(args)})"
