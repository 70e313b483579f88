"""Functions that compute the value of a symbolic expression and nothing else."""

from __future__ import annotations

from relax_dialect.ir.types import PrimType
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.shape_value import ExpressionOp
from relax_dialect.symbolic import Expr


def computed_value(func: FuncOp) -> Expr | None:
    """Return the expression that a private function of its variables alone computes; None for any other
    function."""
    body = func.body.block
    value = body.first_op
    if not func.is_private or func.attributes or not isinstance(value, ExpressionOp):
        return None
    params = [t.value.name if isinstance(t, PrimType) else None for t in body.arg_types]
    expression = value.expression.data
    is_all = value.next_op is func.return_op and func.return_op.value is value.results[0]
    is_of_params = set(expression.free_variables) == set(params) and len(set(params)) == len(params)
    return expression if is_all and is_of_params and None not in params else None
