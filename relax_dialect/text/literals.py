"""String literals, checked in one linear pass before xDSL's lexer, whose regular expression for them
backtracks.

On an unclosed quote or an invalid escape, xDSL 0.74 tries every way to split the text before it; here it is
an error with its location.
"""

from __future__ import annotations

import re
from weakref import WeakSet

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span

_STRING = r'"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+'
_WHOLE = re.compile(rf'(?:[^"/]++|//[^\n]*+|/|{_STRING}")*+')
"""The text up to the first invalid string: no quote, comments, complete strings."""
_BEGUN = re.compile(_STRING)

_CHECKED: WeakSet[Input] = WeakSet()


def check_strings(source: Input) -> None:
    """`ParseError` at the first string literal of a text that is not closed or has a wrong escape."""
    if source in _CHECKED:
        return
    whole = _WHOLE.match(source.content)
    assert whole is not None
    if whole.end() < len(source.content):
        _fail(source, whole.end())
    _CHECKED.add(source)


def _fail(source: Input, start: int) -> None:
    """Raise the error for the string that opens at `start`."""
    begun = _BEGUN.match(source.content, start)
    assert begun is not None
    end = begun.end()
    if source.content.startswith("\\", end) and end + 1 < len(source.content):
        escape = source.content[end : end + 2]
        if (found := escape[1]) == "\n":
            found = "a line break"
        raise ParseError(
            Span(end, end + 2, source),
            r"expected one of the escapes \n, \t, \", \\ or two hexadecimal digits after the backslash, "
            f"found {found}; write \\\\ for a backslash",
        )
    what = "line" if source.content[end : end + 1] in ("\n", "\v", "\f") else "text"
    raise ParseError(
        Span(start, end, source),
        "expected a closing '\"' on the line of the string that opens here, found the end of the "
        f"{what}; close it, or write \\n for a line break",
    )
