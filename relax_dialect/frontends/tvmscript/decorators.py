"""The decorators of modules and functions."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TypeAlias

from relax_dialect.frontends.tvmscript.scope import Aliases
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable

Name: TypeAlias = tuple[str, str]

MODULE: tuple[Name, ...] = (("I", "ir_module"),)
RELAX: tuple[Name, ...] = (("R", "function"),)
PRIM: tuple[Name, ...] = (("T", "prim_func"), ("T", "function"))

FLAGS = frozenset({"private", "pure", "check_well_formed", "s_tir", "is_stir", "persistent"})
"""The boolean flags of decorators."""


def decorator(
    aliases: Aliases, node: ast.ClassDef | ast.FunctionDef, *names: Name
) -> tuple[Name, Mapping[str, bool]]:
    """Return the only decorator of a class or a function, one of these, and its flags."""
    expected = " or ".join(
        f"@{module}.{word}" for module, word in names if (module, word) != PRIM[1]
    )
    found: list[tuple[Name, Mapping[str, bool]]] = []
    for each in node.decorator_list:
        call = each if isinstance(each, ast.Call) else None
        name = aliases.resolve(call.func if call else each)
        if name not in names:
            raise Unreadable(each, f"expected {expected}, found another decorator; remove it")
        found.append((name, {} if call is None else _flags(call)))
    if len(found) != 1:
        kind = "the class" if isinstance(node, ast.ClassDef) else "the function"
        raise Unreadable(
            node,
            f"expected one decorator on {kind} {node.name}, {expected}, found {len(found)}; "
            f"{'leave one' if found else 'write it'}",
        )
    return found[0]


def _flags(call: ast.Call) -> Mapping[str, bool]:
    if call.args:
        raise Unreadable(
            call.args[0], "expected arguments by name, found a positional one; remove it"
        )
    found: dict[str, bool] = {}
    for keyword in call.keywords:
        if keyword.arg not in FLAGS:
            raise Unreadable(
                keyword.value, f"expected private or pure, found '{keyword.arg or '**'}'; remove it"
            )
        match keyword.value:
            case ast.Constant(value=bool() as value):
                found[keyword.arg] = value
            case _:
                raise Unreadable(
                    keyword.value, f"expected {keyword.arg}=True or False, found another value"
                )
    return found
