"""Local functions that call themselves: they become functions of the module."""

from __future__ import annotations

import ast

from relax_dialect.builder.values import Value
from relax_dialect.frontends.tvmscript.declared import Declared
from relax_dialect.frontends.tvmscript.relax_functions.function_signatures import read_signature
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_values import Global, Several
from relax_dialect.ir.type_variables import bare_variables
from relax_dialect.symbolic import Expr


def lifted(reader: Expressions, node: ast.FunctionDef) -> tuple[Declared, Expressions]:
    """Declare a local function in the module, with the reader of its body. Values that it captures from the
    enclosing function are passed as trailing arguments."""
    inner = reader.beside()
    own = {arg.arg for arg in node.args.args}
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    own |= {each.id for each in names if isinstance(each.ctx, ast.Store)}
    captured: dict[str, Value] = {}
    for name in dict.fromkeys(each.id for each in names if each.id not in own):
        try:
            found = reader.scope.find(name)
        except KeyError:
            continue
        if isinstance(found, Value | Several):
            captured[name] = reader.value(node, found)
        elif isinstance(found, Expr):
            inner.scope.names[name] = found
    name = reader.free_function_name(node.name)
    declared = Declared(node, True, _is_pure(node), name, tuple(captured))
    read_signature(inner, declared)
    for each, value in captured.items():
        declared.params[each] = value.type
        inner.defined.update(bare_variables(value.type))
    reader.functions[name] = declared
    reader.scope.names[node.name] = Global(name, tuple(captured.values()))
    return declared, inner


def _is_pure(node: ast.FunctionDef) -> bool:
    """Returns whether no decorator has `pure=False`."""
    calls = (each for each in node.decorator_list if isinstance(each, ast.Call))
    named = (keyword for call in calls for keyword in call.keywords if keyword.arg == "pure")
    return not any(isinstance(k.value, ast.Constant) and k.value.value is False for k in named)


def calls_itself(node: ast.FunctionDef) -> bool:
    """Returns whether a function names itself."""
    return any(isinstance(each, ast.Name) and each.id == node.name for each in ast.walk(node))
