"""Row-major buffers as tensors of other sizes, some of which are known only at run time.

%y = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 6, 64], strides: [384, 64, 1]
    : memref<?x384xf32> to memref<?x6x64xf32>
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue


def reshaped(
    add: Callable[[Operation], SSAValue],
    constant: Callable[[int], SSAValue],
    buffer: SSAValue,
    sizes: Sequence[SSAValue | int],
    type: MemRefType,
) -> SSAValue:
    """Reinterpret all of a buffer, from its first element on, with these sizes.

    `add` inserts an op and returns its result, `constant` returns an index.
    """
    strides: list[SSAValue | int] = [1]
    for size in reversed(sizes[1:]):
        stride = strides[-1]
        if isinstance(size, int) and isinstance(stride, int):
            strides.append(size * stride)
            continue
        a, b = (constant(v) if isinstance(v, int) else v for v in (size, stride))
        strides.append(a if stride == 1 else add(arith.MuliOp(a, b)))
    steps = strides[::-1] if sizes else []
    return add(memref.ReinterpretCastOp.from_dynamic(buffer, [0], sizes, steps, type))
