"""Passes on the graph, one file each, on shelves by topic; the table is read from the folders."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from xdsl.passes import ModulePass

PassTable: TypeAlias = dict[str, Callable[[], type[ModulePass]]]

SHELVES = (
    "forms",
    "conversion",
    "calls",
    "shapes",
    "params",
    "algebra",
    "matmul",
    "recognition",
    "layout",
    "partition",
    "quantization",
)
"""The folders of passes. Each file of a shelf is one pass; its parts are in a subfolder."""


def lazy_pass(module: str, pass_class: str) -> Callable[[], type[ModulePass]]:
    """Return a pass class by its module and name, imported on first use."""
    return lambda: getattr(import_module(module), pass_class)


def _on_shelf(shelf: str) -> PassTable:
    """Return the passes of one shelf: `relax-lambda-lift` is `LambdaLiftPass` in `lambda_lift.py`."""
    stems = [path.stem for path in (Path(__file__).parent / shelf).glob("[a-z]*.py")]
    return {
        f"relax-{stem.replace('_', '-')}": lazy_pass(
            f"{__name__}.{shelf}.{stem}", stem.title().replace("_", "") + "Pass"
        )
        for stem in stems
    }


GRAPH_PASSES: PassTable = dict(
    sorted(
        {
            **{name: found for shelf in SHELVES for name, found in _on_shelf(shelf).items()},
            "relax-gradient": lazy_pass("relax_dialect.gradient.gradient_pass", "GradientPass"),
            "relax-shard": lazy_pass("relax_dialect.sharding.shard_pass", "ShardPass"),
            "relax-prove": lazy_pass("relax_dialect.prove.prove_pass", "ProvePass"),
            "relax-prove-accesses": lazy_pass(
                "relax_dialect.prove.prove_accesses_pass", "ProveAccessesPass"
            ),
        }.items()
    )
)
"""Every pass on the graph by its name, in the order of the names."""

__all__ = ["GRAPH_PASSES", "SHELVES", "PassTable", "lazy_pass"]
