"""Calls of `R.` that are no operators: of functions, of prim funcs, of functions from outside, and makers
of constants, shapes and tuples."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.builder.constants import const
from relax_dialect.builder.values import Value
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.annotations import fields_of
from relax_dialect.frontends.tvmscript.expressions import Abandoned, Expressions, attribute_value
from relax_dialect.frontends.tvmscript.operator_calls import call_operator
from relax_dialect.frontends.tvmscript.prim_funcs.kept import kept_names
from relax_dialect.frontends.tvmscript.sizes import as_size, said
from relax_dialect.frontends.tvmscript.source import Unreadable
from relax_dialect.frontends.tvmscript.values import Global, Scalar, Several, Shape
from relax_dialect.interpret.values import numpy_dtype
from relax_dialect.ir.types import OBJECT, tuple_type
from relax_dialect.ops.calls import CallOp, CallPackedOp, CallTirOp, CallTirWithGradOp
from relax_dialect.ops.control import CallClosureOp, MakeClosureOp
from relax_dialect.ops.core import MatchCastOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.effects import (
    AssertOp,
    CallDpsPackedOp,
    CallInplacePackedOp,
    CallPurePackedOp,
    CallTirInplaceOp,
    PrintOp,
)
from relax_dialect.ops.number_operands import BOOL
from relax_dialect.prim.signature import signature
from relax_dialect.symbolic import Expr

Special = Callable[[Expressions, ast.Call], Any]
_SPECIAL: dict[str, Special] = {}
TYPES = ("out_ty", "out_sinfo", "ty_args", "sinfo_args")
"""What TVM calls the types of a call's results, now and before 0.27."""


def call_of(reader: Expressions, node: ast.Call, word: str) -> Any:
    """What `R.word(...)` gives."""
    special = _SPECIAL.get(word)
    return call_operator(reader, node, word) if special is None else special(reader, node)


def special(*names: str) -> Callable[[Special], Special]:
    def note(function: Special) -> Special:
        _SPECIAL.update(dict.fromkeys(names, function))
        return function

    return note


def argument(node: ast.Call, place: int, *names: str) -> ast.expr:
    """An argument by its place or one of its names."""
    found = optional(node, place, *names)
    if found is None:
        raise Unreadable(node, f"expected the argument '{names[0]}', found none; write it")
    return found


def optional(node: ast.Call, place: int, *names: str) -> ast.expr | None:
    """The same, None where it is left out."""
    for keyword in node.keywords:
        if keyword.arg in names:
            return keyword.value
    return node.args[place] if 0 <= place < len(node.args) else None


# Functions ------------------------------------------------------------------------------------


def call_function(reader: Expressions, node: ast.Call, callee: Global | Value) -> Any:
    """A call of a function of the module, or of a function value."""
    args = [reader.value(a, reader.read(a)) for a in node.args]
    operands = [a.value for a in args]
    if isinstance(callee, Value):
        return reader.made(node, _op(node, CallClosureOp, callee.value, operands))
    function = reader.functions[callee.name]
    if function.is_prim:
        return call_prim(reader, node, CallTirOp, callee, node.args, None)
    return reader.made(node, _op(node, CallOp, function.declared(node), operands))


