"""relax-dce: pure bindings, block outputs and private functions that nobody uses are removed.

```mlir
%y, %z = relax.dataflow {                      %y = relax.dataflow {
  %a = relax.exp %x : (T) -> T                   %a = relax.exp %x : (T) -> T
  %b = relax.tanh %a : (T) -> T         ->       relax.output %a : T
  relax.output %a, %b : T, T                   }
}
```

Effects stay, and every `match_*` does: one that defines no variable anybody needs is still a check.
An unused call of a pure function goes, and what it would check of its arguments goes with it: what
nobody needs is evaluated in no form (`relax_dialect.normal_forms.liveness`).
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.call_graph import CallGraph, is_private
from relax_dialect.normal_forms.liveness import remove_dead_ops
from relax_dialect.rewrites.regions import erase, functions


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


class DcePass(ModulePass):
    """Remove unused pure bindings, block outputs and private functions."""

    name = "relax-dce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        eliminate_dead_code(op)
