"""Conversions between element types."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import total_arithmetic
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.values import Array, numpy_dtype
from relax_dialect.ops.datatype import AstypeOp


def astype(op: AstypeOp, x: Array) -> Array:
    """`numpy.ndarray.astype`, defined for every number."""
    return total_arithmetic.astype(x, numpy_dtype(op.dtype))


@register_impls
class DatatypeFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.datatype`."""

    astype = operator_with_attributes(AstypeOp, astype)
