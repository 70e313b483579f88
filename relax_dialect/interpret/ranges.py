"""Operators that make tensors from element indices: ranges, one_hot and windows."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret import total_arithmetic
from relax_dialect.interpret.create import result_dtype
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.ranges import ArangeOp, HammingWindowOp, LinspaceOp, OneHotOp


def one_hot(op: OneHotOp, indices: Array) -> Array:
    """Return `on_value` at the indices, `off_value` elsewhere."""
    axis, dtype = op.axis_of(indices.ndim + 1), result_dtype(op)
    places = np.arange(op.depth).reshape(-1, *(1,) * (indices.ndim - axis))
    on, off = (np.asarray(value).astype(dtype) for value in (op.on_value, op.off_value))
    return np.where(np.expand_dims(indices, axis) == places, on, off)


def arange(op: ArangeOp, bounds: tuple[int, ...] | None) -> Array:
    """Return the numbers from one bound to the other, computed in i64 or f64."""
    start, end = op.interval(bounds or ())
    places = np.arange(op.count(start, end).value or 0)
    if not op.is_whole:
        places = places.astype(np.float64)
    return total_arithmetic.astype(places * op.step + start, result_dtype(op))


def linspace(op: LinspaceOp, shape: tuple[int]) -> Array:
    """Return equidistant numbers, computed in f64."""
    (size,), (start, stop) = shape, op.ends
    values = start + np.arange(size) * ((stop - start) / max(size - 1, 1))
    values[1:][-1:] = stop
    return values.astype(result_dtype(op))


def hamming_window(op: HammingWindowOp, shape: tuple[int]) -> Array:
    """Return the raised cosine, computed in f64."""
    (size,), (alpha, beta) = shape, (op.alpha, op.beta)
    period = max(size if op.periodic else size - 1, 1)
    window = alpha - beta * np.cos(2 * np.pi * np.arange(size) / period)
    return (window if size != 1 else np.ones(1)).astype(result_dtype(op))


@register_impls
class RangesFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.ranges`."""

    one_hot = operator_with_attributes(OneHotOp, one_hot)
    arange = operator_with_attributes(ArangeOp, arange)
    linspace = operator_with_attributes(LinspaceOp, linspace)
    hamming_window = operator_with_attributes(HammingWindowOp, hamming_window)
