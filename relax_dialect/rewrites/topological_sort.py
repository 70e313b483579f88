"""relax-topological-sort: the text of graph regions in an order of evaluation.

```mlir
%y = relax.dataflow {                          %y = relax.dataflow {
  %b = relax.exp %a : (T) -> T                   %a = relax.tanh %x : (T) -> T
  %a = relax.tanh %x : (T) -> T         ->       %b = relax.exp %a : (T) -> T
  relax.output %b : T                            relax.output %b : T
}                                              }
```

Symbolic variables count as edges: an op follows the `match_cast` that defines what it names. Where
the order is free that of the text stays. No op leaves its block: its region is an upper bound of
where it is evaluated, and its symbolic variables are defined there.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from relax_dialect.rewrites.regions import bodies, functions, reorder


def sort_regions(root: Operation, in_graph: bool = False) -> bool:
    """Sort the graph regions inside an op; tells whether anything moved."""
    changed = False
    for body in bodies(root, in_graph):
        if body.is_graph and (order := body.ops()) != list(body.block.ops):
            reorder(body.block, order)
            changed = True
    return changed


def topological_sort(module: ModuleOp) -> None:
    """Sort the graph regions of all functions."""
    for function in functions(module):
        sort_regions(function)


class TopologicalSortPass(ModulePass):
    """Write the ops of graph regions in an order of evaluation."""

    name = "relax-topological-sort"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        topological_sort(op)
