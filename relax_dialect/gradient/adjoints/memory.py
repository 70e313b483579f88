"""Views of memory: views of the same element type are slices."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.registry import Applied, constant, expansion
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import memory as ops

constant("it depends on sizes alone", ops.SizeOp)


@expansion(ops.ViewOp)
def view(of: Applied[ops.ViewOp]) -> Any:
    """A slice of the elements in row-major order, in another shape."""
    dtype, result = of.type().dtype, of.op.results[0].type
    assert dtype is not None and isinstance(result, TensorType)
    width, offset = ops.byte_width(dtype), of.op.relative_byte_offset
    if result.dtype != dtype or offset % width or result.shape is None or None in result.shape:
        raise GradientError(
            f"{describe(of.op)}: expected a view of whole elements of the operand's type, of known rank, "
            f"to differentiate it, found {result} at byte {offset}; convert by relax.astype, which has a "
            "derivative"
        )
    first = symbolic.const(offset // width)
    sizes = [size for size in result.shape if size is not None]
    flat = op.flatten(of.x)
    end = first + symbolic.product(sizes)
    return op.reshape(op.strided_slice(flat, [0], [first], [end], assume_inbound=True), sizes)
