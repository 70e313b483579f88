"""Random numbers, which only depend on their key."""

from relax_dialect.gradient.registry import constant
from relax_dialect.ops import random as ops

constant("it depends on a key alone", *ops.OPS)
