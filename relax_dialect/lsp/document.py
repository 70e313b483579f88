"""The text of `relax-lsp`: parts between lines `// -----`, each a separate program."""

from __future__ import annotations

import logging
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input

from relax_dialect.ir.locations import SourceText
from relax_dialect.lsp.occurrences import Name, OccurrenceIndex, OpText, Span, innermost
from relax_dialect.lsp.recording_parser import symbols
from relax_dialect.lsp.recovering import Fault, RecoveringParser
from relax_dialect.lsp.size_variables import sizes
from relax_dialect.lsp.verifying import verifier_errors
from relax_dialect.parsing import TOO_DEEP, clean_name_hints, deep_recursion, too_deep
from relax_dialect.text.literals import check_strings

_LINE_ENDS = re.compile(r"\r\n|\n|\r")

UNITS: Mapping[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text) + sum(c > "\uffff" for c in text),
    "utf-32": len,
}
"""The number of units of a text, by the encoding that an editor and a server agree on."""


class Lines:
    """The lines of a text: from offsets to lines and columns, and back."""

    def __init__(self, text: str, encoding: str = "utf-16"):
        self.text = text
        self._units = UNITS[encoding]
        self._starts = [0, *(end.end() for end in _LINE_ENDS.finditer(text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, both counted from zero."""
        line = bisect_right(self._starts, offset) - 1
        return line, self._units(self.text[self._starts[line] : offset])

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line and a column; past the end of a line or of the text, that end."""
        if line >= len(self._starts):
            return len(self.text)
        offset, end = self._starts[line], self._end(line)
        if column >= self._units(self.text[offset:end]):
            return end
        while column > 0:
            column -= self._units(self.text[offset])
            offset += 1
        return offset

    def _end(self, line: int) -> int:
        """Return the end of a line, before its separator."""
        if line + 1 == len(self._starts):
            return len(self.text)
        end = self._starts[line + 1]
        return end - (2 if self.text[end - 2 : end] == "\r\n" else 1)


_LOG = logging.getLogger(__name__)

SEPARATOR = "// -----"

_MOST_STRINGS = 20
"""The maximum number of malformed strings that are reported; a text with more is not read further."""


class ProgramText:
    """One program of a text: its ops, names and errors, with offsets from its start."""

    def __init__(self, text: str, context: Context):
        self.text = text
        self.context = context
        self.faults: list[Fault] = []
        self.ops: list[OpText] = []
        self.names: list[Name] = []
        if text.strip():
            with deep_recursion():
                try:
                    self._read()
                except Exception as error:  # an internal error, which must not break the editor
                    _LOG.exception("a text that cannot be read")
                    message = f"relax-lsp could not read this ({type(error).__name__}: {str(error)[:200]})"
                    self.faults.append(Fault((0, 1), f"{message}; please report it"))
        self.places = OccurrenceIndex(self.names)

    def op_at(self, offset: int) -> OpText | None:
        """Return the innermost op around an offset."""
        return innermost(self.ops, offset)

    def all_ops(self) -> Iterator[OpText]:
        """Yield the ops, each followed by its nested ops."""
        return (inner for text in self.ops for inner in text.inside())

    def _read(self) -> None:
        if (brace := too_deep(self.text)) is not None:
            self.faults.append(Fault((brace, brace + 1), TOO_DEEP))
            return
        try:
            readable = self._without_bad_strings()
            told = [fault.span[0] for fault in self.faults]
            module, reader = _parsed(self.context, readable, told)
        except ParseError as error:
            span = error.span.start, max(error.span.end, error.span.start + 1)
            self.faults.append(Fault(span, error.msg))
            return
        if _is_empty(readable):
            return
        self.faults += reader.faults
        self.ops = reader.ops
        for text in self.all_ops():
            text.is_faulty |= any(text.start <= at <= text.end for at in told)
        self.names = [*reader.names, *symbols(self.ops), *sizes(readable, self.ops, reader.sized)]
        clean_name_hints(module)
        self._verify(module, reader)

    def _without_bad_strings(self) -> str:
        """Return the text with spaces from each quote that opens no string to the end of its line."""
        text = self.text
        while True:
            try:
                check_strings(Input(text, "<text>"))
                return text
            except ParseError as error:
                if len(self.faults) == _MOST_STRINGS:
                    raise
                self.faults.append(Fault((error.span.start, error.span.end), error.msg))
                line = text.rfind("\n", 0, error.span.start) + 1
                start = text.find('"', line, error.span.end)
                end = text.find("\n", start)
                end = len(text) if end < 0 else end
                text = text[:start] + " " * (end - start) + text[end:]

    def _verify(self, module: ModuleOp, reader: RecoveringParser) -> None:
        faulty = [text for text in self.all_ops() if text.is_faulty]
        lost = {name.name for text in faulty for name in text.symbols}

        def is_left_out(op: Operation) -> bool:
            text = reader.texts.get(op)
            if text is None or not faulty:
                return False
            return text.is_faulty or any(
                name.name in lost for inner in text.inside() for name in inner.symbols
            )

        for about, message in verifier_errors(module, is_left_out, not faulty):
            self.faults.append(Fault(_span_of(about, reader), message))
        self.faults.sort(key=lambda fault: fault.span)


def _parsed(context: Context, text: str, told: Sequence[int]) -> tuple[ModuleOp, RecoveringParser]:
    """Parse what can be read; if a closing brace is missing, indentation determines the nesting."""
    parser = RecoveringParser(context, SourceText(Input(text, "<text>")), told)
    module = parser.parse_whole()
    is_indented = "\n " in text or "\n\t" in text
    if parser.faults and is_indented and text.count("{") > text.count("}"):
        again = RecoveringParser(context, SourceText(Input(text, "<text>")), told, True)
        other = again.parse_whole()
        if len(again.ops) > len(parser.ops):
            return other, again
    return module, parser


def _is_empty(text: str) -> bool:
    """Returns whether a text has only comments."""
    return all(not line.strip() or line.lstrip().startswith("//") for line in text.split("\n"))


def _span_of(about: object, reader: RecoveringParser) -> Span:
    """Return the span of an op or parameter, or else of the next op around it."""
    if isinstance(about, BlockArgument):
        name = reader.value(about)
        if name is not None and name.definition is not None:
            return name.definition
        about = about.block.parent_op()
    while isinstance(about, Operation):
        if (text := reader.texts.get(about)) is not None:
            return text.name_span
        about = about.parent_op()
    return reader.ops[0].name_span if reader.ops else (0, 1)


def split(text: str) -> list[str]:
    """Split a text into parts; a separator line begins the next part, where it is a comment."""
    parts: list[str] = []
    start = position = 0
    for line in text.split("\n"):
        if line.strip() == SEPARATOR and position > start:
            parts.append(text[start:position])
            start = position
        position += len(line) + 1
    return [*parts, text[start:]]


class Document:
    """A text, read: `parts` with the offsets at which they begin; `encoding` is how an editor counts."""

    def __init__(
        self,
        text: str,
        context: Context,
        before: Document | None = None,
        encoding: str = "utf-16",
    ):
        known = {} if before is None else {part.text: part for _, part in before.parts}
        self.lines = Lines(text, encoding)
        self.parts: Sequence[tuple[int, ProgramText]] = []
        start = 0
        for each in split(text):
            part = known.get(each) or ProgramText(each, context)
            self.parts.append((start, part))
            start += len(each)

    @property
    def text(self) -> str:
        return self.lines.text

    @property
    def faults(self) -> list[Fault]:
        """The errors of all parts, with spans in the whole text."""
        return [
            Fault(moved(fault.span, start), fault.message)
            for start, part in self.parts
            for fault in part.faults
        ]

    def part_at(self, offset: int) -> tuple[int, ProgramText]:
        """Return the part that contains an offset, and where it begins."""
        return next(found for found in reversed(self.parts) if found[0] <= offset)


def moved(span: Span, start: int) -> Span:
    """Convert a span of a part to one of the whole text, in which the part begins at `start`."""
    return span[0] + start, span[1] + start
