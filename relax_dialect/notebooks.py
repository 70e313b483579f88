"""Programs in notebooks: MLIR with colours, and pictures of graphs.

Under IPython, importing `relax_dialect` registers formatters for the ops, types, attributes and values of
xDSL. Nothing of xDSL is changed, and outside of IPython nothing happens.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Any, TypeAlias

from xdsl.dialects.builtin import Builtin
from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.text.elided import elided

Picture: TypeAlias = Callable[[Operation], str | None]
"""Draws an op as SVG; None for an op that has no picture."""

LONGEST = 100_000
"""The most characters of a program that are shown."""

TOKENS = re.compile(
    r"""
    (?P<comment>//[^\n]*)
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<value>%[\w$.-]+)
  | (?P<symbol>@[\w$.-]+|@"(?:[^"\\\n]|\\.)*")
  | (?P<type>![a-z][\w.]*|\b(?:tensor|memref|vector|tuple|index|none|[su]?i\d+|bf16|f\d\w*)\b)
  | (?P<op>\b[a-z_]\w*(?:\.[a-z_]\w*)+)
  | (?P<number>\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)
    """,
    re.VERBOSE,
)

COLOURS = {
    "comment": "#6a737d",
    "string": "#22863a",
    "value": "#005cc5",
    "symbol": "#6f42c1",
    "type": "#b35900",
    "op": "#d73a49",
    "number": "#005cc5",
}


PICTURES = "relax_dialect.pictures"
"""The group of entry points that draw ops; their SVG is shown below the text of an op."""


@cache
def _pictures() -> Sequence[Picture]:
    return [each.load() for each in entry_points(group=PICTURES)]


def as_html(text: str) -> str:
    """Return MLIR as HTML with colours."""
    return f'<pre style="line-height: 1.3; overflow-x: auto">{"".join(_coloured(text))}</pre>'


def _coloured(text: str) -> Iterator[str]:
    end = 0
    for token in TOKENS.finditer(text):
        yield html.escape(text[end : token.start()])
        colour = COLOURS[token.lastgroup or ""]
        yield f'<span style="color: {colour}">{html.escape(token[0])}</span>'
        end = token.end()
    yield html.escape(text[end:])


def shown(thing: Operation | Attribute | SSAValue) -> str:
    """Return an op, a type, an attribute or a value as text."""
    if isinstance(thing, SSAValue):
        return f"%{thing.name_hint or '?'}: {thing.type}"
    text = elided(thing) if isinstance(thing, Operation) else str(thing)
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n... {len(text) - LONGEST} more characters"


def display(thing: Operation | Attribute | SSAValue) -> str:
    """Return the HTML of an op, a type, an attribute or a value, with the pictures of an op."""
    pictures: list[str] = []
    if isinstance(thing, Operation):
        pictures = [svg for draw in _pictures() if (svg := draw(thing)) is not None]
    return "\n".join([as_html(shown(thing)), *pictures])


def register(shell: Any) -> None:
    """Register the formatters with a shell of IPython."""
    from relax_dialect.dialect import Relax  # takes time outside of notebooks

    formatters = shell.display_formatter.formatters
    for kind in (Operation, Attribute, SSAValue):
        formatters["text/html"].for_type(kind, display)
    # IPython prefers the `__repr__` of a class to the formatter of its base.
    for kind in (Operation, SSAValue, *Relax.attributes, *Builtin.attributes):
        formatters["text/plain"].for_type(kind, _pretty)


def _pretty(thing: Operation | Attribute | SSAValue, printer: Any, cycle: bool) -> None:
    printer.text(shown(thing))


def install() -> None:
    """Register the formatters if this is a session of IPython."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None:
        register(shell)
