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
    "relax-bind-params": _lazy("bind_params", "BindParamsPass"),
    "relax-bind-symbolic-vars": _lazy("bind_symbolic_vars", "BindSymbolicVarsPass"),
    "relax-canonicalize-bindings": _lazy("canonicalize_bindings", "CanonicalizeBindingsPass"),
    "relax-check-basic-block-normal-form": _lazy(
        "check_basic_block_normal_form", "CheckBasicBlockNormalFormPass"
    ),
    "relax-convert-to-dataflow": _lazy("convert_to_dataflow", "ConvertToDataflowPass"),
    "relax-cse": _lazy("cse", "CsePass"),
    "relax-dce": _lazy("dce", "DcePass"),
    "relax-defunctionalize": _lazy("defunctionalize", "DefunctionalizePass"),
    "relax-fold-constant": _lazy("fold_constant", "FoldConstantPass"),
    "relax-inline-private-functions": _lazy(
        "inline_private_functions", "InlinePrivateFunctionsPass"
    ),
    "relax-lambda-lift": _lazy("lambda_lift", "LambdaLiftPass"),
    "relax-normalize": _lazy("normalize", "NormalizePass"),
    "relax-propagate-shapes": _lazy("propagate_shapes", "PropagateShapesPass"),
    "relax-to-a-normal-form": _lazy("to_a_normal_form", "ToANormalFormPass"),
    "relax-to-basic-block-normal-form": _lazy(
        "to_basic_block_normal_form", "ToBasicBlockNormalFormPass"
    ),
    "relax-to-graph-normal-form": _lazy("to_graph_normal_form", "ToGraphNormalFormPass"),
    "relax-to-non-dataflow": _lazy("to_non_dataflow", "ToNonDataflowPass"),
    "relax-topological-sort": _lazy("topological_sort", "TopologicalSortPass"),
}
"""Every pass by its name."""

__all__ = ["GRAPH_PASSES", "PassTable", "lazy_pass"]
