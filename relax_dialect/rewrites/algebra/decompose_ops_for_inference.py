"""relax-decompose-ops-for-inference{func=f}: batch norms become arithmetic with the moving statistics.

```mlir
%y, %m, %v = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1} : ...
    ->
%y = gamma * (x - mean) / sqrt(var + epsilon) + beta       // mean and var for %m and %v
```

Each parameter gets axes of size 1, so that it broadcasts with `%x`. `relax-fold-constant` and
`relax-simplify-algebra` then compute values that only depend on weights; `relax-fold-batch-norm` goes
further if a convolution precedes the norm.

The function is for inference from then on: a norm with `training` uses the moving statistics too, and
returns them unchanged. A norm is kept unless the types prove that the sizes of its operands agree. Narrow
floats are computed in f32 and rounded once, as by the norm.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.rewrites.algebra.rule_sets.norms import decompose, rules_of_inference


def decompose_ops_for_inference(module: ModuleOp, func: str | None = None) -> int:
    """Decompose norms in every function, or in one; returns their number."""
    return decompose(module, rules_of_inference(), func, DecomposeOpsForInferencePass.name)


@dataclass(frozen=True)
class DecomposeOpsForInferencePass(ModulePass):
    """Write norms as arithmetic with their moving statistics."""

    name = "relax-decompose-ops-for-inference"

    func: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        decompose_ops_for_inference(op, self.func)
