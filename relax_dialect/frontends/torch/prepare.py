"""Programs without side effects, of operators that have converters.

A program of these alone is taken as it is; another one goes through PyTorch's decompositions, which keep the
operators that have converters: `layer_norm` arrives whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from relax_dialect.frontends.torch import registry
from relax_dialect.frontends.torch.coverage import is_converted
from relax_dialect.frontends.torch.fx_graphs import nodes_of

TRAINING = {"batch_norm": 5, "instance_norm": 5, "dropout": 2}
"""The index of the argument that lets an operator update statistics or draw random numbers."""

IDENTITIES = ("detach_", "lift_fresh", "requires_grad_")
"""Operators that are marked as changing their operand, but compute it."""

CAST = "wrap_with_autocast"
"""The node around operators whose operands autocast converts, which decompositions spell out."""


def prepared(program: Any) -> Any:
    """Return an exported program whose nodes have no side effects, and have converters if possible."""
    if all(is_plain(node) for node in nodes_of(program.graph_module)):
        return program
    return program.run_decompositions(decompositions())


def is_plain(node: Any) -> bool:
    """Returns whether a node can be converted as it is."""
    if node.op != "call_function":
        return True
    name = registry.name_of(node.target)
    schema = getattr(node.target, "_schema", None)
    operator = name.rpartition(".")[0]
    flag = TRAINING.get(operator)
    return (
        is_converted(node)
        and not (schema is not None and schema.is_mutable and operator not in IDENTITIES)
        and CAST not in name
        and not (flag is not None and len(node.args) > flag and node.args[flag] is True)
    )


def decompositions() -> Mapping[Any, Callable[..., Any]]:
    """Return PyTorch's decompositions of the operators that have no converter."""
    import torch
    from torch._decomp import decomposition_table

    default = torch.export.default_decompositions()
    found = {**decomposition_table, **default}
    return {
        overload: decompose
        for overload, decompose in found.items()
        if hasattr(overload, "_schema") and registry.find(registry.name_of(overload)) is None
    }
