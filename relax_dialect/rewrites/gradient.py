"""relax-gradient{func=loss wrt=w,b}: a function that gives the value of another and its gradients.

```mlir
relax.func @loss(%x: T, %w: T) -> !relax.tensor<[], f32> {
  %y = relax.multiply %x, %w : (T, T) -> T
  %z = relax.sum %y : (T) -> !relax.tensor<[], f32>
  relax.return %z : !relax.tensor<[], f32>
}
    ->                                                                  (added, for {func=loss wrt=w})
relax.func @loss_adjoint(%x: T, %w: T) -> tuple<!relax.tensor<[], f32>, tuple<T>> {
  %y = relax.multiply %x, %w : (T, T) -> T
  %z = relax.sum %y : (T) -> !relax.tensor<[], f32>
  %g = relax.ones_like %z : ...
  %gy = relax.broadcast_to %g, ...
  %gw = relax.multiply %gy, %x : (T, T) -> T
  ...
```

Without `wrt` the targets are all parameters that hold floats. The functions that are called get private
functions that give their gradients. Function values are removed first, by relax-lambda-lift and
relax-defunctionalize. See `relax_dialect.gradient`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.gradient import gradient


@dataclass(frozen=True)
class GradientPass(ModulePass):
    """Add a function that gives the gradients of another."""

    name = "relax-gradient"

    func: str
    wrt: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        gradient(op, self.func, self.wrt or None)
