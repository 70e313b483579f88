"""Buffers under another shape: `tensor.collapse_shape` and `tensor.expand_shape` on memrefs.

%y = memref.expand_shape %x [[0, 1], [2]] output_shape [%n, 2, 4] : memref<?x4xf32> into memref<?x2x4xf32>

If one dimension becomes several whose sizes are not constant, the op is a `memref.reinterpret_cast`, since
MLIR 22 does not lower `memref.expand_shape` then; likewise if none becomes several, since xDSL does not
verify it. All buffers are row-major here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    i64,
)
from xdsl.ir import Operation, SSAValue

from lowering.ir.row_major import reshaped

Emit: TypeAlias = Callable[[Operation], object]
Groups: TypeAlias = ArrayAttr[ArrayAttr[IntegerAttr]]
"""The dimensions of the one side that are one of the other."""


def collapsed(emit: Emit, source: SSAValue, groups: Groups, type_: MemRefType) -> SSAValue:
    """Return a buffer with some dimensions joined."""
    op = memref.CollapseShapeOp(
        operands=[source], result_types=[type_], properties={"reassociation": groups}
    )
    emit(op)
    return op.result


def expanded(
    emit: Emit, source: SSAValue, groups: Groups, dynamic: Sequence[SSAValue], type_: MemRefType
) -> SSAValue:
    """Return a buffer with some dimensions split; `dynamic` are the sizes that are not constant."""
    shape = type_.get_shape()

    def add(op: Operation) -> SSAValue:
        emit(op)
        return op.results[0]

    def constant(value: int) -> SSAValue:
        return add(arith.ConstantOp(IntegerAttr.from_index_int_value(value)))

    several = (sum(shape[d.value.data] == DYNAMIC_INDEX for d in group) > 1 for group in groups)
    if not groups.data or any(several):
        rest = iter(dynamic)
        sizes = [next(rest) if size == DYNAMIC_INDEX else size for size in shape]
        return reshaped(add, constant, source, sizes, type_)
    op = memref.ExpandShapeOp(
        operands=[source, dynamic],
        result_types=[type_],
        properties={
            "reassociation": groups,
            "static_output_shape": DenseArrayBase.from_list(i64, shape),
        },
    )
    emit(op)
    return op.result
