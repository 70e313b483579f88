"""The text of symbolic sizes, spelt as MLIR spells affine expressions, read without recursion."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NoReturn, SupportsIndex

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic.broadcasting import broadcast
from relax_dialect.symbolic.caps import MAX_COEFFICIENT, SymbolicOverflow
from relax_dialect.symbolic.division import ceildiv, floordiv, floormod
from relax_dialect.symbolic.expr import (
    Expr,
    const,
    total,
    var,
)
from relax_dialect.symbolic.extremum import maximum, minimum

MAX_NESTING = 100
"""The deepest nesting of parentheses."""

_TOKEN = re.compile(r"\s*(?:([0-9]+)|([A-Za-z_][A-Za-z0-9_]*)|(//|\*\*|\S))")

_PRODUCTS: dict[str, Callable[[Expr, Expr], Expr]] = {
    "*": operator.mul,
    "floordiv": floordiv,
    "ceildiv": ceildiv,
    "mod": floormod,
}
_CALLS: dict[str, Callable[..., Expr]] = {
    "min": minimum,
    "max": maximum,
    "broadcast": broadcast,
}

_MENDING = {
    "//": "write 'floordiv' for the quotient rounded down ('//' starts a comment)",
    "/": "write 'floordiv' for the quotient rounded down",
    "%": "write 'mod' for the remainder",
    "**": "write a power as a product, as in 'n * n'",
    "?": "an unknown size '?' is a whole dimension",
    "[": "write the sizes without brackets",
    "]": "write the sizes without brackets",
}


@dataclass
class _Frame:
    """The part read so far between two parentheses, or of the whole text."""

    call: str | None = None
    args: list[Expr | None] = field(default_factory=list)
    terms: list[Expr] = field(default_factory=list)
    term_negative: bool = False
    operand_negative: bool = False
    product: Expr | None = None
    op: str = ""

    def put(self, operand: Expr) -> None:
        """Take an operand into the current product."""
        if self.operand_negative:
            operand, self.operand_negative = -operand, False
        if self.product is None:
            self.product = operand
        else:
            self.product = _PRODUCTS[self.op](self.product, operand)

    def end_term(self) -> None:
        """Close the current product, at a `+`, a `-` or the end of a sum."""
        assert self.product is not None
        self.terms.append(-self.product if self.term_negative else self.product)
        self.product, self.term_negative = None, False

    def end_sum(self) -> None:
        """Close the current sum, at a comma or the end."""
        self.end_term()
        self.args.append(self.terms[0] if len(self.terms) == 1 else total(self.terms))
        self.terms = []

    def result(self) -> Expr:
        """Return the value between the parentheses."""
        self.end_sum()
        if self.call is not None:
            return _CALLS[self.call](*self.args)
        (only,) = self.args
        assert only is not None
        return only


class _ExprParser:
    """Reads one text, with a stack of frames instead of recursion."""

    def __init__(self, text: str, dims: bool) -> None:
        self.text = text
        self.dims = dims
        self.frames = [_Frame()]
        self.token = ""
        self.at = 0
        self.tokens = self._tokens()

    def _tokens(self) -> Iterator[str]:
        for match in _TOKEN.finditer(self.text):
            self.token, self.at = match[match.lastindex or 0], match.start(match.lastindex or 0)
            yield self.token
        self.token, self.at = "", len(self.text)

    def fail(self, expected: str, mending: str = "") -> NoReturn:
        """Raise the error of the current token."""
        shown = self.text
        if len(shown) > 80:
            start = max(0, self.at - 30)
            shown = f"{'...' if start else ''}{shown[start : start + 70]}..."
        found = f"'{self.token}'" if self.token else "the end of the text"
        mending = mending or _MENDING.get(self.token, "")
        raise SymbolicError(
            f"cannot read the symbolic size '{shown}': expected {expected}, found {found} "
            f"at column {self.at + 1}" + (f"; {mending}" if mending else "")
        )

    def read(self) -> list[Expr | None]:
        """Return the values of the text, one for each part between commas."""
        want_operand = True
        for token in self.tokens:
            want_operand = self.operand(token) if want_operand else self.operator(token)
        if len(self.frames) > 1:
            self.fail("an operand or '('" if want_operand else "an operator or ')'")
        if want_operand:
            self.fail("a size")
        top = self.frames[0]
        if top.product is not None:
            top.end_sum()
        return top.args

    def operand(self, token: str) -> bool:
        """Consume a token where an operand begins; return whether an operand is still to come."""
        frame = self.frames[-1]
        if token == "-":
            frame.operand_negative = not frame.operand_negative
            return True
        if token == "(":
            self.push(_Frame())
            return True
        if token in _CALLS:
            if next(self.tokens, "") != "(":
                self.fail(f"'(' after '{token}'", f"write '{token}(a, b)'")
            self.push(_Frame(token))
            return True
        if token.isdecimal() and token.isascii():
            if len(token) > len(str(MAX_COEFFICIENT)):
                raise SymbolicOverflow(f"the size '{token[:30]}...' does not fit in 64 bits")
            frame.put(const(int(token)))
        elif token in _PRODUCTS or not token.isidentifier():
            if token == "?" and self.dims and self.unknown(frame):
                return False
            self.fail("an integer, a variable, 'min', 'max', 'broadcast', '-' or '('")
        else:
            frame.put(var(token))
        return False

    def operator(self, token: str) -> bool:
        """Consume a token after an operand; return whether another operand is to come."""
        frame = self.frames[-1]
        unknown = frame.product is None
        if token == "," and (frame.call or (self.dims and len(self.frames) == 1)):
            if not unknown:
                frame.end_sum()
            return True
        if unknown:
            self.fail("',' or the end after '?'", _MENDING["?"])
        if token in _PRODUCTS:
            frame.op = token
            return True
        if token in ("+", "-"):
            frame.end_term()
            frame.term_negative = token == "-"
            return True
        if token == ")" and len(self.frames) > 1:
            self.frames.pop()
            self.frames[-1].put(frame.result())
            return False
        if token[:1].isalnum() or token in ("_", "("):
            self.fail("an operator", f"write a product as '... * {token}'")
        operators = "'+', '-', '*', 'floordiv', 'ceildiv', 'mod'"
        self.fail(f"one of {operators}" + (" or ')'" if len(self.frames) > 1 else " or the end"))

    def unknown(self, frame: _Frame) -> bool:
        """Consume a '?' as a dimension, if it is at the beginning of one."""
        begins = not (frame.terms or frame.product or frame.operand_negative)
        if begins and len(self.frames) == 1:
            frame.args.append(None)
            return True
        return False

    def push(self, frame: _Frame) -> None:
        """Enter parentheses."""
        if len(self.frames) > MAX_NESTING:
            self.fail(f"at most {MAX_NESTING} nested parentheses", "name a part of it")
        self.frames.append(frame)


@lru_cache(1 << 13)
def parse(text: str) -> Expr:
    """Read a size: integers, names, `+ - * floordiv ceildiv mod`, `min max broadcast`, `()`."""
    (result,) = _ExprParser(text, dims=False).read()
    assert result is not None
    return result


@lru_cache(1 << 13)
def parse_dims(text: str) -> tuple[Expr | None, ...]:
    """Read sizes between commas, without brackets; `?` yields None, an empty text ()."""
    return tuple(_ExprParser(text, dims=True).read()) if text.strip() else ()


def as_expr(x: Expr | str | SupportsIndex) -> Expr:
    """Convert an expression, an integer or a text to a size."""
    if isinstance(x, Expr):
        return x
    if isinstance(x, str):
        return parse(x)
    try:
        return const(operator.index(x))
    except TypeError:
        raise SymbolicError(
            f"expected a symbolic size (an Expr, an integer or a text such as 'n + 1'), "
            f"found {x!r} of type {type(x).__name__}"
        ) from None
