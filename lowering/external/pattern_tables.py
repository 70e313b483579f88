"""The tables of patterns that come with the compiler, and the pass that outlines their matches."""

from lowering.external.cblas_patterns import cblas_patterns
from relax_dialect.dpl.rewriter.pattern_registry import register_patterns
from relax_dialect.rewrites.partition.fuse_ops_by_pattern import (
    FuseOpsByPatternPass as FuseOpsByPatternPass,
)

register_patterns("cblas", cblas_patterns)
