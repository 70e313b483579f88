"""Pieces of C as text: line breaks, comments, identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

LINE_WIDTH = 100

_LEXEME = re.compile(
    r"""/\*.*?\*/ | //[^\n]* | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | \.?\d(?:[eEpP][-+]|[\w.])*
    | (?P<word>[A-Za-z_]\w*)""",
    re.S | re.X | re.A,
)
"""The tokens of C that hold words: comments, strings, numbers, and identifiers."""
_UNPRINTABLE = re.compile("[^ -~]")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|, | (?:[-+*/%&|^?:]|&&|\|\||<<|>>|[<>=!]=|[<>]) |[][(){}]')


def comment(text: str) -> str:
    """Return a C comment of any text."""
    return wrap(f"/* {in_comment(text)} */")


def in_comment(text: str) -> str:
    """Make text safe for a comment: it neither ends nor begins one, nor has trigraphs."""
    safe = _UNPRINTABLE.sub("_", text)
    for pair in ("*/", "/*", "??"):
        while pair in safe:
            safe = safe.replace(pair, " ".join(pair))
    return safe


def words(text: str) -> Iterator[str]:
    """Return the identifiers in a piece of C, outside of comments and strings."""
    return filter(None, _LEXEME.findall(text))


@lru_cache(maxsize=512)
def words_of_helper(text: str) -> frozenset[str]:
    """Return the identifiers in the text of a helper, which many files have."""
    return frozenset(words(text))


def without_comments(text: str) -> str:
    """Replace each comment in a piece of C by a space."""
    return _LEXEME.sub(lambda found: " " if found[0].startswith(("/*", "//")) else found[0], text)


def wrap(line: str) -> str:
    """Breaks a long line after commas and before operators, in as few parentheses as can be."""
    if len(line) <= LINE_WIDTH:
        return line
    start = len(line) - len(line.lstrip())
    breaks = _breaks(line, start)
    out: list[str] = []
    at, first, room = start, 0, LINE_WIDTH - start
    while len(line) - at > room and first < len(breaks):
        last = first + 1
        while last < len(breaks) and breaks[last][0] - 1 - at <= room:
            last += 1
        best = min(range(first, last), key=lambda i: (breaks[i][1], -i))
        out.append(line[at : breaks[best][0]].rstrip())
        at, first, room = breaks[best][0], best + 1, LINE_WIDTH - start - 4
    out.append(line[at:])
    return " " * start + f"\n{' ' * (start + 4)}".join(out)


def _breaks(line: str, start: int) -> list[tuple[int, int]]:
    """Return the positions where a line may be broken, each with its bracket depth."""
    is_comment = line.startswith("/*")
    depth = 0
    breaks: list[tuple[int, int]] = []
    for m in _TOKEN.finditer(line, start):
        token = m.group()
        if token in ("(", "[", "{"):
            depth += 1
        elif token in (")", "]", "}"):
            depth -= 1
        elif token == ", ":
            breaks.append((m.end(), depth))
        elif token.startswith(" ") and not is_comment:
            breaks.append((m.start() + 1, depth))
    return breaks
