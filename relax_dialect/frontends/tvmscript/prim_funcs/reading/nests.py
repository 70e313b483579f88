"""Loops of TIR around one block, and its axes, in a script."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from relax_dialect.frontends.tvmscript.prim_funcs.syntax import (
    TirCalls,
    elements,
    keywords,
    statements,
)
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable

LOOPS = ("serial", "parallel", "vectorized", "unroll", "grid", "thread_binding")
IGNORED = ("reads", "writes", "sblock_attr", "block_attr", "func_attr", "attr")


class NotABlock(Exception):
    """A block that is no tensor expression, but needs loops."""


@dataclass
class Axis:
    """An axis of a block: its variable, how it is bound, and its extent."""

    name: str
    kind: str
    extent: ast.expr
    binding: ast.expr


@dataclass
class BlockNest:
    """Loops around one block: `loops` are their variables and extents."""

    loops: list[tuple[str, ast.expr]]
    block: ast.With
    title: str
    axes: list[Axis] = field(default_factory=list)
    annotations: str | None = None
    init: list[ast.stmt] = field(default_factory=list)
    body: list[ast.stmt] = field(default_factory=list)


def loop_of(names: TirCalls, statement: ast.For) -> list[tuple[str, ast.expr]]:
    """Return the variables and extents of a loop that counts from 0."""
    targets = [t.id for t in elements(statement.target) if isinstance(t, ast.Name)]
    call = statement.iter
    called = names.called(call)
    if not isinstance(call, ast.Call) or not (is_range(call) or called in LOOPS):
        raise NotABlock
    if {"start", "stop", "step"} & keywords(call).keys():
        raise NotABlock
    arguments = list(call.args)
    if called != "grid" and len(arguments) == 2:
        first = arguments.pop(0)
        if not (isinstance(first, ast.Constant) and first.value == 0):
            raise NotABlock
    if len(arguments) != len(targets):
        raise NotABlock
    return list(zip(targets, arguments))


def is_range(call: ast.expr) -> bool:
    """Returns whether a call is of Python's `range`."""
    return (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"
    )


def block_title(names: TirCalls, statement: ast.stmt) -> str | None:
    """Return the name of the block that a `with` opens; None for any other statement."""
    match statement:
        case ast.With(items=[ast.withitem(context_expr=ast.Call(args=args) as call)]):
            if names.called(call) not in ("sblock", "block"):
                return None
            match args:
                case [ast.Constant(value=str() as title)]:
                    return title
                case _:
                    return "block"
        case _:
            return None


def axes_of(names: TirCalls, statement: ast.stmt, loops: dict[str, ast.expr]) -> list[Axis] | None:
    """Return the axes that a statement of a block declares; None if it is no such statement."""
    match statement:
        case ast.Assign(targets=[target], value=ast.Call(args=args) as call):
            called = names.called(call)
        case _:
            return None
    if called == "axis.remap":
        match args:
            case [ast.Constant(value=str() as kinds), ast.List(elts=bindings)]:
                targets = elements(target)
                if not len(kinds) == len(bindings) == len(targets):
                    raise Unreadable(statement, "expected one variable and one loop for each axis")
                if not set(kinds) <= set("SR"):
                    raise Unreadable(statement, f"expected axes of kinds S and R, found {kinds!r}")
                found: list[Axis] = []
                for each, kind, binding in zip(targets, kinds, bindings):
                    if not isinstance(each, ast.Name):
                        raise Unreadable(each, "expected the name of an axis")
                    if not isinstance(binding, ast.Name) or binding.id not in loops:
                        raise Unreadable(binding, "expected the variable of a loop")
                    found.append(Axis(each.id, kind, loops[binding.id], binding))
                return found
        raise Unreadable(statement, "expected T.axis.remap of kinds and loops")
    kinds = {"axis.spatial": "S", "axis.reduce": "R", "axis.S": "S", "axis.R": "R",
             "axis.opaque": "O", "axis.scan": "O"}  # fmt: skip
    if called not in kinds or not isinstance(target, ast.Name):
        return None
    if len(args) != 2:
        raise Unreadable(statement, "expected an extent and what the axis is bound to")
    return [Axis(target.id, kinds[called], args[0], args[1])]


def nest_of(names: TirCalls, statement: ast.stmt) -> BlockNest:
    """Return loops and the only block in them."""
    loops: list[tuple[str, ast.expr]] = []
    while isinstance(statement, ast.For):
        loops += loop_of(names, statement)
        inner = list(statements(statement.body))
        if len(inner) != 1:
            raise NotABlock
        (statement,) = inner
    title = block_title(names, statement)
    if title is None or not isinstance(statement, ast.With):
        raise NotABlock
    found = BlockNest(loops, statement, title)
    for each in statements(statement.body):
        if (axes := axes_of(names, each, dict(loops))) is not None:
            found.axes += axes
        elif isinstance(each, ast.Expr) and names.called(each.value) in IGNORED:
            match each.value:
                case ast.Call(args=[said]) if names.called(each.value) in (
                    "sblock_attr",
                    "block_attr",
                ):
                    found.annotations = ast.unparse(said)
        elif isinstance(each, ast.With) and names.called(each.items[0].context_expr) == "init":
            found.init = list(statements(each.body))
        else:
            found.body.append(each)
    return found
