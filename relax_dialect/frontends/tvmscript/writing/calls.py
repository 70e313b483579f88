"""Calls that are no operators: of functions, prim funcs, functions from outside; casts and effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr, TupleType
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from relax_dialect.frontends.tvmscript.writing.attribute_writer import (
    literal_text,
    python_text,
    string_text,
)
from relax_dialect.frontends.tvmscript.writing.operator_writer import operator_text
from relax_dialect.frontends.tvmscript.writing.prim_arguments import prim_arguments
from relax_dialect.frontends.tvmscript.writing.surroundings import CallWriter
from relax_dialect.frontends.tvmscript.writing.type_writer import Unwritable, tuple_text
from relax_dialect.ir.types import PrimType, leaf_types
from relax_dialect.ops.calls import (
    CallOp,
    CallPackedOp,
    CallTirOp,
    CallTirWithGradOp,
    PackedOp,
)
from relax_dialect.ops.control import CallClosureOp, ClosureOp, MakeClosureOp
from relax_dialect.ops.core import MatchCastOp, TupleGetItemOp
from relax_dialect.ops.effects import (
    AssertOp,
    CallDpsPackedOp,
    CallInplacePackedOp,
    CallPurePackedOp,
    CallTirInplaceOp,
    PrintOp,
)

Write = Callable[[CallWriter, Any], str]


def expression(writer: CallWriter, op: Operation) -> str:
    """Return the expression of an op."""
    write = _WRITERS.get(type(op))
    return operator_text(op, writer.read, writer.sizes) if write is None else write(writer, op)


def _tuple_get_item(writer: CallWriter, op: TupleGetItemOp) -> str:
    return f"{writer.read(op.operands[0])}[{op.index}]"


def _match(writer: CallWriter, op: MatchCastOp) -> str:
    if any(isinstance(type, PrimType) for type in leaf_types(op.result.type)):
        raise Unwritable(
            f"expected numbers that are matched with sizes one by one, found {op.result.type}; take each "
            "by relax.tuple_get_item"
        )
    return f"R.match_cast({writer.read(op.value)}, {writer.types.text(op.result.type)})"


def _call(writer: CallWriter, op: CallOp) -> str:
    callee = writer.around.symbols.get(op.callee_name)
    if isinstance(callee, func.FuncOp):
        return _tir(writer, "call_tir", op, op.callee_name, op.args, [op.result.type])
    args = ", ".join(map(writer.read, op.args))
    return f"{_function(writer, op.callee_name)}({args})"


def _function(writer: CallWriter, name: str) -> str:
    return f"cls.{writer.around.functions[name]}"


def _tir(
    writer: CallWriter,
    word: str,
    op: Operation,
    callee: str,
    args: Sequence[SSAValue],
    types: Iterable[Attribute],
    *more: str,
) -> str:
    """Write a call of a prim func, with the sizes that it takes as numbers as arguments."""
    types = [
        t for type in types for t in (type.types.data if isinstance(type, TupleType) else [type])
    ]
    if any(isinstance(type, TupleType) for type in types):
        raise Unwritable(
            "expected tensors as results of a prim func, found tuples in tuples; declare them flat"
        )
    prim = writer.around.symbols[callee]
    if isinstance(prim, func.FuncOp):
        texts = prim_arguments(writer, op, prim, args, types)
        given = tuple_text(texts) if texts else "R.tuple()"
    else:
        given = writer.arguments(args)
    words = [_function(writer, callee), given, *more]
    words.append(
        f"out_ty={writer.types.text(types[0]) if len(types) == 1 else _list(map(writer.types.text, types))}"
    )
    return f"R.{word}({', '.join(words)})"


def _list(parts: Iterable[str]) -> str:
    return f"[{', '.join(parts)}]"


def _call_tir(writer: CallWriter, op: CallTirOp) -> str:
    return _tir(writer, "call_tir", op, op.callee_name, op.args, op.result_types)


def _call_tir_with_grad(writer: CallWriter, op: CallTirWithGradOp) -> str:
    text = _tir(writer, "call_tir_with_grad", op, op.callee_name, op.args, op.result_types)
    kwargs = (
        "" if op.te_grad_kwargs is None else f", te_grad_kwargs={python_text(op.te_grad_kwargs)}"
    )
    return f"{text[:-1]}, te_grad_name={string_text(op.te_grad_name.data)}{kwargs})"


def _call_tir_inplace(writer: CallWriter, op: CallTirInplaceOp) -> str:
    """Write a call without memory arguments: prim funcs are written with parameters for all results."""
    return _tir(writer, "call_tir", op, op.callee_name, op.args, op.result_types)


def _passed(writer: CallWriter, op: PackedOp) -> list[str]:
    """Write the arguments of an external function."""
    return [
        writer.read(each) if isinstance(each, SSAValue) else literal_text(each)
        for each in op.all_arguments()
    ]


def _packed(writer: CallWriter, op: CallPackedOp | CallPurePackedOp) -> str:
    words = [string_text(op.func_name.data), *_passed(writer, op)]
    types = writer.types.listed([op.result.type])
    return f"R.{op.name.removeprefix('relax.')}({', '.join(words)}, ty_args={types})"


def _call_dps_packed(writer: CallWriter, op: CallDpsPackedOp) -> str:
    types = [writer.types.text(type) for type in op.result_types]
    out = types[0] if len(types) == 1 else _list(types)
    args = tuple_text(_passed(writer, op))
    return f"R.call_dps_packed({string_text(op.func_name.data)}, {args}, out_ty={out})"


def _call_inplace_packed(writer: CallWriter, op: CallInplacePackedOp) -> str:
    words = [string_text(op.func_name.data), *_passed(writer, op)]
    indices, types = python_text(op.inplace_indices), writer.types.listed(op.result_types)
    return f"R.call_inplace_packed({', '.join(words)}, inplace_indices={indices}, ty_args={types})"


def _make_closure(writer: CallWriter, op: MakeClosureOp) -> str:
    if not op.args:
        return _function(writer, op.callee_name)  # of which TVM knows the type
    return f"R.make_closure({_function(writer, op.callee_name)}, {writer.arguments(op.args)})"


def _call_closure(writer: CallWriter, op: CallClosureOp) -> str:
    callee = op.callee
    if isinstance(callee, BlockArgument) or (
        isinstance(callee, OpResult) and isinstance(callee.op, ClosureOp)
    ):
        return f"{writer.read(callee)}({', '.join(map(writer.read, op.args))})"
    word = "invoke_pure_closure" if op.type.is_pure else "invoke_closure"
    types = writer.types.listed([op.result.type])
    return f"R.{word}({writer.read(callee)}, {writer.arguments(op.args)}, ty_args={types})"


def _effect(writer: CallWriter, op: PrintOp | AssertOp) -> str:
    words = list(map(writer.read, op.operands))
    if isinstance(op.format, StringAttr):
        words.append(f"format=R.str({string_text(op.format.data)})")
    return f"R.{op.name.removeprefix('relax.')}({', '.join(words)})"


_WRITERS: dict[type[Operation], Write] = {
    TupleGetItemOp: _tuple_get_item,
    MatchCastOp: _match,
    CallOp: _call,
    CallTirOp: _call_tir,
    CallTirWithGradOp: _call_tir_with_grad,
    CallTirInplaceOp: _call_tir_inplace,
    CallPackedOp: _packed,
    CallPurePackedOp: _packed,
    CallDpsPackedOp: _call_dps_packed,
    CallInplacePackedOp: _call_inplace_packed,
    MakeClosureOp: _make_closure,
    CallClosureOp: _call_closure,
    PrintOp: _effect,
    AssertOp: _effect,
}
