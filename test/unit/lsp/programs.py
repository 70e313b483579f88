"""Texts with marks for places, `<x>` for an offset and `<x:text>` for a name, and what they are read as."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from xdsl.context import Context

from relax_dialect.lsp.document import Document
from relax_dialect.lsp.occurrences import Span
from relax_dialect.parsing import new_context

_MARK = re.compile(r"«(\w+)(?::([^»]*))?»")


@cache
def context() -> Context:
    return new_context()


@dataclass
class Marked:
    """A text without its marks, and the places that they marked, by name."""

    text: str
    spans: dict[str, list[Span]] = field(default_factory=dict)

    def read(self) -> Document:
        return Document(self.text, context())

    def at(self, name: str) -> int:
        """Where the first mark of a name begins."""
        return self.spans[name][0][0]


def marked(text: str) -> Marked:
    """A text whose marks are `«name»` and `«name:text»`."""
    found = Marked("")
    end = 0
    for mark in _MARK.finditer(text):
        found.text += text[end : mark.start()]
        start = len(found.text)
        found.text += mark[2] or ""
        found.spans.setdefault(mark[1], []).append((start, len(found.text)))
        end = mark.end()
    found.text += text[end:]
    return found


def read(text: str) -> Document:
    return Document(text, context())


def told(document: Document) -> list[tuple[str, str]]:
    """The errors of a text: the words they are about, and what is said."""
    return [(document.text[slice(*fault.span)], fault.message) for fault in document.faults]
