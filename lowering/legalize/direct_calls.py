"""Calls of prim funcs as `relax.call_tir` on tensors.

%t = relax.call @split(%x) : (X) -> tuple<A, B>
%y = relax.call_tir @join(%t) : (tuple<A, B>) -> Y
%z = relax.call_tir_with_grad @turn(%y) {te_grad_name = "turn_back"} : (Y) -> Z
->
%a, %b = relax.call_tir @split(%x) : (X) -> (A, B)
%t = relax.tuple %a, %b : (A, B) -> tuple<A, B>
%0 = relax.tuple_get_item %t {index = 0 : i64} : (tuple<A, B>) -> A
%1 = relax.tuple_get_item %t {index = 1 : i64} : (tuple<A, B>) -> B
%y = relax.call_tir @join(%0, %1) : (A, B) -> Y
%z = relax.call_tir @turn(%y) : (Y) -> Z
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.builder import Builder
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.calls import CallOp, CallTirOp, CallTirWithGradOp, TirCallOp, flat_types
from relax_dialect.ops.core import FuncOp, TupleGetItemOp, TupleOp


def rewrite_direct_calls(module: ModuleOp) -> None:
    """Call prim funcs by `relax.call_tir` alone, on tensors."""
    symbols = module_symbols(module)
    functions = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    for op in [op for f in functions for op in walk_ops(f)]:
        match op:
            case CallOp() if isinstance(callee := symbols.get(op.callee_name), func.FuncOp):
                _rewrite(op, op.infer_with(callee)[1])
            case CallTirOp() if _holds_tuples(op):
                _rewrite(op, op.infer_with(symbols[op.callee_name])[1])
            case CallTirWithGradOp():
                for name in ("te_grad_name", "te_grad_kwargs"):
                    op.properties.pop(name, None)
                _rewrite(op, op.infer_with(symbols[op.callee_name])[1])


def _holds_tuples(op: Operation) -> bool:
    return any(isinstance(t, TupleType) for t in (*op.operand_types, *op.result_types))


def _rewrite(op: CallOp | TirCallOp, types: Sequence[Attribute]) -> None:
    builder = Builder(InsertPoint.before(op))
    call = CallTirOp.create(
        operands=[part for value in op.operands for part in _fields(builder, value)],
        properties=op.properties,
        result_types=flat_types(types),
        attributes=op.attributes,
    )
    builder.insert(call)
    flat = iter(call.results)
    for old, type in zip(op.results, types):
        new = _nest(builder, type, flat)
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def _fields(builder: Builder, value: SSAValue) -> Iterator[SSAValue]:
    """Yield the tensors that a value is or holds."""
    if not isinstance(value.type, TupleType):
        yield value
        return
    made = value.owner
    fields = (
        made.fields
        if isinstance(made, TupleOp)
        else [builder.insert(TupleGetItemOp(value, i)).result for i in range(len(value.type.types))]
    )
    for field in fields:
        yield from _fields(builder, field)


def _nest(builder: Builder, type: Attribute, flat: Iterator[SSAValue]) -> SSAValue:
    """Return the next value, or a tuple of the next values."""
    if not isinstance(type, TupleType):
        return next(flat)
    return builder.insert(TupleOp([_nest(builder, t, flat) for t in type.types])).result
