"""relax-optimize: a graph -> the graph that is lowered, by the passes of a level of optimization.

```mlir
%a = relax.exp %x : (T) -> T                       // nobody uses it
%b = relax.add %c1, %c2 : (T, T) -> T              // of two constants     ->   %b = relax.constant ...
%y = relax.multiply %b, %one : (T, T) -> T
```

`{level=2}` is `-O2` of the tools; `lowering.pipeline.OPTIMIZATIONS` lists the passes of each level.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.pipeline import DEFAULT_LEVEL, lower, optimizations


@dataclass(frozen=True)
class OptimizePass(ModulePass):
    """The passes on the graph that run before the lowering."""

    name = "relax-optimize"

    level: int = DEFAULT_LEVEL

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower(op, optimizations(self.level), context=ctx)
