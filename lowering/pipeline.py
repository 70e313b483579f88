"""The index of the compiler: the passes in order, each runnable alone by its name.

relax-opt model.mlir -p relax-legalize,relax-fuse-elementwise

`OPTIMIZATIONS` improve a graph before it is lowered; `PASSES` lower it to loops. A pass that depends on the
machine has the option `cpu`, the name of one of `lowering.support.target.CPUS`; a pipeline for a CPU
hands it on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.transforms import get_all_passes
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from lowering.support.pass_options import make_pass
from lowering.support.progress import report
from lowering.support.reproducer import reproducible
from lowering.support.target import NATIVE, find
from relax_dialect import extensions
from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import inherit, is_known
from relax_dialect.parsing import (
    blaming_program,
    deep_recursion,
    new_context,
    require_module,
    verify,
)
from relax_dialect.rewrites import GRAPH_PASSES, PassTable, lazy_pass
from relax_dialect.text.diagnostics import located
from relax_dialect.text.wording import nearest

PipelineCallback = Callable[[ModulePass | None, ModuleOp, ModulePass | None], None]
"""Called between passes, with the finished pass, the module, and the next pass."""

DEFAULT_LEVEL = 1
"""The default level of optimization."""

OPTIMIZATIONS: Mapping[int, Sequence[str]] = {
    # the program as it is written
    0: (),
    # every result keeps its bits, except for the formulas of recognised operators
    1: (
        "relax-dce",  # first, so that no work is spent on unused values
        "relax-recognize-operators",
        "relax-fold-zero-points",
        "relax-simplify-algebra",
        "relax-fold-constant{max-elements=1024}",  # larger ones only where their operands are, too
        "relax-dce",
    ),
    # results may be rounded differently
    2: (
        "relax-dce",
        "relax-recognize-operators",
        "relax-fold-zero-points",
        "relax-simplify-algebra{fast-math=true}",
        "relax-fold-batch-norm",
        "relax-fold-constant{max-elements=1024}",
        "relax-dce",
    ),
}
"""The passes on the graph that run before the lowering, by the level of `-O0`, `-O1` and `-O2`."""

PASSES: PassTable = {
    "relax-lower-affine": lazy_pass("lowering.loops.lower_affine", "LowerAffinePass"),
    "relax-lower-vector-transfers": lazy_pass(
        "lowering.loops.lower_transfers", "LowerTransfersPass"
    ),
    **{
        name: GRAPH_PASSES[name]
        for name in (
            "relax-convert-cf-to-scf",
            "relax-convert-func-to-relax",
            "relax-to-a-normal-form",
            "relax-convert-scf-to-relax",
            "relax-lambda-lift",
            "relax-defunctionalize",
            "relax-tail-calls-to-loops",
            "relax-specialize-functions",
        )
    },
    "relax-lower-ccl": lazy_pass("lowering.legalize.ccl", "LowerCclPass"),
    "relax-forward-last-row": lazy_pass("lowering.fuse.forward_last_row", "ForwardLastRowPass"),
    # no closures from here on, and no calls that are iterations of loops
    "relax-run-codegen": lazy_pass("lowering.external.run_codegen", "RunCodegenPass"),
    "relax-outline-tensor-ops": lazy_pass(
        "lowering.legalize.tensor_ops.outline_tensor_ops", "OutlineTensorOpsPass"
    ),
    "relax-generalize-tensor-ops": lazy_pass(
        "lowering.legalize.tensor_ops.generalize_tensor_ops", "GeneralizeTensorOpsPass"
    ),
    "relax-bind-dynamic-dims": lazy_pass(
        "lowering.legalize.bind_dynamic_dims", "BindDynamicDimsPass"
    ),
    "relax-legalize": lazy_pass("lowering.legalize.relax_legalize", "LegalizePass"),
    "relax-rewrite-dataflow-reshape": lazy_pass(
        "lowering.fuse.rewrite_dataflow_reshape", "RewriteDataflowReshapePass"
    ),
    "relax-fuse-elementwise": lazy_pass("lowering.fuse.fuse_elementwise", "FuseElementwisePass"),
    "relax-fuse-siblings": lazy_pass("lowering.fuse.fuse_siblings", "FuseSiblingsPass"),
    "relax-deduplicate-prim-funcs": lazy_pass(
        "lowering.fuse.deduplicate_prim_funcs", "DeduplicatePrimFuncsPass"
    ),
    "relax-bufferize": lazy_pass("lowering.memory.bufferize.relax_bufferize", "BufferizePass"),
    "relax-schedule": lazy_pass("lowering.schedule.relax_schedule", "SchedulePass"),
    "relax-linalg-to-loops": lazy_pass("lowering.loops.linalg_to_loops", "LinalgToLoopsPass"),
    "relax-block-sums": lazy_pass("lowering.loops.block_sums", "BlockSumsPass"),
    "relax-split-reductions": lazy_pass("lowering.loops.split_reductions", "SplitReductionsPass"),
    "relax-lower-functions": lazy_pass(
        "lowering.memory.functions.lower_functions", "LowerFunctionsPass"
    ),
    "relax-emulate-unsupported-floats": lazy_pass(
        "lowering.loops.emulate_unsupported_floats", "EmulateUnsupportedFloatsPass"
    ),
    "relax-expand-math": lazy_pass("lowering.loops.expand_math", "ExpandMathPass"),
    "relax-reuse-buffers": lazy_pass("lowering.memory.in_place.reuse_buffers", "ReuseBuffersPass"),
    "relax-buffer-results-to-out-params": lazy_pass(
        "lowering.memory.in_place.buffer_results_to_out_params", "BufferResultsToOutParamsPass"
    ),
    "relax-concat-in-place": lazy_pass(
        "lowering.memory.in_place.concat_in_place", "ConcatInPlacePass"
    ),
    "relax-parallelize-loops": lazy_pass(
        "lowering.parallel.parallelize_loops", "ParallelizeLoopsPass"
    ),
    "relax-plan-memory": lazy_pass("lowering.memory.plan.plan_memory", "PlanMemoryPass"),
    "relax-expand-mpi-calls": lazy_pass(
        "lowering.memory.mpi.expand_mpi_calls", "ExpandMpiCallsPass"
    ),
}
"""The passes to loops by their names, in the order in which the pipeline runs them."""

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
"""The passes of `relax-lower-through-normal-forms` in order; the last ones are those of `PASSES`."""

ALL_PASSES: PassTable = {
    **GRAPH_PASSES,
    **PASSES,
    # it knows the tables of the code generators that are here
    "relax-fuse-ops-by-pattern": lazy_pass(
        "lowering.external.pattern_tables", "FuseOpsByPatternPass"
    ),
    "relax-lower-through-normal-forms": lambda: LowerThroughNormalFormsPass,
    "relax-raise-to-affine": lazy_pass("lowering.loops.raise_to_affine", "RaiseToAffinePass"),
    "relax-optimize": lambda: OptimizePass,
    "relax-to-loops": lambda: ToLoopsPass,
}
"""Every pass of the project by its name."""


def all_passes() -> PassTable:
    """Every pass by its name, those of extensions too."""
    return {**ALL_PASSES, **extensions.passes((*get_all_passes(), *ALL_PASSES))}


def pipeline(names: Sequence[str] = tuple(PASSES), cpu: str = NATIVE) -> PassPipeline:
    """Return the passes as an xDSL pipeline, each by its name, with options as in `name{option=value}`.

    The names are those of our passes and xDSL's. Passes that depend on the machine get the name of the CPU,
    unless their text names one.
    """
    if cpu != NATIVE:
        find(cpu)
    known = all_passes()
    return PassPipeline(tuple(_pass(name, cpu, known) for name in names))


def _pass(text: str, cpu: str, known: PassTable) -> ModulePass:
    try:
        (spec,) = parse_pipeline(text)
    except (ArgSpecParseError, ValueError) as error:
        raise RelaxError(
            f"pass '{text}': expected one pass, with options as in name{{option=value}}, found "
            f"none: {str(error).strip()}; correct the text"
        ) from None
    load = known.get(spec.name) or get_all_passes().get(spec.name)
    if load is None:
        meant = nearest(spec.name, (*known, *get_all_passes()))
        raise RelaxError(
            f"pass '{spec.name}': expected one of {', '.join(known)}, or a pass of xDSL; "
            + (f"is {meant} meant?" if meant else "correct the name")
        )
    kind = load()
    if cpu != NATIVE and any(option.name == "cpu" for option in fields(kind)):
        spec = ArgSpec(spec.name, {"cpu": (cpu,), **spec.parameters})
    return make_pass(kind, spec)


def optimizations(level: int = DEFAULT_LEVEL) -> Sequence[str]:
    """Return the passes of a level of optimization, 0 to 2, by name, those of extensions first.

    Raises `RelaxError` for another level.
    """
    if isinstance(level, bool) or level not in OPTIMIZATIONS:
        raise RelaxError(
            f"optimization level {level!r}: expected one of {', '.join(map(str, OPTIMIZATIONS))}; "
            "pass one of them"
        )
    own = extensions.optimizations(level, tuple(OPTIMIZATIONS), all_passes())
    return (*own, *OPTIMIZATIONS[level])


def lower(
    module: ModuleOp,
    names: Sequence[str] = tuple(PASSES),
    *,
    cpu: str = NATIVE,
    verify_each: bool = False,
    context: Context | None = None,
    callback: PipelineCallback | None = None,
) -> ModuleOp:
    """Run passes on a module in place and return it: ours and xDSL's, by their names, with options.

    `cpu` is the one to lower for, `lowering.support.target.CPUS`. `verify_each` verifies after every pass,
    as the tests do. `callback` is called before, between and after passes with the finished pass, the
    module and the next pass, as xDSL's `PassPipeline` calls it.
    """
    require_module(module)
    if isinstance(names, str):
        raise RelaxError(
            f"passes '{names}': expected a list of names, found one text; pass {names.split(',')}"
        )
    return lower_checked(module, names, cpu, callback, verify_each=verify_each, context=context)


def lower_checked(
    module: ModuleOp,
    names: Sequence[str],
    cpu: str,
    callback: PipelineCallback | None = None,
    *,
    verify_each: bool = False,
    context: Context | None = None,
) -> ModuleOp:
    """Run passes on a module as `lower` does, whose arguments the entry point has checked."""
    passes = PassPipeline(pipeline(names, cpu).passes, callback)
    run(passes, module, context or new_context(), verify_each=verify_each)
    return module


def run(
    passes: PassPipeline, module: ModuleOp, context: Context, *, verify_each: bool = False
) -> None:
    """Run passes on a module in place.

    A pass that fails because of a bug raises `InternalError`, with a file that reproduces it.
    """
    with deep_recursion():
        _run(passes, module, context, verify_each)


def _run(passes: PassPipeline, module: ModuleOp, context: Context, verify_each: bool) -> None:
    started: list[ModulePass] = []
    original = module.clone() if passes.passes else module

    def begin(done: ModulePass | None, module: ModuleOp, following: ModulePass | None) -> None:
        for function in module.ops:
            # ops made by passes in a prim func come from its operators
            if isinstance(function, FuncOp) and is_known(function):
                inherit([function], function.location)
        if verify_each and done is not None:
            verify(module, f"after {done.name}")
        if passes.callback is not None:
            passes.callback(done, module, following)
        if following is not None:
            report(following.name, len(started), len(passes.passes))
            started.append(following)

    faults = reproducible(started, lambda: str(original))
    with faults, located(module), blaming_program(original):
        PassPipeline(passes.passes, begin).apply(context, module)


@dataclass(frozen=True)
class OptimizePass(ModulePass):
    """relax-optimize: the passes of an optimization level, by default those of `-O1`.

    ```mlir
    %a = relax.exp %x : (T) -> T                       // unused
    %b = relax.add %c1, %c2 : (T, T) -> T              // of two constants     ->   %b = relax.constant ...
    %y = relax.multiply %b, %one : (T, T) -> T
    ```

    `{level=2}` is `-O2` of the tools; `OPTIMIZATIONS` lists the passes of each level.
    """

    name = "relax-optimize"

    level: int = DEFAULT_LEVEL

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_checked(op, optimizations(self.level), NATIVE, context=ctx)


@dataclass(frozen=True)
class ToLoopsPass(ModulePass):
    """relax-to-loops: all of `PASSES`, in order, for a CPU. The target `c` prints the result."""

    name = "relax-to-loops"

    cpu: str = NATIVE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_checked(op, tuple(PASSES), self.cpu, context=ctx)


@dataclass(frozen=True)
class LowerThroughNormalFormsPass(ModulePass):
    """relax-lower-through-normal-forms: to loops, optimised in basic block normal form.

    The document's order: model -> graph form -> basic block normal form -> optimisations -> A-normal
    form -> loops. Blocks, loops and functions of other dialects are converted first. The optimisations
    rewrite the graph of each block, and variables keep every value in its block; from A-normal form
    closures become functions, and the runs of pure bindings become dataflow blocks, which the lowering
    starts from.
    """

    name = "relax-lower-through-normal-forms"

    cpu: str = NATIVE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in pipeline(NORMAL_FORM_PIPELINE, self.cpu).passes:
            each.apply(ctx, op)
