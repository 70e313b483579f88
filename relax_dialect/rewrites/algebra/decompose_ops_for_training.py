"""relax-decompose-ops-for-training{func=f}: norms become arithmetic with the statistics of the batch.

```mlir
%y, %m, %v = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1} : ...
    ->
own_mean, own_var = mean(x), variance(x)                   // over all axes but that of the channels
%y = gamma * (x - own_mean) / sqrt(own_var + epsilon) + beta
%m = (1 - momentum) * mean + momentum * own_mean           // and so %v
```

`relax.layer_norm` is decomposed likewise, over its axes. The function is for training from then on: a
norm of inference uses the statistics of the batch too. `relax-gradient` does not need this pass: it has
rules for norms, which keep fewer values.

A norm is kept unless the types prove that the sizes of its operands agree. Narrow floats are computed in
f32 and rounded once, as by the norm.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.rewrites.algebra.rule_sets.norms import decompose, rules_of_training


def decompose_ops_for_training(module: ModuleOp, func: str | None = None) -> int:
    """Decompose norms in every function, or in one; returns their number."""
    return decompose(module, rules_of_training(), func, DecomposeOpsForTrainingPass.name)


@dataclass(frozen=True)
class DecomposeOpsForTrainingPass(ModulePass):
    """Write norms as arithmetic with the statistics of the batch."""

    name = "relax-decompose-ops-for-training"

    func: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        decompose_ops_for_training(op, self.func)
