"""relax-dce: unused pure bindings, block outputs and private functions are removed.

```mlir
%y, %z = relax.dataflow {                      %y = relax.dataflow {
  %a = relax.exp %x : (T) -> T                   %a = relax.exp %x : (T) -> T
  %b = relax.tanh %a : (T) -> T         ->       relax.output %a : T
  relax.output %a, %b : T, T                   }
}
```

Effects are kept, and so is every `match_*`: even if its variables are unused it is a check. An unused call
of a pure function is removed, together with the checks of its arguments: dead values are not evaluated in
any form (`relax_dialect.transform.liveness`).
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
