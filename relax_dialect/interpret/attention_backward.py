"""The gradient of attention, head by head, in f64 and rounded once."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.attention import heads_first, scores, shares
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.indices import dims
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.attention import AttentionOp
from relax_dialect.ops.attention_backward import AttentionBackwardOp
from relax_dialect.ops.demands import require


def attention_backward(
    op: AttentionBackwardOp, gy: Array, query: Array, key: Array, value: Array, bias: Array | None
) -> tuple[Array, Array, Array]:
    """Return the gradients through the attention probabilities and scores."""
    forward: AttentionOp = op.forward()
    given = [query, key, value] if bias is None else [query, key, value, bias]
    require(forward.demands(*dims(*given)))
    of_gy, of_query, of_value = dims(gy, query, value)
    require(op.demands(of_gy, (*of_query[:3], *of_value[3:])))
    (q, k, v), scale = heads_first(forward, query, key, value)
    gy = gy.astype(np.float64).transpose(0, 2, 1, 3)
    p = shares(scores(forward, q, k, scale, bias))
    g = gy @ v.swapaxes(2, 3)
    s = p * (g - np.sum(p * g, axis=-1, keepdims=True)) * scale
    found = s @ k, s.swapaxes(2, 3) @ q, p.swapaxes(2, 3) @ gy
    dq, dk, dv = map(_summed, found, (query, key, value))
    return dq, dk, dv


def _summed(found: Array, of: Array) -> Array:
    """Sum the gradients of all heads over the heads that share one of an operand's."""
    batch, length, heads, width = of.shape
    if found.shape[1] != heads:
        group = found.shape[1] // max(heads, 1)
        found = found.reshape(batch, heads, group, length, width).sum(2)
    return found.transpose(0, 2, 1, 3).astype(of.dtype)


@register_impls
class AttentionBackwardFunctions(InterpreterFunctions):
    """The operator of `relax_dialect.ops.attention_backward`."""

    attention_backward = operator_with_attributes(AttentionBackwardOp, attention_backward)
