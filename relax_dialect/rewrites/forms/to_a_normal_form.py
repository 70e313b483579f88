"""relax-to-a-normal-form: every op a binding, in the region and order of its evaluation.

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

A node of a graph is bound in the region that is the least common ancestor of its uses, a shared one once;
an unused op without effects is dropped in any region. Blocks are dissolved into the region that holds
them: the result has ordered regions only, where a let is redundant. Nothing moves from one block of a
sequence into another, since effects may be between them.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.ir.purity import module_by_module
from relax_dialect.normal_forms.bindings import to_a_normal_form
from relax_dialect.transform.regions import functions


class ToANormalFormPass(ModulePass):
    """`to_a_normal_form` on every function."""

    name = "relax-to-a-normal-form"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for func, symbols in module_by_module(functions(op)):
            to_a_normal_form(func, symbols)
