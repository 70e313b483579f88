"""Draws from distributions."""

from relax_dialect.gradient.registry import constant
from relax_dialect.ops import sampling as ops

constant("its results are indices", *ops.OPS)
