"""Positions in a text as editors count them: lines, and units of an encoding in a line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping

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
