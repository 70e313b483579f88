"""Calls of prim funcs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, ArrayAttr, StringAttr, i1
from xdsl.ir import Attribute, SSAValue

from relax_dialect import symbolic
from relax_dialect.builder.values import Value
from relax_dialect.frontends.tvmscript.attribute_values import attribute_value
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
from relax_dialect.frontends.tvmscript.prim_funcs.kept import PARAMS, kept_names
from relax_dialect.frontends.tvmscript.relax_functions.annotations import fields_of
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script_expressions import Abandoned, Expressions
from relax_dialect.frontends.tvmscript.script_sizes import as_size, said
from relax_dialect.frontends.tvmscript.script_values import Global, Several, Shape
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.calls import CallTirOp, CallTirWithGradOp
from relax_dialect.ops.effects import CallTirInplaceOp
from relax_dialect.ops.shapes import ScalarToTensorOp
from relax_dialect.prim.signature import signature
from relax_dialect.symbolic import Expr


def _call_tir(reader: Expressions, node: ast.Call) -> Any:
    callee = named_function(reader, argument(node, 0, "gvar", "func"))
    prim = reader.functions[callee.name].prim
    if prim is not None and _is_in_place(prim):
        raise Unreadable(
            node,
            f"expected {callee.name} to write its results anew, found that it reads one first, or is "
            "called in place elsewhere; use R.call_tir_inplace",
        )
    return _called(reader, node, CallTirOp)


def _is_in_place(prim: func.FuncOp) -> bool:
    """Returns whether a parameter in TVM is a parameter and a result here."""
    own = signature(prim)
    tensors = [name for name in kept_names(prim) if name not in own.symbols]
    return len(tensors) < len(own.params) + len(own.results)


def _call_tir_inplace(reader: Expressions, node: ast.Call) -> Any:
    callee = named_function(reader, argument(node, 0, "gvar", "func"))
    sizes = reader.functions[callee.name].scalars  # which are no arguments here
    given = integers(reader, argument(node, 2, "inplace_indices"))
    indices = [i - sum(place < i for place in sizes) for i in given]
    return _called(reader, node, CallTirInplaceOp, 3, inplace_indices=indices)


def _call_tir_with_grad(reader: Expressions, node: ast.Call) -> Any:
    kwargs = optional(node, -1, "te_grad_kwargs")
    given = {} if kwargs is None else reader.read(kwargs)
    if not isinstance(given, dict):
        raise Unreadable(node, f"expected te_grad_kwargs as a dict, found {said(given)}; write one")
    named = {k: attribute_value(node, v) for k, v in given.items()} or None
    name = text(reader, argument(node, 3, "te_grad_name"))
    return _called(reader, node, CallTirWithGradOp, te_grad_name=name, te_grad_kwargs=named)


def _called(
    reader: Expressions, node: ast.Call, make: Callable[..., Any], place: int = 2, **attributes: Any
) -> Any:
    callee = named_function(reader, argument(node, 0, "gvar", "func"))
    given = argument(node, 1, "args")
    args = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
    if isinstance(given, ast.Call) and reader.aliases.resolve(given.func) == ("R", "tuple"):
        args = given.args
    sizes = optional(node, -1, "tir_vars")
    types = _result_types(reader, node, argument(node, place, *TYPES))
    return call_prim(reader, node, make, callee, args, types, sizes, **attributes)


def _result_types(reader: Expressions, node: ast.Call, out: ast.expr) -> list[Attribute]:
    """Return the types of the results; the oldest scripts have a shape, and the element type by keyword."""
    dtype = optional(node, -1, "dtype")
    if dtype is not None:
        return [TensorType(reader.types.dims(out), reader.types.dtype(dtype))]
    return [t for each in listed_types(reader, out) for t in fields_of(each)]


def call_prim(
    reader: Expressions,
    node: ast.Call,
    make: Callable[..., Any],
    callee: Global,
    args: Sequence[ast.expr],
    types: Sequence[Attribute] | None,
    sizes: ast.expr | None = None,
    **attributes: Any,
) -> Any:
    """Read a call of a prim func. Sizes that no argument determines are those of the results, or explicit
    arguments if TVM's prim func takes them as numbers."""
    function = reader.functions[callee.name]
    if function.is_prim and function.prim is None:
        raise Abandoned
    if function.prim is None:
        raise Unreadable(
            node, f"expected a prim func, found the Relax function {callee.name}; call it"
        )
    told: list[Any] = [] if sizes is None else list(_sizes_of(reader, sizes))
    operands: list[Any] = []
    numbers: dict[str, Expr] = {}
    scalars = function.scalars
    place = 0
    for arg in args:
        found = reader.read(arg)
        if isinstance(found, Shape):
            told += found.sizes
            continue
        if place in scalars:
            numbers[scalars[place]] = symbolic.as_expr(as_size(arg, found))
        else:
            operands.append(_tensor(reader, arg, reader.value(arg, found)))
        place += 1
    last = [name for at, name in scalars.items() if at >= place]
    for name, size in zip(last, told):
        numbers[name] = symbolic.as_expr(as_size(node, size))
    if told:
        _put_before_results(function.prim, last, place)
    prim = signature(function.prim)
    for result, type in zip(prim.results, types or ()):
        for own, dim in zip(result.shape or (), getattr(type, "shape", None) or ()):
            if own is not None and own.name is not None and dim is not None:
                numbers.setdefault(own.name, dim)
    missing = [name for name in prim.unbound if name not in numbers]
    if missing:
        raise Unreadable(
            node,
            f"expected a size for each of [{', '.join(prim.unbound)}] of {callee.name}, found none for "
            f"{', '.join(missing)}; pass them with the arguments",
        )
    symbols = [numbers[name] for name in prim.unbound]
    op = op_made(node, make, function.prim, operands, symbols=symbols, **attributes)
    found = reader.made(node, op)
    return Several(found) if isinstance(found, tuple) else found


def _tensor(reader: Expressions, node: ast.AST, given: Value) -> SSAValue:
    """An argument; a number that is no size is a tensor of rank 0 for a prim func."""
    if isinstance(given.type, AnyFloat) or given.type == i1:
        given = reader.made(node, ScalarToTensorOp(given.value))
    return given.value


def _put_before_results(prim: func.FuncOp, sizes: Sequence[str], place: int) -> None:
    """Put parameters behind the results, as `tir_vars` had them, where TVM passes numbers now."""
    order = [name for name in kept_names(prim) if name not in sizes]
    if order:
        prim.attributes[PARAMS] = ArrayAttr(
            map(StringAttr, [*order[:place], *sizes, *order[place:]])
        )


def _sizes_of(reader: Expressions, node: ast.expr) -> Sequence[Any]:
    found = reader.read(node)
    return (
        found.sizes if isinstance(found, Shape) else found if isinstance(found, tuple) else (found,)
    )


def named_function(reader: Expressions, node: ast.expr) -> Global:
    """Return the function of the module that an argument names."""
    if isinstance(node, ast.Name) and node.id in reader.functions:
        return Global(node.id)
    found = reader.read(node)
    if isinstance(found, str):
        found = reader.function_named(node, found)
    if not isinstance(found, Global):
        raise Unreadable(
            node, f"expected a function of the module, found {said(found)}; write cls.f"
        )
    return found


CALLS: Mapping[str, Special] = {
    "call_tir": _call_tir,
    "call_tir_inplace": _call_tir_inplace,
    "call_tir_with_grad": _call_tir_with_grad,
}
