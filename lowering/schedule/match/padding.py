"""Padding on memrefs: which buffer is a padded copy of another one, and its removal.

%padded = memref.alloc() : memref<66xf32>
linalg.fill ins(%value : f32) outs(%padded : memref<66xf32>)
%inside = memref.subview %padded[1] [64] [1] : ...
memref.copy %x, %inside
linalg.generic ins(%padded ...)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, UnrealizedConversionCastOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from lowering.ir.memref_sizes import MemrefSizes
from lowering.ir.memref_views import VIEW_OPS, viewed_memref
from lowering.schedule.memrefs.tile_views import copy_by

HARMLESS = (
    *(memref.AllocOp, memref.DimOp, memref.DeallocOp, linalg.FillOp),
    UnrealizedConversionCastOp,
)


@dataclass(frozen=True)
class Padding:
    """A buffer that holds `source` at `before`, and the value of the fill around it; one op reads it."""

    source: SSAValue
    before: tuple[int, ...]
    fill: linalg.FillOp
    reader: Operation

    def erase(self) -> None:
        """Erase the buffer, which has no reads left."""
        (buffer,) = self.fill.outputs
        found = [use.operation for use in buffer.uses]
        found += [use.operation for op in found for view in op.results for use in view.uses]
        for op in reversed(found):
            op.detach()
            op.erase()
        alloc = buffer.owner
        assert isinstance(alloc, Operation)
        alloc.detach()
        alloc.erase()


def is_harmless(op: Operation) -> bool:
    """Return whether an op touches no memory but, perhaps, that which it fills or frees."""
    return isinstance(op, HARMLESS) or op.name.startswith("arith.")


def padding_of(op: Operation, buffer: SSAValue) -> Padding | None:
    """Return the padding that fills a buffer, if a single op reads it, or None."""
    if not isinstance(buffer.owner, memref.AllocOp):
        return None
    users = [use.operation for use in buffer.uses]
    fills = [user for user in users if isinstance(user, linalg.FillOp)]
    views = [user for user in users if isinstance(user, memref.SubviewOp)]
    others = [user for user in users if not isinstance(user, memref.DeallocOp)]
    if len(fills) != 1 or len(views) != 1 or set(others) != {op, fills[0], views[0]}:
        return None
    (view,), (fill,) = views, fills
    use = view.result.get_unique_use()
    copy = None if use is None else use.operation
    if not isinstance(copy, memref.CopyOp) or copy.destination is not view.result:
        return None
    before = view.static_offsets.get_values()
    if min(before) < 0 or set(view.static_strides.get_values()) - {1}:
        return None
    types = copy.source.type, buffer.type
    assert all(isinstance(t, MemRefType) for t in types)
    if len({t.get_num_dims() for t in types}) != 1:  # pyright: ignore
        return None
    if not _holds(fill, copy, op):
        return None
    return Padding(copy.source, tuple(before), fill, op)


def padding_keeping(
    op: Operation, buffer: SSAValue, sizes: MemrefSizes, kept: Iterable[int]
) -> Padding | None:
    """Return the padding of a buffer that only an op reads, if the `kept` dimensions are not padded."""
    padding = padding_of(op, buffer)
    if padding is None:
        return None
    pairs = (((padding.source, d), (buffer, d)) for d in kept)
    return padding if all(sizes.are_equal(*pair) for pair in pairs) else None


def _holds(fill: Operation, copy: memref.CopyOp, reader: Operation) -> bool:
    """Return whether the fill comes first, then the copy, and its source is as it was when the op reads
    it."""
    source, between = viewed_memref(copy.source), reader.prev_op
    while between is not None and between is not copy:
        if not is_harmless(between) and not isinstance(between, VIEW_OPS):
            return False
        is_touched = source in map(viewed_memref, between.operands)
        if is_touched and not isinstance(between, (memref.DimOp, *VIEW_OPS)):
            return False
        between = between.prev_op
    while between is not None and between is not fill:
        between = between.prev_op
    return between is fill


def write_out_padding(image: SSAValue) -> None:
    """Make the copy that pads an image one of element by element, which the passes below know."""
    for view in [use.operation for use in image.uses]:
        for use in list(view.results[0].uses) if isinstance(view, memref.SubviewOp) else ():
            if isinstance(copy := use.operation, memref.CopyOp):
                assert isinstance(copy.source.type, MemRefType)
                identity = AffineMap.identity(copy.source.type.get_num_dims())
                block = copy.parent
                assert block is not None
                block.insert_op_before(copy_by(identity, copy.source, copy.destination), copy)
                copy.detach()
                copy.erase()


def erase_unread(buffer: SSAValue) -> None:
    """Take memory out that is only freed."""
    users = [use.operation for use in buffer.uses]
    alloc = buffer.owner
    if not isinstance(alloc, memref.AllocOp) or alloc.parent is None:
        return
    if all(isinstance(user, memref.DeallocOp) for user in users):
        for op in (*users, alloc):
            op.detach()
            op.erase()
