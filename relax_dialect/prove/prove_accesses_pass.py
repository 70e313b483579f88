"""relax-prove-accesses: z3 proves that accesses of prim funcs are within the bounds of tensors and memrefs.

```mlir
func.func private @f(%x: tensor<?xf32> {relax.dims = ["n + 2"]}, ...) {
  linalg.generic {indexing_maps = [(d0, d1) -> (d0 + d1), (d0) -> (d0), (d1) -> (d1)], ...}
    ins(%x, %w : ..., tensor<3xf32>) outs(%y : tensor<?xf32>)       // @f: proved: 1 accesses
```

A verdict for each func.func is written to standard error; it is for all sizes, at least 0, that the checks
before an access allow. An index that is read from memory, and callers' facts about sizes, are outside. The
pass fails if an access is refuted, and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.errors import RelaxError
from relax_dialect.prove import prove_accesses, report, require_z3
from relax_dialect.prove.prove_pass import checked_limit
from relax_dialect.prove.verdicts import Limits


@dataclass(frozen=True)
class ProveAccessesPass(ModulePass):
    """Prove that all accesses of prim funcs are within the bounds."""

    name = "relax-prove-accesses"

    limit: int = Limits().milliseconds

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        require_z3(self.name)
        refuted = report(self.name, prove_accesses(op, checked_limit(self.name, self.limit)))
        if refuted:
            raise RelaxError(
                f"{self.name}: expected accesses within the bounds, found others in {', '.join(refuted)}; "
                "add a check of the sizes before them"
            )
