"""Patterns as text, as error messages and tables show them: `add(relu(*), const(1))`."""

from __future__ import annotations

from collections.abc import Iterable

from relax_dialect.dpl import patterns
from relax_dialect.dpl.patterns import Pattern
from relax_dialect.types import dims_text

LONGEST = 200
"""Longer texts are cut off."""


def pattern_text(pattern: Pattern) -> str:
    """The pattern on one line; deep or long ones are cut off with `...`."""
    text = _text(pattern, 8)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _list(items: Iterable[Pattern] | None, depth: int) -> str:
    return "..." if items is None else ", ".join(_text(item, depth) for item in items)


def _text(pattern: Pattern, depth: int) -> str:
    if depth == 0:
        return "..."
    depth -= 1

    def inner(p: Pattern) -> str:
        return _text(p, depth)

    match pattern:
        case patterns.Wildcard():
            return "*"
        case patterns.Literal(value):
            return f"%{value.name_hint or '?'}"
        case patterns.Constant(number):
            return "const" if number is None else f"const({number})"
        case patterns.Input():
            return "input"
        case patterns.Var(name):
            return "var" if name is None else f"var({name})"
        case patterns.Op(kind):
            return kind.name.removeprefix("relax.")
        case patterns.Call(callee, args, more):
            rest = [", ..." if args else "..."] if more else []
            return f"{inner(callee)}({_list(args, depth)}{''.join(rest)})"
        case patterns.HasType(p, type):
            return f"{inner(p)}.has_type({type})"
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
        case patterns.Tuple(fields):
            return f"tuple({_list(fields, depth)})"
        case patterns.Output(p, index):
            return f"{inner(p)}[{'' if index is None else index}]"
        case patterns.If(condition, then, orelse):
            return f"if({_list((condition, then, orelse), depth)})"
        case patterns.Let(var, value, body):
            return f"let({_list((var, value, *(() if body is None else (body,))), depth)})"
        case patterns.Function(params, body):
            return f"function([{_list(params, depth)}], {inner(body)})"
        case patterns.SymbolCall(ops, name, args):
            callee = inner(name) if isinstance(name, Pattern) else "@" + (name or "*")
            return f"{ops[0].removeprefix('relax.')}({callee}, [{_list(args, depth)}])"
        case patterns.Hole():
            return "_"
        case patterns.Repeat(base, _, wrapped, at_least, at_most):
            most = "" if at_most is None else at_most
            return f"repeat({inner(base)}, {inner(wrapped)}, {at_least}..{most})"
        case patterns.Dominates(parent, path, child):
            return f"dominates({_list((parent, path, child), depth)})"
        case patterns.UsedBy(producer, consumer, _, only):
            return f"({inner(producer)} {'>>' if only else '^'} {inner(consumer)})"
        case patterns.Together(roots):
            return f"together({_list(roots, depth)})"
        case _:
            return type(pattern).__name__


__all__ = ["pattern_text"]
