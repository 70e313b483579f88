"""relax-lower-through-normal-forms: a Relax program -> loops, optimised in basic block normal form.

The document's way: model -> graph form -> basic block normal form -> optimisations -> A-normal form ->
loops. Blocks, loops and functions of other dialects are converted first. The optimisations rewrite the
graph of each block, and variables keep every value in its block; from A-normal form closures become
functions, and the runs of pure bindings become dataflow blocks, which the lowering starts from.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.pipeline import PASSES, pipeline
from lowering.target import NATIVE
from relax_dialect.rewrites import GRAPH_PASSES

NORMAL_FORM_PIPELINE: tuple[str, ...] = (
    # other dialects' functions, blocks and loops
    "relax-convert-cf-to-scf",
    "relax-convert-func-to-relax",
    "relax-to-a-normal-form",
    "relax-convert-scf-to-relax",
    "relax-to-graph-normal-form",
    "relax-to-basic-block-normal-form",
    "relax-fold-constant",
    "relax-cse",
    "relax-dce",
    "relax-to-a-normal-form",
    "relax-lambda-lift",
    "relax-defunctionalize",
    "relax-convert-to-dataflow",
    *(name for name in PASSES if name not in GRAPH_PASSES),
)
"""The passes by name, in their order; the last ones are those of `lowering.pipeline`."""


@dataclass(frozen=True)
class LowerThroughNormalFormsPass(ModulePass):
    """The passes of `NORMAL_FORM_PIPELINE`, in order."""

    name = "relax-lower-through-normal-forms"

    cpu: str = NATIVE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in pipeline(NORMAL_FORM_PIPELINE, self.cpu).passes:
            each.apply(ctx, op)
