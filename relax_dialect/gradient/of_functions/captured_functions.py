"""Elimination of function values: captured values become arguments, which have gradients."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Operation

from relax_dialect.gradient.checkpointed_blocks import is_checkpoint, outline_checkpoints
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.in_place import IN_PLACE
from relax_dialect.ir.purity import module_symbols
from relax_dialect.ir.walk import unique_name, walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.control import CallClosureOp, ClosureOp, MakeClosureOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import deep_recursion
from relax_dialect.rewrites.calls.defunctionalize import defunctionalize
from relax_dialect.rewrites.calls.lambda_lift import lambda_lift
from relax_dialect.transform.regions import functions


def without_function_values(module: ModuleOp, name: str) -> dict[str, FuncOp]:
    """Return first-order copies of a function and of its callees: the function under its own name, the
    others as private functions under fresh names. Empty if they hold no function value and no checkpoint.

    relax-lambda-lift and relax-defunctionalize change a copy; the module is unchanged.
    """
    reached = CallGraph.below([name], module_symbols(module)).symbols
    inside = (op for function in reached.values() for op in walk_ops(function))
    if not any(
        isinstance(op, ClosureOp | MakeClosureOp | CallClosureOp) or is_checkpoint(op)
        for op in inside
    ):
        return {}
    with deep_recursion():
        copy = ModuleOp([function.clone() for function in reached.values()])
        for function in functions(copy):
            function.attributes.pop(IN_PLACE, None)  # inside the module values never change
            if function.sym_name.data != name:
                function.properties["sym_visibility"] = StringAttr("private")
        outline_checkpoints(copy)
        lambda_lift(copy)
        defunctionalize(copy)
    changed = _changed(copy, reached) - {name}
    taken = {*module_symbols(module), *module_symbols(copy)}
    names: dict[str, str] = {}
    for old in changed:
        names[old] = unique_name(f"{old}_lifted", taken)
        taken.add(names[old])
    found: dict[str, FuncOp] = {}
    for function in functions(copy):
        if (old := function.sym_name.data) in {name, *changed}:
            for op in walk_ops(function):
                if isinstance(op, CallOp | MakeClosureOp) and op.callee_name in names:
                    op.properties["callee"] = SymbolRefAttr(names[op.callee_name])
            function.sym_name = StringAttr(names.get(old, old))
            function.detach()
            found[function.sym_name.data] = function
    return found


def _changed(copy: ModuleOp, before: Mapping[str, Operation]) -> set[str]:
    """Return the functions of a module that have changed, or that reach a changed function."""
    graph = CallGraph.of(copy)
    changed: set[str] = set()
    for component in graph.components:  # callees first
        for name in component:
            function, old = graph.symbols[name], before.get(name)
            same = old is not None and function.regions[0].is_structurally_equivalent(
                old.regions[0]
            )
            if not same or changed.intersection(graph.callees[name]):
                changed.update(n for n in component if isinstance(graph.symbols[n], FuncOp))
    return changed
