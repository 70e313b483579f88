"""Operators that undo broadcasting; f32, f16 and bf16 are added up in f64."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.interpret.windows import sum_type
from relax_dialect.ops.collapse import CollapseOp, CollapseSumLikeOp, CollapseSumToOp


def collapse(op: CollapseOp, x: Array, shape: tuple[int, ...]) -> Array:
    """Return the sum over the axes that a broadcast from the shape has put in front or repeated."""
    leading = x.ndim - len(shape)
    if any(new not in (1, old) for old, new in zip(x.shape[leading:], shape)):
        raise RelaxError(f"expected {op.DEMAND}, found {list(shape)} for {list(x.shape)}")
    repeated = [leading + d for d, new in enumerate(shape) if new == 1]
    axes = (*range(leading), *repeated)
    return (
        np.sum(x, axis=axes, keepdims=True, dtype=sum_type(x.dtype)).reshape(shape).astype(x.dtype)
    )


def collapse_sum_like(op: CollapseSumLikeOp, x: Array, collapse_target: Array) -> Array:
    """Return the sum to the shape of another tensor."""
    return collapse(op, x, collapse_target.shape)


@register_impls
class CollapseFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.collapse`."""

    collapse_sum_to = operator_with_attributes(CollapseSumToOp, collapse)
    collapse_sum_like = operator_with_attributes(CollapseSumLikeOp, collapse_sum_like)
