"""Ranges, which only depend on sizes and numbers."""

from relax_dialect.gradient.registry import constant
from relax_dialect.ops import ranges as ops

constant("it depends on integers and numbers alone", *ops.OPS)
