"""Elementwise operators on two tensors: numpy's own, in the element type; integers wrap around."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.elementwise import operator
from relax_dialect.ops.binary import (
    AddOp,
    DivideOp,
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    MaximumOp,
    MultiplyOp,
    NotEqualOp,
    SubtractOp,
)


@register_impls
class BinaryFunctions(InterpreterFunctions):
    """`numpy.maximum` gives NaN where an operand is NaN, as `relax.maximum` demands."""

    add = operator(AddOp, np.add)
    subtract = operator(SubtractOp, np.subtract)
    multiply = operator(MultiplyOp, np.multiply)
    divide = operator(DivideOp, np.divide)
    maximum = operator(MaximumOp, np.maximum)
    equal = operator(EqualOp, np.equal)
    not_equal = operator(NotEqualOp, np.not_equal)
    less = operator(LessOp, np.less)
    less_equal = operator(LessEqualOp, np.less_equal)
    greater = operator(GreaterOp, np.greater)
    greater_equal = operator(GreaterEqualOp, np.greater_equal)
