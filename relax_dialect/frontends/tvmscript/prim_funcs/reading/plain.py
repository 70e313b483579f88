"""Short forms of TVM's scripts, written out."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from relax_dialect.frontends.tvmscript.prim_funcs.syntax import TirCalls, elements, keywords

SCALARS = ("local_scalar", "shared_scalar", "alloc_scalar")
"""The functions of T that declare a variable by its type."""
NUMBERS = ("float", "bfloat", "bool")
"""Prefixes of the types of parameters that are numbers, not sizes."""
_SHAPED = (
    "Buffer",
    "match_buffer",
    "sblock_alloc_buffer",
    "alloc_buffer",
    "alloc_local",
    "alloc_shared",
)


def write_out(names: TirCalls, function: ast.FunctionDef) -> None:
    """Rewrite a definition in place: `a, b = x, y` as two statements, `x = v` as `x[0] = v` where `x`
    is a buffer of one element, and numbers that are no sizes as buffers of rank 0."""
    _numbers_as_buffers(names, function)
    single = {
        each.arg
        for each in function.args.args
        if each.annotation is not None and _has_one_element(names, each.annotation)
    }
    for parent in ast.walk(function):
        for body in (getattr(parent, field, None) for field in ("body", "orelse")):
            if isinstance(body, list):
                body[:] = [part for each in body for part in _written_out(names, each, single)]


def _numbers_as_buffers(names: TirCalls, function: ast.FunctionDef) -> None:
    """Declare `x: T.float32` as `x: T.Buffer((), "float32")`, and read it as `x[()]`."""
    numbers = set[str]()
    for each in function.args.args:
        dtype = None if each.annotation is None else names.of(each.annotation)
        if dtype is not None and dtype.startswith(NUMBERS):
            buffer = ast.parse(f"{names.alias}.Buffer((), {dtype!r})", mode="eval").body
            each.annotation = _placed(buffer, each)
            numbers.add(each.arg)
    if numbers:
        function.body = [_Elements(numbers).visit(each) for each in function.body]


class _Elements(ast.NodeTransformer):
    """Reads of names as reads of the elements of buffers of rank 0."""

    def __init__(self, buffers: set[str]):
        self.buffers = buffers

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.buffers or not isinstance(node.ctx, ast.Load):
            return node
        return _placed(ast.Subscript(node, ast.Tuple([], ast.Load()), ast.Load()), node)


def _placed(made: ast.expr, node: ast.AST) -> ast.expr:
    """Rewritten code, with the location of the original."""
    for each in ast.walk(made):
        ast.copy_location(each, node)
    return made


def _written_out(names: TirCalls, statement: ast.stmt, single: set[str]) -> Iterator[ast.stmt]:
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
            targets
        ) == len(values) and _are_apart(targets, values):
            for target, value in zip(targets, values):
                one = ast.copy_location(ast.Assign([target], value), statement)
                yield from _written_out(names, one, single)
            return
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if (
            names.called(call) in _SHAPED
        ):
            (single.add if _has_one_element(names, call) else single.discard)(name)
        case ast.Assign(targets=[ast.Name(id=name) as target]) if name in single:
            statement.targets = [_first(target)]
    yield statement


def _first(name: ast.Name) -> ast.Subscript:
    buffer = ast.copy_location(ast.Name(name.id, ast.Load()), name)
    at = ast.copy_location(ast.Constant(0), name)
    return ast.copy_location(ast.Subscript(buffer, at, ast.Store()), name)


def _are_apart(targets: list[ast.expr], values: list[ast.expr]) -> bool:
    """Returns whether no value uses another target, so that the targets may be assigned one by one."""
    given = {each.id for each in targets if isinstance(each, ast.Name)}
    used = {part.id for each in values for part in ast.walk(each) if isinstance(part, ast.Name)}
    return len(given) == len(targets) and not given & used


def _has_one_element(names: TirCalls, call: ast.expr) -> bool:
    """Returns whether a call declares a buffer of shape `(1,)`."""
    match call:
        case ast.Call(args=args) if names.called(call) in _SHAPED:
            at = 1 if names.called(call) == "match_buffer" else 0
            shape = keywords(call).get("shape", args[at] if len(args) > at else None)
        case _:
            return False
    match [] if shape is None else elements(shape):
        case [ast.Constant(value=1) | ast.Call(args=[ast.Constant(value=1)], keywords=[])]:
            return True
        case _:
            return False
