"""The strategy of convolutions: windows gathered for a strip of the image, then a contraction.

    linalg.generic {(n, k, y, x, c, r, s): image (n, c, y + r, x + s), filters (k, c, r, s) -> (n, k, y, x)}
->
    scf.for %n ... { scf.for %strip = 0 to 14 ... {             // strips of 4 rows of the result
      linalg.generic {(c, r, s, y, x)} ins(%image[%n, 0, %top, 0] [1, C, 6, W]) outs(%windows)    // a copy
      the contraction (k, d) x (d, j) -> (k, j) of filters and windows, with d = (c, r, s) and j = (y, x)
    }}

A strip is as high as the second cache holds its windows; each of its elements is copied once for every
place of the kernel and then read by all filters. Chellapilla et al.,
"High Performance Convolutional Neural Networks for Document Processing" (2006), do so for a whole image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.utils import split_dynamic_index_list
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from lowering.ir.insertion import Inserter
from lowering.schedule.contraction import (
    Contraction,
    Operand,
    epilogue_of,
    loops_of,
    multiplies_and_adds,
    walked,
    zeros_before,
)
from lowering.schedule.views import PARALLEL, Size, allocate, copy_by, index, window

NARROWEST = 48
"""The fewest columns of a strip that is not the whole image."""

FEWEST = 4
"""The fewest filters that are worth copying windows for."""


@dataclass(frozen=True)
class Gather:
    """The copy of the windows of a strip, made before the tiles of an image and a strip."""

    image: SSAValue
    windows: SSAValue
    map: AffineMap
    """From the windows' loops (channel, places, position) to the image without its first dimension."""
    height: Size
    """The rows of the image that a strip sees."""
    step: int
    """How many rows of the image further the next strip begins."""

    def insert(self, insert: Inserter, image: Size, top: Size) -> None:
        """Put the copy for the number of an image, and the row at which a strip begins."""
        type = self.image.type
        assert isinstance(type, MemRefType)
        rank = type.get_num_dims()
        channels, *columns = (shape_of(insert, self.image, [d])[0] for d in (1, *range(3, rank)))
        view = window(
            insert,
            self.image,
            [image, 0, top, *[0] * (rank - 3)],
            [1, channels, self.height, *columns],
            range(1, rank),
        )
        insert.place(copy_by(self.map, view, self.windows))


@dataclass(frozen=True)
class Convolution:
    """`out[n, k, y, x] += image[n, c, y * step + r * dilation, ...] * filters[k, c, r, s]`."""

    op: linalg.GenericOp
    fill: linalg.FillOp
    image: SSAValue
    filters: SSAValue
    out: SSAValue
    map: AffineMap
    """From the loops (n, k, positions, c, places) to the image."""
    epilogue: tuple[linalg.GenericOp, ...]

    @property
    def extents(self) -> Sequence[int]:
        """The sizes of the result, negative where they are not known."""
        assert isinstance(self.out.type, MemRefType)
        return self.out.type.get_shape()

    @property
    def element(self) -> AnyFloat:
        assert isinstance(self.out.type, MemRefType)
        element = self.out.type.element_type
        assert isinstance(element, AnyFloat)
        return element


def find(op: Operation) -> Convolution | None:
    """The convolution that an op is, if the sizes of its filters are known."""
    if not isinstance(op, linalg.GenericOp) or len(op.inputs) != 2 or len(op.outputs) != 1:
        return None
    if not multiplies_and_adds(op) or (fill := zeros_before(op)) is None:
        return None
    maps = [attribute.data for attribute in op.get_indexing_maps()]
    rank = len(maps[2].results)
    positions, places = range(2, rank), range(rank + 1, 2 * rank - 1)
    filters = (1, rank, *places)
    image, weights = op.inputs
    if rank < 3 or walked(maps[2]) != tuple(range(rank)) or walked(maps[1]) != filters:
        return None
    expected = [0, rank, *zip(positions, places)]
    found = [loops_in(expr) for expr in maps[0].results]
    if len(op.get_iterator_types()) != 2 * rank - 1 or found != [
        {e} if isinstance(e, int) else set(e) for e in expected
    ]:
        return None
    types = [v.type for v in (image, weights, op.outputs[0])]
    if not all(isinstance(t, MemRefType) and isinstance(t.layout, NoneAttr) for t in types):
        return None
    shape: tuple[int, ...] = weights.type.get_shape()  # pyright: ignore
    if min(shape) < 0 or shape[0] < FEWEST:
        return None
    epilogue = tuple(epilogue_of(op, op.outputs[0], _is_collapsible))
    return Convolution(op, fill, image, weights, op.outputs[0], maps[0], epilogue)


