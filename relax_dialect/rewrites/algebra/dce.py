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
nobody needs is evaluated in no form (`relax_dialect.transform.liveness`).
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.transform.dead_code import eliminate_dead_code


class DcePass(ModulePass):
    """Remove unused pure bindings, block outputs and private functions."""

    name = "relax-dce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        eliminate_dead_code(op)
