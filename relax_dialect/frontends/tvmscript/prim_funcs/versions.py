"""Prim funcs as other versions of TVM write them, brought into the words of one."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Protocol


class Aliases(Protocol):
    """What a script calls TVM's modules."""

    names: dict[str, str]


def of_this_version(
    node: ast.FunctionDef, aliases: Aliases, is_size: Callable[[str], bool]
) -> None:
    """Rewrite a definition in place, its lines and columns kept.

    `s_tir` and any other name of TIR's modules is `T`; `T.Tensor(...)` and `T.Buffer[shape, dtype]` are
    `T.Buffer(...)`; a parameter `n: m` whose type is a size `m` of the script around it is that size,
    `m: T.int64`.
    """
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
