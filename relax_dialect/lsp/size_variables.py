"""The symbolic variables that a text names, with their bindings and uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from relax_dialect.ir.symbol_scopes import candidate_symbols, entry_symbols
from relax_dialect.ir.traits import SymbolsEscape, has_trait
from relax_dialect.ir.type_variables import defined_variables
from relax_dialect.lsp.occurrences import Name, NameKind, OpText, Span

WORDS = frozenset({"floordiv", "ceildiv", "mod", "min", "max", "broadcast"})
"""The words in expressions that are no variables."""


@dataclass(frozen=True)
class _Written:
    """A variable in a text."""

    start: int
    name: str
    is_bare: bool
    """Whether it is all of a size."""
    binder: Span | None
    """The `!relax.func` that binds it, if one does."""


@lru_cache(maxsize=4096)
def written_sizes(text: str) -> tuple[_Written, ...]:
    """Return the variables in a type, in a list of sizes, or in a signature."""
    found: list[_Written] = []
    functions: list[tuple[int, int, set[str]]] = []  # depth, start, names that they bind
    ended: list[tuple[Span, set[str]]] = []
    depth = squares = 0
    before: list[str] = ["", ""]
    prims: list[int] = []
    tokens = _tokens(text)
    for index, (start, kind, token) in enumerate(tokens):
        after = tokens[index + 1][2] if index + 1 < len(tokens) else ""
        if token == "<":
            depth += 1
            if before[1] == "!relax.func":
                functions.append((depth, start, set()))
            if before[1] in ("!relax.prim", "#relax.expr"):
                prims.append(depth)
        elif token == ">" and depth:
            if functions and functions[-1][0] == depth:
                _, opened, bound = functions.pop()
                ended.append(((opened, start), bound))
            if prims and prims[-1] == depth:
                prims.pop()
            depth -= 1
        elif token == "[":
            squares += 1
        elif token == "]":
            squares -= 1
        elif kind is MLIRTokenKind.BARE_IDENT and (squares or prims) and token not in WORDS:
            is_bare = before[1] in ("[", ",", "<") and after in ("]", ",", ">")
            found.append(_Written(start, token, is_bare, None))
            if functions and functions[-1][0] == depth and squares:
                functions[-1][2].add(token)
        before = [before[1], token]
    return tuple(_bound(each, ended) for each in found)


def _bound(written: _Written, functions: Iterable[tuple[Span, set[str]]]) -> _Written:
    spans = [s for s, names in functions if s[0] < written.start < s[1] and written.name in names]
    innermost = max(spans, default=None)
    return _Written(written.start, written.name, written.is_bare, innermost)


def _tokens(text: str) -> list[tuple[int, MLIRTokenKind, str]]:
    lexer = MLIRLexer(Input(text, "<sizes>"))
    found: list[tuple[int, MLIRTokenKind, str]] = []
    while True:
        try:
            token = lexer.lex()
        except ParseError:
            return found
        if token.kind is MLIRTokenKind.EOF:
            return found
        found.append((token.span.start, token.kind, token.text))


def sizes(content: str, ops: Iterable[OpText], sized: Mapping[Span, OpText | None]) -> list[Name]:
    """Return the symbolic variables of a text, from its ops and the spans that may name some."""
    bindings = _bindings(ops)
    own: dict[tuple[int, str], Name] = {}
    seen: set[int] = set()
    for (start, end), text in sorted(sized.items(), key=lambda item: (item[0][0], -item[0][1])):
        for each in written_sizes(content[start:end]):
            at = start + each.start
            if at in seen:
                continue
            seen.add(at)
            span = at, at + len(each.name)
            if each.binder is not None:
                key = start + each.binder[0], each.name
                name = own.setdefault(key, Name(NameKind.SIZE, each.name, owner=text))
                _add(name, span, True)
            elif (name := _meant(each.name, at, text, bindings)) is not None:
                _add(name, span, each.is_bare and name.owner is text)
    found = [name for each in bindings.values() for name in each]
    return [name for name in [*found, *own.values()] if name.places()]


def _add(name: Name, span: Span, binds: bool) -> None:
    """Record an occurrence of a variable; the first that can bind it is the definition."""
    if binds and name.definition is None:
        name.definition = span
    else:
        name.uses.append(span)


def _bindings(ops: Iterable[OpText]) -> dict[str, list[Name]]:
    """Return the possible bindings of each variable."""
    found: dict[str, list[Name]] = {}

    def bind(names: Iterable[str], text: OpText, within: OpText, region: int | None = None) -> None:
        for name in dict.fromkeys(names):
            bound = Name(NameKind.SIZE, name, text, owner=text, within=within, region=region)
            found.setdefault(name, []).append(bound)

    pending = list(reversed(list(ops)))
    while pending:
        text = pending.pop()
        pending += reversed(text.inner)
        if text.parameters and text.name != "relax.closure":
            bind(defined_variables(type for _, type in text.parameters), text, text)
        if text.op is not None:
            bind(entry_symbols(text.op), text, text)
            bind(candidate_symbols(text.op), text, *_escaped(text))
    return found


def _escaped(text: OpText) -> tuple[OpText, int | None]:
    """Return the op in whose region a variable that an op defines is visible, and the region's number."""
    inside, around = text, text.parent
    while around is not None and around.parent is not None:
        if around.op is None or not has_trait(around.op, SymbolsEscape):
            break
        inside, around = around, around.parent
    return (text, None) if around is None else (around, inside.region)


def _meant(
    name: str, at: int, text: OpText | None, bindings: Mapping[str, list[Name]]
) -> Name | None:
    """Resolve a variable at a position: the outermost binding before it, else any visible binding."""
    regions = {} if text is None else text.regions_around()
    known = [b for b in bindings.get(name, ()) if b.is_known(regions)]
    return min(known, key=lambda b: _order(b, at), default=None)


def _order(name: Name, at: int) -> tuple[bool, int]:
    assert name.owner is not None and name.within is not None
    return name.owner.start > at, name.within.start
