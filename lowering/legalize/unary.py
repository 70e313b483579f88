"""Unary arithmetic, element by element."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation

from lowering.legalize.registry import legalize
from relax_dialect import te
from relax_dialect.ops.unary import (
    ErfOp,
    ExpOp,
    NegativeOp,
    RsqrtOp,
    SigmoidOp,
    SqrtOp,
    TanhOp,
)


def sigmoid(x: te.Scalar) -> te.Scalar:
    """1 / (1 + exp(-x)): overflow of `exp` gives the right limit, zero."""
    return 1 / (1 + te.exp(-x))


ELEMENT: dict[type[Operation], Callable[[Any], te.Scalar]] = {
    NegativeOp: operator.neg,
    ExpOp: te.exp,
    SqrtOp: te.sqrt,
    RsqrtOp: te.rsqrt,
    TanhOp: te.tanh,
    ErfOp: te.erf,
    SigmoidOp: sigmoid,
}


@legalize(*ELEMENT)
def unary(op: Operation, x: te.Tensor) -> te.Tensor:
    """The function of every element."""
    return te.compute(x.shape, lambda *i: ELEMENT[type(op)](x[i]), name="out")
