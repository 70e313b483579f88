"""Operators that decompose matrices, in f64."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.decomposition import DetOp
from relax_dialect.ops.demands import require


def det(op: DetOp, x: Array) -> Array:
    """Return numpy's determinants."""
    require(op.demands(*dims(x)))
    return np.asarray(np.linalg.det(x.astype(np.float64))).astype(x.dtype)


@register_impls
class DecompositionFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.decomposition`."""

    det = operator_with_attributes(DetOp, det)
