"""Linear algebra in the element type (f16 accumulates in f32); integers wrap around."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.elementwise import operator
from relax_dialect.interpret.values import Array
from relax_dialect.ops.linear_algebra import MatmulOp


def matmul(lhs: Array, rhs: Array) -> Array:
    """The matrix product over the last two axes; zero where these have no elements."""
    wide = np.float32 if lhs.dtype == np.float16 else lhs.dtype
    return np.matmul(lhs, rhs, dtype=wide).astype(lhs.dtype)


@register_impls
class LinearAlgebraFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.linear_algebra`."""

    matmul = operator(MatmulOp, matmul)
