"""Copies to parts of memrefs, and fills of them: the form of padding, concatenation and their like.

%part = memref.subview %all[0, 3] [%n, 5] [1, 1] : memref<?x8xf32> to memref<?x5xf32, strided<...>>
memref.copy %x, %part
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.dialects.linalg.ops import FillOp
from xdsl.ir import SSAValue

from lowering.ir.memref_views import viewed_memref

Entry: TypeAlias = SSAValue | int


@dataclass(frozen=True)
class PartCopy:
    """A write to a part of a memref, `whole`: a copy of another memref or of one number, and its
    position."""

    op: memref.CopyOp | FillOp
    view: memref.SubviewOp
    offsets: Sequence[Entry]
    sizes: Sequence[Entry]

    @property
    def whole(self) -> SSAValue:
        return self.view.source

    @property
    def source(self) -> SSAValue:
        """The memref that is copied, or the number."""
        return self.op.source if isinstance(self.op, memref.CopyOp) else self.op.inputs[0]

    def place(self, dim: int) -> tuple[Entry, Entry]:
        """Return the begin and the size of the part along a dimension."""
        return self.offsets[dim], self.sizes[dim]


def part_of(op: memref.CopyOp | FillOp) -> PartCopy | None:
    """Return the target of a copy or fill, if it is a part, with as many dimensions and without gaps, of a
    memref that it does not read."""
    source, target = (
        (op.source, op.destination)
        if isinstance(op, memref.CopyOp)
        else (op.inputs[0], op.outputs[0])
    )
    view = target.owner
    if not isinstance(view, memref.SubviewOp) or set(view.static_strides.get_values()) - {1}:
        return None
    assert isinstance(view.result.type, MemRefType)
    if len(view.static_sizes) != view.result.type.get_num_dims():
        return None
    if viewed_memref(source) is viewed_memref(view.source):
        return None
    offsets = mixed(view.static_offsets.get_values(), view.offsets)
    return PartCopy(op, view, offsets, mixed(view.static_sizes.get_values(), view.sizes))


def mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> Sequence[Entry]:
    """Constants, with operands replacing the dynamic ones."""
    rest = iter(dynamic)
    return [next(rest) if number == DYNAMIC_INDEX else number for number in static]
