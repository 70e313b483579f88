"""The functions that each function of a module calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lowering.external.library_kernel import codegen_of
from relax_dialect.ir.walk import walk_ops


def functions_of(module: ModuleOp) -> dict[str, func.FuncOp]:
    """Return the functions with a body that is compiled, by their symbols."""
    return {
        op.sym_name.data: op
        for op in module.body.block.ops
        if isinstance(op, func.FuncOp) and len(op.body.blocks) == 1 and codegen_of(op) is None
    }


def calls_of(function: func.FuncOp) -> list[tuple[int, func.CallOp]]:
    """Return the calls of a function with their numbers."""
    return [(i, op) for i, op in enumerate(walk_ops(function)) if type(op) is func.CallOp]


def callees_first(functions: Mapping[str, func.FuncOp]) -> Sequence[str]:
    """Return the functions in an order in which callees precede their callers, recursive functions at the
    end."""
    callers: dict[str, set[str]] = defaultdict(set)
    waiting: dict[str, set[str]] = {}
    for name, function in functions.items():
        callees = (op.callee.string_value() for _, op in calls_of(function))
        waiting[name] = {c for c in callees if c in functions}
        for callee in waiting[name]:
            callers[callee].add(name)
    order = {name: None for name, callees in waiting.items() if not callees}
    work = list(order)
    while work:
        done = work.pop()
        for caller in callers[done]:
            waiting[caller].discard(done)
            if not waiting[caller]:
                order[caller] = None
                work.append(caller)
    return [*order, *(name for name in functions if name not in order)]
