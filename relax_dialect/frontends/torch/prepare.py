"""Programs without side effects, of operators that have converters.

A program of these alone is imported as it is; any other is decomposed by PyTorch, except for the operators
that have converters: `layer_norm` arrives whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from relax_dialect.frontends.torch import buffer_updates, registry
from relax_dialect.frontends.torch.coverage import is_converted
from relax_dialect.frontends.torch.errors import TorchError
from relax_dialect.frontends.torch.fx_graphs import nodes_of, source_line
from relax_dialect.frontends.torch.torch_package import part_of_torch

TRAINING = {"alpha_dropout": 2, "batch_norm": 5, "dropout": 2, "dropout_": 2, "feature_dropout": 2}
"""The index of the argument that lets an operator update statistics or draw random numbers."""

IDENTITIES = ("detach_", "dropout_", "lift_fresh", "requires_grad_")
"""Operators that are marked as changing their operand, but compute it."""

CAST = "wrap_with_autocast"
"""The node around operators whose operands autocast converts, which decompositions spell out."""


def prepared(program: Any) -> Any:
    """Return an exported program whose nodes have no side effects, and have converters if possible."""
    if all(is_plain(node) for node in nodes_of(program.graph_module)):
        return program
    for node in nodes_of(program.graph_module):
        if buffer_updates.is_update(node):
            refuse_unknown_memory(node)
    try:
        return program.run_decompositions(decompositions())
    except Exception as error:  # PyTorch traces the program again, and raises errors of many kinds
        first = str(error).partition("\n")[0]
        raise TorchError(
            f"expected a program that PyTorch can decompose, found one that it cannot ({first}); leave out "
            "writes (relu_), or operators that have no converter"
        ) from error


def refuse_unknown_memory(node: Any) -> None:
    """Refuse a write to memory that may be an operand's, which decompositions take for a copy."""
    base = buffer_updates.memory_of(node)
    if buffer_updates.may_return_operand(base):
        name = registry.name_of(node.target)
        raise TorchError(
            f"{node.name}, {name} ({source_line(node)}): expected a write to a tensor of its own, found "
            f"the result of {base.name}, which may be its operand; write y = y + 1 instead of y += 1"
        )


def is_plain(node: Any) -> bool:
    """Returns whether a node can be converted as it is."""
    if node.op != "call_function":
        return True
    name = registry.name_of(node.target)
    operator = name.rpartition(".")[0]
    if buffer_updates.is_update(node) and operator not in IDENTITIES:
        return buffer_updates.is_local(node)
    flag = TRAINING.get(operator)
    return (
        is_converted(node)
        and CAST not in name
        and not (flag is not None and len(node.args) > flag and node.args[flag] is True)
    )


def decompositions() -> Mapping[Any, Callable[..., Any]]:
    """Return PyTorch's decompositions of the operators that have no converter."""
    decomposition_table = part_of_torch("torch._decomp").decomposition_table
    default = part_of_torch("torch.export").default_decompositions()
    found = {**decomposition_table, **default}
    kept = {
        overload: decompose
        for overload, decompose in found.items()
        if hasattr(overload, "_schema") and not _is_kept(registry.name_of(overload))
    }
    return kept


def _is_kept(name: str) -> bool:
    """Returns whether a program keeps an operator, so that it arrives whole."""
    return registry.find(name) is not None and not buffer_updates.may_alias(name)
