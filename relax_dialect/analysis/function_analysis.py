"""Functions: their callees, effects and well-formedness."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from relax_dialect.errors import RelaxError
from relax_dialect.ir.call_graph import CallGraph, referenced_symbols
from relax_dialect.ir.purity import ModuleSymbols, is_pure, is_pure_function
from relax_dialect.ir.traits import has_trait
from relax_dialect.ir.walk import blocks_of, walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.parsing import blaming_program, verify
from relax_dialect.transform.dead_code import eliminate_dead_code
from relax_dialect.transform.liveness import remove_dead_ops


def well_formed(op: Operation) -> bool:
    """Return whether a module or function is well formed; `relax_dialect.verify` reports the violated
    rule."""
    try:
        if isinstance(op, ModuleOp):
            verify(op)
        else:
            op.verify()
    except (RelaxError, VerifyException):
        return False
    return True


def all_global_vars(op: Operation) -> list[str]:
    """Return the symbols that an op names: functions called, prim funcs, functions made into values."""
    return list(referenced_symbols(op))


def called_global_vars(op: Operation) -> list[str]:
    """Return the functions that an op calls by `relax.call`, in order of the text."""
    calls = (inner.callee_name for inner in walk_ops(op) if isinstance(inner, CallOp))
    return list(dict.fromkeys(calls))


def detect_recursion(module: ModuleOp) -> list[list[str]]:
    """Return the groups of functions that may call themselves through each other, sorted by name."""
    graph = CallGraph.of(module)
    recursive = graph.recursive()
    return sorted(sorted(group) for group in graph.components if group[0] in recursive)


def find_impure_call(func: Operation) -> Operation | None:
    """Return the first binding of a function that has or may have an effect: a call has the effects of its
    callee, a closure has those of its body only when called."""
    lookup = ModuleSymbols(func)
    pending = _inside(func)
    while pending:
        op = pending.pop()
        if is_pure(op, lookup):
            continue
        if not has_trait(op, RecursiveMemoryEffect):
            return op
        pending.extend(_inside(op))
    return None


def _inside(op: Operation) -> list[Operation]:
    """Return the ops in the regions of an op, last one first."""
    return [o for block in blocks_of(op) for o in block.ops][::-1]


def contains_impure_call(func: Operation) -> bool:
    """Return whether a function has or may have an effect, by itself or by the functions that it calls."""
    return not is_pure_function(func)


def remove_all_unused(op: Operation) -> None:
    """Remove the unused bindings of a function, or of a module together with its unused private
    functions."""
    if isinstance(op, ModuleOp):
        with blaming_program(op):
            eliminate_dead_code(op)
    else:
        remove_dead_ops(op)