def _op(node: ast.AST, make: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """An op, its errors at a place of the text."""
    try:
        return make(*arguments, **named)
    except RelaxError as error:
        raise Unreadable(node, str(error)) from None


@special("invoke_closure", "invoke_pure_closure")
def _invoke(reader: Expressions, node: ast.Call) -> Any:
    closure = reader.value(node.args[0], reader.read(argument(node, 0, "closure")))
    operands = [a.value for a in values(reader, argument(node, 1, "args"))]
    return reader.made(node, _op(node, CallClosureOp, closure.value, operands))


@special("make_closure")
def _make_closure(reader: Expressions, node: ast.Call) -> Any:
    callee = _global(reader, argument(node, 0, "func"))
    function = reader.functions[callee.name].declared(node)
    operands = [a.value for a in values(reader, argument(node, 1, "args"))]
    pure = reader.functions[callee.name].pure
    return reader.made(node, _op(node, MakeClosureOp, function, operands, pure=pure))


def _global(reader: Expressions, node: ast.expr) -> Global:
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


# Prim funcs -----------------------------------------------------------------------------------


@special("call_tir")
def _call_tir(reader: Expressions, node: ast.Call) -> Any:
    callee = _global(reader, argument(node, 0, "gvar", "func"))
    prim = reader.functions[callee.name].prim
    if prim is not None and _is_in_place(prim):
        raise Unreadable(
            node,
            f"expected {callee.name} to write its results anew, found that it reads one first, or is "
            "called in place elsewhere; use R.call_tir_inplace",
        )
    return _called(reader, node, CallTirOp)


def _is_in_place(prim: func.FuncOp) -> bool:
    """Whether a parameter in TVM is a parameter and a result here."""
    own = signature(prim)
    tensors = [name for name in kept_names(prim) if name not in own.symbols]
    return len(tensors) < len(own.params) + len(own.results)


@special("call_tir_inplace")
def _call_tir_inplace(reader: Expressions, node: ast.Call) -> Any:
    indices = reader.read(argument(node, 2, "inplace_indices"))
    indices = [indices] if isinstance(indices, int) else list(indices)
    return _called(reader, node, CallTirInplaceOp, 3, inplace_indices=indices)


@special("call_tir_with_grad")
def _call_tir_with_grad(reader: Expressions, node: ast.Call) -> Any:
    kwargs = optional(node, -1, "te_grad_kwargs")
    given = {} if kwargs is None else reader.read(kwargs)
    named = {k: attribute_value(node, v) for k, v in given.items()} or None
    name = reader.read(argument(node, 3, "te_grad_name"))
    return _called(reader, node, CallTirWithGradOp, te_grad_name=name, te_grad_kwargs=named)


def _called(
    reader: Expressions, node: ast.Call, make: Callable[..., Any], place: int = 2, **attributes: Any
) -> Any:
    callee = _global(reader, argument(node, 0, "gvar", "func"))
    given = argument(node, 1, "args")
    args = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
    if isinstance(given, ast.Call) and reader.aliases.resolve(given.func) == ("R", "tuple"):
        args = given.args
    sizes = optional(node, -1, "tir_vars")
    out = argument(node, place, *TYPES)
    types = [t for each in listed_types(reader, out) for t in fields_of(each)]
    return call_prim(reader, node, make, callee, args, types, sizes, **attributes)


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
    """A call of a prim func: the sizes that no argument tells are those of the results, or are given
    among the arguments where TVM's prim func takes them as numbers."""
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
            operands.append(reader.value(arg, found).value)
        place += 1
    for name, size in zip([name for at, name in scalars.items() if at >= place], told):
        numbers[name] = symbolic.as_expr(as_size(node, size))
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
    op = _op(node, make, function.prim, operands, symbols=symbols, **attributes)
    found = reader.made(node, op)
    return Several(found) if isinstance(found, tuple) else found


def _sizes_of(reader: Expressions, node: ast.expr) -> Sequence[Any]:
    found = reader.read(node)
    return (
        found.sizes if isinstance(found, Shape) else found if isinstance(found, tuple) else (found,)
    )


def listed_types(reader: Expressions, node: ast.expr) -> list[Attribute]:
    """One type or a list of them."""
    if isinstance(node, ast.Tuple | ast.List):
        return [reader.types.read(each) for each in node.elts]
    return [reader.types.read(node)]


def values(reader: Expressions, node: ast.expr) -> list[Value]:
    """The values of a tuple of arguments; one alone is one."""
    found = reader.read(node)
    if isinstance(found, Several):
        return list(found.parts)
    if isinstance(found, tuple):
        return [reader.value(node, each) for each in found]
    return [reader.value(node, found)]


# Functions from outside -----------------------------------------------------------------------


def _result_type(reader: Expressions, node: ast.Call, place: int = -1) -> Attribute:
    found = optional(node, place, *TYPES)
    if found is None:
        return OBJECT
    types = listed_types(reader, found)
    return types[0] if len(types) == 1 else tuple_type(types)


def _passed(reader: Expressions, node: ast.expr) -> Any:
    """An argument of a function from outside: a value, or a literal."""
    found = reader.read(node)
    if isinstance(found, Scalar):
        return found.attribute
    if isinstance(found, bool | int | float | str | Attribute):
        return found
    return reader.value(node, found).value


@special("call_packed")
def _call_packed(reader: Expressions, node: ast.Call) -> Any:
    return _packed(reader, node, CallPackedOp)


@special("call_pure_packed")
def _call_pure_packed(reader: Expressions, node: ast.Call) -> Any:
    return _packed(reader, node, CallPurePackedOp)


def _name(reader: Expressions, node: ast.expr) -> str:
    found = reader.read(node)
    if not isinstance(found, str):
        raise Unreadable(
            node, f"expected the name of a function, found {said(found)}; write a text"
        )
    return found


def _packed(reader: Expressions, node: ast.Call, make: Callable[..., Any]) -> Any:
    name = _name(reader, argument(node, 0, "func"))
    args = [_passed(reader, a) for a in node.args[1:]]
    for keyword in node.keywords:
        if keyword.arg not in TYPES:
            raise Unreadable(
                keyword.value,
                f"expected ty_args alone by name, found '{keyword.arg}'; leave it out",
            )
    return reader.made(node, _op(node, make, name, args, _result_type(reader, node)))


@special("invoke_pure_packed")
def _invoke_pure_packed(reader: Expressions, node: ast.Call) -> Any:
    return _packed(reader, node, CallPurePackedOp)


@special("call_dps_packed")
def _call_dps_packed(reader: Expressions, node: ast.Call) -> Any:
    name = _name(reader, argument(node, 0, "func"))
    given = argument(node, 1, "args")
    args = given.elts if isinstance(given, ast.Tuple | ast.List) else [given]
    types = [t for each in listed_types(reader, argument(node, 2, *TYPES)) for t in fields_of(each)]
    passed = [_passed(reader, a) for a in args]
    found = reader.made(node, _op(node, CallDpsPackedOp, name, passed, types))
    return Several(found) if isinstance(found, tuple) else found


@special("call_inplace_packed")
def _call_inplace_packed(reader: Expressions, node: ast.Call) -> Any:
    name = _name(reader, argument(node, 0, "func"))
    indices = reader.read(argument(node, -1, "inplace_indices"))
    indices = [indices] if isinstance(indices, int) else list(indices)
    types = listed_types(reader, argument(node, -1, *TYPES))
    args = [_passed(reader, a) for a in node.args[1:]]
    found = reader.made(node, _op(node, CallInplacePackedOp, name, args, indices, types))
    return Several(found) if isinstance(found, tuple) else found


# Checks and effects ---------------------------------------------------------------------------


@special("match_cast")
def _match_cast(reader: Expressions, node: ast.Call) -> Any:
    of = argument(node, 0, "value")
    type = reader.types.read(argument(node, 1, "ty", "struct_info"))
    value = reader.value(of, reader.read(of))
    if isinstance(of, ast.Call):
        value.value.name_hint = None
    return reader.made(node, _op(node, MatchCastOp, value.value, type))


@special("ExternFunc")
def _extern_func(reader: Expressions, node: ast.Call) -> Any:
    return reader.read(argument(node, 0, "global_symbol"))


def _formatted(
    reader: Expressions, args: Sequence[ast.expr], format: str
) -> tuple[list[Any], str | None]:
    """The values that a format shows, and the format with the texts among them written out."""
    found = [reader.read(a) for a in args]
    if any(isinstance(each, str) for each in found):
        shown = (
            e.replace("{", "{{").replace("}", "}}") if isinstance(e, str) else "{}" for e in found
        )
        pieces = format.split("{}")
        format = pieces[0] + "".join(s + p for s, p in zip(shown, pieces[1:]))
    values = [reader.value(a, e).value for a, e in zip(args, found) if not isinstance(e, str)]
    return values, format or None


@special("print")
def _print(reader: Expressions, node: ast.Call) -> Any:
    format = optional(node, -1, "format")
    args, text = _formatted(reader, node.args, "" if format is None else reader.read(format))
    return reader.made(node, _op(node, PrintOp, *args, format=text))


@special("assert_op")
def _assert(reader: Expressions, node: ast.Call) -> Any:
    condition = argument(node, 0, "condition")
    more = optional(node, -1, "format_args")
    args = node.args[1:] + ([] if more is None else [more])
    args = [e for a in args for e in (a.elts if isinstance(a, ast.Tuple | ast.List) else [a])]
    format = optional(node, -1, "format")
    operands, text = _formatted(reader, args, "" if format is None else reader.read(format))
    test = reader.read(condition)
    given = reader.made(node, const(test, "bool")) if isinstance(test, bool) else test
    given = reader.value(condition, given).value
    return reader.made(node, _op(node, AssertOp, given, *operands, format=text))


# Constants, shapes and tuples -----------------------------------------------------------------


@special("const")
def _const(reader: Expressions, node: ast.Call) -> Any:
    given = optional(node, 1, "dtype")
    dtype = None if given is None else reader.types.dtype(given)
    value = reader.read(argument(node, 0, "value"))
    if isinstance(value, Scalar):
        value, dtype = value.value, dtype or value.dtype
    if isinstance(value, Value):
        return value
    if dtype is None:
        dtype = reader.types.dtype_named(node, _DEFAULTS.get(type(value), "float32"))
    if isinstance(value, tuple):
        return reader.made(node, const(_array(reader, node, value, dtype)))
    if not isinstance(value, bool | int | float):
        raise Unreadable(
            node, f"expected a number or a list of numbers, found {said(value)}; write one"
        )
    if dtype == BOOL:
        value = bool(value)
    elif isinstance(value, float) and not hasattr(dtype, "bitwidth"):
        value = int(value)
    return reader.made(node, const(value, dtype))


_DEFAULTS = {bool: "bool", int: "int32"}


def _array(reader: Expressions, node: ast.AST, value: tuple[Any, ...], dtype: Attribute) -> Any:
    def plain(each: Any) -> Any:
        if isinstance(each, tuple):
            return [plain(part) for part in each]
        return each.value if isinstance(each, Scalar) else each

    try:
        return np.array(plain(value), numpy_dtype(dtype))
    except (TypeError, ValueError, OverflowError):
        raise Unreadable(
            node, "expected lists of numbers of equal lengths, found others; correct them"
        ) from None


@special("shape")
def _shape(reader: Expressions, node: ast.Call) -> Any:
    dims = reader.types.dims(argument(node, 0, "value"))
    return Shape(list(dims or ()))


@special("prim_value")
def _prim_value(reader: Expressions, node: ast.Call) -> Any:
    return reader.read(argument(node, 0, "value"))


@special("str")
def _str(reader: Expressions, node: ast.Call) -> Any:
    return reader.read(argument(node, 0, "value"))


@special("dtype")
def _dtype(reader: Expressions, node: ast.Call) -> Any:
    return reader.types.dtype(argument(node, 0, "value"))


@special("tuple")
def _tuple(reader: Expressions, node: ast.Call) -> Any:
    return tuple(reader.read(each) for each in node.args)


@special("TupleGetItem")
def _tuple_get_item(reader: Expressions, node: ast.Call) -> Any:
    of, index = argument(node, 0, "tuple_value"), argument(node, 1, "index")
    return reader.read(ast.copy_location(ast.Subscript(of, index, ast.Load()), node))


@special("null_value")
def _null_value(reader: Expressions, node: ast.Call) -> Any:
    return None


@special("builtin.stop_lift_params", "stop_lift_params")
def _stop_lift_params(reader: Expressions, node: ast.Call) -> Any:
    return reader.read(argument(node, 0, "x"))


@special("wrap_param")
def _wrap_param(reader: Expressions, node: ast.Call) -> Any:
    of, dtype = argument(node, 0, "data"), optional(node, 1, "dtype")
    value = reader.value(of, reader.read(of))
    type = reader.types.dtype_named(node, "float32") if dtype is None else reader.types.dtype(dtype)
    return reader.made(node, _op(node, AstypeOp, value.value, type))
