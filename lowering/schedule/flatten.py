"""Loops that walk the same memory one after the other become one loop.

    linalg.generic {(n, y, x): %a (n, y, x), %b (n) -> %out (n, y, x)} ins(%a : memref<?x7x7xf32>, ...)
->
    %flat = memref.collapse_shape %a [[0], [1, 2]] : memref<?x7x7xf32> into memref<?x49xf32>
    linalg.generic {(n, i): %flat (n, i), %b (n) -> %out_flat (n, i)} ins(%flat : memref<?x49xf32>, ...)

Short loops innermost leave vectors half empty, and rows of any length begin anywhere in a vector. MLIR's
`collapse_dimensions`, the inverse of a tile; Halide and TVM `fuse` loops so.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap

from lowering.ir.insertion import Inserter
from lowering.ir.memref_views import is_dense
from lowering.schedule.contraction import has_index, walked
from lowering.schedule.views import PARALLEL, collapse_shape

Walked = Sequence[int | None]
"""The loop that walks each dimension of an operand."""


def flatten(op: Operation) -> None:
    """Join what loops of an element-wise op can be joined, in place."""
    if not isinstance(op, linalg.GenericOp) or any(has_index(op.body.block)):
        return
    operands = [*op.inputs, *op.outputs]
    maps = [walked(attribute.data) for attribute in op.get_indexing_maps()]
    kinds = {kind.data.value for kind in op.get_iterator_types()}
    if kinds != {"parallel"} or not all(isinstance(v.type, MemRefType) for v in operands):
        return
    loops = [found for found in maps if found is not None]
    if len(loops) < len(maps):
        return
    groups = _groups(operands, loops, len(op.get_iterator_types()))
    if all(len(group) == 1 for group in groups):
        return
    insert, views = Inserter(before=op), dict[tuple[SSAValue, tuple[int, ...]], SSAValue]()
    own = {loop: number for number, group in enumerate(groups) for loop in group}
    found: list[SSAValue] = []
    attributes: list[AffineMapAttr] = []
    for value, walks in zip(operands, loops):
        sizes, exprs = _dimensions(walks, own)
        if (value, sizes) not in views:
            joined = any(size > 1 for size in sizes)
            views[value, sizes] = collapse_shape(insert, value, *sizes) if joined else value
        found.append(views[value, sizes])
        attributes.append(AffineMapAttr(AffineMap(len(groups), 0, exprs)))
    count = len(op.inputs)
    body = op.detach_region(op.body)
    kind = [PARALLEL] * len(groups)
    flat = linalg.GenericOp(found[:count], found[count:], body, attributes, kind)
    flat.attributes |= op.attributes
    insert.place(flat)
    op.detach()
    op.erase()


def _groups(operands: Sequence[SSAValue], loops: Sequence[Walked], count: int) -> list[list[int]]:
    """The loops, those together that may be one."""
    groups = [[0]] if count else []
    for loop in range(1, count):
        pairs = zip(operands, loops)
        if all(_is_one(value.type, walks, loop - 1, loop) for value, walks in pairs):
            groups[-1].append(loop)
        else:
            groups.append([loop])
    return groups


def _is_one(type: object, walks: Walked, outer: int, inner: int) -> bool:
    """Whether an operand is walked by two loops as if they were one: by neither, or without a gap."""
    assert isinstance(type, MemRefType)
    if outer not in walks or inner not in walks:
        return outer not in walks and inner not in walks
    place = list(walks).index(outer)
    return list(walks[place : place + 2]) == [outer, inner] and is_dense(type, place, place + 1)


def _dimensions(
    walks: Walked, groups: dict[int, int]
) -> tuple[tuple[int, ...], tuple[AffineExpr, ...]]:
    """How many dimensions of an operand become one, each time, and what walks each of them."""
    sizes, exprs, last = list[int](), list[AffineExpr](), None
    for loop in walks:
        group = None if loop is None else groups[loop]
        if group is not None and group == last:
            sizes[-1] += 1
            continue
        sizes.append(1)
        exprs.append(AffineConstantExpr(0) if group is None else AffineExpr.dimension(group))
        last = group
    return tuple(sizes), tuple(exprs)
