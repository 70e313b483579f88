"""Decision trees: their leaves are integers."""

from relax_dialect.gradient.registry import constant
from relax_dialect.ops import trees as ops

constant("its results are numbers of nodes", *ops.OPS)
