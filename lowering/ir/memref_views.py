"""Views of memrefs: the buffer that they alias, and whether their elements are contiguous.

A tile is a view of a part of a buffer, `memref<8x48xf32, strided<[512, 1], offset: ?>>`: the loops over it
only need its last stride to be 1, as that of a row-major memref.
"""

from __future__ import annotations

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lowering.ir.constants import known_integer

VIEW_OPS = (
    memref.CastOp,
    memref.SubviewOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ReinterpretCastOp,
    memref.ViewOp,
)
"""Ops whose result is the buffer of their first operand, or a part of it."""


def viewed_memref(value: SSAValue) -> SSAValue:
    """Return the source memref of a chain of views."""
    while isinstance(value.owner, VIEW_OPS):
        value = value.owner.operands[0]
    return value


def uncast(value: SSAValue) -> SSAValue:
    """Return the memref that a chain of casts and reshapes starts from: the same buffer under another
    type."""
    while isinstance(value.owner, Operation) and _keeps_memory(value.owner):
        value = value.owner.operands[0]
    return value


def _keeps_memory(op: Operation) -> bool:
    """Return whether an op only changes the type of a whole buffer, or the shape of a row-major one."""
    if isinstance(op, memref.CastOp | memref.CollapseShapeOp | memref.ExpandShapeOp):
        return True
    if isinstance(op, memref.ViewOp):
        return known_integer(op.byte_shift) == 0
    if not isinstance(op, memref.ReinterpretCastOp) or not isinstance(op.result.type, MemRefType):
        return False
    return isinstance(op.result.type.layout, NoneAttr) and set(op.static_offsets.get_values()) == {
        0
    }


def accessed(op: Operation) -> SSAValue:
    """Return the memref of a load or store, of an element or of a vector."""
    assert isinstance(op, memref.LoadOp | memref.StoreOp | vector.LoadOp | vector.StoreOp)
    return op.base if isinstance(op, vector.LoadOp | vector.StoreOp) else op.memref


def buffer_of(value: SSAValue) -> SSAValue | None:
    """Return the buffer that a memref is or views, which no other buffer overlaps: an allocation, a global,
    or an argument of the function; None if unknown."""
    value = viewed_memref(value)
    owner = value.owner
    if isinstance(owner, Block):
        return value if isinstance(owner.parent_op(), FuncOp) else None
    whole = isinstance(owner, memref.AllocOp | memref.AllocaOp | memref.GetGlobalOp)
    return value if whole else None


def strides(t: MemRefType) -> list[int | None] | None:
    """Return the strides of a memref, None for strides that are not constant; None for unknown layouts."""
    if isinstance(t.layout, NoneAttr):
        found: list[int | None] = []
        step: int | None = 1
        for size in reversed(t.get_shape()):
            found.append(step)
            step = None if step is None or size < 0 else step * size
        return found[::-1]
    if isinstance(t.layout, StridedLayoutAttr):
        known = t.get_strides()
        return None if known is None else list(known)
    return None


def is_dense(t: MemRefType, first: int, last: int) -> bool:
    """Return whether some consecutive dimensions are contiguous: without gaps between their elements."""
    if isinstance(t.layout, NoneAttr):
        return True
    found, shape = strides(t), t.get_shape()
    if found is None:
        return False
    for outer, inner, size in zip(found[first:last], found[first + 1 :], shape[first + 1 :]):
        if outer is None or inner is None or size < 0 or outer != inner * size:
            return False
    return True


def is_contiguous(t: Attribute) -> bool:
    """Return whether elements along the last dimension of a memref lie one after the other."""
    if not isinstance(t, MemRefType):
        return False
    found = strides(t)
    return found is not None and (not found or found[-1] == 1)


def kept_dimensions(op: memref.SubviewOp) -> list[int] | None:
    """Return the dimensions of a subview that its result keeps, the others of size 1 being dropped; None if
    its type does not determine them."""
    assert isinstance(op.result.type, MemRefType)
    sizes, shape = op.static_sizes.get_values(), op.result.type.get_shape()
    kept: list[int] = []
    for dimension, size in enumerate(sizes):
        if len(kept) < len(shape) and shape[len(kept)] == size:
            kept.append(dimension)
    is_right = all(size == 1 for d, size in enumerate(sizes) if d not in kept)
    return kept if len(kept) == len(shape) and is_right else None
