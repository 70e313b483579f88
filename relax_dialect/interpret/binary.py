"""Elementwise operators on two tensors: numpy's own, in the element type; integers wrap around."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import numbers
from relax_dialect.interpret.elementwise import operator
from relax_dialect.interpret.values import Array, in_double
from relax_dialect.ops import binary


def power(a: Array, b: Array) -> Array:
    """`a ** b`; of integers with a negative exponent the quotient rounded to zero."""
    return (numbers.integer_power if a.dtype.kind in "iu" else in_double(np.power))(a, b)


@register_impls
class BinaryFunctions(InterpreterFunctions):
    """`numpy.maximum` gives NaN where an operand is NaN, as `relax.maximum` demands; numpy divides
    integers by zero to 0, and shifts by too many places to 0 or -1."""

    add = operator(binary.AddOp, np.add)
    subtract = operator(binary.SubtractOp, np.subtract)
    multiply = operator(binary.MultiplyOp, np.multiply)
    divide = operator(binary.DivideOp, np.divide)
    floor_divide = operator(binary.FloorDivideOp, np.floor_divide)
    floor_mod = operator(binary.FloorModOp, np.mod)
    mod = operator(binary.ModOp, np.fmod)
    power = operator(binary.PowerOp, power)
    maximum = operator(binary.MaximumOp, np.maximum)
    minimum = operator(binary.MinimumOp, np.minimum)
    atan2 = operator(binary.Atan2Op, in_double(np.arctan2))
    log_add_exp = operator(binary.LogAddExpOp, in_double(np.logaddexp))
    bitwise_and = operator(binary.BitwiseAndOp, np.bitwise_and)
    bitwise_or = operator(binary.BitwiseOrOp, np.bitwise_or)
    bitwise_xor = operator(binary.BitwiseXorOp, np.bitwise_xor)
    left_shift = operator(binary.LeftShiftOp, np.left_shift)
    right_shift = operator(binary.RightShiftOp, np.right_shift)
    logical_and = operator(binary.LogicalAndOp, np.logical_and)
    logical_or = operator(binary.LogicalOrOp, np.logical_or)
    logical_xor = operator(binary.LogicalXorOp, np.logical_xor)
    equal = operator(binary.EqualOp, np.equal)
    not_equal = operator(binary.NotEqualOp, np.not_equal)
    less = operator(binary.LessOp, np.less)
    less_equal = operator(binary.LessEqualOp, np.less_equal)
    greater = operator(binary.GreaterOp, np.greater)
    greater_equal = operator(binary.GreaterEqualOp, np.greater_equal)
