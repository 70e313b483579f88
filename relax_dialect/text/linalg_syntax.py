"""The results of a `linalg.generic`: xDSL 0.74 prints several as MLIR does, `-> (T1, T2)`, but reads
`-> T1, T2`, which MLIR refuses.

`install` lets the parser of the op read what its printer writes. It works on the op's class, so plain
`xdsl-opt` can read our programs too, once it has found our entry point.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.linalg.ops import GenericOp
from xdsl.parser import Parser


class _ResultsInParentheses:
    """A parser that looks for parentheses around the one list of types that is made of attributes."""

    def __init__(self, parser: Parser):
        self._parser = parser

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parser, name)

    def parse_comma_separated_list(
        self, delimiter: Parser.Delimiter, parse: Callable[[], Any], context: str = ""
    ) -> list[Any]:
        parser = self._parser
        if parse != parser.parse_attribute or parser.parse_optional_punctuation("(") is None:
            return parser.parse_comma_separated_list(delimiter, parse, context)
        found = parser.parse_comma_separated_list(delimiter, parse, context)
        parser.parse_punctuation(")")
        return found


_STOCK: Any = GenericOp.parse.__func__  # pyright: ignore[reportFunctionMemberAccess]


def _parse(cls: type[GenericOp], parser: Parser) -> GenericOp:
    return _STOCK(cls, _ResultsInParentheses(parser))


def install() -> None:
    """Install parsing of `linalg.generic` with parenthesized results."""
    GenericOp.parse = classmethod(_parse)  # pyright: ignore[reportAttributeAccessIssue]
