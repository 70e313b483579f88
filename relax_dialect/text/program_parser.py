"""xDSL's parser with the place of each op, and with scopes of values that cost what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.mlir_lexer import MLIRTokenKind, StringLiteral

from relax_dialect.ir.locations import SourceText


class _Names(dict[str, Sequence[SSAValue]]):
    """The values in scope; a copy is the number of names at that time, to which it can go back.

    xDSL copies them all at the start of every region.
    """

    def __init__(self) -> None:
        super().__init__()
        self._order: list[str] = []

    def __setitem__(self, name: str, values: Sequence[SSAValue]) -> None:
        self._order.append(name)
        super().__setitem__(name, values)

    def copy(self) -> Any:
        return len(self._order)

    def go_back(self, count: int) -> None:
        for name in self._order[count:]:
            self.pop(name, None)
        del self._order[count:]


class ProgramParser(Parser):
    """Reads a program; every op and every parameter knows where it stands."""

    def __init__(self, context: Context, source: SourceText):
        self._names = _Names()
        self._source = source
        super().__init__(context, source.text, source.name.data)

    @property
    def ssa_values(self) -> Any:
        return self._names

    @ssa_values.setter
    def ssa_values(self, values: Any) -> None:
        if isinstance(values, int):
            self._names.go_back(values)

    def parse_operation(self) -> Operation:
        position = self.pos
        if self._current_token.kind is MLIRTokenKind.PERCENT_IDENT:
            position = self._after_results(position)
        op = super().parse_operation()
        if isinstance(op.location, UnknownLoc):
            op.location = self._source.location(position)
        return op

    def parse_optional_argument(self, expect_type: bool = True) -> Any:
        argument = super().parse_optional_argument(expect_type)
        if isinstance(argument, Parser.Argument):
            location = self.parse_optional_location()
            argument.location = location or self._source.location(argument.name.start)
        return argument

    def parse_optional_str_literal(self) -> str | None:
        """A string, also one whose bytes are written by escapes: xDSL prints letters beyond ASCII so, and
        reads them as bytes."""
        if self._current_token.kind is MLIRTokenKind.BYTES_LIT:
            try:
                text = StringLiteral.from_span(self._current_token.span).string_contents
            except UnicodeDecodeError:
                return None
            self._consume_token(MLIRTokenKind.BYTES_LIT)
            return text
        return super().parse_optional_str_literal()

    def _after_results(self, start: int) -> int:
        """Where the name of an op stands whose results are named first."""
        text = self._source.text
        position = text.find("=", start) + 1
        while position < len(text) and text[position].isspace():
            position += 1
        return position
