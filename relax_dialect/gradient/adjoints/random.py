"""Random numbers, which depend on their key alone."""

from relax_dialect.gradient.registry import constant
from relax_dialect.ops import random as ops

constant("it depends on a key alone", *ops.OPS)
