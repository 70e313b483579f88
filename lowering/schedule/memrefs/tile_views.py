"""Windows of memrefs: the part of an operand that a tile works on."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    StridedLayoutAttr,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.utils import split_dynamic_index_list
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineMap

from lowering.ir import memref_views
from lowering.ir.constants import known_integer
from lowering.ir.insertion import Inserter
from lowering.support.target import ALIGNMENT

Size: TypeAlias = SSAValue | int
"""A size or an offset: known now, or an `index` value."""

PARALLEL = IteratorTypeAttr(IteratorType.PARALLEL)
REDUCTION = IteratorTypeAttr(IteratorType.REDUCTION)


def index(insert: Inserter, value: Size) -> SSAValue:
    """Return a size as a value."""
    if isinstance(value, SSAValue):
        return value
    return insert(arith.ConstantOp(IntegerAttr.from_index_int_value(value)), f"c{value}")


def size(value: Size) -> Size:
    """Return a size as a number, if it is a constant."""
    if isinstance(value, int) or (known := known_integer(value)) is None:
        return value
    return known


def window(
    insert: Inserter,
    source: SSAValue,
    offsets: Sequence[Size],
    sizes: Sequence[Size],
    kept: Sequence[int] | None = None,
    hint: str | None = None,
) -> SSAValue:
    """Return a view of a part of a memref; only its `kept` dimensions remain, the others have size 1.

    %tile = memref.subview %x[%i, 0] [8, 512] [1, 1] : memref<?x512xf32> to memref<8x512xf32, strided<...>>
    """
    type = source.type
    assert isinstance(type, MemRefType)
    offsets = [0 if size(o) == 0 else index(insert, o) for o in offsets]
    sizes = [*map(size, sizes)]
    ones = [1] * len(sizes)
    whole = memref.SubviewOp.infer_result_type(type, offsets, sizes, ones)
    layout = whole.layout
    if kept is not None:
        assert isinstance(layout, StridedLayoutAttr)
        strides = whole.get_strides()
        assert strides is not None
        layout = StridedLayoutAttr([strides[d] for d in kept], layout.offset)
        shape = whole.get_shape()
        whole = MemRefType(whole.element_type, [shape[d] for d in kept], layout)
    view = memref.SubviewOp.get(source, offsets, sizes, ones, whole)
    return insert(view, hint or source.name_hint)


def strided(element: object, shape: Sequence[int], strides: Sequence[int | None]) -> MemRefType:
    """Return the type of a view that starts anywhere."""
    return MemRefType(element, shape, StridedLayoutAttr(strides, None))  # pyright: ignore


def allocate(insert: Inserter, element: Attribute, shape: Sequence[Size], hint: str) -> SSAValue:
    """Memory for an array, aligned for vectors."""
    static, dynamic = split_dynamic_index_list([*map(size, shape)], DYNAMIC_INDEX)
    op = memref.AllocOp.get(element, ALIGNMENT, static, dynamic_sizes=dynamic)
    return insert(op, hint)


def cast(insert: Inserter, view: SSAValue, type: MemRefType) -> SSAValue:
    """Return the view under a type with less static sizes and strides."""
    return view if view.type == type else insert(memref.CastOp.get(view, type), view.name_hint)


def collapse_shape(insert: Inserter, value: SSAValue, *sizes: int) -> SSAValue:
    """Collapse a memref; `sizes` are the numbers of its dimensions in each new dimension.

    %flat = memref.collapse_shape %x [[0, 1], [2]] : memref<?x?x8xf32> into memref<?x8xf32>
    """
    type = value.type
    assert isinstance(type, MemRefType)
    groups, shape = list[ArrayAttr[IntegerAttr]](), list[int]()
    strides, start = list[int | None](), 0
    known = memref_views.strides(type)
    for size in sizes:
        end = start + size
        own = type.get_shape()[start:end]
        shape.append(DYNAMIC_INDEX if min(own) < 0 else prod(own))
        groups.append(ArrayAttr(IntegerAttr(d, i64) for d in range(start, end)))
        strides.append(known[end - 1] if known is not None else None)
        start = end
    layout = type.layout
    if isinstance(layout, StridedLayoutAttr):
        layout = StridedLayoutAttr(strides, layout.offset)
    op = memref.CollapseShapeOp(
        operands=[value],
        result_types=[MemRefType(type.element_type, shape, layout)],
        properties={"reassociation": ArrayAttr(groups)},
    )
    return insert(op, value.name_hint)


def copy_by(map_: AffineMap, source: SSAValue, target: SSAValue) -> linalg.GenericOp:
    """Copy every element of the target from the index in the source that the map defines."""
    type = target.type
    assert isinstance(type, MemRefType)
    block = Block(arg_types=[type.element_type, type.element_type])
    block.add_op(linalg.YieldOp(block.args[0]))
    maps = [map_, AffineMap.identity(type.get_num_dims())]
    kinds = [PARALLEL] * type.get_num_dims()
    return linalg.GenericOp([source], [target], Region(block), [*map(AffineMapAttr, maps)], kinds)
