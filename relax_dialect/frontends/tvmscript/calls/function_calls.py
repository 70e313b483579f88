"""Calls of functions of the module and of function values; closures."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xdsl.ir import Attribute, SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.frontends.tvmscript.calls.arguments import (
    TYPES,
    Special,
    argument,
    op_made,
    optional,
)
from relax_dialect.frontends.tvmscript.calls.memory import written_memory
from relax_dialect.frontends.tvmscript.calls.outside import call_outside, result_type
from relax_dialect.frontends.tvmscript.calls.prim_func_calls import call_prim, named_function
from relax_dialect.frontends.tvmscript.declared_scalars import as_declared
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_values import Extern, Global
from relax_dialect.ir.types import OBJECT, FuncType
from relax_dialect.ops.calls import CallOp, CallTirOp
from relax_dialect.ops.control import CallClosureOp
from relax_dialect.ops.core import MatchCastOp
from relax_dialect.prim.signature import signature
from relax_dialect.te.emit.scalar_emitter import name_hint


def call_function(reader: Expressions, node: ast.Call, callee: Global | Extern | Value) -> Any:
    """Read a call of a function of the module, of an external function, or of a function value."""
    if isinstance(callee, Extern):
        return call_outside(reader, node, callee)
    for keyword in node.keywords:
        if keyword.arg not in TYPES:
            raise Unreadable(
                keyword.value,
                "expected positional arguments alone, found one by name; pass it by position",
            )
    prim = None if isinstance(callee, Value) else reader.functions[callee.name].prim
    if prim is not None and isinstance(callee, Global):
        count = len(signature(prim).results)
        if (memory := written_memory(reader, node.args, count)) is not None:
            given = node.args[: len(node.args) - count]
            types = [each.type for each in memory if each.type is not None]
            found = call_prim(reader, node, CallTirOp, callee, given, types)
            for each, value in zip(memory, reader.values(node, found)):
                value.value.name_hint = name_hint(each.name)
                each.held = value
            return ()
    operands = [reader.value(a, reader.read(a)).value for a in node.args]
    if isinstance(callee, Value):
        return _value_called(reader, node, callee, operands, pure=False)
    function = reader.functions[callee.name]
    if function.is_prim:
        return call_prim(reader, node, CallTirOp, callee, node.args, None)
    operands += [reader.value(node, each).value for each in callee.captured]
    declared = function.declared(node)
    operands = _scalars(reader, operands, declared.function_type.inputs)
    return reader.made(node, op_made(node, CallOp, declared, operands))


def _value_called(
    reader: Expressions, node: ast.Call, callee: Value, operands: Sequence[SSAValue], *, pure: bool
) -> Any:
    """Read a call of a function value. An object, TVM's type of most closures, is cast to a function type
    if the call has the types of its results."""
    if callee.type == OBJECT and optional(node, -1, *TYPES) is not None:
        type = FuncType([a.type for a in operands], result_type(reader, node), pure=pure)
        callee = reader.made(node, op_made(node, MatchCastOp, callee.value, type))
    if not isinstance(callee.type, FuncType):
        raise Unreadable(
            node, f"expected a function, found a value of type {callee.type}; correct the call"
        )
    operands = _scalars(reader, operands, callee.type.inputs)
    return reader.made(node, op_made(node, CallClosureOp, callee.value, operands))


def _scalars(
    reader: Expressions, operands: Sequence[SSAValue], declared: Iterable[Attribute]
) -> list[SSAValue]:
    """Convert tensors of rank 0 among the operands to the scalars that a function declares."""
    pairs = itertools.zip_longest(operands, list(declared)[: len(operands)])
    return [
        operand if type is None else as_declared(reader.builder, Value(operand), type).value
        for operand, type in pairs
    ]


def _invoke(reader: Expressions, node: ast.Call) -> Any:
    called = argument(node, 0, "closure")
    closure = reader.value(called, reader.read(called))
    operands = [a.value for a in _listed(reader, argument(node, 1, "args"))]
    pure = reader.aliases.resolve(node.func) == ("R", "invoke_pure_closure")
    return _value_called(reader, node, closure, operands, pure=pure)


def _make_closure(reader: Expressions, node: ast.Call) -> Any:
    callee = named_function(reader, argument(node, 0, "func"))
    function = reader.functions[callee.name].declared(node)
    given = _listed(reader, argument(node, 1, "args"))
    return reader.last_arguments_given(node, function, given)


def _listed(reader: Expressions, node: ast.expr) -> list[Value]:
    return reader.values(node, reader.read(node))


CALLS: Mapping[str, Special] = {
    "invoke_closure": _invoke,
    "invoke_pure_closure": _invoke,
    "make_closure": _make_closure,
}
