"""Statements on vectors, as TVM's `VectorizeLoop` leaves them, for one lane after the other."""

from __future__ import annotations

import ast
import copy
import re

from relax_dialect.frontends.tvmscript.prim_funcs.syntax import TirCalls, text
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable

_OF_VECTORS = re.compile(r"([a-z]+\d*)x(\d+)")
"""A type like `float32x4`."""


def lanes_of(names: TirCalls, target: ast.Subscript) -> int | None:
    """Return the number of elements that a store writes at once; None for one."""
    for each in ast.walk(target.slice):
        match each:
            case ast.Slice():
                return _length(each)
            case ast.Call(args=[_, _, lanes]) if names.called(each) in ("Ramp", "ramp"):
                return _positive(lanes)
    return None


def _length(part: ast.Slice) -> int:
    """Return the number of elements of `i:i + 8:2`."""
    ends = [ast.Constant(0) if part.lower is None else part.lower, part.upper]
    step = 1 if part.step is None else _number(part.step)
    (base, first), (other, last) = map(_split, ends)
    if base != other or not step or (last - first) % step or (last - first) // step < 1:
        raise Unreadable(
            part, f"expected a known number of lanes, as in x[i:i + 4], found {text(part)}"
        )
    return (last - first) // step


def _positive(node: ast.expr) -> int:
    found = _number(node)
    if found is None or found < 1:
        raise Unreadable(node, f"expected a known number of lanes, found {text(node)}")
    return found


def _number(node: ast.AST) -> int | None:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
        case ast.Call(args=[inner], keywords=[]):
            return _number(inner)
        case _:
            return None


def _split(node: ast.expr | None) -> tuple[str, int]:
    """Split an index into its text without the constant addend, and that addend."""
    if node is None or (number := _number(node)) is not None:
        return "", 0 if node is None else number  # pyright: ignore
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            added = _number(right)
            if added is not None:
                base, first = _split(left)
                return base, first + (added if isinstance(op, ast.Add) else -added)
    return ast.unparse(node), 0


def lane_of(names: TirCalls, statement: ast.stmt, lane: str) -> ast.stmt:
    """Convert a statement on vectors to one on the elements of the lane that a name denotes."""
    return _Lane(names, lane).visit(copy.deepcopy(statement))


class _Lane(ast.NodeTransformer):
    def __init__(self, names: TirCalls, lane: str):
        self.names, self.lane = names, lane

    def _moved(self, base: ast.expr, step: ast.expr | None, at: ast.expr) -> ast.expr:
        lane: ast.expr = ast.Name(self.lane, ast.Load())
        if step is not None:
            lane = ast.BinOp(lane, ast.Mult(), self.visit(step))
        found = ast.BinOp(self.visit(base), ast.Add(), lane)
        return ast.fix_missing_locations(ast.copy_location(found, at))

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        lower = ast.copy_location(ast.Constant(0), node) if node.lower is None else node.lower
        return self._moved(lower, node.step, node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match self.names.called(node), node.args:
            case "Ramp" | "ramp", [base, step, _]:
                return self._moved(base, step, node)
            case "Broadcast" | "broadcast", [value, _]:
                return self.visit(value)
            case str() as name, _ if isinstance(node.func, ast.Attribute):
                if (found := _OF_VECTORS.fullmatch(name)) is not None:
                    node.func.attr = found[1]
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str) and (found := _OF_VECTORS.fullmatch(node.value)):
            node.value = found[1]
        return node
