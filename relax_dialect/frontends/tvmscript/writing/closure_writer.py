"""Partially applied functions in TVM's form: TVM binds the last arguments, here the first are bound."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import Rewriter

from relax_dialect.ir.types import FuncType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import ClosureOp, MakeClosureOp
from relax_dialect.ops.core import FuncOp, ReturnOp


def gives_some(op: Operation) -> bool:
    """Returns whether some arguments of a function are bound, and not all."""
    type = op.result.type if isinstance(op, MakeClosureOp) else None
    return isinstance(type, FuncType) and bool(op.operands) and bool(type.inputs.data)


def give_as_closures(module: ModuleOp) -> None:
    """Make closures of the functions that have some arguments bound."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    for op in list(walk_ops(module)):
        if not isinstance(op, MakeClosureOp) or not gives_some(op):
            continue
        type = op.result.type
        assert isinstance(type, FuncType)
        block = Block(arg_types=type.inputs.data)
        call = CallOp(functions[op.callee_name], [*op.args, *block.args])
        block.add_ops([call, ReturnOp(call.result)])
        own = [name.data for name in type.variables]
        closure = ClosureOp(Region(block), type.output, own, pure=type.is_pure)
        closure.result.name_hint = op.result.name_hint
        Rewriter.replace_op(op, closure)
