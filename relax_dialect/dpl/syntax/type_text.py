"""Types in patterns and templates, written as text."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from relax_dialect.dialect import Relax
from relax_dialect.dpl.errors import PatternError
from relax_dialect.errors import RelaxError


def read_type(text: str, what: str = "has_type") -> Attribute:
    """Parse a type; `what` is the calling function."""
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(Relax)
    parser = Parser(context, text)
    try:
        found = parser.parse_type()
    except (ParseError, RelaxError) as error:
        reason = [line.strip() for line in str(error).splitlines() if line.strip()][-1]
        raise PatternError(f"{what}: expected a type, found {text!r}: {reason}") from None
    if rest := text[parser.pos :].strip():
        raise PatternError(f"{what}: expected one type, found {text!r}; take {rest!r} away")
    return found
