"""img2col: windows of an image next to each other, strip by strip: a convolution as a product of matrices.

    scf.for %n { scf.for %strip = 0 to 14 {                     // strips of 4 rows of the result
      linalg.generic {(c, r, s, y, x)} ins(%image[%n, 0, %top, 0] [1, C, 6, W]) outs(%windows)    // a copy
      linalg.generic {(k, d), (d, j) -> (k, j)} ins(%filters, %windows) outs(%out[..])
    }}                                                          // d = (c, r, s) and j = (y, x)

A strip is as high as a cache holds its windows; each of its elements is copied once for every tap of the
kernel and then read by all filters. Chellapilla et al., "High Performance Convolutional Neural Networks for
Document Processing" (2006), do so for a whole image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.utils import split_dynamic_index_list
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from lowering.ir.insertion import Inserter, open_loop
from lowering.schedule.match.contraction import loops_of
from lowering.schedule.match.convolution import Convolution, step_of
from lowering.schedule.memrefs.tile_views import (
    PARALLEL,
    REDUCTION,
    Size,
    allocate,
    collapse_shape,
    copy_by,
    index,
    window,
)

NARROWEST = 48
"""The fewest columns of a strip that is not the whole image."""


def gather_windows(found: Convolution, most: int, insert: Inserter) -> linalg.GenericOp:
    """Build the product that a convolution is on a strip, in the loops over images and strips, with its
    epilogue.

    `most`: the most bytes of the windows of a strip, if their size is known.
    """
    return _Gathering(found, most, insert).build()


@dataclass(frozen=True)
class _Strips:
    """Strips of rows of the result."""

    count: int
    high: Size
    """The number of rows of each strip."""


class _Gathering:
    """The loops around the product of one convolution."""

    def __init__(self, found: Convolution, most: int, insert: Inserter):
        self.found, self.insert = found, insert
        assert isinstance(found.filters.type, MemRefType)
        self.channels, *self.kernel = found.filters.type.get_shape()[1:]
        self.rank = len(self.kernel) + 2
        self.positions = shape_of(insert, found.out, range(2, self.rank))
        self.strips = self._strips(most)

    def _strips(self, most: int) -> _Strips:
        rows, *rest = self.positions
        columns = [d for d in rest if isinstance(d, int)]
        if not isinstance(rows, int) or len(columns) < len(rest):
            return _Strips(1, rows)
        depth = self.channels * prod(self.kernel) * self.found.element.bitwidth // 8
        high = _height(rows, prod(columns), depth, most)
        return _Strips(rows // max(high, 1), high)

    def build(self) -> linalg.GenericOp:
        """Emit everything before the end of the convolution; return the product."""
        found, insert = self.found, self.insert
        shape = [self.channels, *self.kernel, self.strips.high, *self.positions[1:]]
        windows = allocate(insert, found.element, shape, "windows")
        places = len(self.kernel) + 1
        right = collapsed(insert, windows, places, self.rank - 2)
        left = collapsed(insert, found.filters, 1, places)
        ends = 0, shape_of(insert, found.out, [0])[0], self.strips.count, 1
        zero, images, strips, one = (index(insert, end) for end in ends)
        operands: dict[SSAValue, Sequence[int | None]] = {found.out: range(self.rank)}
        operands.update((v, loops) for op in found.epilogue for v, loops in loops_of(op))
        whole = {v: self._in_strips(v, loops) for v, loops in operands.items()}
        sizes = {v: self._sizes(own) for v, (own, _) in whole.items()}
        image = self._sizes(found.image)
        outer = open_loop(insert, zero, images, one, "n", parallel=True)
        inner = open_loop(outer, zero, strips, one, "strip", parallel=True)
        at = {0: outer.counter, 2: inner.counter}
        self._gather(inner, windows, image, at)
        parts = {v: self._part(inner, *own, sizes[v], at) for v, own in whole.items()}
        out, _ = parts[found.out]
        inner.place(linalg.FillOp([found.fill.inputs[0]], [out], []))
        new = _generic([left, right, out], [(0, 2), (2, 1), (0, 1)], found.op)
        _swap_factors(new.body.block)
        inner.place(new)
        for op in found.epilogue:
            values, loops = zip(*(parts[value] for value, _ in loops_of(op)))
            inner.place(_generic(values, loops, op))
        inner.close()
        outer.close()
        insert.place(memref.DeallocOp.get(windows))
        return new

    def _sizes(self, value: SSAValue) -> Sequence[Size]:
        """Return the sizes of an operand, known before the loops; none of a scalar."""
        return shape_of(self.insert, value) if isinstance(value.type, MemRefType) else ()

    def _gather(
        self,
        insert: Inserter,
        windows: SSAValue,
        image: Sequence[Size],
        at: Mapping[int, SSAValue],
    ) -> None:
        """Copy the input of a strip to its windows."""
        found, rank, high = self.found, self.rank, self.strips.high
        step, reach = (step_of(found.map.results[2], loop) for loop in (2, rank + 1))
        _, channels, height, *columns = image
        top: Size = 0
        if isinstance(high, int):
            height = (high - 1) * step + (self.kernel[0] - 1) * reach + 1 if high else 0
            by = index(insert, high * step)
            top = insert(arith.MuliOp(at[2], by))
        offsets = [at[0], 0, top, *[0] * len(columns)]
        view = window(insert, found.image, offsets, [1, channels, height, *columns], range(1, rank))
        insert.place(copy_by(_gathering(found.map, rank), view, windows))

    def _in_strips(
        self, value: SSAValue, loops: Sequence[int | None]
    ) -> tuple[SSAValue, Sequence[int | None]]:
        """Return an operand with its positions as strips and columns, and the loops of it."""
        if not isinstance(value.type, MemRefType) or all(d is None or d < 2 for d in loops):
            return value, loops
        insert, outer = self.insert, shape_of(self.insert, value)
        split = [*outer[:2], self.strips.count, self.strips.high, *outer[3:]]
        static, dynamic = split_dynamic_index_list(split, DYNAMIC_INDEX)
        groups = [[0], [1], [2, 3], *([d] for d in range(4, len(split)))]
        expanded = memref.ExpandShapeOp(
            operands=[value, dynamic],
            result_types=[MemRefType(value.type.element_type, static)],
            properties={
                "reassociation": ArrayAttr(
                    ArrayAttr(IntegerAttr(d, i64) for d in group) for group in groups
                ),
                "static_output_shape": DenseArrayBase.from_list(i64, static),
            },
        )
        rows = insert(expanded, value.name_hint)
        return collapsed(insert, rows, 1, 1, 1, len(outer) - 2), (*loops[:2], 2, 3)

    def _part(
        self,
        insert: Inserter,
        value: SSAValue,
        loops: Sequence[int | None],
        sizes: Sequence[Size],
        at: Mapping[int, SSAValue],
    ) -> tuple[SSAValue, Sequence[int | None]]:
        """Return the tile that a strip reads or writes, and the loops of the product that walk it."""
        if not isinstance(value.type, MemRefType):
            return value, loops
        kept = [d for d, loop in enumerate(loops) if loop not in at]
        own = [{1: 0, 3: 1}.get(loops[d] or 0) for d in kept]
        if len(kept) == len(loops):
            return value, own
        offsets: list[Size] = [0 if loop is None else at.get(loop, 0) for loop in loops]
        parts = [1 if loop in at else size for loop, size in zip(loops, sizes)]
        return window(insert, value, offsets, parts, kept), own


def _generic(
    values: Sequence[SSAValue], loops: Sequence[Sequence[int | None]], like: linalg.GenericOp
) -> linalg.GenericOp:
    """Return the body of an op on other operands, each with the loops that walk it."""
    count = 3 if any(2 in own for own in loops) else 2
    maps = [
        AffineMap(
            count, 0, tuple(AffineConstantExpr(0) if d is None else AffineDimExpr(d) for d in own)
        )
        for own in loops
    ]
    kinds = [PARALLEL, PARALLEL, REDUCTION][:count]
    inputs = len(like.inputs)
    attributes = [*map(AffineMapAttr, maps)]
    return linalg.GenericOp(values[:inputs], values[inputs:], like.body.clone(), attributes, kinds)


def _swap_factors(body: Block) -> None:
    """Swap image and filter arguments of a body, as the product has them: bytes may differ in sign."""
    image, filter, *_ = body.args
    first = body.insert_arg(filter.type, 0)
    first.name_hint = filter.name_hint
    filter.replace_all_uses_with(first)
    body.erase_arg(filter)
    assert body.args[1] is image


def collapsed(insert: Inserter, value: SSAValue, *sizes: int) -> SSAValue:
    """Collapse a memref; `sizes` are the numbers of its dimensions in each new dimension."""
    return value if set(sizes) == {1} else collapse_shape(insert, value, *sizes)


def shape_of(insert: Inserter, value: SSAValue, dims: Sequence[int] | None = None) -> list[Size]:
    """Return the sizes of a memref, by default of all dimensions; unknown sizes are read from it."""
    type = value.type
    assert isinstance(type, MemRefType)
    shape = type.get_shape()
    return [
        insert(memref.DimOp(value, index(insert, d))) if shape[d] < 0 else shape[d]
        for d in (range(len(shape)) if dims is None else dims)
    ]


def _gathering(map_: AffineMap, rank: int) -> AffineMap:
    """Return the map of the copy: loops channel, taps, positions."""
    count = 2 * rank - 3
    dims: dict[int, AffineExpr] = {rank: AffineDimExpr(0)}
    for d in range(rank - 2):
        dims[rank + 1 + d] = AffineDimExpr(1 + d)
        dims[2 + d] = AffineDimExpr(rank - 1 + d)
    new = tuple(dims.get(d, AffineConstantExpr(0)) for d in range(2 * rank - 1))
    whole = AffineMap(2 * rank - 1, 0, map_.results[1:])
    return whole.compose(AffineMap(count, 0, new))


def _height(rows: int, columns: int, bytes_of_column: int, cache: int) -> int:
    """Return the rows of a strip, which divide all: the most that fit in the cache, but enough for a
    tile."""
    if not rows:
        return 0
    whole = [h for h in range(1, rows + 1) if rows % h == 0]
    wide = [h for h in whole if h * columns >= NARROWEST] or [rows]
    fitting = [h for h in wide if h * columns * bytes_of_column <= cache]
    return max(fitting, default=wide[0])
