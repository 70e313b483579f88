"""Conversions between element types."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import total_arithmetic
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.interpret.stored_values import stored, widened
from relax_dialect.ir.storage import is_storage
from relax_dialect.ops.datatype import AstypeOp


def astype(op: AstypeOp, x: Array) -> Array:
    """`numpy.ndarray.astype`, defined for every number."""
    x, dtype = widened(np.asarray(x)), numpy_dtype(op.dtype)
    if x.dtype == dtype or not is_storage(op.dtype):
        return total_arithmetic.astype(x, dtype)
    return stored(x, dtype, op.saturate, op.rounding)


@register_impls
class DatatypeFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.datatype`."""

    astype = operator_with_attributes(AstypeOp, astype)
