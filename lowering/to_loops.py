"""relax-to-loops: a Relax program -> functions on memrefs with loops, by all passes of the pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.pipeline import lower
from lowering.target import NATIVE


@dataclass(frozen=True)
class ToLoopsPass(ModulePass):
    """Every pass of `lowering.pipeline`, in order, for a CPU; the target `c` prints the result."""

    name = "relax-to-loops"

    cpu: str = NATIVE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower(op, cpu=self.cpu, context=ctx)
