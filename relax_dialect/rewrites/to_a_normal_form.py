"""relax-to-a-normal-form: every op a binding, in the place and order of its evaluation.

```mlir
%r = relax.graph {                            %a = relax.add %x, %x : (T, T) -> T
  %a = relax.add %x, %x : (T, T) -> T         %r = relax.if %c : (B) -> T {
  %v = relax.let %a : (T) -> T                  %m = relax.multiply %a, %a : (T, T) -> T
  %m = relax.multiply %v, %v : (T, T) -> T ->   relax.yield %m : T
  %r = relax.if %c : (B) -> T {               } else {
    relax.yield %m : T                          relax.yield %a : T
  } else {                                    }
    relax.yield %v : T
  }
  relax.output %r : T
}
```

A node of a graph is bound in the region that is the least common ancestor of its uses, a shared one
once; a node that nothing uses is dropped. Blocks are dissolved into the region that holds them: what
is left are ordered regions, where a let has nothing to say. Nothing moves from one block of a
sequence into another, since effects may stand between them.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from relax_dialect.normal_forms.blocks import graph_regions
from relax_dialect.normal_forms.flat import (
    EVERYTHING,
    flatten,
    pass_names_on,
    rewrite_operands,
    write,
)
from relax_dialect.normal_forms.places import place_graph, sort_block
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import GraphOp
from relax_dialect.rewrites.regions import functions


def to_a_normal_form(func: FuncOp) -> None:
    """Bring a function into A-normal form, in place."""
    for block, bound in graph_regions(func):
        if isinstance(block, GraphOp):
            place_graph(block, bound, lets=False)
        else:
            sort_block(block, bound)
    pending = [func.body.block]
    while pending:
        pending.extend(_dissolve_blocks(pending.pop()))


def _dissolve_blocks(body: Block) -> list[Block]:
    """Put what stands in blocks into the regions around them; gives the bodies of other dialects' ops."""
    flat = flatten(body, EVERYTHING)
    pass_names_on(flat)
    rewrite_operands(flat, flat.ops, lambda value, user: value)
    if flat.shells:
        write(flat, flat.order())
    return [block for op in flat.opaque for region in op.regions for block in region.blocks]


class ToANormalFormPass(ModulePass):
    """`to_a_normal_form` on every function."""

    name = "relax-to-a-normal-form"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func in functions(op):
            to_a_normal_form(func)


__all__ = ["ToANormalFormPass", "to_a_normal_form"]
