"""TVM's passes and their counterparts here: the table of `--check-tvm` and of docs/from-tvm-names.md.

A row is `theirs | ours | note`: an empty cell between the bars is our pass of the same name
(`relax-fold-constant` for FoldConstant), `-` is nothing, with the reason after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

GPU = "the output is C for CPUs"
VM = "compiled C has no virtual machine: relax-to-loops ends in functions on buffers"
DEVICES = "there is one device, the CPU"
WORKERS = "relax-shard cuts values along a grid of devices and inserts collectives"
TUNING = "`relax-tune` searches, and writes schedules as text ([tuning.md](tuning.md))"
LAYOUTS = (
    "kernels lay their operands out themselves, constants at compile time; relax-convert-layout converts "
    "operators to other layouts, in blocks too"
)
LAZY = "parameters are the caller's arrays; constants are loaded once, from one file"

PASSES = f"""
AdjustMatmulOrder | | a product with other uses is computed anyway
AllocateWorkspace | - | kernels of libraries allocate their workspace
AlterOpImpl, OptimizeLayoutTransform | - | {LAYOUTS}
AnnotateTIROpPattern | - | the fuser inspects the maps of `linalg.generic`
AttachAttrLayoutFreeBuffers, SplitLayoutRewritePreproc | - | the schedule lays constants out by \
`pack_constant`
AttachExternModules | - | `relax-compile --packed f=my_f --link my.c` ([architecture.md](architecture.md))
AttachGlobalSymbol | | prim funcs are then exported from C, too
NormalizeGlobalVar | relax.func | a function's name is its symbol, and its name in C
BindParams | |
BindSymbolicVars | |
BundleModelParams | | calls are updated, too
CallTIRRewrite | relax-bufferize, relax-lower-functions | results are buffers of the caller
CanonicalizeBindings | |
CombineParallelMatmul | |
ComputePrimValue | | compiled code needs it not: a value is computed where it stands; comparisons are \
operators
ConvertLayout | | channels in blocks, too (`NCHW16c`); one convolution at a time; elementwise operators \
and pools follow
ConvertToDataflow | |
DataflowBlockPass, FunctionPass, dataflowblock_pass, function_pass | relax_dialect.visitor.ExprMutator, \
lowering.pipeline.lower | a pass is a class of xDSL ([start.md](start.md))
DataflowUseInplaceCalls | relax-reuse-buffers |
DeadCodeElimination | | `entry-functions`, too: private functions that stay
DecomposeOpsForInference, DecomposeOpsForTraining | | norms; `relax.tensor_to_shape` stays, as compiled \
code computes it
EliminateCommonSubexpr | |
ExpandMatmulOfSum | | unless the sum has other uses
ExpandTupleArguments | relax-lower-functions | each tensor of a tuple is a separate argument in C
FastMathTransform | | not needed: relax-expand-math has polynomials that are more exact, and as fast
FoldBatchnormToConv2D | | dense layers too
FoldConstant | | by the interpreter
FuseOps, FuseTIR | relax-fuse-elementwise | both steps in one
FuseOpsByPattern, MergeCompositeFunctions, RunCodegen | | [external.md](external.md); \
`fuse_ops_by_pattern(module, [(name, pattern), ...])` from Python
FuseTransposeMatmul | | gives `relax.linear`, which is legalised like any operator
FusionPattern, PatternCheckContext | relax_dialect.dpl.FusionPattern, \
relax_dialect.dpl.PatternCheckContext, relax_dialect.dpl.register_patterns |
Gradient | | or `relax_dialect.gradient.gradient`; intermediate values by name; whole functions, with \
branches, loops and recursion: [gradients.md](gradients.md)
InlinePrivateFunctions | |
IPCAllReduceRewrite | - | {WORKERS}
KillAfterLastUse, LowerAllocTensor, StaticPlanBlockMemory | relax-plan-memory | symbolic sizes too; \
freed memory is reused
LambdaLift | |
LazyGetInput, LazySetOutput, LazyTransformParams | - | {LAZY}
LegalizeOps | |
LiftTransformParams | | `shared=true`, symbolic sizes too; `stop_lift_params` of `relax.let`; a weight \
that alone tells a size stays a parameter
LowerGPUIPCAllocStorage | - | {GPU}
LowerRuntimeBuiltin, VMBuiltinLower | - | {VM}
MetaScheduleApplyDatabase, MetaScheduleTuneIRMod, MetaScheduleTuneTIR | - | {TUNING}
Normalize | |
RealizeVDevice, UpdateVDevice | - | {DEVICES}
RemovePurityChecking | - | purity follows from the ops, and costs nothing at run time
RemoveRedundantReshape | relax-simplify-algebra | with other rules of algebra; part of `-O1`
RemoveUnusedOutputs, RemoveUnusedParameters | |
ReorderPermuteDimsAfterConcat, ReorderTakeAfterMatmul | |
RewriteCUDAGraph | - | {GPU}
RewriteDataflowReshape | |
SpecializePrimFuncBasedOnCallSite | - | {DEVICES}
SplitCallTIRByPattern | | patterns are prim funcs; a packed function or another prim func replaces \
matches
ToMixedPrecision | | f16 and bf16 ([mixed-precision.md](mixed-precision.md)); constants are cast at \
compile time, and those that the narrow type does not hold stay
ToNonDataflow | |
TopologicalSort | |
UpdateParamType | | result types of calls change, too; by name, or from Python by a function
VMShapeLower | relax-lower-functions | checks and sizes are C at the entry of a function
"""
"""Of `tvm.relax.transform`."""


def cells(rows: str) -> Iterator[tuple[str, str, str]]:
    """Yield the cells of rows."""
    for line in rows.strip().splitlines():
        theirs, ours, note = (cell.strip() for cell in line.split("|"))
        yield theirs, ours, note


def elsewhere(name: str) -> str | None:
    """Describe how the work of a TVM pass without a namesake here is done; None for any other name."""
    for theirs, ours, note in cells(PASSES):
        if ours and name in theirs.split(", "):
            said = re.sub(r"\[([^]]*)\]\([^)]*\)", r"docs/\1", note).replace("`", "")
            if ours == "-":
                return f"which has no counterpart ({said})"
            return f"whose work {ours} does" + (f" ({said})" if said else "")
    return None
