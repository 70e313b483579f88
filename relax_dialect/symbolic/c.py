"""Symbolic sizes as C expressions over int64_t."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from relax_dialect.symbolic.expr import Atom, Expr, Term

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

A size divided by zero is undefined; the helpers give 0 there instead of a trap. Sizes that do not
broadcast give -1, which is no size.
"""

_DIVISIONS = {"floordiv": ("/", "relax_floordiv"), "mod": ("%", "relax_floormod")}


def to_c(e: Expr, names: Callable[[str], str]) -> str:
    """A C expression for a size, where `names` gives the C spelling of a variable.

    It may be a sum: parenthesise it where it becomes an operand. Variables are non-negative.
    """
    text = "".join(_term(term, names, first=i == 0) for i, term in enumerate(e.terms))
    return text or "0"


def products_to_c(e: Expr, names: Callable[[str], str]) -> Iterator[list[str]]:
    """The factors of each product in a size, whose overflow `to_c` does not see."""
    for term in e.terms:
        if len(term.factors) > 1:
            yield [_atom(atom, names) for atom in term.factors]
        for atom in term.factors:
            for arg in atom.args:
                yield from products_to_c(arg, names)


def _term(term: Term, names: Callable[[str], str], first: bool) -> str:
    """A term of a sum with its sign."""
    magnitude = abs(term.coefficient)
    words = [str(magnitude)] if magnitude != 1 or not term.factors else []
    words += [_atom(atom, names) for atom in term.factors]
    sign = "-" if term.coefficient < 0 else "+"
    lead = f" {sign} " if not first else sign.replace("+", "")
    return lead + " * ".join(words)


def _atom(atom: Atom, names: Callable[[str], str]) -> str:
    """A factor, parenthesised as far as it needs."""
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
