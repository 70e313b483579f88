"""The search for a small program on which something still fails.

    small = reduce(text, lambda candidate: crashes(candidate))

Every reduction is tried at all its sites, at halves of them, at quarters, down to one by one (delta
debugging: Zeller and Hildebrandt, 2002), until none makes the program smaller. A program that verifies
still verifies after each step; a program that does not parse loses lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import ModuleOp

from lowering.tools.reduce.reductions import REDUCTIONS, ProgramReduction, sizes, with_size
from relax_dialect.errors import RelaxError
from relax_dialect.ir.walk import walk_ops
from relax_dialect.parsing import deep_recursion, parse, parse_unverified, verify

Fails = Callable[[str], bool]
Note = Callable[[str], None]


def reduce(text: str, fails: Fails, note: Note = lambda message: None) -> str:
    """Return a program as small as can be found on which `fails` still holds; it is called with texts.

    `note` is called with each step. Returns the text itself if nothing smaller fails.
    """
    with deep_recursion():
        try:
            parse(text)
        except RelaxError:
            try:
                parse_unverified(text)
            except RelaxError:
                return _fewer_lines(text, fails, note)
            return _ReductionSearch(fails, note, must_verify=False).run(text)
        return _ReductionSearch(fails, note, must_verify=True).run(text)


class _ReductionSearch:
    def __init__(self, fails: Fails, note: Note, must_verify: bool):
        self.fails, self.note, self.must_verify = fails, note, must_verify
        self.tried: set[str] = set()

    def run(self, text: str) -> str:
        smaller = self.printed(text)
        if smaller is not None and self.fails(smaller):
            text = smaller  # the names and the order of our printer
        while True:
            before = text
            for reduction in REDUCTIONS:
                text = self.everywhere(text, reduction)
            text = self.smaller_sizes(text)
            if text == before:
                return text

    def printed(self, text: str) -> str | None:
        try:
            return str(parse_unverified(text)) + "\n"
        except RelaxError:
            return None

    def everywhere(self, text: str, reduction: ProgramReduction) -> str:
        """Apply a reduction at as many sites as possible."""
        count = reduction.places(parse_unverified(text))
        size = count
        while size:
            end = count
            while end > 0:  # from the last sites to the first
                start = max(end - size, 0)
                candidate = self.changed(text, reduction, range(start, end))
                if candidate is not None:
                    text = candidate
                    count = reduction.places(parse_unverified(text))
                    self.note(f"{_length(text)} ops: {reduction.name}")
                end = min(start, count)
            size //= 2
        return text

    def changed(self, text: str, reduction: ProgramReduction, places: Sequence[int]) -> str | None:
        """Return a smaller text that fails, changed at some sites, or None."""
        try:
            module = reduction.change(parse_unverified(text), places)
        except Exception:  # a change that does not suit the program is no step
            return None
        return self.accepted(text, module)

    def accepted(self, text: str, module: ModuleOp) -> str | None:
        try:
            if self.must_verify:
                verify(module)
            candidate = str(module) + "\n"
            parse_unverified(candidate)
        except Exception:
            return None
        if candidate in self.tried or _cost(candidate) >= _cost(text):
            return None
        self.tried.add(candidate)
        return candidate if self.fails(candidate) else None

    def smaller_sizes(self, text: str) -> str:
        """Replace the sizes of the types by small numbers, one size at a time."""
        for old in sizes(text):
            for new in ("1", "2", "3"):
                if new == old:
                    break
                candidate = with_size(text, old, new)
                try:
                    module = parse_unverified(candidate)
                except RelaxError:
                    continue
                if (found := self.accepted(text, module)) is not None:
                    self.note(f"{_length(found)} ops: size {old} is {new}")
                    text = found
                    break
        return text


def _cost(text: str) -> tuple[int, int, int]:
    """Return the size of a program: its number of ops, of distinct sizes, and of characters."""
    return _length(text), len(sizes(text)), len(text)


def _length(text: str) -> int:
    try:
        return sum(1 for _ in walk_ops(parse_unverified(text)))
    except RelaxError:
        return len(text.splitlines())


def _fewer_lines(text: str, fails: Fails, note: Note) -> str:
    """Leave out lines of a text that is no program."""
    lines = text.splitlines()
    size = len(lines)
    while size:
        start = 0
        while start < len(lines):
            fewer = lines[:start] + lines[start + size :]
            candidate = "\n".join(fewer) + "\n"
            if fewer and fails(candidate):
                lines = fewer
                note(f"{len(lines)} lines")
            else:
                start += size
        size //= 2
    return "\n".join(lines) + "\n"
