"""Dead code: what nobody uses of functions, and the private functions that nobody uses."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.ir.call_graph import CallGraph, is_private
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.regions import erase, functions


def remove_unused_functions(module: ModuleOp) -> None:
    """Remove the private symbols of a module that no public one reaches."""
    graph = CallGraph.of(module)
    reached = graph.reachable_from_public()
    unused = [op for name, op in graph.symbols.items() if name not in reached and is_private(op)]
    for op in unused:
        erase(op)


def eliminate_dead_code(module: ModuleOp) -> None:
    """Remove what nobody uses from all functions, then the functions that nobody uses."""
    for function in functions(module):
        remove_dead_ops(function)
    remove_unused_functions(module)
