"""Operators that compute each element from its index: ranges, one_hot and windows."""

from __future__ import annotations

from math import pi

from lowering.legalize.registry import legalize, result_dtype, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ir.types import ShapeType
from relax_dialect.ops.ranges import ArangeOp, HammingWindowOp, LinspaceOp, OneHotOp


@legalize(OneHotOp)
def one_hot(op: OneHotOp, indices: te.Tensor) -> te.Tensor:
    """One value where the position along the new axis is the index, the other elsewhere."""
    axis = op.axis_of(indices.ndim + 1)
    on, off = (te.const(value, result_dtype(op)) for value in (op.on_value, op.off_value))

    def element(*i: te.IterVar) -> te.Scalar:
        index = indices[(*i[:axis], *i[axis + 1 :])].astype("i64")
        return te.select(te.equal(index, i[axis].astype("i64")), on, off)

    return te.compute(result_shape(op), element, name="out")


@legalize(ArangeOp)
def arange(op: ArangeOp, *_: object) -> te.Tensor:
    """Return the first bound plus multiples of the step."""
    sizes = op.bounds.type.shape if op.bounds and isinstance(op.bounds.type, ShapeType) else ()
    start = op.interval([size for size in sizes or () if size is not None])[0]
    wide, dtype = "i64" if op.is_whole else "f64", result_dtype(op)
    first = te.const(start, wide) if isinstance(start, float) else te.cast(start, wide)

    def element(i: te.IterVar) -> te.Scalar:
        return (i.astype(wide) * op.step + first).astype(dtype)

    return te.compute(result_shape(op), element, name="out")


@legalize(LinspaceOp)
def linspace(op: LinspaceOp) -> te.Tensor:
    """So many steps from the start, computed in f64; the last number is exact."""
    (size,), (start, stop) = result_shape(op), op.ends
    step = (stop - start) / te.cast(symbolic.maximum(size - 1, 1), "f64")

    def element(i: te.IterVar) -> te.Scalar:
        value = i.astype("f64") * step + start
        is_last = (i > 0) & te.equal(i, size - 1)
        return te.select(is_last, stop, value).astype(result_dtype(op))

    return te.compute((size,), element, name="out")


@legalize(HammingWindowOp)
def hamming_window(op: HammingWindowOp) -> te.Tensor:
    """Return the raised cosine, computed in f64."""
    (size,), (alpha, beta) = result_shape(op), (op.alpha, op.beta)
    period = te.cast(symbolic.maximum(size if op.periodic else size - 1, 1), "f64")

    def element(i: te.IterVar) -> te.Scalar:
        value = alpha - beta * te.cos(2 * pi * i.astype("f64") / period)
        return te.select(te.equal(size, 1), 1, value).astype(result_dtype(op))

    return te.compute((size,), element, name="out")
