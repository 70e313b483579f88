"""relax-to-non-dataflow: dataflow blocks become ordered binding blocks.

```mlir
%y = relax.dataflow {                          %y = relax.binding_block {
  %b = relax.exp %a : (T) -> T                   %a = relax.tanh %x : (T) -> T
  %a = relax.tanh %x : (T) -> T         ->       %b = relax.exp %a : (T) -> T
  relax.output %b : T                            relax.output %b : T
}                                              }
```

Each block remains a block: merging it with its neighbours is left to relax-canonicalize-bindings, and
`relax.graph` to the normal forms, since the region of evaluation of its nodes is not fixed.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.ops.blocks import BindingBlockOp, DataflowOp
from relax_dialect.transform.regions import bodies, functions, remake, sort_regions


def to_non_dataflow(module: ModuleOp) -> None:
    """Make all dataflow blocks ordered."""
    for function in functions(module):
        blocks = [b.owner for b in bodies(function) if isinstance(b.owner, DataflowOp)]
        for block in blocks:  # outer ones first: they sort nested blocks as well
            sort_regions(block)
            remake(block, range(len(block.results)), BindingBlockOp)


class ToNonDataflowPass(ModulePass):
    """Convert dataflow blocks into binding blocks."""

    name = "relax-to-non-dataflow"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        to_non_dataflow(op)
