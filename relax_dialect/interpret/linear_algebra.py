"""Linear algebra in the element type (floats are added up in f64); integers wrap around."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.broadcast_arrays import require_broadcast
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.interpret.total_arithmetic import astype
from relax_dialect.interpret.windows import sum_type
from relax_dialect.ops.demands import require
from relax_dialect.ops.linear_algebra import (
    EinsumOp,
    LinearOp,
    MatmulOp,
    OuterOp,
    TensordotOp,
    TraceOp,
)
from relax_dialect.ops.products import ContractionOp, ProductOp


def _widened(op: ProductOp, arrays: Sequence[Array]) -> tuple[list[Array], np.dtype]:
    """Return the operands in the type to accumulate in, and the element type of the result."""
    dtype = arrays[0].dtype if op.out_dtype is None else numpy_dtype(op.out_dtype)
    return [np.asarray(astype(array, sum_type(dtype))) for array in arrays], dtype


def matmul(op: MatmulOp, *operands: Array) -> Array:
    """Return the matrix product over the last two axes; zero if these have no elements."""
    require_broadcast(operands, kept=2)
    require(op.depths(*dims(*operands)))
    (lhs, rhs), dtype = _widened(op, operands)
    return np.asarray(np.matmul(lhs, rhs)).astype(dtype)


def _contracted(op: ContractionOp, *operands: Array) -> tuple[Array, np.dtype]:
    """Return the product over all labels, summed over the labels that the result lacks; not rounded yet."""
    arrays, dtype = _widened(op, operands)
    labels, result = op.terms([array.ndim for array in arrays])
    letters = dict(zip(dict.fromkeys(label for term in labels for label in term), ascii_letters))
    text = ["".join(letters[label] for label in term) for term in (*labels, result)]
    return np.asarray(np.einsum(f"{','.join(text[:-1])}->{text[-1]}", *arrays)), dtype


def contraction(op: ContractionOp, *operands: Array) -> Array:
    """Return the sum of products, rounded once."""
    require(op.demands(dims(*operands)))
    found, dtype = _contracted(op, *operands)
    return found.astype(dtype)


def outer(op: OuterOp, x1: Array, x2: Array) -> Array:
    """Return the products: no sum begins with 0, so that -0 stays -0."""
    arrays, dtype = _widened(op, (x1, x2))
    return np.multiply.outer(*arrays).astype(dtype)


def einsum(op: EinsumOp, tensors: Sequence[Array]) -> Array:
    return contraction(op, *tensors)


def linear(op: LinearOp, x: Array, weight: Array, bias: Array | None) -> Array:
    """`x @ transpose(weight) + bias`, rounded once."""
    given = [x, weight] if bias is None else [x, weight, bias]
    require(op.demands(dims(*given)))
    found, dtype = _contracted(op, x, weight)
    return (found if bias is None else found + bias.astype(found.dtype)).astype(dtype)


def trace(op: TraceOp, x: Array) -> Array:
    """Return the sum over the diagonal; integers wrap around."""
    return np.trace(x.astype(sum_type(x.dtype)), op.offset, *op.axes(x.ndim)).astype(x.dtype)


@register_impls
class LinearAlgebraFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.linear_algebra`."""

    matmul = operator_with_attributes(MatmulOp, matmul)
    linear = operator_with_attributes(LinearOp, linear)
    einsum = operator_with_attributes(EinsumOp, einsum)
    outer = operator_with_attributes(OuterOp, outer)
    tensordot = operator_with_attributes(TensordotOp, contraction)
    trace = operator_with_attributes(TraceOp, trace)
