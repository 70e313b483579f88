"""Quantization, element by element, and matrix products of integers that are accumulated in i32.

Conversion of floats to integers cuts off at the bounds of the type, and makes NaN 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Attribute

from lowering.legalize.convolution import convolution
from lowering.legalize.demands import requirements
from lowering.legalize.linear_algebra import product
from lowering.legalize.registry import broadcast_index, legalize, result_dtype
from lowering.legalize.storage_casts import decoded, encoded
from relax_dialect import te
from relax_dialect.ir.storage import is_storage
from relax_dialect.ops.quantization import (
    LARGEST,
    BlockedOp,
    Conv2dIntegerOp,
    DequantizeOp,
    DynamicQuantizeOp,
    IntegerMatmulOp,
    MatmulIntegerOp,
    ParameterOp,
    QlinearMatmulOp,
    QuantizeOp,
    RequantizeOp,
    computed_in,
    ui8,
)
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.te import dtypes as te_dtypes

NARROW_INTEGERS = ("i8", "ui8", "i16", "ui16")
"""Types whose differences i32 holds."""


def difference(x: te.Scalar, zero_point: te.Scalar) -> te.Scalar:
    """`x - zero_point`, which never overflows."""
    narrow = all(str(s.dtype) in NARROW_INTEGERS for s in (x, zero_point))
    type = "i32" if narrow else "i64"
    return x.astype(type) - zero_point.astype(type)


def _per_channel(
    op: ParameterOp,
    data: te.Tensor,
    parameters: Sequence[te.Tensor],
    element: Callable[..., te.Scalar],
) -> te.Tensor:
    """Apply a function to every element and the scales and zero points at its index along the axis."""

    block = op.block_size if isinstance(op, BlockedOp) else 0
    shapes = [x.shape for x in (data, *parameters)]
    requires = requirements(op, op.demands(shapes))
    size = data.shape[op.axis_of(data.ndim)].value if block else None
    if isinstance(op, BlockedOp) and size and size % block == 0:
        return _in_whole_blocks(op, data, parameters, element, requires)

    def at(parameter: te.Tensor, index: Sequence[te.IterVar]) -> te.Scalar:
        if not parameter.ndim:
            return parameter[()]
        if block:
            axis = op.axis_of(data.ndim)
            places = [te.floordiv(i, block) if d == axis else i for d, i in enumerate(index)]
            return parameter[tuple(places)]
        return parameter[broadcast_index(parameter.shape, [index[op.axis_of(data.ndim)]])]

    def computed(*i: te.IterVar) -> te.Scalar:
        return element(data[i], *(at(parameter, i) for parameter in parameters))

    return te.compute(data.shape, computed, name="out", requires=requires)


def _in_whole_blocks(
    op: BlockedOp,
    data: te.Tensor,
    parameters: Sequence[te.Tensor],
    element: Callable[..., te.Scalar],
    requires: Sequence[te.Requirement],
) -> te.Tensor:
    """Apply a function to every element and the parameters of its block; a loop walks the blocks."""
    axis, block = op.axis_of(data.ndim), op.block_size
    shape = [*data.shape[:axis], data.shape[axis] // block, block, *data.shape[axis + 1 :]]
    blocks = te.reshape(data, shape, name="blocks")

    def computed(*i: te.IterVar) -> te.Scalar:
        own = (*i[: axis + 1], *i[axis + 2 :])
        return element(blocks[i], *(each[own if each.ndim else ()] for each in parameters))

    found = te.compute(shape, computed, name="out", requires=requires)
    return te.reshape(found, data.shape, name="whole")


@legalize(QuantizeOp)
def quantize(op: QuantizeOp, data: te.Tensor, scale: te.Tensor, zero_point: te.Tensor) -> te.Tensor:
    """`round(data / scale) + zero_point`."""
    type, target = computed_in(data.dtype, scale.dtype), op.quantized
    stored = tensor_type(op.zero_point).dtype

    def element(x: te.Scalar, scale: te.Scalar, zero: te.Scalar) -> te.Scalar:
        found, zero = x.astype(type) / scale.astype(type), number(zero, stored).astype(type)
        if not is_storage(target):
            return (te.round(found) + zero).astype(target)
        if isinstance(target, IntegerType):
            return encoded(_within(te.round(found) + zero, target), target)
        return encoded(found + zero, target, saturate=True)

    return _per_channel(op, data, [scale, zero_point], element)


def number(value: te.Scalar, type: Attribute | None) -> te.Scalar:
    """Return an element, which for a storage type is a code, as a number."""
    return decoded(value, type) if is_storage(type) else value


def _within(x: te.Scalar, type: IntegerType) -> te.Scalar:
    """Return a whole number cut off at the bounds of an integer type of less than a byte."""
    low, high = te_dtypes.limits(type)
    whole = x.astype("ui8" if low == 0 else "i8")
    return te.minimum(te.maximum(whole, low), high)


@legalize(DequantizeOp)
def dequantize(
    op: DequantizeOp, data: te.Tensor, scale: te.Tensor, zero_point: te.Tensor
) -> te.Tensor:
    """`scale * (data - zero_point)`."""
    dtype = result_dtype(op)
    type, bound = computed_in(scale.dtype, dtype), LARGEST.get(dtype)
    types = [tensor_type(value).dtype for value in (op.data, op.zero_point)]

    def element(x: te.Scalar, scale: te.Scalar, zero: te.Scalar) -> te.Scalar:
        x, zero = (number(value, stored) for value, stored in zip((x, zero), types))
        if "f32" in map(str, (x.dtype, zero.dtype)):
            return ((x.astype(type) - zero.astype(type)) * scale.astype(type)).astype(dtype)
        found = difference(x, zero).astype(type) * scale.astype(type)
        if bound is not None:
            found = te.minimum(te.maximum(found, -bound), bound)
        return found.astype(dtype)

    return _per_channel(op, data, [scale, zero_point], element)


@legalize(RequantizeOp)
def requantize(op: RequantizeOp, data: te.Tensor, *parameters: te.Tensor) -> te.Tensor:
    """`round((data - input zero point) * (input scale / output scale)) + output zero point`."""
    type = computed_in(*(parameter.dtype for parameter in parameters))

    def element(x: te.Scalar, scale: te.Scalar, zero: te.Scalar, *new: te.Scalar) -> te.Scalar:
        factor = scale.astype(type) / new[0].astype(type)
        rounded = te.round(difference(x, zero).astype(type) * factor)
        return (rounded + new[1].astype(type)).astype(op.quantized)

    return _per_channel(op, data, parameters, element)


@legalize(DynamicQuantizeOp)
def dynamic_quantize(op: DynamicQuantizeOp, x: te.Tensor) -> list[te.Tensor]:
    """Return the range of x, then the scale and the zero point, then the elements."""
    type = computed_in(x.dtype)

    def end(reducer: te.Reducer, name: str) -> te.Tensor:
        axes = [te.reduce_axis((0, size), f"k{place}") for place, size in enumerate(x.shape)]
        element = x[tuple(axes)].astype(type)
        return te.compute((), lambda: reducer(element, axis=axes) if axes else element, name=name)

    ends = end(te.min, "least"), end(te.max, "greatest")
    low, high = te.minimum(ends[0][()], 0), te.maximum(ends[1][()], 0)
    step = (high - low) / te.const(255, type)
    scale = te.compute(
        (), lambda: te.select(te.equal(high, low), te.const(1, type), step), name="scale"
    )

    zero_point = te.compute((), lambda: te.round(-low / scale[()]).astype(ui8), name="zero_point")

    def element(*i: te.IterVar) -> te.Scalar:
        rounded = te.round(x[i].astype(type) / scale[()])
        return (rounded + zero_point[()].astype(type)).astype(ui8)

    return [te.compute(x.shape, element, name="out"), scale, zero_point]


def _at(parameter: te.Tensor, place: Any) -> te.Scalar:
    """Return the number of a row or column, or the one for all."""
    return parameter[broadcast_index(parameter.shape, [place]) if parameter.ndim else ()]


def _sums(
    op: IntegerMatmulOp,
    matrices: Sequence[te.Tensor],
    zero_points: Sequence[te.Tensor],
    shapes: Sequence[Any],
) -> te.Tensor:
    """Return the product of the matrices minus their zero points, in i32: the product of the raw bytes,
    corrected by the sums of columns and rows, since i32 wraps around.

    sum (a - za) * (b - zb)  =  sum a * b  -  za * sum b  -  zb * sum (a - za)
    """
    (a, b), (a_zero, b_zero) = matrices, zero_points
    has_row, has_column = a.ndim > 1, b.ndim > 1
    requires = requirements(op, op.demands(shapes))
    k = te.reduce_axis((0, a.shape[-1]), name="k")

    def row_sum(*i: te.IterVar) -> te.Scalar:
        zero = _at(a_zero, i[-1] if has_row else None)
        return te.sum(a[(*i, k)].astype(i32) - zero.astype(i32), axis=[k])

    rows = te.compute(a.shape[:-1], row_sum, name="row_sums", requires=requires)
    d = te.reduce_axis((0, b.shape[-2:][0]), name="k")
    end = len(b.shape) - 1 - has_column

    def column_sum(*i: te.IterVar) -> te.Scalar:
        return te.sum(b[(*i[:end], d, *i[end:])].astype(i32), axis=[d])

    others = [*b.shape[:end], *b.shape[end + 1 :]]
    columns = te.compute(others, column_sum, name="column_sums")
    sums = product(op, a, b, i32)

    def corrected(*i: te.IterVar) -> te.Scalar:
        batch = i[: len(i) - has_row - has_column]
        row, column = i[len(batch) : len(batch) + has_row], i[len(i) - has_column :]
        of_row = rows[(*broadcast_index(a.shape[: -1 - has_row], batch), *row)]
        of_column = columns[(*broadcast_index(b.shape[:end], batch), *column)]
        left, right = (
            _at(a_zero, row[0] if row else None),
            _at(b_zero, column[0] if column else None),
        )
        return of_column * -left.astype(i32) - of_row * right.astype(i32) + sums[i]

    return te.compute(sums.shape, corrected, name="corrected")


@legalize(MatmulIntegerOp)
def matmul_integer(
    op: MatmulIntegerOp, a: te.Tensor, b: te.Tensor, a_zero: te.Tensor, b_zero: te.Tensor
) -> te.Tensor:
    """`(lhs - lhs_zero_point) @ (rhs - rhs_zero_point)`."""
    return _sums(op, (a, b), (a_zero, b_zero), [x.shape for x in (a, b, a_zero, b_zero)])


@legalize(QlinearMatmulOp)
def qlinear_matmul(op: QlinearMatmulOp, *operands: te.Tensor) -> te.Tensor:
    """Return the sums, scaled and rounded, plus the zero point of the result."""
    a, a_scale, a_zero, b, b_scale, b_zero, scale, zero = operands
    sums = _sums(op, (a, b), (a_zero, b_zero), [operand.shape for operand in operands])
    type = computed_in(a_scale.dtype, b_scale.dtype, scale.dtype)

    def element(*i: te.IterVar) -> te.Scalar:
        row = i[-1 - (b.ndim > 1)] if a.ndim > 1 else None
        scales = _at(a_scale, row), _at(b_scale, i[-1] if i else None), scale[()]
        left, right, new = (each.astype(type) for each in scales)
        rounded = te.round(sums[i].astype(type) * (left * right / new))
        return (rounded + zero[()].astype(type)).astype(zero.dtype)

    return te.compute(sums.shape, element, name="out")


@legalize(Conv2dIntegerOp)
def conv2d_integer(
    op: Conv2dIntegerOp, x: te.Tensor, weight: te.Tensor, x_zero: te.Tensor, w_zero: te.Tensor
) -> te.Tensor:
    """Return the convolution of the tensors minus their zero points."""

    filters = op.weight_layout.index("O")
    requires = requirements(op, op.zero_demands(weight.shape[filters], w_zero.shape))

    def centered(tensor: te.Tensor, zero: te.Tensor) -> te.Tensor:
        def element(*i: te.IterVar) -> te.Scalar:
            return tensor[i].astype(i32) - _at(zero, i[filters]).astype(i32)

        return te.compute(tensor.shape, element, name="centered", requires=requires)

    return convolution(op, centered(x, x_zero), centered(weight, w_zero))
