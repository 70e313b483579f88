"""Calls of functions on builtin tensors of unknown sizes, in a Relax function: the bodies are put there.

Such a signature does not say what sizes it gives, as that of a prim func does; the body in the place of
the call does.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
)
from xdsl.ir import Operation, SSAValue

from relax_dialect.ir.locations import inherit
from relax_dialect.transform.regions import Body, erase


def inline_tensor_calls(body: Body, module: ModuleOp) -> set[str]:
    """Put bodies in the place of calls, and give the names of their functions.

    A function that calls itself, or has branches, stays called.
    """
    inlined: set[str] = set()
    functions: dict[str, func.FuncOp] = {}
    pending: list[tuple[Operation, tuple[str, ...]]] = [(op, ()) for op in body.ops()]
    while pending:
        op, around = pending.pop()
        if not isinstance(op, func.CallOp) or not any(map(_is_dynamic, op.results)):
            continue
        if not functions:  # read where they are needed: most bodies call none
            functions = {f.sym_name.data: f for f in module.ops if isinstance(f, func.FuncOp)}
        name = op.callee.string_value()
        callee = functions.get(name)
        if callee is None or name in around or len(callee.body.blocks) != 1:
            continue
        inlined.add(name)
        pending.extend((made, (*around, name)) for made in _inline(op, callee))
    return inlined


def remove_uncalled(module: ModuleOp, names: set[str]) -> None:
    """Take out those private functions of these names that nothing names any more."""
    while names:
        named = {
            symbol.string_value()
            for op in module.walk()
            for symbol in op.properties.values()
            if isinstance(symbol, SymbolRefAttr)
        }
        gone = [
            op
            for op in module.ops
            if isinstance(op, func.FuncOp)
            and op.sym_name.data in names - named
            and op.sym_visibility == StringAttr("private")
        ]
        if not gone:
            return
        for op in gone:
            erase(op)


def _is_dynamic(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and DYNAMIC_INDEX in value.type.get_shape()


def _inline(call: func.CallOp, callee: func.FuncOp) -> list[Operation]:
    block = call.parent
    assert block is not None
    *ops, end = callee.body.block.ops
    values: dict[SSAValue, SSAValue] = dict(zip(callee.body.block.args, call.operands))
    made = [op.clone(values) for op in ops]
    inherit(made, call.location)
    block.insert_ops_before(made, call)
    for result, returned in zip(call.results, end.operands):
        result.replace_all_uses_with(values.get(returned, returned))
    erase(call)
    return made
