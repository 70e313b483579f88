"""relax-to-graph-normal-form: bindings -> unordered nodes, and lets where the region matters.

```mlir
relax.func @f(%x: T, %c: B) -> T {         relax.func @f(%x: T, %c: B) -> T {
  %a = relax.exp %x : (T) -> T               %r = relax.graph {
  %r = relax.if %c : (B) -> T {                %a = relax.exp %x : (T) -> T
    relax.yield %a : T                         %v = relax.let %a : (T) -> T
  } else {                             ->      %r = relax.if %c : (B) -> T {
    relax.yield %x : T                           relax.yield %v : T
  }                                            } else {
  relax.return %r : T                            relax.yield %x : T
}                                              }
                                               relax.output %r : T
                                             }
                                             relax.return %r : T
                                           }
```

Runs of pure ops become a `relax.graph`, without unused ops; ops with effects remain in a
`relax.binding_block`, in their order. A binding is evaluated in its region, a node of a graph where it is
used: a value that is used in a region nested in that of its binding is pinned by a `relax.let`; lets that
pin nothing are removed. No value moves from block to block, since an effect may be between them; and two
definitions of one symbolic variable, distinguished by their order only, become separate graphs.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.normal_forms.blocks import graph_regions
from relax_dialect.normal_forms.lca_scopes import sort_block
from relax_dialect.normal_forms.needless_lets import dissolve_needless_lets
from relax_dialect.normal_forms.sequence import to_sequence
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import GraphOp
from relax_dialect.transform.liveness import remove_dead_ops
from relax_dialect.transform.regions import functions


def to_graph_normal_form(func: FuncOp) -> None:
    """Rewrite a function as graphs and binding blocks, in place."""
    remove_dead_ops(func)
    for block, bound in graph_regions(func):
        sort_block(block, bound)
    to_sequence(func)
    for block, _ in graph_regions(func):
        if isinstance(block, GraphOp):
            dissolve_needless_lets(block)


class ToGraphNormalFormPass(ModulePass):
    """`to_graph_normal_form` on every function."""

    name = "relax-to-graph-normal-form"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in functions(op):
            to_graph_normal_form(func)
