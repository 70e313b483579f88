"""Tensors as the memory that holds them."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.interpret.elementwise import operator, operator_with_attributes
from relax_dialect.interpret.runtime_values import Array, dtype_name, numpy_dtype
from relax_dialect.interpret.stored_values import packed, unpacked
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ir.storage import is_storage
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.demands import require
from relax_dialect.ops.memory import SizeOp, ViewOp, byte_count


def view(op: ViewOp, x: Array, shape: tuple[int, ...] | None) -> Array:
    """Return the bytes of x, read again."""
    sizes = x.shape if shape is None else shape
    dtype = x.dtype if op.dtype is None else numpy_dtype(op.dtype)
    before, after = (
        TensorType(dims, parse_dtype(dtype_name(t)))
        for dims, t in ((x.shape, x.dtype), (sizes, dtype))
    )
    require(op.demands(before, after))
    start = op.relative_byte_offset
    count = byte_count(after)
    assert count is not None and count.value is not None
    data = (packed(x) if is_storage(before.dtype) else x).tobytes()
    data = bytearray(data[start : start + count.value])
    if is_storage(after.dtype):
        return unpacked(np.frombuffer(data, np.uint8), sizes, dtype)
    return np.frombuffer(data, dtype).reshape(sizes)


@register_impls
class MemoryFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.memory`."""

    size = operator(SizeOp, lambda x: np.asarray(x.size, np.int64))
    view = operator_with_attributes(ViewOp, view)
