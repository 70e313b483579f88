"""What may stand at a place in a text that is being typed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from xdsl.ir import BlockArgument, SSAValue, TypeAttribute
from xdsl.irdl import IRDLOperation

from relax_dialect.lsp import documentation
from relax_dialect.lsp.document import Document, Part
from relax_dialect.lsp.names import Kind, Name, OpText, Span


class Proposed(Enum):
    """What a proposal is."""

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
    """A text that may stand in place of the word before the cursor."""

    text: str
    kind: Proposed
    detail: str = ""
    documentation: str = ""


def completion(document: Document, offset: int) -> tuple[Span, list[Proposal]]:
    """The word before an offset, and what it may become."""
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


def _proposals(part: Part, begin: int, word: str) -> Iterator[Proposal]:
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
        yield from _names(part, begin, Kind.SIZE)
    elif line.count("{") > line.count("}"):
        yield from _attributes(line)


def _names(part: Part, offset: int, kind: Kind) -> Iterator[Proposal]:
    text = part.op_at(offset)
    around: set[OpText | None] = {None} if text is None else {None, *text.around()}
    seen: set[str] = set()
    for name in part.names:
        if name.kind is not kind or name.definition is None or name.name in seen:
            continue
        if kind in _SCOPED and (_scope(name) not in around or not _is_before(part, name, offset)):
            continue
        seen.add(name.name)
        spelt = f"@{name.name}" if kind is Kind.SYMBOL else name.name
        yield Proposal(spelt, Proposed(kind.value), _detail(name))


_OF_NAMES = {
    "%": Kind.VALUE,
    "@": Kind.SYMBOL,
    "^": Kind.BLOCK,
    "!": Kind.ALIAS,
    "#": Kind.ALIAS,
}
"""What names mean, by their first characters."""

_SCOPED = (Kind.VALUE, Kind.SIZE)
"""What is known in some regions only."""


def _scope(name: Name) -> OpText | None:
    """The op in whose regions a name is known."""
    is_inside = name.kind is Kind.SIZE or isinstance(name.meaning, BlockArgument)
    return name.owner if is_inside or name.owner is None else name.owner.parent


def _is_before(part: Part, name: Name, offset: int) -> bool:
    """Whether a name is defined before an offset, and not by the op that is being typed there."""
    if name.definition is None or name.definition[1] > offset:
        return False
    is_typed = name.owner is not None and name.owner.op is None
    return not is_typed or "\n" in part.text[name.definition[1] : offset]


def _detail(name: Name) -> str:
    meaning = name.meaning
    if isinstance(meaning, SSAValue):
        return str(meaning.type)
    return meaning.name if isinstance(meaning, OpText) else str(meaning or "")


def _ops(word: str) -> Iterator[Proposal]:
    """The ops of the dialect that a word names, or ours and the names of the other dialects."""
    dialect, dot, _ = word.partition(".")
    found = documentation.known().get_optional_dialect(dialect if dot else "relax")
    for op in () if found is None else found.operations:
        yield Proposal(op.name, Proposed.OP, documentation=documentation.of_op(op))
    if not dot:
        for name in documentation.known().registered_dialect_names:
            yield Proposal(f"{name}.", Proposed.DIALECT)


def _types(first: str) -> Iterator[Proposal]:
    """The types and attributes of ours."""
    dialect = documentation.known().get_optional_dialect("relax")
    for kind in () if dialect is None else dialect.attributes:
        if issubclass(kind, TypeAttribute) == (first == "!"):
            text = documentation.of_attribute(kind)
            yield Proposal(f"{first}{kind.name}", Proposed.TYPE, documentation=text)


def _attributes(line: str) -> Iterator[Proposal]:
    """The attributes that the op of a line takes and that are not there."""
    words = line.partition("=")[2].split() if line.lstrip().startswith("%") else line.split()
    kind = documentation.op_kind(words[0]) if words else None
    if kind is None or not issubclass(kind, IRDLOperation):
        return
    definition = kind.get_irdl_definition()
    if not definition.regions:
        for name in {**definition.properties, **definition.attributes}:
            if f"{name} =" not in line:
                yield Proposal(name, Proposed.ATTRIBUTE, f"attribute of {kind.name}")
