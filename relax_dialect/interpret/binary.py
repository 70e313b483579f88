"""Elementwise operators on two tensors: numpy's own, in the element type; integers wrap around."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import total_arithmetic
from relax_dialect.interpret.broadcast_arrays import broadcasting
from relax_dialect.interpret.runtime_values import Array, dtype_name, in_double, numpy_dtype
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ops import binary
from relax_dialect.ops.promotion import compared_type


def power(a: Array, b: Array) -> Array:
    """`a ** b`; of integers with a negative exponent the quotient rounded to zero."""
    # np.power takes the root if one exponent is 0.5, which is -0 of -0 and NaN of -inf
    return (total_arithmetic.integer_power if a.dtype.kind in "iu" else in_double(np.float_power))(
        a, b
    )


def promoted(compare: Callable[..., Any]) -> Callable[[Array, Array], Any]:
    """Return a comparison in the promoted type of both operands, or of their values if there is none."""

    def function(a: Array, b: Array) -> Any:
        if a.dtype == b.dtype:
            return compare(a, b)
        found = compared_type(*(parse_dtype(dtype_name(x.dtype)) for x in (a, b)))
        common = np.dtype(object) if found is None else numpy_dtype(found)
        return np.asarray(compare(a.astype(common), b.astype(common))).astype(np.bool_)

    return function


@register_impls
class BinaryFunctions(InterpreterFunctions):
    """numpy yields 0 for integer division by zero, and 0 or -1 for too large shifts."""

    add = broadcasting(binary.AddOp, np.add)
    subtract = broadcasting(binary.SubtractOp, np.subtract)
    multiply = broadcasting(binary.MultiplyOp, np.multiply)
    divide = broadcasting(binary.DivideOp, total_arithmetic.quotient)
    floor_divide = broadcasting(binary.FloorDivideOp, np.floor_divide)
    floor_mod = broadcasting(binary.FloorModOp, np.mod)
    mod = broadcasting(binary.ModOp, np.fmod)
    power = broadcasting(binary.PowerOp, power)
    maximum = broadcasting(binary.MaximumOp, total_arithmetic.maximum)
    minimum = broadcasting(binary.MinimumOp, total_arithmetic.minimum)
    atan2 = broadcasting(binary.Atan2Op, in_double(np.arctan2))
    log_add_exp = broadcasting(binary.LogAddExpOp, in_double(np.logaddexp))
    bitwise_and = broadcasting(binary.BitwiseAndOp, np.bitwise_and)
    bitwise_or = broadcasting(binary.BitwiseOrOp, np.bitwise_or)
    bitwise_xor = broadcasting(binary.BitwiseXorOp, np.bitwise_xor)
    left_shift = broadcasting(binary.LeftShiftOp, np.left_shift)
    right_shift = broadcasting(binary.RightShiftOp, np.right_shift)
    logical_and = broadcasting(binary.LogicalAndOp, np.logical_and)
    logical_or = broadcasting(binary.LogicalOrOp, np.logical_or)
    logical_xor = broadcasting(binary.LogicalXorOp, np.logical_xor)
    equal = broadcasting(binary.EqualOp, promoted(np.equal))
    not_equal = broadcasting(binary.NotEqualOp, promoted(np.not_equal))
    less = broadcasting(binary.LessOp, promoted(np.less))
    less_equal = broadcasting(binary.LessEqualOp, promoted(np.less_equal))
    greater = broadcasting(binary.GreaterOp, promoted(np.greater))
    greater_equal = broadcasting(binary.GreaterEqualOp, promoted(np.greater_equal))
