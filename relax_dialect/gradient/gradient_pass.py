"""relax-gradient{func=loss wrt=w}: adds a function that returns the value of another and its gradients.

```mlir
relax.func @loss(%x: !relax.tensor<[n], f32>, %w: !relax.tensor<[n], f32>) -> !relax.tensor<[], f32> {
  %y = relax.multiply %x, %w : ...
  %s = relax.sum %y : ...
  relax.return %s : ...
->
relax.func @loss ...                                                            (as it was)
relax.func @loss_adjoint(%x: ..., %w: ...) -> tuple<!relax.tensor<[], f32>, tuple<...>> {
  %y = relax.multiply %x, %w : ...
  %s = relax.sum %y : ...
  %one = relax.ones_like %s : ...
  %size = relax.shape_of %y : ...
  %d_y = relax.broadcast_to %one, %size : ...
  %d_w = relax.multiply %d_y, %x : ...
  %g = relax.tuple %d_w : ...
  %r = relax.tuple %s, %g : ...
  relax.return %r : ...
```

The targets `wrt` are names or indices of parameters, counted from 0; by default all that hold floats. Any
other name is that of a value of the body, outside of branches and loops (not with `mode=jvp`). If the
function returns a tuple, `target-index` is the field that is the loss. `mode=vjp` adds `@loss_vjp` instead,
which takes cotangents of any result, and `mode=jvp` `@loss_jvp`, which takes tangents of the targets. See
`relax_dialect.gradient` and docs/gradients.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.transform import gradient, jvp, vjp


@dataclass(frozen=True)
class GradientPass(ModulePass):
    """Add a function that returns the value of another and its gradients."""

    name = "relax-gradient"

    func: str = "main"
    wrt: tuple[str | int, ...] | None = None
    target_index: int = 0
    mode: Literal["gradient", "vjp", "jvp"] = "gradient"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.target_index and self.mode != "gradient":
            raise GradientError(
                f"relax-gradient: expected no target-index with mode={self.mode}, which is of all results, "
                f"found {self.target_index}; leave it out"
            )
        match self.mode:
            case "gradient":
                gradient(op, self.func, self.wrt, self.target_index)
            case "vjp":
                vjp(op, self.func, self.wrt)
            case "jvp":
                jvp(op, self.func, self.wrt)
