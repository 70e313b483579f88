"""Navigation from a name to its occurrences, and to the ops of a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from relax_dialect.lsp.document import Document, moved
from relax_dialect.lsp.occurrences import Name, OpText, Span


def _named(document: Document, offset: int) -> tuple[int, Name] | None:
    start, part = document.part_at(offset)
    found = part.places.at(offset - start)
    return None if found is None else (start, found[1])


def definition(document: Document, offset: int) -> Span | None:
    """Return the span of the definition of the name at an offset."""
    if (found := _named(document, offset)) is None or found[1].definition is None:
        return None
    return moved(found[1].definition, found[0])


def references(document: Document, offset: int, with_definition: bool = True) -> list[Span]:
    """Return every occurrence of the name at an offset."""
    if (found := _named(document, offset)) is None:
        return []
    start, name = found
    places = name.places() if with_definition else name.uses
    return sorted({moved(span, start) for span in places})


@dataclass(frozen=True)
class OutlineLine:
    """A line of a program's outline."""

    name: str
    detail: str
    span: Span
    name_span: Span
    is_function: bool
    inner: Sequence[OutlineLine]


def outline(document: Document) -> list[OutlineLine]:
    """Return the functions and other ops of a text, nested as in the text."""
    return [entry for start, part in document.parts for entry in _entries(part.ops, start)]


def _entries(ops: Iterable[OpText], start: int) -> list[OutlineLine]:
    return [_entry(text, start) for text in ops]


def _entry(text: OpText, start: int) -> OutlineLine:
    name, name_span = text.name, text.name_span
    detail = ", ".join(result.name for result in text.results)
    if text.symbol is not None:
        name, detail = f"@{text.symbol.name}", text.name
        name_span = text.symbol.definition or name_span
    span = moved((text.start, max(text.end, name_span[1])), start)
    is_function = text.symbol is not None
    return OutlineLine(
        name, detail, span, moved(name_span, start), is_function, _entries(text.inner, start)
    )
