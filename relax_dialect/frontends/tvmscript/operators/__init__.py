"""The operators under TVM's names, with TVM's arguments: one table, read in both directions.

`TABLE.get("nn.conv2d")` is the operator that `R.nn.conv2d` denotes, `TABLE.by_op[Conv2dOp]` TVM's
counterpart of ours. A file holds the signatures of one family.
"""

from __future__ import annotations

from relax_dialect.frontends.tvmscript.operators import (
    creation,
    elementwise,
    gradients,
    image,
    indexing,
    manipulation,
    neural,
    products,
    reductions,
    windows,
)
from relax_dialect.frontends.tvmscript.operators.signature import Operator, Parameter, Table

__all__ = ["TABLE", "Operator", "Parameter", "Table"]

TABLE = Table.of(
    family.SIGNATURES
    for family in (
        elementwise,
        creation,
        manipulation,
        indexing,
        reductions,
        products,
        neural,
        windows,
        image,
        gradients,
    )
)
