"""Elementwise operators on three tensors, or on one and two numbers: where, clip and their like."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.broadcast_arrays import broadcasting, require_broadcast
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.total_arithmetic import maximum, minimum
from relax_dialect.ops.ternary import ClipOp, EwiseFmaOp, LerpOp, MaskedFillOp, WhereOp


def ewise_fma(x1: Array, x2: Array, x3: Array) -> Array:
    """Return the product and the sum, each rounded to the element type."""
    return x1 * x2 + x3


def lerp(start: Array, end: Array, weight: Array) -> Array:
    """Return the linear interpolation, each step rounded to the element type."""
    return start + weight * (end - start)


def clip(op: ClipOp, x: Array) -> Array:
    """Return the elements between the bounds."""
    low, high = (None if b is None else np.asarray(b).astype(x.dtype) for b in (op.min, op.max))
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


def masked_fill(op: MaskedFillOp, x: Array, mask: Array) -> Array:
    """Return the number where the mask holds, else the element."""
    require_broadcast((x, mask))
    return np.where(mask, np.asarray(op.value).astype(x.dtype), x)


@register_impls
class TernaryFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.ternary`."""

    where = broadcasting(WhereOp, np.where)
    ewise_fma = broadcasting(EwiseFmaOp, ewise_fma)
    lerp = broadcasting(LerpOp, lerp)
    clip = operator_with_attributes(ClipOp, clip)
    masked_fill = operator_with_attributes(MaskedFillOp, masked_fill)
