"""Copies to parts of memrefs, and fills of them: what padding, concatenation and their like are.

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
class Part:
    """What a part of a memref, `whole`, becomes, a copy of another or one number, and where it lies."""

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
        """Where the part begins along a dimension, and how long it is."""
        return self.offsets[dim], self.sizes[dim]


def part_of(op: memref.CopyOp | FillOp) -> Part | None:
    """Where a copy or fill goes, if it is to a part, with as many dimensions and without gaps, of a memref
    that it does not read."""
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
    return Part(op, view, offsets, mixed(view.static_sizes.get_values(), view.sizes))


def mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> Sequence[Entry]:
    """Constants, with operands in place of the dynamic ones."""
    rest = iter(dynamic)
    return [next(rest) if number == DYNAMIC_INDEX else number for number in static]
