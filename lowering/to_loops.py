"""relax-to-loops: a Relax program -> functions on memrefs with loops, by all passes of the pipeline."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.pipeline import lower


class ToLoopsPass(ModulePass):
    """Every pass of `lowering.pipeline`, in order; the target `c` prints the result."""

    name = "relax-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower(op, context=ctx)
