"""Why statements of TIR are not read."""

from __future__ import annotations

import ast

from relax_dialect.frontends.tvmscript.prim_funcs.syntax import TirCalls, text

_TOGETHER = "threads that run together; read the function as it was before TVM lowered them"
_ELSEWHERE = (
    "a function that is not of this module; write it as loops, or call it from Relax, as by "
    "R.call_dps_packed"
)
_LEAVES = "a way out of a loop; guard what follows by `if`"

REASONS = {
    "tvm_storage_sync": _TOGETHER, "tvm_thread_allreduce": _TOGETHER, "tvm_warp_shuffle": _TOGETHER,
    "call_packed": _ELSEWHERE, "call_cpacked": _ELSEWHERE, "call_extern": _ELSEWHERE,
    "call_intrin": _ELSEWHERE, "call_llvm_intrin": _ELSEWHERE, "tvm_call_packed": _ELSEWHERE,
    "tvm_call_cpacked": _ELSEWHERE, "break_loop": _LEAVES, "continue_loop": _LEAVES,
    "where": "T.where precedes the statements it guards; it is read with its block",
    "func_attr": "attributes of the function inside of it; put them at its top",
}  # fmt: skip


def is_external_call(names: TirCalls, node: ast.AST) -> bool:
    """Return whether a node calls a function that is not of the module."""
    return isinstance(node, ast.Call) and REASONS.get(names.called(node) or "") == _ELSEWHERE


def reason(names: TirCalls, statement: ast.AST) -> str:
    """Return the reason why a statement is not supported in kernels."""
    for each in ast.walk(statement):
        if isinstance(each, ast.Call) and (why := REASONS.get(names.called(each) or "")):
            return f"no statement of a kernel: {text(each)}: {why}"
    match statement:
        case ast.Break() | ast.Continue():
            return f"no statement of a kernel: {text(statement)}: {_LEAVES}"
        case ast.FunctionDef():
            return (
                f"no statement of a kernel: def {statement.name}: a macro; write out what it does"
            )
        case ast.Return() | ast.Raise():
            return f"no statement of a kernel: {text(statement)}: prim funcs write to parameters"
        case _:
            return f"no statement of a kernel: {text(statement)}"
