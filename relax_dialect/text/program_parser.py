"""xDSL's parser with the location of each op, and with scopes of values whose cost is linear in their
size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.mlir_lexer import MLIRTokenKind, StringLiteral

from relax_dialect.ir.locations import SourceText


class _ValuesInScope(dict[str, Sequence[SSAValue]]):
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
    """A parser of programs that records the location of every op and parameter.

    Inside an op that is isolated from above, names of the enclosing text may be redefined, as in MLIR;
    xDSL's parser refuses that.
    """

    def __init__(self, context: Context, source: SourceText):
        self._names = _ValuesInScope()
        self._source = source
        self._isolated: list[bool] = []
        """For each op that is being read, whether it is isolated from above."""
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
        depth = len(self._isolated)
        try:
            op = super().parse_operation()
        finally:
            del self._isolated[depth:]
        if isinstance(op.location, UnknownLoc):
            op.location = self._source.location(position)
        return op

    def _get_op_by_name(self, name: str) -> type[Operation]:
        kind = super()._get_op_by_name(name)
        self._isolated.append(kind.has_trait(IsolatedFromAbove, value_if_unregistered=False))
        return kind

    def parse_optional_region(self, arguments: Any = None) -> Region | None:
        """Parse a region, in a scope of names of its own if its op is isolated from above."""
        if not (self._isolated and self._isolated[-1]):
            return super().parse_optional_region(arguments)
        names, references = self._names, self.forward_ssa_references
        self._names, self.forward_ssa_references = _ValuesInScope(), {}
        try:
            return super().parse_optional_region(arguments)
        finally:
            missing, self.forward_ssa_references = self.forward_ssa_references, references
            self._names = names
            self._look_up_outside(missing)

    def _look_up_outside(self, missing: dict[str, dict[int, Any]]) -> None:
        """Use values of the surrounding scope for names that an isolated region does not define: the
        verifier's message about them is more specific than that they are undefined."""
        for name, references in missing.items():
            values = self._names.get(name, ())
            for index, value in references.items():
                if index < len(values):
                    found = values[index]
                else:
                    found = self.forward_ssa_references.setdefault(name, {}).setdefault(
                        index, value
                    )
                if found is not value:
                    value.replace_all_uses_with(found)

    def parse_optional_argument(self, expect_type: bool = True) -> Any:
        argument = super().parse_optional_argument(expect_type)
        if isinstance(argument, Parser.Argument):
            location = self.parse_optional_location()
            argument.location = location or self._source.location(argument.name.start)
        return argument

    def parse_optional_str_literal(self) -> str | None:
        """Parse a string, also with bytes written as escapes: xDSL prints letters beyond ASCII so, and
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
        """Return the position of the op name after the names of its results."""
        text = self._source.text
        position = text.find("=", start) + 1
        while position < len(text) and text[position].isspace():
            position += 1
        return position
