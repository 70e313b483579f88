"""The operators under TVM's names, with TVM's arguments: one table, read in both directions.

`TABLE.get("nn.conv2d")` is the operator that `R.nn.conv2d` denotes, `TABLE.by_op[Conv2dOp]` TVM's
counterpart of ours. A file holds the signatures of one family.
"""

from __future__ import annotations

from relax_dialect.frontends.tvmscript.operators import (
    communication,
    creation,
    elementwise_operators,
    gradient_operators,
    image,
    indexing,
    manipulation,
    neural,
    products,
    reduction_operators,
    windows,
)
from relax_dialect.frontends.tvmscript.operators.operator_signature import (
    Operator,
    OperatorParameter,
    Table,
)

__all__ = ["TABLE", "Operator", "OperatorParameter", "Table"]

TABLE = Table.of(
    family.SIGNATURES
    for family in (
        elementwise_operators,
        creation,
        manipulation,
        indexing,
        reduction_operators,
        products,
        neural,
        windows,
        image,
        gradient_operators,
        communication,
    )
)
