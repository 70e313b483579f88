"""Operators of neural networks; gelu and softmax are computed in f64 and rounded once."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import special
from relax_dialect.interpret.elementwise import operator, operator_with_attributes
from relax_dialect.interpret.values import Array, in_double
from relax_dialect.ops.activation import GeluOp, ReluOp, SoftmaxOp
from relax_dialect.ops.rules import normalize_axis


def relu(x: Array) -> Array:
    """`maximum(x, 0)`; NaN stays NaN."""
    return np.maximum(x, x.dtype.type(0))


def softmax(op: SoftmaxOp, x: Array) -> Array:
    """`exp(x - max(x)) / sum(exp(x - max(x)))` along the axis."""
    axis = normalize_axis(op, op.axis.value.data, x.ndim)

    def along_axis(x: Array) -> Array:
        powers = np.exp(x - np.max(x, axis=axis, keepdims=True, initial=-np.inf))
        return powers / np.sum(powers, axis=axis, keepdims=True)

    return in_double(along_axis)(x)


@register_impls
class ActivationFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.activation`."""

    relu = operator(ReluOp, relu)
    gelu = operator(GeluOp, in_double(special.gelu))
    softmax = operator_with_attributes(SoftmaxOp, softmax)
