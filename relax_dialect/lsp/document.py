"""The text of `relax-lsp`: parts between lines `// -----`, each a separate program."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input

from relax_dialect.ir.locations import SourceText
from relax_dialect.lsp.occurrences import Name, OccurrenceIndex, OpText, Span, innermost
from relax_dialect.lsp.positions import Lines
from relax_dialect.lsp.recording_parser import symbols
from relax_dialect.lsp.recovering import Fault, RecoveringParser
from relax_dialect.lsp.size_variables import sizes
from relax_dialect.lsp.verifying import verifier_errors
from relax_dialect.parsing import TOO_DEEP, clean_name_hints, deep_recursion, too_deep
from relax_dialect.text.literals import check_strings

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
