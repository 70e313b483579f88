"""The parameters of a Relax function with their types, and its result."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import TupleType, i64
from xdsl.ir import Attribute

from relax_dialect.builder.values import Value
from relax_dialect.frontends.tvmscript.declared import Declared
from relax_dialect.frontends.tvmscript.declared_scalars import as_declared
from relax_dialect.frontends.tvmscript.relax_functions.annotations import declares_variable
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Expressions
from relax_dialect.frontends.tvmscript.script_sizes import variable
from relax_dialect.ir.lattice import contradict, is_subtype
from relax_dialect.ir.type_variables import (
    bare_variables,
    defined_variables,
    free_variables,
    substitute,
)
from relax_dialect.ir.types import PrimType, TensorType, tuple_type
from relax_dialect.ops.core import MatchCastOp
from relax_dialect.symbolic import const

RESULT = ("func_ret_ty", "func_ret_type", "func_ret_struct_info")
"""Statements that tell the type of the result, as it stands after `->`."""
PADDED = "vision.all_class_non_max_suppression"
"""The operator whose rows TVM trims when it is legalised: its declared type has all that there can be."""


def read_signature(reader: Expressions, function: Declared) -> None:
    """Read the parameters of a function of the module, and the type of its result if it is written."""
    node = function.node
    for name in function.type_variables:
        reader.scope.names[name] = variable(name)
    function.params = parameters(reader, node)
    returns = node.returns or _told_result(reader, node)
    if returns is not None:
        result = reader.types.read(returns)
        unknown = [v for v in free_variables(result) if v not in reader.defined]
        if any(reader.is_call(each, PADDED) for each in ast.walk(node)):
            result = _without_rows(result)
        function.result = substitute(result, dict.fromkeys(unknown))


def _without_rows(type: Attribute) -> Attribute:
    """A type in which tables of selected boxes have any number of rows."""
    match type:
        case TupleType():
            return tuple_type(map(_without_rows, type.types))
        case TensorType(shape=(_, columns), dtype=dtype) if dtype == i64 and columns == const(3):
            return TensorType([None, 3], i64)
        case _:
            return type


def _told_result(reader: Expressions, node: ast.FunctionDef) -> ast.expr | None:
    for statement in node.body:
        match statement:
            case ast.Expr(value=ast.Call(func=callee, args=[told])):
                module, word = reader.aliases.resolve(callee) or ("", "")
                if module == "R" and word in RESULT:
                    return told
    return None


def parameters(reader: Expressions, node: ast.FunctionDef) -> dict[str, Attribute]:
    """Return the parameters of a function with their types; a number whose name is a size elsewhere in the
    function has a known value."""
    args = node.args
    if args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs or args.defaults:
        raise Unreadable(
            node, "expected parameters with types alone, found others; write name: type"
        )
    for target, value in _bindings(
        node.body
    ):  # `n = T.int64()` in the body is for the parameters too
        reader.binding = target.id
        if (found := declares_variable(value, reader)) is not None:
            reader.scope.names[target.id] = found
    _bind_numbers(reader, node)
    declared: dict[str, Attribute] = {}
    for arg in args.args:
        if arg.arg in declared:
            raise Unreadable(
                arg, f"expected each parameter once, found a second '{arg.arg}'; rename it"
            )
        if arg.annotation is None:
            raise Unreadable(
                arg,
                f"expected a type after '{arg.arg}', found none; write {arg.arg}: R.Tensor(...)",
            )
        type = reader.types.read(arg.annotation)
        number = reader.scope.names.get(arg.arg) if type == i64 else None
        declared[arg.arg] = type if number is None else PrimType(number)
        reader.defined.update(bare_variables(declared[arg.arg]))
    reader.defined.update(defined_variables(declared.values()))
    return declared


def _bind_numbers(reader: Expressions, node: ast.FunctionDef) -> None:
    """Bind integer parameters to sizes if their names occur in sizes."""
    sizes: set[str] | None = None
    for arg in node.args.args:
        name = None if arg.annotation is None else reader.aliases.resolve(_callee(arg.annotation))
        if name in (("T", "int64"), ("R", "Prim")) and arg.annotation is not None:
            sizes = _names_in_sizes(node, reader) if sizes is None else sizes
            if arg.arg in sizes and reader.types.read(arg.annotation) == i64:
                reader.scope.names[arg.arg] = reader.variable(arg.arg)


def _callee(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _bindings(statements: Sequence[ast.stmt]) -> Iterator[tuple[ast.Name, ast.expr]]:
    """Yield the bound names with their values."""
    for statement in statements:
        if not isinstance(statement, ast.Assign):
            continue
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts))
        else:
            pairs = [(target, value)]
        yield from ((name, value) for name, value in pairs if isinstance(name, ast.Name))


def _names_in_sizes(node: ast.FunctionDef, reader: Expressions) -> set[str]:
    """Return the names that occur in arithmetic, in texts, or in shapes."""
    found: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.BinOp | ast.Tuple | ast.List):
            parts = each.elts if isinstance(each, ast.Tuple | ast.List) else (each.left, each.right)
            found.update(p.id for p in parts if isinstance(p, ast.Name))
        elif isinstance(each, ast.Call) and (reader.aliases.resolve(each.func) or "R")[0] == "T":
            found.update(a.id for a in each.args if isinstance(a, ast.Name))
        elif (
            isinstance(each, ast.Constant) and isinstance(each.value, str) and len(each.value) < 200
        ):
            words = each.value.replace("(", " ").replace(")", " ").split()
            found.update(word for word in words if word.isidentifier())
    return found


def fitted(reader: Expressions, node: ast.AST, value: Value, declared: Attribute) -> Value:
    """Cast the result of a function to its declared type."""
    unknown = [v for v in free_variables(declared) if v not in reader.defined]
    wanted = substitute(declared, dict.fromkeys(unknown))
    value = as_declared(reader.builder, value, wanted)
    if is_subtype(value.type, wanted):
        return value
    if contradict(value.type, wanted):
        raise Unreadable(
            node,
            f"expected a result of the declared type {wanted}, found {value.type}; correct one of them",
        )
    return reader.builder.emit(MatchCastOp(value.value, wanted))