def loops_in(expr: AffineExpr) -> set[int]:
    """The loops that a subscript is a sum of, each times a number; none if it is anything else."""
    parts = [part for part in expr.post_order() if isinstance(part, AffineBinaryOpExpr)]
    is_sum = all(part.kind in (AffineBinaryOpKind.Add, AffineBinaryOpKind.Mul) for part in parts)
    return expr.used_dims() if is_sum and step_of(expr) == 0 else set()


def step_of(expr: AffineExpr, loop: int | None = None) -> int:
    """What a subscript is where one loop stands at 1, the others at 0."""
    count = max(expr.used_dims(), default=0) + 1
    return AffineMap(count, 0, (expr,)).eval([int(d == loop) for d in range(count)], [])[0]


def _is_collapsible(op: linalg.GenericOp) -> bool:
    """Whether every operand has all positions of the result one after the other, or none of them."""
    rank = len(op.get_iterator_types())
    positions = tuple(range(2, rank))
    for value, loops in loops_of(op):
        if not isinstance(value.type, MemRefType):
            continue
        own = tuple(loop for loop in loops if loop is not None and loop >= 2)
        if own and (len(loops) != rank or loops[2:] != positions):
            return False
        if own and not isinstance(value.type.layout, NoneAttr):
            return False
    return True


def as_contraction(found: Convolution, insert: Inserter, cache: int) -> tuple[Contraction, Gather]:
    """The contraction of filters and windows of strips, and the copy that makes the windows.

    `cache`: how many bytes the windows of a strip may take.
    """
    assert isinstance(found.filters.type, MemRefType)
    channels, *kernel = found.filters.type.get_shape()[1:]
    rank = len(kernel) + 2
    rows, *rest = shape_of(insert, found.out, range(2, rank))
    strips, high = 1, rows
    if isinstance(rows, int) and all(isinstance(d, int) for d in rest):
        columns = prod(d for d in rest if isinstance(d, int))
        depth = channels * prod(kernel) * found.element.bitwidth // 8
        high = _height(rows, columns, depth, cache)
        strips = rows // max(high, 1)
    windows = allocate(insert, found.element, [channels, *kernel, high, *rest], "windows")
    step, reach = (step_of(found.map.results[2], loop) for loop in (2, rank + 1))
    if isinstance(high, int):
        height = (high - 1) * step + (kernel[0] - 1) * reach + 1 if high else 0
    else:
        (height,) = shape_of(insert, found.image, [2])
    further = high * step if isinstance(high, int) else 0
    gather = Gather(found.image, windows, _gathering(found.map, rank), height, further)
    right = Operand(_collapsed(insert, windows, rank - 1), (4, 3))
    left = Operand(_collapsed_first(insert, found.filters), (1, 4))
    views = {found.out: _in_strips(insert, found.out, strips, high)}
    out = Operand(views[found.out], (0, 1, 2, 3))
    epilogue = tuple(_strip_op(insert, op, strips, high, views) for op in found.epilogue)
    contraction = Contraction(found.op, found.fill, left, right, out, (0, 2), 1, 3, 4, epilogue)
    return contraction, gather


def shape_of(insert: Inserter, value: SSAValue, dims: Sequence[int] | None = None) -> list[Size]:
    """The sizes of a memref, of some dimensions if they are given; those not known are read from it."""
    type = value.type
    assert isinstance(type, MemRefType)
    shape = type.get_shape()
    return [
        insert(memref.DimOp(value, index(insert, d))) if shape[d] < 0 else shape[d]
        for d in (range(len(shape)) if dims is None else dims)
    ]


