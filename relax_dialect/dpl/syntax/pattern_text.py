"""Patterns as text, as error messages and tables show them: `add(relu(*), const(1))`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import SSAValue

from relax_dialect.dpl.syntax import nodes
from relax_dialect.dpl.syntax.nodes import Node
from relax_dialect.ir.spelling import dims_text

LONGEST = 200
"""Longer texts are cut off."""
DEEPEST = 8


def pattern_text(pattern: Node) -> str:
    """Return the pattern on one line; deep or long ones are cut off with `...`."""
    text = _PatternWriter().text(pattern, DEEPEST)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


class _PatternWriter:
    """Writes so many nodes, and no more."""

    def __init__(self) -> None:
        self.left = LONGEST

    def list(self, items: Iterable[Node] | None, depth: int) -> str:
        if items is None:
            return "..."
        texts: list[str] = []
        for item in items:
            texts.append(self.text(item, depth))
            if self.left <= 0:
                break
        return ", ".join(texts)

    def text(self, pattern: Node, depth: int) -> str:
        self.left -= 1
        if depth == 0 or self.left < 0:
            return "..."
        depth -= 1

        def inner(p: Node) -> str:
            return self.text(p, depth)

        def listed(items: Iterable[Node] | None) -> str:
            return self.list(items, depth)

        return _text(pattern, inner, listed)


def _text(
    pattern: Node,
    inner: Callable[[Node], str],
    listed: Callable[[Iterable[Node] | None], str],
) -> str:
    match pattern:
        case nodes.WildcardNode():
            return "*"
        case nodes.LiteralNode(value):
            name = value.name_hint if isinstance(value, SSAValue) else value.name
            return f"%{name or '?'}"
        case nodes.ConstantNode(number):
            return "const" if number is None else f"const({number})"
        case nodes.InputNode():
            return "input"
        case nodes.VarNode(name, in_dataflow):
            kind = "dfv" if in_dataflow else "var"
            return kind if name is None else f"{kind}({name})"
        case nodes.OpNode(kind):
            return kind.name.removeprefix("relax.")
        case nodes.CallNode(callee, args, more):
            rest = (", ..." if args else "...") if more else ""
            return f"{inner(callee)}({listed(args)}{rest})"
        case nodes.HasTypeNode(p, wanted):
            return f"{inner(p)}.has_type({wanted})"
        case nodes.HasDtypeNode(p, dtype):
            return f"{inner(p)}.has_dtype({dtype})"
        case nodes.HasShapeNode(p, shape):
            return f"{inner(p)}.has_shape({dims_text(shape)})"
        case nodes.HasAttrNode(p, name, value):
            return f"{inner(p)}.has_attr({name}, {value})"
        case nodes.SameShapeAsNode(p, other):
            return f"{inner(p)}.same_shape_as({inner(other)})"
        case nodes.EitherNode(first) if pattern.SHOWS_FIRST:
            return inner(first)
        case nodes.EitherNode(first, second):
            return f"({inner(first)} | {inner(second)})"
        case nodes.BothNode(first, second):
            return f"({inner(first)} & {inner(second)})"
        case nodes.NotNode(p):
            return f"~{inner(p)}"
        case nodes.NamedNode(name, p):
            return f"{name}={inner(p)}"
        case nodes.TupleNode(fields, ordered):
            return f"tuple({listed(fields)}{'' if ordered else ', in any order'})"
        case nodes.OutputNode(p, index):
            return f"{inner(p)}[{'' if index is None else index}]"
        case nodes.IfNode(condition, then, orelse):
            return f"if({listed((condition, then, orelse))})"
        case nodes.LetNode(var, value, body):
            return f"let({listed((var, value, *(() if body is None else (body,))))})"
        case nodes.FunctionNode(params, body):
            return f"function([{listed(params)}], {inner(body)})"
        case nodes.SymbolCallNode(ops, name, args, more):
            callee = inner(name) if isinstance(name, Node) else "@" + (name or "*")
            rest = (", ..." if args else "...") if more else ""
            return f"{ops[0].removeprefix('relax.')}({callee}, [{listed(args)}{rest}])"
        case nodes.HoleNode():
            return "_"
        case nodes.RepeatNode(base, _, wrapped, at_least, at_most):
            most = "" if at_most is None else at_most
            return f"repeat({inner(base)}, {inner(wrapped)}, {at_least}..{most})"
        case nodes.DominatesNode(parent, path, child):
            return f"dominates({listed((parent, path, child))})"
        case nodes.UsedByNode(producer, consumer, _, only):
            return f"({inner(producer)} {'>>' if only else '^'} {inner(consumer)})"
        case nodes.TogetherNode(roots):
            return f"together({listed(roots)})"
        case _:
            return type(pattern).__name__
