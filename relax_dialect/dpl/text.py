"""Patterns as text, as error messages and tables show them: `add(relu(*), const(1))`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import SSAValue

from relax_dialect.dpl import patterns
from relax_dialect.dpl.patterns import Pattern
from relax_dialect.ir.types import dims_text

LONGEST = 200
"""Longer texts are cut off."""
DEEPEST = 8


def pattern_text(pattern: Pattern) -> str:
    """The pattern on one line; deep or long ones are cut off with `...`."""
    text = _Writer().text(pattern, DEEPEST)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


class _Writer:
    """Writes so many nodes, and no more."""

    def __init__(self) -> None:
        self.left = LONGEST

    def list(self, items: Iterable[Pattern] | None, depth: int) -> str:
        if items is None:
            return "..."
        texts: list[str] = []
        for item in items:
            texts.append(self.text(item, depth))
            if self.left <= 0:
                break
        return ", ".join(texts)

    def text(self, pattern: Pattern, depth: int) -> str:
        self.left -= 1
        if depth == 0 or self.left < 0:
            return "..."
        depth -= 1

        def inner(p: Pattern) -> str:
            return self.text(p, depth)

        def listed(items: Iterable[Pattern] | None) -> str:
            return self.list(items, depth)

        return _text(pattern, inner, listed)


def _text(
    pattern: Pattern,
    inner: Callable[[Pattern], str],
    listed: Callable[[Iterable[Pattern] | None], str],
) -> str:
    match pattern:
        case patterns.Wildcard():
            return "*"
        case patterns.Literal(value):
            name = value.name_hint if isinstance(value, SSAValue) else value.name
            return f"%{name or '?'}"
        case patterns.Constant(number):
            return "const" if number is None else f"const({number})"
        case patterns.Input():
            return "input"
        case patterns.Var(name, in_dataflow):
            kind = "dfv" if in_dataflow else "var"
            return kind if name is None else f"{kind}({name})"
        case patterns.Op(kind):
            return kind.name.removeprefix("relax.")
        case patterns.Call(callee, args, more):
            rest = (", ..." if args else "...") if more else ""
            return f"{inner(callee)}({listed(args)}{rest})"
        case patterns.HasType(p, wanted):
            return f"{inner(p)}.has_type({wanted})"
        case patterns.HasDtype(p, dtype):
            return f"{inner(p)}.has_dtype({dtype})"
        case patterns.HasShape(p, shape):
            return f"{inner(p)}.has_shape({dims_text(shape)})"
        case patterns.HasAttr(p, name, value):
            return f"{inner(p)}.has_attr({name}, {value})"
        case patterns.SameShapeAs(p, other):
            return f"{inner(p)}.same_shape_as({inner(other)})"
        case patterns.Either(first, second):
            return f"({inner(first)} | {inner(second)})"
        case patterns.Both(first, second):
            return f"({inner(first)} & {inner(second)})"
        case patterns.Not(p):
            return f"~{inner(p)}"
        case patterns.Named(name, p):
            return f"{name}={inner(p)}"
        case patterns.Tuple(fields, ordered):
            return f"tuple({listed(fields)}{'' if ordered else ', in any order'})"
        case patterns.Output(p, index):
            return f"{inner(p)}[{'' if index is None else index}]"
        case patterns.If(condition, then, orelse):
            return f"if({listed((condition, then, orelse))})"
        case patterns.Let(var, value, body):
            return f"let({listed((var, value, *(() if body is None else (body,))))})"
        case patterns.Function(params, body):
            return f"function([{listed(params)}], {inner(body)})"
        case patterns.SymbolCall(ops, name, args, more):
            callee = inner(name) if isinstance(name, Pattern) else "@" + (name or "*")
            rest = (", ..." if args else "...") if more else ""
            return f"{ops[0].removeprefix('relax.')}({callee}, [{listed(args)}{rest}])"
        case patterns.Hole():
            return "_"
        case patterns.Repeat(base, _, wrapped, at_least, at_most):
            most = "" if at_most is None else at_most
            return f"repeat({inner(base)}, {inner(wrapped)}, {at_least}..{most})"
        case patterns.Dominates(parent, path, child):
            return f"dominates({listed((parent, path, child))})"
        case patterns.UsedBy(producer, consumer, _, only):
            return f"({inner(producer)} {'>>' if only else '^'} {inner(consumer)})"
        case patterns.Together(roots):
            return f"together({listed(roots)})"
        case _:
            return type(pattern).__name__


__all__ = ["pattern_text"]
