"""Ops of MLIR's own dialects that xDSL does not have: `arith.remf` and `math.erfc`."""

from __future__ import annotations

from xdsl.dialects.arith import Arith, FloatingPointLikeBinaryOperation
from xdsl.dialects.math import FloatingPointLikeUnaryMathOperation, Math
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition


@irdl_op_definition
class RemFOp(FloatingPointLikeBinaryOperation):
    """The remainder of the quotient rounded towards zero, exact, with the sign of the dividend."""

    name = "arith.remf"


@irdl_op_definition
class ErfcOp(FloatingPointLikeUnaryMathOperation):
    """`1 - erf(x)`, without the digits that this loses where erf(x) is next to 1."""

    name = "math.erfc"


COMPLETED: dict[str, Dialect] = {
    "arith": Dialect("arith", [*Arith.operations, RemFOp], list(Arith.attributes)),
    "math": Dialect("math", [*Math.operations, ErfcOp], list(Math.attributes)),
}
"""xDSL's dialects with these ops, by name."""
