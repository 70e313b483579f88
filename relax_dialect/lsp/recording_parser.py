"""The parser, recording the position of every op and name that it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.lexer import Span as LexerSpan
from xdsl.utils.mlir_lexer import MLIRTokenKind

from relax_dialect.ir.locations import SourceText
from relax_dialect.lsp.occurrences import Name, NameKind, OpText, Span
from relax_dialect.text.program_parser import ProgramParser

_LONGEST_SKIPPED = 4096
"""Text that is skipped unread may name sizes up to this length; lists of numbers are longer."""


def _span(span: LexerSpan[Any]) -> Span:
    return span.start, span.end


class RecordingParser(ProgramParser):
    """Reads a program as `ProgramParser` does, and records positions in `ops`, `names` and `sized`."""

    def __init__(self, context: Context, source: SourceText):
        self.ops: list[OpText] = []
        """The ops at the top, in order."""
        self.texts: dict[Operation, OpText] = {}
        """The text of each op."""
        self.sized: dict[Span, OpText | None] = {}
        """The texts that may name symbolic variables, each with the op that it is in."""
        self.open: OpText | None = None
        """The op that is being read."""
        self._values: dict[SSAValue, Name] = {}
        self._read: set[int] = set()
        """Start offsets of names that have been read, as some text is read twice."""
        self._blocks: dict[Block, Name] = {}
        self._aliases: dict[str, Name] = {}
        self._end = 0
        super().__init__(context, source)

    @property
    def names(self) -> list[Name]:
        """The values, blocks and aliases of the text; the ops have its symbols."""
        return [*self._values.values(), *self._blocks.values(), *self._aliases.values()]

    def value(self, value: SSAValue) -> Name | None:
        """Return the name of a value."""
        return self._values.get(value)

    # Tokens

    def _consume_token(self, expected_kind: Any = None) -> Any:
        token = super()._consume_token(expected_kind)
        self._end = token.span.end
        return token

    def _resume_from(self, pos: Any) -> None:
        if isinstance(pos, int):
            start = self.pos
            if start < pos <= start + _LONGEST_SKIPPED and self._current_token.text in ("[", "("):
                self.sized[start, pos] = self.open
            self._end = pos
        super()._resume_from(pos)

    # Ops

    def parse_operation(self) -> Operation:
        start = name_start = self.pos
        if self._current_token.kind is MLIRTokenKind.PERCENT_IDENT:
            name_start = self._after_results(start)
        self.open = text = self._opened(start, name_start)
        op = super().parse_operation()
        self._close(text)
        text.op = op
        self.texts[op] = text
        for result in op.results:
            if (name := self._values.get(result)) is not None:
                self._give(name, text)
        self._define_symbol(text)
        return op

    def _give(self, name: Name, text: OpText) -> None:
        """Bind a value to a result of an op."""
        name.owner, name.within, name.region = text, text.parent, text.region
        text.results.append(name)

    def _opened(self, start: int, name_start: int) -> OpText:
        """Open the text of an op that begins here."""
        content, end = self.lexer.input.content, name_start
        while end < len(content) and (content[end].isalnum() or content[end] in '_.$"'):
            end += 1
        name = content[name_start:end].strip('"')
        parent = self.open
        text = OpText(start, (name_start, max(end, name_start + 1)), name, parent)
        if parent is not None:
            text.region = parent.regions
        (self.ops if parent is None else parent.inner).append(text)
        return text

    def _close(self, text: OpText) -> None:
        text.end = max(self._end, text.name_span[1])
        self.open = text.parent

    def _define_symbol(self, text: OpText) -> None:
        """Define the symbol of an op: the first of its name in its text."""
        symbol = None if text.op is None else text.op.get_attr_or_prop("sym_name")
        if not isinstance(symbol, StringAttr):
            return
        found = next((name for name in text.symbols if name.name == symbol.data), None)
        text.symbol = found or Name(NameKind.SYMBOL, symbol.data)
        text.symbol.meaning = text
        text.symbol.definition = text.symbol.uses.pop() if found else text.name_span

    # Values and blocks

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> Any:
        value = super().resolve_operand(operand, type)
        name = self._value_name(value, operand.operand_name)
        if operand.span.start not in self._read:
            self._read.add(operand.span.start)
            name.uses.append(_span(operand.span))
        return value

    def _value_name(self, value: SSAValue, spelt: str) -> Name:
        if (found := self._values.get(value)) is None:
            found = self._values[value] = Name(
                NameKind.VALUE, f"%{spelt}", value, owner=self.open, within=self.open
            )
        return found

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: LexerSpan[Any]
    ) -> None:
        forward = dict(self.forward_ssa_references.get(name, {}))
        super()._register_ssa_definition(name, values, span)
        for index, value in enumerate(values):
            found = self._value_name(value, name if len(values) == 1 else f"{name}#{index}")
            found.definition = _span(span)
            if (early := self._values.pop(forward.get(index), None)) is not None:  # pyright: ignore
                found.uses += early.uses

    def parse_optional_argument(self, expect_type: bool = True) -> Any:
        argument = super().parse_optional_argument(expect_type)
        if isinstance(argument, Parser.Argument) and self.open is not None:
            span = argument.name.start, self._end
            self.open.parameters.append((span, argument.type))
        return argument

    def parse_optional_region(self, arguments: Any = None) -> Any:
        if self.open is not None and self._current_token.kind is MLIRTokenKind.L_BRACE:
            self.open.regions += 1
        return super().parse_optional_region(arguments)

    def _parse_block(self) -> Block:
        token = self._current_token
        block = super()._parse_block()
        self._block(block, token.text).definition = _span(token.span)
        return block

    def parse_optional_successor(self) -> Block | None:
        token = self._current_token
        block = super().parse_optional_successor()
        if block is not None:
            self._block(block, token.text).uses.append(_span(token.span))
        return block

    def _block(self, block: Block, spelt: str) -> Name:
        if (found := self._blocks.get(block)) is None:
            found = self._blocks[block] = Name(NameKind.BLOCK, spelt, block, owner=self.open)
        return found

    # Symbols, aliases, types and attributes

    def parse_optional_symbol_name(self) -> StringAttr | None:
        span = _span(self._current_token.span)
        symbol = super().parse_optional_symbol_name()
        if symbol is not None and self.open is not None and span[0] not in self._read:
            self._read.add(span[0])
            self.open.symbols.append(
                Name(NameKind.SYMBOL, symbol.data, uses=[span], owner=self.open)
            )
        return symbol

    def _parse_alias_def(self) -> None:
        token = self._current_token
        super()._parse_alias_def()
        meaning = self.attribute_aliases[token.text]
        name = Name(NameKind.ALIAS, token.text, meaning, _span(token.span))
        self._aliases[token.text] = name

    def _parse_extended_type_or_attribute(self, attr_or_dialect_name: str, is_type: bool) -> Any:
        start = self._end - len(attr_or_dialect_name) - 1
        found: Attribute = super()._parse_extended_type_or_attribute(attr_or_dialect_name, is_type)
        if (
            alias := self._aliases.get(("!" if is_type else "#") + attr_or_dialect_name)
        ) is not None:
            if start not in self._read:
                self._read.add(start)
                alias.uses.append((start, start + len(alias.name)))
        elif attr_or_dialect_name.startswith("relax."):
            self.sized[start, self._end] = self.open
        return found

    def parse_optional_comma_separated_list(
        self, delimiter: Any, parse: Callable[[], Any], context_msg: str = ""
    ) -> Any:
        start = self.pos
        found = super().parse_optional_comma_separated_list(delimiter, parse, context_msg)
        if found and delimiter is self.Delimiter.SQUARE and parse == self.parse_identifier:
            self.sized[start, self._end] = self.open
        return found

    def _parse_attribute_entry(self) -> tuple[str, Attribute]:
        span = _span(self._current_token.span)
        name, attribute = super()._parse_attribute_entry()
        if self.open is not None:
            self.open.attributes.append((span, name))
        return name, attribute


def symbols(ops: Iterable[OpText]) -> list[Name]:
    """Return the symbols of ops, with all occurrences. A symbol is resolved in the nearest enclosing module
    that defines it; undefined symbols are names too."""
    tables: dict[OpText | None, dict[str, Name]] = {}
    written: list[Name] = []
    pending = list(ops)
    while pending:
        text = pending.pop()
        pending += text.inner
        written += text.symbols
        if text.symbol is not None:
            tables.setdefault(text.parent, {}).setdefault(text.symbol.name, text.symbol)
    found = [name for table in tables.values() for name in table.values()]
    for name in written:
        if name.definition is None and name.owner is not None:
            around = (tables.get(text, {}) for text in (*name.owner.around(), None))
            defined = next((table[name.name] for table in around if name.name in table), None)
            if defined is None:
                found.append(name)
            else:
                defined.uses += name.uses
    return found
