"""Prim funcs whose buffers are all seen through views: what passes on loops must take, and do as well.

    memref.load %x[%i, %j] : memref<?x64xf32>
->
    %n = memref.dim %x, %c0 : memref<?x64xf32>
    %view = memref.subview %x[%c0, %c0] [%n, 64] [1, 1] : memref<?x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
    memref.load %view[%i, %j] : memref<?x64xf32, strided<[64, 1], offset: ?>>
"""

from __future__ import annotations

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp, NoneAttr, StridedLayoutAttr
from xdsl.ir import Operation, SSAValue

from lowering.ir.constants import ConstantPool
from lowering.ir.memref_views import strides
from relax_dialect.ir.walk import walk_ops

WHOLE = (memref.DimOp, memref.DeallocOp, memref.CastOp, memref.CollapseShapeOp, memref.ExpandShapeOp, func.CallOp)  # fmt: skip
"""The ops that act on the buffer itself."""


def see_through_views(module: ModuleOp) -> int:
    """Let the ops of all prim funcs look at views of their buffers, in place; how many there are."""
    count = 0
    for function in module.ops:
        if isinstance(function, func.FuncOp) and function.body.blocks:
            constants = ConstantPool(function)
            made = [op.memref for op in walk_ops(function) if isinstance(op, memref.AllocOp)]
            for buffer in (*function.body.block.args, *made):
                count += _see_through_view(buffer, constants)
            constants.prune()
    return count


def _see_through_view(buffer: SSAValue, constants: ConstantPool) -> bool:
    t = buffer.type
    if not isinstance(t, MemRefType) or not t.get_shape() or not isinstance(t.layout, NoneAttr):
        return False
    users = [use for use in buffer.uses if not isinstance(use.operation, WHOLE)]
    if not users:
        return False
    zero, shape = constants.index(0), t.get_shape()
    dynamic = [d for d, size in enumerate(shape) if size == DYNAMIC_INDEX]
    dims = [memref.DimOp(buffer, constants.index(d)) for d in dynamic]
    view = memref.SubviewOp(
        buffer,
        [zero] * len(shape),
        [dim.result for dim in dims],
        [],
        [DYNAMIC_INDEX] * len(shape),
        list(shape),
        [1] * len(shape),
        MemRefType(t.element_type, shape, StridedLayoutAttr(strides(t) or [], None)),
    )
    place = buffer.owner if isinstance(buffer.owner, Operation) else constants.last
    assert place is not None and place.parent is not None
    place.parent.insert_ops_after([*dims, view], place)
    for use in users:
        use.operation.operands[use.index] = view.result
    return True
