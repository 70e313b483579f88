"""Source locations of ops: xDSL's `op.location`, shown as `file.mlir:12:5`.

The parser (`ProgramParser`) sets it, cloning keeps it, and an op's replacement inherits it (`inherit`). The
file name carries its text, so that an error shows the line.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import PurePath
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Block, BlockArgument, Operation
from xdsl.utils.lexer import Input

from relax_dialect.ir.walk import walk_ops

_LONGEST_SHOWN = 200
"""Longer lines are cut off in errors."""

_number = lru_cache(maxsize=65536)(IntAttr)


class SourceText:
    """A text and its positions; `line_offset` lines of its file precede it."""

    def __init__(self, content: Input, line_offset: int = 0):
        self.content = content
        self.name = StringAttr(content.name)
        object.__setattr__(self.name, "source", self)
        self.text = content.content
        self.line_offset = line_offset
        self._starts: list[int] | None = None

    def location(self, position: int) -> FileLineColLoc:
        """Return the location of a position in the text."""
        if self._starts is None:
            self._starts = [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]
        line = bisect_right(self._starts, position)
        return self.at(line + self.line_offset, position - self._starts[line - 1] + 1)

    def at(self, line: int, column: int) -> FileLineColLoc:
        """Return the location of a line and a column of the file, both counted from 1."""
        found = FileLineColLoc.__new__(FileLineColLoc)  # as `new`, but for the checks
        object.__setattr__(found, "filename", self.name)
        object.__setattr__(found, "line", _number(line))
        object.__setattr__(found, "column", _number(column))
        return found

    def line(self, number: int) -> str | None:
        """Return a line of the file, if it belongs to this text."""
        lines = self.text.split("\n")
        index = number - 1 - self.line_offset
        return lines[index] if 0 <= index < len(lines) else None


_OURS = ("relax_dialect", "lowering", "xdsl")


def call_site() -> LocationAttr:
    """Return the line of Python outside the compiler that builds an op, as `model.py:12`.

    It is a name, not a location in a program: the same program built elsewhere produces the same C.
    """
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _OURS:
            return _site(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return UnknownLoc()


@lru_cache(maxsize=65536)
def _site(file: str, line: int) -> LocationAttr:
    return NameLoc(StringAttr(f"{PurePath(file).name}:{line}"), NoneAttr())


def site_text(location: Any) -> str | None:
    """Return the line of Python that built an op, if it is known."""
    names = (part.desc.data for part in _parts(location) if isinstance(part, NameLoc))
    return next(names, None)


def _parts(location: LocationAttr) -> Sequence[Any]:
    """Return the parts of a fused location."""
    parts: Any = location.locations if isinstance(location, FusedLoc) else [location]
    return list(parts)


def in_file(location: Any) -> FileLineColLoc | None:
    """Return the file location behind a location, the first of several; None if it is unknown."""
    pending = [location]
    while pending:
        current = pending.pop()
        if isinstance(current, FileLineColLoc):
            return current
        if isinstance(current, FusedLoc):
            pending.extend(reversed(_parts(current)))
        elif isinstance(current, NameLoc):
            pending.append(current.location)
        elif isinstance(current, CallSiteLoc):
            pending += [current.caller, current.callee]
    return None


def source_of(place: FileLineColLoc | None) -> SourceText | None:
    """Return the text that a location is in, or None if it is not available."""
    return None if place is None else getattr(place.filename, "source", None)


def place_text(location: LocationAttr, *, base_name: bool = False) -> str | None:
    """Return `file.mlir:12:5`, with or without the folder; None for an unknown location."""
    if (found := in_file(location)) is None:
        return None
    name = found.filename.data
    name = PurePath(name).name if base_name else name
    return f"{name}:{found.line.data}:{found.column.data}"


def in_file_text(location: LocationAttr) -> str | None:
    """Return `file.mlir:12:5`, without the folder, for ops read from a file; None for any other
    location."""
    found = in_file(location)
    is_file = found is not None and "." in found.filename.data
    return place_text(location, base_name=True) if is_file else None


def prefixed(message: str, location: LocationAttr) -> str:
    """Prefix a runtime message with the file location it comes from."""
    place = in_file_text(location)
    return f"{place}: {message}" if place else message


def places(location: LocationAttr) -> list[FileLineColLoc]:
    """Return the file locations that an op was made from."""
    found = map(in_file, _parts(location))
    return list(dict.fromkeys(place for place in found if place is not None))


def origins_text(location: LocationAttr, most: int = 8) -> str | None:
    """Return the lines in files that something was made from, `a.mlir:3, a.mlir:12`; None if there are
    none."""
    found: dict[str, None] = {}
    for part in _parts(location):
        if (place := in_file_text(part)) is not None:
            found[place.rpartition(":")[0]] = None
    shown = list(found)[:most] + (["..."] if len(found) > most else [])
    return ", ".join(shown) or None


def marked_line(line: str, column: int) -> str:
    """Return a source line with a caret under `column` (zero-based), as errors show it; control characters
    become `\ufffd`."""
    line = "".join(
        c if c == "\t" or c.isprintable() else "\ufffd" for c in line[: 2 * _LONGEST_SHOWN]
    )
    if column >= _LONGEST_SHOWN:
        return f"\n  {line[:_LONGEST_SHOWN]} ..."
    shown = line if len(line) <= _LONGEST_SHOWN else line[:_LONGEST_SHOWN] + " ..."
    indent = "".join("\t" if c == "\t" else " " for c in line[:column])
    return f"\n  {shown}\n  {indent}^"


def shown_line(location: LocationAttr) -> str:
    """Return the line at a location with a caret under it, or "" if the text is not available."""
    found = in_file(location)
    source = source_of(found)
    if found is None or source is None or (line := source.line(found.line.data)) is None:
        return ""
    return marked_line(line, found.column.data - 1)


_RESULTS = re.compile(r"(?:^|[{};\s])((?:%[\w$.-]+(?::\d+)?\s*,\s*)*%[\w$.-]+(?::\d+)?)\s*=\s*$")


def written_names(op: Operation) -> list[str]:
    """Return the results of an op as its text names them, `%2`; empty if the text is not available."""
    found = in_file(op.location)
    source = source_of(found)
    if found is None or source is None or (line := source.line(found.line.data)) is None:
        return []
    match = _RESULTS.search(line[: found.column.data - 1])
    return [] if match is None else [name.strip() for name in match[1].split(",")]


def nearest_location(op: Operation | BlockArgument | None) -> LocationAttr:
    """Return the location of an op or a parameter, or of the next op around it that has one."""
    if isinstance(op, BlockArgument):
        if not isinstance(op.location, UnknownLoc):
            return op.location
        op = op.block.parent_op()
    while op is not None:
        if not isinstance(op.location, UnknownLoc):
            return op.location
        op = op.parent_op()
    return UnknownLoc()


def is_known(op: Operation) -> bool:
    """Return whether the op has a known location."""
    return not isinstance(op.location, UnknownLoc)


def inherit(ops: Iterable[Operation], location: LocationAttr) -> None:
    """Set the location of all ops, nested ones included, that have none."""
    for root in ops:
        for op in walk_ops(root):
            if type(op.location) is UnknownLoc:
                op.location = location


def ops_between(block: Block, before: Operation | None, end: Operation | None) -> list[Operation]:
    """Return the ops of a block after one of its ops (from its start on if that is None) and before
    another."""
    found: list[Operation] = []
    op = block.first_op if before is None else before.next_op
    while op is not None and op is not end:
        found.append(op)
        op = op.next_op
    return found


def fused(ops: Iterable[Operation]) -> LocationAttr:
    """Return the fused location of an op made of several ops."""
    found: dict[Any, None] = {}
    for op in ops:
        found.update(dict.fromkeys(p for p in _parts(op.location) if not isinstance(p, UnknownLoc)))
    if len(found) > 1:
        return FusedLoc(ArrayAttr(found), NoneAttr())
    return next(iter(found), UnknownLoc())