def _gathering(map_: AffineMap, rank: int) -> AffineMap:
    """The map of the copy: loops channel, places, positions."""
    count = 2 * rank - 3
    dims: dict[int, AffineExpr] = {rank: AffineDimExpr(0)}
    for d in range(rank - 2):
        dims[rank + 1 + d] = AffineDimExpr(1 + d)
        dims[2 + d] = AffineDimExpr(rank - 1 + d)
    new = tuple(dims.get(d, AffineConstantExpr(0)) for d in range(2 * rank - 1))
    whole = AffineMap(2 * rank - 1, 0, map_.results[1:])
    return whole.compose(AffineMap(count, 0, new))


def _height(rows: int, columns: int, bytes_of_column: int, cache: int) -> int:
    """The rows of a strip, which divide all: the most that fit in the cache, but enough for a tile."""
    if not rows:
        return 0
    whole = [h for h in range(1, rows + 1) if rows % h == 0]
    wide = [h for h in whole if h * columns >= NARROWEST] or [rows]
    fitting = [h for h in wide if h * columns * bytes_of_column <= cache]
    return max(fitting, default=wide[0])


def _groups(*sizes: int) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """A reassociation: so many dimensions in each group."""
    found, start = list[ArrayAttr[IntegerAttr]](), 0
    for size in sizes:
        found.append(ArrayAttr(IntegerAttr(start + d, i64) for d in range(size)))
        start += size
    return ArrayAttr(found)


def collapse(insert: Inserter, value: SSAValue, *sizes: int) -> SSAValue:
    type = value.type
    assert isinstance(type, MemRefType)
    if all(size == 1 for size in sizes):
        return value
    shape, dims = list[int](), list(type.get_shape())
    for size in sizes:
        own, dims = dims[:size], dims[size:]
        shape.append(DYNAMIC_INDEX if min(own, default=0) < 0 else prod(own))
    result = MemRefType(type.element_type, shape)
    op = memref.CollapseShapeOp(
        operands=[value],
        result_types=[result],
        properties={"reassociation": _groups(*sizes)},
    )
    return insert(op, value.name_hint)


def _collapsed(insert: Inserter, windows: SSAValue, depth: int) -> SSAValue:
    """`(c, r, s, y, x)` as `(d, j)`."""
    assert isinstance(windows.type, MemRefType)
    return collapse(insert, windows, depth, windows.type.get_num_dims() - depth)


def _collapsed_first(insert: Inserter, filters: SSAValue) -> SSAValue:
    """`(k, c, r, s)` as `(k, d)`."""
    assert isinstance(filters.type, MemRefType)
    return collapse(insert, filters, 1, filters.type.get_num_dims() - 1)


def _in_strips(insert: Inserter, value: SSAValue, strips: int, high: Size) -> SSAValue:
    """`(..., y, x)` as `(..., strip, j)`."""
    outer = shape_of(insert, value)
    type = value.type
    assert isinstance(type, MemRefType)
    split = [*outer[:2], strips, high, *outer[3:]]
    static, dynamic = split_dynamic_index_list(split, DYNAMIC_INDEX)
    expanded = memref.ExpandShapeOp(
        operands=[value, dynamic],
        result_types=[MemRefType(type.element_type, static)],
        properties={
            "reassociation": _groups(1, 1, 2, *[1] * (len(outer) - 3)),
            "static_output_shape": DenseArrayBase.from_list(i64, static),
        },
    )
    return collapse(insert, insert(expanded, value.name_hint), 1, 1, 1, len(outer) - 2)


def _strip_op(
    insert: Inserter, op: linalg.GenericOp, strips: int, high: Size, views: dict[SSAValue, SSAValue]
) -> linalg.GenericOp:
    """An op of the epilogue on strips: loops image, filter, strip, column."""
    values: list[SSAValue] = []
    maps: list[AffineMap] = []
    for value, loops in loops_of(op):
        own: Sequence[int | None] = loops
        if any(loop is not None and loop >= 2 for loop in loops):
            if value not in views:
                views[value] = _in_strips(insert, value, strips, high)
            value = views[value]
            own = [*(loop for loop in loops if loop is None or loop < 2), 2, 3]
        values.append(value)
        exprs = [AffineConstantExpr(0) if o is None else AffineDimExpr(o) for o in own]
        maps.append(AffineMap(4, 0, tuple(exprs)))
    body = op.body.clone()
    count = len(op.inputs)
    return linalg.GenericOp(
        values[:count], values[count:], body, [*map(AffineMapAttr, maps)], [PARALLEL] * 4
    )
