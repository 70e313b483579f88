"""Calls of functions from outside."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from xdsl.ir import Attribute

from relax_dialect.frontends.tvmscript.calls.arguments import (
    TYPES,
    Special,
    argument,
    integers,
    listed_types,
    op_made,
    optional,
    text,
)
from relax_dialect.frontends.tvmscript.relax_functions.annotations import fields_of
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_sizes import said
from relax_dialect.frontends.tvmscript.script_values import Extern, ScriptScalar, Several
from relax_dialect.ir.type_variables import free_variables, substitute
from relax_dialect.ir.types import OBJECT, FuncType, tuple_type
from relax_dialect.ops.calls import CallPackedOp
from relax_dialect.ops.effects import (
    CallDpsPackedOp,
    CallInplacePackedOp,
    CallPurePackedOp,
)


def result_type(reader: Expressions, node: ast.Call, place: int = -1) -> Attribute:
    """Return the type that a call declares for its result; the default is an object."""
    found = optional(node, place, *TYPES)
    if found is None:
        return OBJECT
    types = listed_types(reader, found)
    return types[0] if len(types) == 1 else tuple_type(types)


def _passed(reader: Expressions, node: ast.expr) -> Any:
    """Return an argument of an external function: a value, or a literal."""
    found = reader.read(node)
    if isinstance(found, ScriptScalar):
        return found.attribute
    if isinstance(found, bool | int | float | str | Attribute):
        return found
    return reader.value(node, found).value


def _extern(reader: Expressions, node: ast.expr) -> Extern:
    """Return the external function that an argument names, by a string or an `R.ExternFunc`."""
    found = reader.read(node)
    if isinstance(found, str):
        return Extern(found)
    if not isinstance(found, Extern):
        raise Unreadable(
            node, f"expected the name of a function, found {said(found)}; write a text"
        )
    return found


def _packed(make: Callable[..., Any]) -> Special:
    """Reads a call by the function's name, its arguments, and the type of its result."""

    def read(reader: Expressions, node: ast.Call) -> Any:
        callee = _extern(reader, argument(node, 0, "func"))
        _only_types(node)
        args = [_passed(reader, a) for a in node.args[1:]]
        result = result_type(reader, node)
        return reader.made(node, op_made(node, make, callee.name, args, result))

    return read


def _only_types(node: ast.Call) -> None:
    for keyword in node.keywords:
        if keyword.arg not in TYPES:
            raise Unreadable(
                keyword.value,
                f"expected ty_args alone by name, found '{keyword.arg}'; leave it out",
            )


def call_outside(reader: Expressions, node: ast.Call, callee: Extern) -> Any:
    """Read a call of an external function by its name in the script, `cls.f(x)`: of its declared type, else
    an impure call of unknown result."""
    _only_types(node)
    args = [_passed(reader, a) for a in node.args]
    make, result = CallPackedOp, result_type(reader, node)
    if isinstance(callee.type, FuncType):
        if len(args) != len(callee.type.inputs):
            raise Unreadable(
                node,
                f"expected {len(callee.type.inputs)} arguments as {callee.name} is declared with, found "
                f"{len(args)}; correct the call",
            )
        make = CallPurePackedOp if callee.type.is_pure else CallPackedOp
        unknown = dict.fromkeys(free_variables(callee.type.output))
        result = substitute(callee.type.output, unknown)
    return reader.made(node, op_made(node, make, callee.name, args, result))


def _extern_func(reader: Expressions, node: ast.Call) -> Extern:
    name = text(reader, argument(node, 0, "global_symbol"))
    type = optional(node, 1, "ty", "struct_info")
    return Extern(name, None if type is None else reader.types.read(type))


def _call_dps_packed(reader: Expressions, node: ast.Call) -> Any:
    name = _extern(reader, argument(node, 0, "func")).name
    given = argument(node, 1, "args")
    args = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
    listed = listed_types(reader, argument(node, 2, *TYPES))
    types = fields_of(listed[0]) if len(listed) == 1 else listed
    passed = [_passed(reader, a) for a in args]
    found = reader.made(node, op_made(node, CallDpsPackedOp, name, passed, types))
    return Several(found) if isinstance(found, tuple) else found


def _call_inplace_packed(reader: Expressions, node: ast.Call) -> Any:
    name = _extern(reader, argument(node, 0, "func")).name
    indices = integers(reader, argument(node, -1, "inplace_indices"))
    types = listed_types(reader, argument(node, -1, *TYPES))
    args = [_passed(reader, a) for a in node.args[1:]]
    written = [args[i] for i in indices if 0 <= i < len(args)]
    if len(types) == 1 and all(getattr(each, "type", None) == OBJECT for each in written):
        # an object that is changed in place: TVM uses the call's result instead of it
        return reader.made(node, op_made(node, CallPurePackedOp, name, args, types[0]))
    found = reader.made(node, op_made(node, CallInplacePackedOp, name, args, indices, types))
    return Several(found) if isinstance(found, tuple) else found


CALLS: Mapping[str, Special] = {
    "ExternFunc": _extern_func,
    "call_packed": _packed(CallPackedOp),
    "call_pure_packed": _packed(CallPurePackedOp),
    "invoke_pure_packed": _packed(CallPurePackedOp),
    "call_dps_packed": _call_dps_packed,
    "call_inplace_packed": _call_inplace_packed,
}
