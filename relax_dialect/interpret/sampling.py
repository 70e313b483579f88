"""Draws from distributions, by random numbers passed as operands."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.interpret.statistical import widened
from relax_dialect.ops.demands import require
from relax_dialect.ops.sampling import MultinomialFromUniformOp


def multinomial_from_uniform(
    op: MultinomialFromUniformOp, prob: Array, sample: Array, indices: Array
) -> Array:
    """Return the first index whose cumulative sum exceeds the number, or the last index."""
    require(op.demands(*dims(prob, sample, indices)))
    sums = np.cumsum(widened(prob), axis=1)
    result = np.zeros(sample.shape, numpy_dtype(op.dtype))
    for place, number in np.ndenumerate(widened(sample)):
        row = int(indices[place])
        if not 0 <= row < len(sums):
            raise RelaxError(f"expected {op.WITHIN}, found {row} for a size of {len(sums)}")
        above = np.flatnonzero(number < sums[row])
        result[place] = above[0] if above.size else sums.shape[1] - 1
    return result


@register_impls
class SamplingFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.sampling`."""

    multinomial_from_uniform = operator_with_attributes(
        MultinomialFromUniformOp, multinomial_from_uniform
    )
