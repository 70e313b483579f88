"""A transform of weights that is applied before another one."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, TupleType, i64
from xdsl.ir import Block, Operation, Region

from relax_dialect.analysis.compile_time import NUM_INPUT, checked_num_input
from relax_dialect.ir.purity import ModuleSymbols, module_symbols
from relax_dialect.ir.walk import unique_name
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.rewrites.calls.inline_private_functions import inline_calls
from relax_dialect.rewrites.forms.canonicalize_bindings import canonicalize_function
from relax_dialect.transform.dead_code import remove_unused_functions
from relax_dialect.transform.liveness import remove_dead_ops


def is_transform(op: Operation, weights: int) -> bool:
    """Whether an op is a function from one tuple to a tuple of so many weights."""
    if not isinstance(op, FuncOp) or NUM_INPUT not in op.attributes or checked_num_input(op):
        return False
    output = op.function_type.output
    inputs = op.function_type.inputs.data
    is_bundled = len(inputs) == 1 and isinstance(inputs[0], TupleType)
    return is_bundled and isinstance(output, TupleType) and len(output.types) == weights


def compose(module: ModuleOp, before: FuncOp, after: FuncOp) -> None:
    """Apply `before` in `after` first, which has its name: both are inlined into a new function."""
    name = after.sym_name.data
    for func in (before, after):
        private = unique_name(name, module_symbols(module))
        func.properties |= {
            "sym_name": StringAttr(private),
            "sym_visibility": StringAttr("private"),
        }
    (taken,) = before.body.block.args
    body = Block(arg_types=[taken.type])
    body.args[0].name_hint = taken.name_hint
    body.add_op(first := CallOp(before, [body.args[0]]))
    body.add_op(second := CallOp(after, [first.result]))
    body.add_op(ReturnOp(second.result))
    both = FuncOp(name, body.arg_types, second.result.type, Region(body))
    both.attributes[NUM_INPUT] = IntegerAttr(0, i64)
    module.body.block.insert_op_before(both, after)
    inline_calls(both, [before, after], ModuleSymbols(module))
    remove_unused_functions(module, {f.sym_name.data for f in (before, after)})
    canonicalize_function(both)
    remove_dead_ops(both)
