"""Completion at an offset of a text being edited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import IRDLOperation

from relax_dialect.lsp import documentation
from relax_dialect.lsp.document import Document, ProgramText
from relax_dialect.lsp.occurrences import Name, NameKind, OpText, Span


class Proposed(Enum):
    """The kinds of proposals."""

    OP = "op"
    DIALECT = "dialect"
    TYPE = "type"
    ATTRIBUTE = "attribute"
    VALUE = "value"
    SYMBOL = "symbol"
    BLOCK = "block"
    ALIAS = "alias"
    SIZE = "symbolic variable"


@dataclass(frozen=True)
class Proposal:
    """A text that may replace the word before the cursor."""

    text: str
    kind: Proposed
    detail: str = ""
    documentation: str = ""


def completion(document: Document, offset: int) -> tuple[Span, list[Proposal]]:
    """Return the span of the word before an offset, and proposals for it."""
    start, part = document.part_at(offset)
    at = offset - start
    begin = at
    while begin > 0 and (part.text[begin - 1].isalnum() or part.text[begin - 1] in "_.$"):
        begin -= 1
    if begin > 0 and part.text[begin - 1] in _OF_NAMES:
        begin -= 1
    word = part.text[begin:at]
    found = [p for p in _proposals(part, begin, word) if p.text.startswith(word)]
    return (start + begin, offset), found


def _proposals(part: ProgramText, begin: int, word: str) -> Iterator[Proposal]:
    first = word[:1]
    if first in _OF_NAMES:
        yield from _names(part, begin, _OF_NAMES[first])
        if first in "!#":
            yield from _types(first)
        return
    line = part.text[part.text.rfind("\n", 0, begin) + 1 : begin]
    if not line.strip() or line.rstrip().endswith(("=", "{", "}")):
        yield from _ops(word)
    if line.count("[") > line.count("]"):
        yield from _names(part, begin, NameKind.SIZE)
    elif line.count("{") > line.count("}"):
        yield from _attributes(line)


def _names(part: ProgramText, offset: int, kind: NameKind) -> Iterator[Proposal]:
    regions = _regions(part, offset)
    seen: set[str] = set()
    for name in part.names:
        if name.kind is not kind or name.definition is None or name.name in seen:
            continue
        if not name.is_known(regions) or not _may_be_named(part, name, offset, regions):
            continue
        seen.add(name.name)
        spelt = f"@{name.name}" if kind is NameKind.SYMBOL else name.name
        yield Proposal(spelt, Proposed(kind.value), _detail(name))


_OF_NAMES = {
    "%": NameKind.VALUE,
    "@": NameKind.SYMBOL,
    "^": NameKind.BLOCK,
    "!": NameKind.ALIAS,
    "#": NameKind.ALIAS,
}
"""The kinds of names, by their first characters."""


def _regions(part: ProgramText, offset: int) -> dict[OpText, int | None]:
    """Return the regions around an offset; for the innermost op, the region of its last inner op before
    it."""
    if (text := part.op_at(offset)) is None:
        return {}
    before = [inner.region for inner in text.inner if inner.start <= offset]
    return text.regions_around() | {text: before[-1] if before else None}


def _may_be_named(
    part: ProgramText, name: Name, offset: int, regions: Mapping[OpText, int | None]
) -> bool:
    """Returns whether a value or variable is defined before an offset, and not by the op typed there or an
    op around it; other names may occur anywhere."""
    if name.kind not in (NameKind.VALUE, NameKind.SIZE):
        return True
    if name.definition is None or name.definition[1] > offset or name.owner is None:
        return False
    if name.owner in regions and name.within is not name.owner:
        return False
    return name.owner.op is not None or "\n" in part.text[name.definition[1] : offset]


def _detail(name: Name) -> str:
    meaning = name.meaning
    if isinstance(meaning, SSAValue):
        return str(meaning.type)
    return meaning.name if isinstance(meaning, OpText) else str(meaning or "")


def _ops(word: str) -> Iterator[Proposal]:
    """Yield the ops of the dialect that a word names, or ours and the names of the other dialects."""
    dialect, dot, _ = word.partition(".")
    found = documentation.known().get_optional_dialect(dialect if dot else "relax")
    for op in () if found is None else found.operations:
        yield Proposal(op.name, Proposed.OP, documentation=documentation.of_op(op))
    if not dot:
        for name in documentation.known().registered_dialect_names:
            yield Proposal(f"{name}.", Proposed.DIALECT)


def _types(first: str) -> Iterator[Proposal]:
    """Yield our types and attributes."""
    dialect = documentation.known().get_optional_dialect("relax")
    for kind in () if dialect is None else dialect.attributes:
        if issubclass(kind, TypeAttribute) == (first == "!"):
            text = documentation.of_attribute(kind)
            yield Proposal(f"{first}{kind.name}", Proposed.TYPE, documentation=text)


def _attributes(line: str) -> Iterator[Proposal]:
    """Yield the attributes that the op of a line takes and does not have."""
    words = line.partition("=")[2].split() if line.lstrip().startswith("%") else line.split()
    kind = documentation.op_kind(words[0]) if words else None
    if kind is None or not issubclass(kind, IRDLOperation):
        return
    definition = kind.get_irdl_definition()
    if not definition.regions:
        for name in {**definition.properties, **definition.attributes}:
            if f"{name} =" not in line:
                yield Proposal(name, Proposed.ATTRIBUTE, f"attribute of {kind.name}")
