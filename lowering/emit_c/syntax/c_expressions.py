"""C expressions as text with a precedence, so that parentheses occur only where they are needed."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple


class Prec(IntEnum):
    """The precedences of expressions, loosest first."""

    COND = 3
    LOR = 4
    LAND = 5
    BITWISE = 6
    EQUAL = 9
    RELATION = 10
    SHIFT = 11
    ADD = 12
    MUL = 13
    UNARY = 15
    ATOM = 20


class CExpr(NamedTuple):
    """A C expression; `loads` says that it reads memory, so that it may not move past a write.

    A binary one also has its parts: `left operator= right` may replace `left = text`.
    """

    text: str
    prec: Prec = Prec.ATOM
    loads: bool = False
    literal: int | None = None
    left: str = ""
    operator: str = ""
    right: str = ""

    @property
    def is_name_or_literal(self) -> bool:
        return not self.loads and (self.literal is not None or self.text.isidentifier())


BINARY_PREC: dict[str, Prec] = {
    "*": Prec.MUL,
    "/": Prec.MUL,
    "%": Prec.MUL,
    "+": Prec.ADD,
    "-": Prec.ADD,
    "<<": Prec.SHIFT,
    ">>": Prec.SHIFT,
    "<": Prec.RELATION,
    "<=": Prec.RELATION,
    ">": Prec.RELATION,
    ">=": Prec.RELATION,
    "==": Prec.EQUAL,
    "!=": Prec.EQUAL,
    "&": Prec.BITWISE,
    "^": Prec.BITWISE,
    "|": Prec.BITWISE,
    "&&": Prec.LAND,
    "||": Prec.LOR,
}

WEAKEST_LEFT_OPERAND: dict[Prec, Prec] = {
    Prec.MUL: Prec.MUL,
    Prec.ADD: Prec.ADD,
    Prec.SHIFT: Prec.UNARY,
    Prec.RELATION: Prec.ADD,
    Prec.EQUAL: Prec.ADD,
    Prec.BITWISE: Prec.UNARY,
    Prec.LAND: Prec.EQUAL,
    Prec.LOR: Prec.EQUAL,
}
"""The weakest left operand that needs no parentheses and causes no compiler warning."""

WEAKEST_RIGHT_OPERAND: dict[Prec, Prec] = {
    prec: max(left, min(p for p in Prec if p > prec)) for prec, left in WEAKEST_LEFT_OPERAND.items()
}
"""The same on the right, where operators of the same precedence need them."""

INT64_MIN = -(2**63)


def parenthesised(e: CExpr, weakest: Prec) -> str:
    """Return the text of `e`, in parentheses if it binds more loosely than `weakest`."""
    return e.text if e.prec >= weakest else f"({e.text})"


@lru_cache(maxsize=4096)
def number(value: int) -> CExpr:
    """Return an integer constant."""
    if value == INT64_MIN:
        return CExpr("INT64_MIN", Prec.ATOM, literal=value)
    return CExpr(str(value), Prec.UNARY if value < 0 else Prec.ATOM, literal=value)


def name(text: str) -> CExpr:
    return CExpr(text)


def binary(operator: str, a: CExpr, b: CExpr) -> CExpr:
    """`a operator b`, left associative."""
    prec = BINARY_PREC[operator]
    weakest = WEAKEST_LEFT_OPERAND[prec]
    left = parenthesised(a, prec if operator in ("&&", "||") and a.prec == prec else weakest)
    right = parenthesised(b, WEAKEST_RIGHT_OPERAND[prec])
    text = f"{left} {operator} {right}"
    return CExpr(text, prec, a.loads or b.loads, None, left, operator, b.text)


COMPOUND = frozenset("+-*/%&^|")


def assignment(target: str, e: CExpr) -> str:
    """`target = e;`, or `target += b;` where `e` is `target + b`."""
    if e.left == target != e.right and e.operator in COMPOUND:
        return f"{target} {e.operator}= {e.right};"
    return f"{target} = {e.text};"


def unary(operator: str, a: CExpr) -> CExpr:
    """`-a` or `!a`."""
    text = parenthesised(a, Prec.UNARY)
    if text.startswith(operator):
        text = f"({text})"
    return CExpr(f"{operator}{text}", Prec.UNARY, a.loads)


def cast(c_type: str, a: CExpr) -> CExpr:
    return CExpr(f"({c_type}){parenthesised(a, Prec.UNARY)}", Prec.UNARY, a.loads)


def call(function: str, *args: CExpr) -> CExpr:
    return CExpr(
        f"{function}({', '.join(a.text for a in args)})", Prec.ATOM, any(a.loads for a in args)
    )


def conditional(condition: CExpr, a: CExpr, b: CExpr) -> CExpr:
    """`condition ? a : b`."""
    weakest = Prec.LOR
    parts = [parenthesised(e, weakest) for e in (condition, a, b)]
    return CExpr(
        f"{parts[0]} ? {parts[1]} : {parts[2]}", Prec.COND, condition.loads or a.loads or b.loads
    )


def add(a: CExpr, b: CExpr) -> CExpr:
    """`a + b` of sizes and indices, with constants folded."""
    if a.literal is not None and b.literal is not None:
        return number(a.literal + b.literal)
    if a.literal == 0:
        return b
    if b.literal == 0:
        return a
    return binary("+", a, b)


def multiply(a: CExpr, b: CExpr) -> CExpr:
    """`a * b` of sizes and indices, with constants folded."""
    if a.literal is not None and b.literal is not None:
        return number(a.literal * b.literal)
    if a.literal == 0 or b.literal == 0:
        return number(0)
    if a.literal == 1:
        return b
    if b.literal == 1:
        return a
    return binary("*", a, b)
