"""Passes on the graph, one file each; the table lists them by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

from xdsl.passes import ModulePass

PassTable: TypeAlias = dict[str, Callable[[], type[ModulePass]]]


def lazy_pass(module: str, pass_class: str) -> Callable[[], type[ModulePass]]:
    """A pass class by its module and name, imported when the pass is asked for."""
    return lambda: getattr(import_module(module), pass_class)


def _lazy(file: str, pass_class: str) -> Callable[[], type[ModulePass]]:
    return lazy_pass(f"relax_dialect.rewrites.{file}", pass_class)


GRAPH_PASSES: PassTable = {
    "relax-adjust-matmul-order": _lazy("adjust_matmul_order", "AdjustMatmulOrderPass"),
    "relax-apply-pdl": _lazy("apply_pdl", "ApplyPDLPass"),
    "relax-attach-global-symbol": _lazy("attach_global_symbol", "AttachGlobalSymbolPass"),
    "relax-bind-params": _lazy("bind_params", "BindParamsPass"),
    "relax-bind-symbolic-vars": _lazy("bind_symbolic_vars", "BindSymbolicVarsPass"),
    "relax-bundle-model-params": _lazy("bundle_model_params", "BundleModelParamsPass"),
    "relax-canonicalize-bindings": _lazy("canonicalize_bindings", "CanonicalizeBindingsPass"),
    "relax-check-basic-block-normal-form": _lazy(
        "check_basic_block_normal_form", "CheckBasicBlockNormalFormPass"
    ),
    "relax-combine-parallel-matmul": _lazy("combine_parallel_matmul", "CombineParallelMatmulPass"),
    "relax-compute-prim-value": _lazy("compute_prim_value", "ComputePrimValuePass"),
    "relax-convert-cf-to-scf": _lazy("convert_cf_to_scf", "ConvertCfToScfPass"),
    "relax-convert-func-to-relax": _lazy("convert_func_to_relax", "ConvertFuncToRelaxPass"),
    "relax-convert-scf-to-relax": _lazy("convert_scf_to_relax", "ConvertScfToRelaxPass"),
    "relax-convert-to-dataflow": _lazy("convert_to_dataflow", "ConvertToDataflowPass"),
    "relax-cse": _lazy("cse", "CsePass"),
    "relax-dce": _lazy("dce", "DcePass"),
    "relax-decompose-ops-for-inference": _lazy(
        "decompose_ops_for_inference", "DecomposeOpsForInferencePass"
    ),
    "relax-decompose-ops-for-training": _lazy(
        "decompose_ops_for_training", "DecomposeOpsForTrainingPass"
    ),
    "relax-defunctionalize": _lazy("defunctionalize", "DefunctionalizePass"),
    "relax-expand-compute": _lazy("expand_compute", "ExpandComputePass"),
    "relax-expand-matmul-of-sum": _lazy("expand_matmul_of_sum", "ExpandMatmulOfSumPass"),
    "relax-fast-math": _lazy("fast_math", "FastMathPass"),
    "relax-fold-batch-norm": _lazy("fold_batch_norm", "FoldBatchNormPass"),
    "relax-fold-constant": _lazy("fold_constant", "FoldConstantPass"),
    "relax-fold-transpose-into-matmul": _lazy(
        "fold_transpose_into_matmul", "FoldTransposeIntoMatmulPass"
    ),
    "relax-fold-zero-points": _lazy("fold_zero_points", "FoldZeroPointsPass"),
    "relax-fuse-ops-by-pattern": _lazy("fuse_ops_by_pattern", "FuseOpsByPatternPass"),
    "relax-gradient": lazy_pass("relax_dialect.gradient.gradient_pass", "GradientPass"),
    "relax-inline-private-functions": _lazy(
        "inline_private_functions", "InlinePrivateFunctionsPass"
    ),
    "relax-lambda-lift": _lazy("lambda_lift", "LambdaLiftPass"),
    "relax-lift-constants": _lazy("lift_constants", "LiftConstantsPass"),
    "relax-lift-transform-params": _lazy("lift_transform_params", "LiftTransformParamsPass"),
    "relax-merge-composite-functions": _lazy(
        "merge_composite_functions", "MergeCompositeFunctionsPass"
    ),
    "relax-normalize": _lazy("normalize", "NormalizePass"),
    "relax-propagate-shapes": _lazy("propagate_shapes", "PropagateShapesPass"),
    "relax-prove": lazy_pass("relax_dialect.prove.prove_pass", "ProvePass"),
    "relax-prove-accesses": lazy_pass(
        "relax_dialect.prove.prove_accesses_pass", "ProveAccessesPass"
    ),
    "relax-quantize": _lazy("quantize", "QuantizePass"),
    "relax-remove-unused-outputs": _lazy("remove_unused_outputs", "RemoveUnusedOutputsPass"),
    "relax-remove-unused-parameters": _lazy(
        "remove_unused_parameters", "RemoveUnusedParametersPass"
    ),
    "relax-reorder-permute-dims-after-concat": _lazy(
        "reorder_permute_dims_after_concat", "ReorderPermuteDimsAfterConcatPass"
    ),
    "relax-reorder-take-after-matmul": _lazy(
        "reorder_take_after_matmul", "ReorderTakeAfterMatmulPass"
    ),
    "relax-simplify-algebra": _lazy("simplify_algebra", "SimplifyAlgebraPass"),
    "relax-recognize-operators": _lazy("recognize_operators", "RecognizeOperatorsPass"),
    "relax-split-call-tir-by-pattern": _lazy(
        "split_call_tir_by_pattern", "SplitCallTirByPatternPass"
    ),
    "relax-specialize-functions": _lazy("specialize_functions", "SpecializeFunctionsPass"),
    "relax-tail-calls-to-loops": _lazy("tail_calls_to_loops", "TailCallsToLoopsPass"),
    "relax-to-a-normal-form": _lazy("to_a_normal_form", "ToANormalFormPass"),
    "relax-to-basic-block-normal-form": _lazy(
        "to_basic_block_normal_form", "ToBasicBlockNormalFormPass"
    ),
    "relax-to-graph-normal-form": _lazy("to_graph_normal_form", "ToGraphNormalFormPass"),
    "relax-to-non-dataflow": _lazy("to_non_dataflow", "ToNonDataflowPass"),
    "relax-topological-sort": _lazy("topological_sort", "TopologicalSortPass"),
    "relax-update-param-type": _lazy("update_param_type", "UpdateParamTypePass"),
    "relax-while-to-recursion": _lazy("while_to_recursion", "WhileToRecursionPass"),
}
"""Every pass by its name."""

__all__ = ["GRAPH_PASSES", "PassTable", "lazy_pass"]
