"""The parser with error recovery: each op that does not parse is skipped, and parsing resumes after it.

An op that does not parse ends at the next line that is indented no deeper than its own; without
indentation, at the line on which its braces are closed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.traits import IsolatedFromAbove, SymbolOpInterface
from xdsl.utils.exceptions import ParseError
from xdsl.utils.mlir_lexer import MLIRTokenKind

from relax_dialect.ir.locations import SourceText
from relax_dialect.ir.traits import has_trait, kind_has
from relax_dialect.lsp.occurrences import Name, NameKind, OpText, Span
from relax_dialect.lsp.recording_parser import RecordingParser
from relax_dialect.parsing import explain
from relax_dialect.text.diagnostics import meant_name, reword

_MOST_FAULTS = 100
"""The maximum number of errors of a text that are reported."""

_FIRST_OF_OPS = (MLIRTokenKind.PERCENT_IDENT, MLIRTokenKind.BARE_IDENT, MLIRTokenKind.STRING_LIT)
_FIRST_OF_ALIASES = (MLIRTokenKind.HASH_IDENT, MLIRTokenKind.EXCLAMATION_IDENT)


@dataclass(frozen=True)
class Fault:
    """An error in a text: its span and message."""

    span: Span
    message: str


class RecoveringParser(RecordingParser):
    """A parser with error recovery. `faults` are the errors, but for those of ops that contain the position
    of an error in `told`. If braces are missing, it can go by indentation."""

    def __init__(
        self,
        context: Context,
        source: SourceText,
        told: Sequence[int] = (),
        by_indentation: bool = False,
    ):
        self.faults: list[Fault] = []
        self.lost: dict[str, Name] = {}
        """The results of ops that do not parse, by their names."""
        self._kept: list[Name] = []
        self._told = told
        self._by_indentation = by_indentation
        super().__init__(context, source)

    @property
    def names(self) -> list[Name]:
        return super().names + self._kept

    def parse_whole(self) -> ModuleOp:
        """Parse all that can be read."""
        found: list[Operation] = []
        while self._current_token.kind is not MLIRTokenKind.EOF:
            if (op := self._attempt(self._parse_at_top)) is not None:
                found.append(op)
        self._settle_references()
        if len(found) == 1 and isinstance(found[0], ModuleOp):
            return found[0]
        return ModuleOp(found)

    def _parse_at_top(self) -> Operation | None:
        if self._current_token.kind in _FIRST_OF_ALIASES:
            return self._parse_alias_def()
        if self._current_token.kind is MLIRTokenKind.FILE_METADATA_BEGIN:
            return self._parse_file_metadata_dictionary()
        if (op := self.parse_optional_operation()) is None:
            self.raise_error("Could not parse entire input!")
        return op

    def _parse_block_body(self, block: Block) -> None:
        while self._current_token.kind in _FIRST_OF_OPS and not self._is_outside():
            if (op := self._attempt(self.parse_operation)) is not None:
                block.add_op(op)

    def _is_outside(self) -> bool:
        """Returns whether an op belongs outside of the open op, whose closing brace is missing."""
        if self.open is None or not (self._by_indentation or self.open.is_faulty):
            return False
        if not self._is_indented(self.open):
            return False
        indent = self._indent_of_line_start(self.pos)
        return indent is not None and indent <= self._indent(self.open.start)

    def _is_indented(self, text: OpText) -> bool:
        """Returns whether the ops in another one are indented deeper, or are on its line."""
        if not text.inner or self._indent(text.inner[0].start) > self._indent(text.start):
            return True
        return "\n" not in self.lexer.input.content[text.start : text.inner[0].start]

    # Going on

    def _attempt(self, parse: Callable[[], Operation | None]) -> Operation | None:
        start, open_before = self.pos, self.open
        names, blocks = self.ssa_values.copy(), self.blocks
        forward, dialects = self.forward_block_references, self._parser_state.dialect_stack
        depth = len(dialects)
        try:
            op = parse()
        except Exception as error:
            # an op that fails after one in it has failed may fail for that reason alone
            is_new = self.open is open_before or self.open is None or not self.open.is_faulty
            if is_new and not any(start <= at <= self.pos for at in self._told):
                self._fail(error, start)
            self._give_up(open_before)
            self.ssa_values, self.blocks = names, blocks
            self.forward_block_references = forward
            del self._parser_state.dialect_stack[depth:]
            self._go_on(start)
            op = None
        if open_before is None or (op is not None and has_trait(op, IsolatedFromAbove)):
            self._settle_references()
        return op

    def _fail(self, error: Exception, start: int) -> None:
        if isinstance(error, ParseError):
            span = self._unknown_name(error) or (error.span.start, error.span.end)
            message = reword(meant_name(error.msg, self.ctx))
        else:
            span = (start, start) if self.open is None else self.open.name_span
            message = explain(error, "parser")
        self.fault(span, message)

    def _unknown_name(self, error: ParseError) -> Span | None:
        """Return the span of an unregistered name: xDSL's error is after it."""
        name, known, _ = error.msg.removeprefix("Operation ").partition(" is not registered")
        start = (
            self.lexer.input.content.rfind(name.strip("'"), 0, error.span.start) if known else -1
        )
        return None if start < 0 else (start, start + len(name.strip("'")))

    def fault(self, span: Span, message: str) -> None:
        """Note an error, if it is none that was noted before."""
        found = Fault(self._visible(span), message)
        if len(self.faults) < _MOST_FAULTS and found not in self.faults:
            self.faults.append(found)

    def _visible(self, span: Span) -> Span:
        """Return a span of at least one character: up to the end of the word, or the last character before
        it."""
        content = self.lexer.input.content
        start, end = min(span[0], len(content.rstrip())), min(span[1], len(content))
        if start < end:
            return start, end
        end = start
        while end < len(content) and (content[end].isalnum() or content[end] in "%@!#^_.$"):
            end += 1
        if end > start:
            return start, end
        return (
            (start, start + 1) if content[start : start + 1].strip() else (max(start - 1, 0), start)
        )

    def _give_up(self, until: OpText | None) -> None:
        """Close the ops that do not parse; their enclosing ops are faulty with them."""
        while self.open is not None and self.open is not until:
            text = self.open
            self._keep_results(text)
            self._keep_symbol(text)
            self._close(text)
            text.is_faulty = True
        for text in () if until is None else until.around():
            text.is_faulty = True

    def _keep_results(self, text: OpText) -> None:
        """Keep the names of the results of an op that does not parse."""
        written = self.lexer.input.content[text.start : text.name_span[0]]
        position = text.start
        for part in written.rstrip().removesuffix("=").split(","):
            name = part.strip().partition(":")[0]
            if name.startswith("%"):
                start = position + part.index("%")
                self.lost[name] = Name(NameKind.VALUE, name, definition=(start, start + len(name)))
                self._give(self.lost[name], text)
            position += len(part) + 1

    def _keep_symbol(self, text: OpText) -> None:
        """Keep the symbol that an op would define: the first one in its text."""
        kind = self.ctx.get_optional_op(text.name)
        if kind is not None and text.symbols and kind_has(kind, SymbolOpInterface):
            text.symbol = text.symbols[0]
            text.symbol.meaning = text
            text.symbol.definition = text.symbol.uses.pop()

    def _go_on(self, start: int) -> None:
        """Resume after the op that begins at `start` and does not parse."""
        position = max(self._current_token.span.start, start)
        if self.open is not None and not self._is_indented(self.open):
            self._go_on_from(self._after_braces(start, position))
            return
        at_start = self._indent_of_line_start(position)
        indent = self._indent(start)
        if position > start and at_start is not None and self._ends(position, at_start, indent):
            return
        self._go_on_from(self._after_indented(position, indent))

    def _go_on_from(self, position: int) -> None:
        """Resume at a position, or at the first line after it that begins with a token."""
        while True:
            try:
                self._resume_from(position)
                return
            except ParseError:
                position = self._next_line(position)

    def _next_line(self, position: int) -> int:
        content = self.lexer.input.content
        return content.find("\n", position) + 1 or len(content)

    def _after_indented(self, position: int, indent: int) -> int:
        """Return the next line that is not indented deeper."""
        content = self.lexer.input.content
        while (position := self._next_line(position)) < len(content):
            first = position
            while content[first : first + 1] in (" ", "\t", "\r"):
                first += 1
            if content[first : first + 1] == "\n" or content.startswith("//", first):
                continue
            if self._ends(first, first - position, indent):
                return first
        return len(content)

    def _after_braces(self, start: int, position: int) -> int:
        """Return the next line at which all braces since `start` are closed, for a text without
        indentation."""
        content, depth = self.lexer.input.content, 0
        while start < len(content):
            end = self._next_line(start)
            depth += content.count("{", start, end) - content.count("}", start, end)
            start = end
            if end > position and depth <= 0:
                break
        return start

    def _ends(self, position: int, found: int, indent: int) -> bool:
        """Returns whether a line at this indentation is after an op that is indented so."""
        is_closing = self.lexer.input.content[position : position + 1] in ("}", ")", "")
        return found < indent or (found == indent and not is_closing)

    def _indent(self, position: int) -> int:
        """Return the indentation of the line of a position."""
        content = self.lexer.input.content
        start = content.rfind("\n", 0, position) + 1
        line = content[start:position]
        return len(line) - len(line.lstrip())

    def _indent_of_line_start(self, position: int) -> int | None:
        """Return the indentation of a line if the position is its first non-blank character, or None."""
        content = self.lexer.input.content
        start = content.rfind("\n", 0, position) + 1
        return position - start if not content[start:position].strip() else None

    # Values that nothing defines

    def _settle_references(self) -> None:
        """Report values that are used and undefined up to here; results of ops that do not parse are
        excused."""
        for spelt, values in self.forward_ssa_references.items():
            for value in values.values():
                name = self.value(value)
                if name is None:
                    continue
                if (lost := self.lost.get(name.name)) is not None:
                    lost.uses += name.uses
                    lost.meaning = value
                    del self._values[value]
                    continue
                for text in () if name.owner is None else name.owner.around():
                    text.is_faulty = True
                for span in name.uses:
                    self.fault(span, reword(f"values used but not defined: [%{spelt}]"))
        self.forward_ssa_references = {}
        self._kept += self.lost.values()
        self.lost = {}
