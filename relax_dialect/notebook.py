"""Display in notebooks: modules, ops, values and types as coloured MLIR, by formatters that IPython holds.

    import relax_dialect                     # in a notebook: registers the formatters
    %load_ext relax_dialect.notebook         # the same, if relax_dialect was imported before IPython began

No class is changed: outside of IPython everything prints as before.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from xdsl.ir import Attribute, Block, Operation, SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.parsing import deep_recursion

LONGEST = 200_000
"""The number of characters of a text that is shown: a browser takes no more without delay."""

COLOURS = {
    "comment": "#6a737d",
    "string": "#22863a",
    "value": "#24292e",
    "symbol": "#6f42c1",
    "type": "#005cc5",
    "number": "#b31d28",
    "op": "#d73a49",
}
"""The colour of each kind of token."""

_TOKENS = re.compile(
    r"(?P<comment>//[^\n]*)"
    r'|(?P<string>"(?:\\.|[^"\\\n])*")'
    r"|(?P<value>%[\w$.#-]+)"
    r"|(?P<symbol>@[\w$.-]+|\^\w+|#[\w.]+)"
    r"|(?P<type>![\w.]+|\b(?:tensor|memref|vector|tuple|index|bf16|[us]?i\d+|f\d+)\b)"
    r"|(?P<op>\b[a-z_]\w*(?:\.\w+)+)"
    r"|(?P<number>(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)"
)

SHOWN: tuple[type, ...] = (Operation, Block, SSAValue, Attribute, Value)


def text(shown: Any) -> str:
    """Return a module, op, block or type as MLIR, a value with its type; a long text is cut."""
    if isinstance(shown, Value):
        shown = shown.value
    if isinstance(shown, SSAValue):
        return f"%{shown.name_hint or '_'} : {shown.type}"
    with deep_recursion():
        found = str(shown)
    if len(found) <= LONGEST:
        return found
    return f"{found[:LONGEST]}\n// {len(found) - LONGEST} more characters; print(...) shows them"


def html(shown: Any) -> str:
    """Return the same in colours."""

    def coloured(token: re.Match[str]) -> str:
        assert token.lastgroup is not None
        return f'<span style="color:{COLOURS[token.lastgroup]}">{escape(token[0])}</span>'

    pieces: list[str] = []
    source, at = text(shown), 0
    for token in _TOKENS.finditer(source):
        pieces += [escape(source[at : token.start()]), coloured(token)]
        at = token.end()
    return f"<pre>{''.join(pieces)}{escape(source[at:])}</pre>"


def _pretty(shown: Any, printer: Any, cycle: bool) -> None:
    printer.text(text(shown))


def load_ipython_extension(shell: Any) -> None:
    """Register the formatters with IPython."""
    formatters = shell.display_formatter.formatters
    for kind in SHOWN:
        formatters["text/plain"].for_type(kind, _pretty)
        formatters["text/html"].for_type(kind, html)
