"""Dead code elimination: unused ops of functions, and unused private functions."""

from __future__ import annotations

from collections.abc import Set

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.purity import module_by_module, module_symbols
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.regions import erase, functions


def remove_unused_functions(module: ModuleOp, candidates: Set[str] | None = None) -> None:
    """Remove the unused private symbols of a module, or of some names. Every pass that leaves functions
    without users removes them here.
    """
    if candidates is not None and not candidates:
        return
    graph = CallGraph.of(module)
    for name in graph.unused(candidates):
        erase(graph.symbols[name])


def eliminate_dead_code(module: ModuleOp, entries: Set[str] = frozenset()) -> None:
    """Remove unused ops from all functions, then unused private functions but for `entries`."""
    for function, symbols in module_by_module(functions(module)):
        remove_dead_ops(function, symbols)
    remove_unused_functions(module, module_symbols(module).keys() - entries if entries else None)
