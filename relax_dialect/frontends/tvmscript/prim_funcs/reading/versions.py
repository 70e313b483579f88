"""Prim funcs as other versions of TVM write them, brought into the words of one."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Protocol


class ModuleNames(Protocol):
    """A script's names of TVM's modules."""

    names: dict[str, str]


def of_this_version(
    node: ast.FunctionDef, aliases: ModuleNames, is_size: Callable[[str], bool]
) -> None:
    """Rewrite a definition in place, its lines and columns kept.

    `s_tir` and any other name of TIR's modules is `T`; `T.Tensor(...)` and `T.Buffer[shape, dtype]` are
    `T.Buffer(...)`; a parameter `n: m` whose type is a size `m` of the script around it is that size,
    `m: T.int64`; `with T.block([n, m]) as [i, j]` is a block in a loop nest.
    """
    _BlocksOfExtents(aliases).visit(node)
    renamed = {name: "T" for name, module in aliases.names.items() if module == "T"}
    for argument in node.args.args:
        match argument.annotation:
            case ast.Subscript(value=ast.Attribute(attr="Buffer") as callee, slice=index) as old:
                given = index.elts if isinstance(index, ast.Tuple) else [index]
                argument.annotation = ast.copy_location(ast.Call(callee, given, []), old)
            case ast.Name(id=name) as old if is_size(name):
                renamed[name] = argument.arg
                int64 = ast.Attribute(ast.Name("T", ast.Load()), "int64", ast.Load())
                argument.annotation = ast.copy_location(int64, old)
    for each in ast.walk(node):
        match each:
            case ast.Attribute(value=ast.Name(id=module), attr=word) if module in renamed:
                each.attr = _WORDS.get(word, word)
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            each.id = renamed.get(each.id, each.id)


_WORDS = {"Tensor": "Buffer", "function": "prim_func"}


class _BlocksOfExtents(ast.NodeTransformer):
    """Blocks of the first TVMScript, which name their extents and indices, as loops around a block."""

    def __init__(self, aliases: ModuleNames):
        self.modules = {name for name, module in aliases.names.items() if module == "T"}

    def visit_With(self, node: ast.With) -> ast.AST:
        self.generic_visit(node)
        match node.items:
            case [
                ast.withitem(
                    context_expr=ast.Call(
                        func=ast.Attribute(value=ast.Name(id=module), attr="block") as callee,
                        args=[ast.List(elts=extents), *more],
                    ),
                    optional_vars=ast.List(elts=indices) | ast.Tuple(elts=indices),
                )
            ] if module in self.modules and len(extents) == len(indices):
                return self._loops(node, callee, extents, more, indices)
        return node

    def _loops(
        self,
        node: ast.With,
        callee: ast.Attribute,
        extents: list[ast.expr],
        name: list[ast.expr],
        indices: list[ast.expr],
    ) -> ast.AST:
        loops = [f"{ast.unparse(index)}_loop" for index in indices]
        targets = ast.Tuple([ast.Name(loop, ast.Store()) for loop in loops], ast.Store())
        values = ast.List([ast.Name(loop, ast.Load()) for loop in loops], ast.Load())
        module = callee.value
        remapped = ast.Call(
            ast.Attribute(ast.Attribute(module, "axis", ast.Load()), "remap", ast.Load()),
            [ast.Constant("S" * len(indices)), values],
            [],
        )
        bound = ast.Assign([ast.Tuple(indices, ast.Store())], remapped)
        block = ast.With(
            [ast.withitem(ast.Call(callee, name or [ast.Constant("block")], []))],
            [bound, *node.body],
        )
        grid = ast.Call(ast.Attribute(module, "grid", ast.Load()), extents, [])
        nest = ast.For(targets, grid, [block], [])
        for each in ast.walk(nest):
            if isinstance(each, ast.stmt | ast.expr) and not hasattr(each, "lineno"):
                ast.copy_location(each, node)
        return nest
