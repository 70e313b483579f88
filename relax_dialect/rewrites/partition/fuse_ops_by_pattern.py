"""relax-fuse-ops-by-pattern: the matches of a table of patterns become composite functions.

    %0 = relax.matmul %x, %w : (...) -> ...
    %1 = relax.relu %0 : (...) -> ...
->  with {patterns="mine" annotate-codegen=true} and FusionPattern("mine.matmul_relu", ...) in that table
    %1 = relax.call @fused_matmul_relu(%x, %w) : (...) -> ...
    relax.func private @fused_matmul_relu(...) -> ...
        attributes {Composite = "mine.matmul_relu", Codegen = "mine"} { ... }

An earlier pattern of the table takes precedence everywhere over later ones; several tables are applied in
their order, and by default all of them. `relax_dialect.dpl.rewriter.partition` describes which matches are
outlined. TVM wraps each composite in a second function that holds `Codegen`; here the function itself has
both marks, and is otherwise an ordinary private function. `relax-merge-composite-functions` merges
neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.dpl.rewriter.drivers import fusion_marks
from relax_dialect.dpl.rewriter.partition import Partitioner
from relax_dialect.dpl.rewriter.pattern_registry import FusionPattern as FusionPattern
from relax_dialect.dpl.rewriter.pattern_registry import (
    Table,
    fusion_patterns,
    get_patterns,
    pattern_tables,
)
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp


def fuse_ops_by_pattern(
    module: ModuleOp | FuncOp,
    patterns: Table,
    *,
    bind_constants: bool = True,
    annotate_codegen: bool = False,
) -> list[CallOp]:
    """Outline the matches of patterns, earlier ones first; returns the calls, pattern by pattern.

    A row `(name, pattern)` or `(name, pattern, check)` is `FusionPattern(*row)`.

    `bind_constants` copies the constants among the operands of a match into its function; else they are
    parameters. `annotate_codegen` marks the functions for the code generator that their name starts with.

    Raises `PatternError` for an argument that is no `FusionPattern`, and for a name without a code
    generator.
    """
    found = Partitioner("fuse_ops_by_pattern", module)
    table = fusion_patterns("fuse_ops_by_pattern", patterns)
    marks = [fusion_marks(pattern, annotate_codegen) for pattern in table]
    return [
        call
        for pattern, attributes in zip(table, marks)
        for call in found.run(pattern.pattern, attributes, pattern.check, bind_constants)
    ]


@dataclass(frozen=True)
class FuseOpsByPatternPass(ModulePass):
    """Outline the matches of tables of patterns: see this file's docstring."""

    name = "relax-fuse-ops-by-pattern"

    patterns: tuple[str, ...] = ()
    annotate_codegen: bool = False
    bind_constants: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        tables = self.patterns or pattern_tables()
        fuse_ops_by_pattern(
            op,
            [pattern for table in tables for pattern in get_patterns(table)],
            bind_constants=self.bind_constants,
            annotate_codegen=self.annotate_codegen,
        )
