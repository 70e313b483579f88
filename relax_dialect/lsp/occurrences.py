"""The ops and names of a text, with every occurrence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from xdsl.ir import Operation

Span = tuple[int, int]
"""Start and end offsets in a text."""


class NameKind(Enum):
    """The kinds of names."""

    VALUE = "value"
    SYMBOL = "symbol"
    BLOCK = "block"
    ALIAS = "alias"
    SIZE = "symbolic variable"


@dataclass(eq=False)
class OpText:
    """An op in a text, also one that does not parse."""

    start: int
    """The offset of its results, or of its name."""
    name_span: Span
    name: str
    parent: OpText | None
    region: int = 0
    """The number of the region of its parent that it is in."""
    regions: int = 0
    """The number of its own regions that have been read."""
    end: int = 0
    op: Operation | None = None
    """The op, None if the text is none."""
    is_faulty: bool = False
    """Whether the op, or one in it, does not parse."""
    inner: list[OpText] = field(default_factory=list)
    parameters: list[tuple[Span, Any]] = field(default_factory=list)
    """The parameters it begins with, as in `@f(%x: T)`: span and type."""
    symbol: Name | None = None
    """The symbol that it defines, if any."""
    symbols: list[Name] = field(default_factory=list)
    """The symbols that its own text names."""
    attributes: list[tuple[Span, str]] = field(default_factory=list)
    """The names of attributes in its dictionaries."""
    results: list[Name] = field(default_factory=list)

    def around(self) -> Iterator[OpText]:
        """Yield the op and its enclosing ops, innermost first."""
        current: OpText | None = self
        while current is not None:
            yield current
            current = current.parent

    def regions_around(self) -> dict[OpText, int | None]:
        """Return the regions that enclose it, by their ops; and itself, with None."""
        found: dict[OpText, int | None] = {self: None}
        found |= {o.parent: o.region for o in self.around() if o.parent is not None}
        return found

    def inside(self) -> Iterator[OpText]:
        """Yield the op and the ops nested in it."""
        pending = [self]
        while pending:
            text = pending.pop()
            yield text
            pending += text.inner

    @property
    def header_end(self) -> int:
        """Return the offset of the first op inside it, or its end."""
        return self.inner[0].start if self.inner else self.end


@dataclass(eq=False)
class Name:
    """A named entity: its definition and its uses."""

    kind: NameKind
    name: str
    meaning: Any = None
    """The value, block, attribute, or the op that defines the symbol."""
    definition: Span | None = None
    uses: list[Span] = field(default_factory=list)
    owner: OpText | None = None
    """The op that defines it."""
    within: OpText | None = None
    """The op in which it is known; everywhere if that is None."""
    region: int | None = None
    """The region of that op in which it is known, None for all."""

    def is_known(self, regions: Mapping[OpText, int | None]) -> bool:
        """Returns whether it is visible at a position within these regions of ops."""
        if self.within is None:
            return True
        return self.within in regions and self.region in (None, regions[self.within])

    def places(self) -> list[Span]:
        """Return every occurrence, the definition first."""
        return ([] if self.definition is None else [self.definition]) + self.uses


class OccurrenceIndex:
    """Lookup of names by offset."""

    def __init__(self, names: list[Name]):
        found = {span: name for name in names for span in name.places()}
        self._spans = sorted(found)
        self._names = [found[span] for span in self._spans]
        self._starts = [start for start, _ in self._spans]

    def at(self, offset: int) -> tuple[Span, Name] | None:
        """Return the name at an offset, or right before it."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or offset > self._spans[index][1]:
            return None
        return self._spans[index], self._names[index]


def innermost(ops: list[OpText], offset: int) -> OpText | None:
    """Return the innermost of some ops and their nested ops around an offset."""
    found = None
    while ops:
        index = bisect_right(ops, offset, key=lambda op: op.start) - 1
        if index < 0 or offset > ops[index].end:
            break
        found = ops[index]
        ops = found.inner
    return found
