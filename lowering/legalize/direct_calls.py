"""Direct calls of prim funcs as `relax.call_tir`.

%y = relax.call @split(%x) : (X) -> tuple<A, B>
->
%a, %b = relax.call_tir @split(%x) : (X) -> (A, B)
%y = relax.tuple %a, %b : (A, B) -> tuple<A, B>
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import SSAValue

from relax_dialect.call_graph import ops_inside
from relax_dialect.ops.calls import CallOp, CallTirOp
from relax_dialect.ops.core import FuncOp, TupleOp
from relax_dialect.purity import module_symbols


def rewrite_direct_calls(module: ModuleOp) -> None:
    """Call prim funcs by `relax.call_tir` alone."""
    symbols = module_symbols(module)
    functions = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    for op in [op for f in functions for op in ops_inside(f) if isinstance(op, CallOp)]:
        callee = symbols.get(op.callee_name)
        if isinstance(callee, func.FuncOp):
            _rewrite(op, callee)


def _rewrite(op: CallOp, callee: func.FuncOp) -> None:
    block, type = op.parent, op.infer_with(callee)[1][0]
    assert block is not None
    is_tuple = isinstance(type, TupleType)
    call = CallTirOp.create(
        operands=list(op.args),
        properties={"callee": op.callee},
        result_types=list(type.types) if is_tuple else [type],
        attributes=op.attributes,
    )
    block.insert_op_before(call, op)
    result: SSAValue = call.results[0] if not is_tuple else op.result
    if is_tuple:
        block.insert_op_before(made := TupleOp(*call.results), op)
        result = made.result
    result.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(result)
    op.detach()
    op.erase()
