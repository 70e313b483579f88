"""The strategy of convolutions whose filters are constant: strips of pixels, by panels of filters.

    linalg.generic {(n, k, y, x, c, r, s): image (n, c, y + r, x + s), filters (k, c, r, s) -> (n, k, y, x)}
->
    scf.for %n, %top, %left = strips of the image {             // some rows, or a part of a long one
      scf.for %p = 0 to 2 {                                     // panels of 32 filters, packed ahead
        scf.for %y, %x = tiles of 14 pixels of a row {
          call @convolve_14x32_f32(%channels, %rows, %columns, %image[%n, 0, %top + %y, %x], %filters[%p],
              %tile[%pixel, 0])
        }
        linalg.generic {(j, k) -> (k, j)} ins(%tile) outs(%out[%n, %p * 32, %pixel])     // a transpose
        linalg.generic ... outs(%out[%n, %p * 32, %pixel])      // what follows element by element
      }
    }

Neighbours in a vector are filters, so that images of any width fill their vectors, and the image is read in
place: no copy is made of what its windows see.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import AffineMapAttr, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from lowering.ir.insertion import Inserter, OpenLoop, open_loop
from lowering.ir.memref_sizes import MemrefSizes
from lowering.schedule.choice import choose
from lowering.schedule.contract import free_later
from lowering.schedule.contraction import loops_of
from lowering.schedule.convolution import Convolution, collapse, step_of
from lowering.schedule.pack_constants import ConstantPacker
from lowering.schedule.panels import Panels, Segment
from lowering.schedule.pixel_tiles import PixelTile
from lowering.schedule.sizes import least, minus, most, parts, plus, quotient, remainder, times
from lowering.schedule.staging import (
    Staged,
    padding_before,
    read_rows,
    stage,
    write_out_padding,
)
from lowering.schedule.tile_functions import TileFunctions
from lowering.schedule.views import PARALLEL, Size, allocate, copy_by, index, size, window


@dataclass(frozen=True)
class PixelSizes:
    """How a convolution is cut."""

    pixels: int
    """The most pixels of a tile, all of one row."""
    vectors: int
    """The most vectors of filters of a tile."""
    lanes: int
    strip: int
    """About how many pixels of the result are computed before they are written to it."""


def panels_of(found: Convolution, sizes: PixelSizes) -> Panels:
    """The filters in panels."""
    assert isinstance(found.filters.type, MemRefType)
    return Panels(found.filters.type.get_shape()[0], sizes.vectors, sizes.lanes)


def fills_vectors(panels: Panels) -> bool:
    """Whether few lanes of the vectors of filters stay empty."""
    vectors = sum(segment.count * segment.vectors for segment in panels.segments())
    return panels.columns * 100 >= vectors * panels.lanes * LEAST_FILLED


def pack_filters(
    function: func.FuncOp, found: Convolution, panels: Panels, packer: ConstantPacker
) -> SSAValue | None:
    """Constant filters laid out as `[panels][channels][places][width]`, once and for all."""

    def packed(filters: np.ndarray) -> np.ndarray:
        flat = panels.pack(filters.reshape(len(filters), -1).T)
        return flat.reshape(panels.count, *filters.shape[1:], panels.width)

    if len(list(found.filters.uses)) != 1:
        return None
    return packer.pack(function, found.filters, (panels, "filters"), packed)


@dataclass(frozen=True)
class _Strip:
    """Rows of the result, or a part of one: where it begins, and how large it is."""

    top: Size
    left: Size
    height: Size
    width: Size
    first: Size
    """The number of its first pixel, as the result has them one after the other."""
    count: Size


LEAST_FILLED = 70
"""How many percent of their vectors filters fill; fewer are faster as the rows of a matrix product."""

STAGED = 4
"""The rank of images that are padded strip by strip; others as a whole."""

_Loop: TypeAlias = tuple[Inserter, OpenLoop]
"""A loop that is open, and what stands around it."""


class DirectConvolutionBuilder:
    """Replaces one convolution and its epilogue by loops over tiles of pixels and filters."""

    def __init__(
        self,
        function: func.FuncOp,
        found: Convolution,
        filters: SSAValue,
        panels: Panels,
        sizes: MemrefSizes,
        tiles: PixelSizes,
        functions: TileFunctions,
    ):
        self.function, self.found, self.tiles, self.functions = function, found, tiles, functions
        self.panels, self.filters = panels, filters
        self.ops: list[Operation] = [found.fill, found.op, *found.epilogue]
        free_later(self.ops)
        last = self.ops[-1]
        self.insert = Inserter(before=last)
        assert isinstance(found.out.type, MemRefType) and isinstance(filters.type, MemRefType)
        self.rank = found.out.type.get_num_dims()
        self.extents: list[Size] = [
            size(sizes.bound([(found.out, d)], before=last)) for d in range(self.rank)
        ]
        self.padding = padding_before(found) if self.rank == STAGED else None
        if self.padding is None:
            write_out_padding(found)
        else:
            source = self.padding.source
            self.source_sizes = [size(sizes.bound([(source, d)], before=last)) for d in (2, 3)]
            self.padded_width = size(sizes.bound([(found.image, 3)], before=last))
        self.channels, *self.kernel = filters.type.get_shape()[1:-1]
        subscripts = found.map.results[2:]
        self.steps = [step_of(expr, 2 + d) for d, expr in enumerate(subscripts)]
        self.dilations = tuple(step_of(e, self.rank + 1 + d) for d, e in enumerate(subscripts))

    def build(self) -> None:
        """Put the loops in the place of the ops."""
        outer, panels = self.insert, self.panels
        self.views = self._collapsed()
        *planes, height, width = [1, *self.extents[2:]][-max(2, self.rank - 2) :]
        high, wide = self._strip_sizes(height, width)
        self.tile = allocate(
            outer, self.found.element, [times(outer, high, wide), panels.width], "tile"
        )
        self.staged = self._stage(high)
        loops: list[_Loop] = []
        image = self._open(loops, self.extents[0], 1, "n")
        outside = [self._open(loops, plane, 1, "z") for plane in planes]
        top = self._open(loops, height, high, "top")
        if self.staged is not None:
            read_rows(self.insert, self.staged, (image, 0), times(self.insert, top, self.steps[0]))
        left = self._open(loops, width, wide, "left")
        strip = self._strip(outside, (top, left), (height, width), (high, wide))
        for segment in panels.segments():
            inside: list[_Loop] = []
            number = self._open(inside, segment.count, 1, "p")
            self._panel(segment, number, image, outside, strip)
            self._close(inside)
        self._close(loops)
        outer.place(memref.DeallocOp.get(self.tile))
        if self.staged is not None:
            outer.place(memref.DeallocOp.get(self.staged.buffer))
        for op in reversed(self.ops):
            op.detach()
            op.erase()
        if self.padding is not None:
            self.padding.erase()

    def _stage(self, high: Size) -> Staged | None:
        """The buffer of the rows that a strip sees, if the image is padded."""
        if (padding := self.padding) is None:
            return None
        insert = self.insert
        reach = (self.kernel[0] - 1) * self.dilations[0] + 1
        rows = plus(insert, times(insert, minus(insert, high, 1), self.steps[0]), reach)
        return stage(
            insert,
            padding.source,
            (self.source_sizes[0], self.source_sizes[1]),
            (padding.before[2], padding.before[3]),
            (self.channels, rows, self.padded_width),
            padding.fill.inputs[0],
        )

    # Loops

    def _open(self, loops: list[_Loop], stop: Size, step: Size, hint: str) -> Size:
        """A loop from 0 on, unless it is known to have one turn; its counter."""
        if isinstance(stop, int) and isinstance(step, int) and 0 < stop <= step:
            return 0
        ends = (index(self.insert, bound) for bound in (0, stop, step))
        loop = open_loop(self.insert, *ends, hint)
        loops.append((self.insert, loop))
        self.insert = loop
        return loop.counter

    def _close(self, loops: list[_Loop]) -> None:
        for outside, loop in reversed(loops):
            loop.close()
            self.insert = outside

    # Strips

    def _strip_sizes(self, height: Size, width: Size) -> tuple[Size, Size]:
        """The rows of a strip, and how much of a row it takes: all of it, unless it is a long one."""
        insert, pixels = self.insert, self.tiles.strip
        wide = least(insert, most(insert, width, 1), pixels)
        high = quotient(insert, pixels, wide)
        strips = parts(insert, most(insert, height, 1), high)
        return parts(insert, most(insert, height, 1), strips), wide

    def _strip(
        self,
        outside: Sequence[Size],
        start: tuple[Size, Size],
        extents: tuple[Size, Size],
        most_sizes: tuple[Size, Size],
    ) -> _Strip:
        insert = self.insert
        high, wide = (
            own
            if isinstance(extent, int) and isinstance(own, int) and extent % own == 0
            else least(insert, own, minus(insert, extent, at))
            for at, extent, own in zip(start, extents, most_sizes)
        )
        row = 0
        for at, extent in zip((*outside, start[0]), [*self.extents[2:]][-len(outside) - 2 :]):
            row = plus(insert, times(insert, row, extent), at)
        first = plus(insert, times(insert, row, extents[1]), start[1])
        return _Strip(*start, high, wide, first, times(insert, high, wide))

    # Panels

    def _panel(
        self, segment: Segment, number: Size, image: Size, outside: Sequence[Size], strip: _Strip
    ) -> None:
        """A strip of pixels by a panel of filters."""
        insert, width = self.insert, segment.vectors * self.tiles.lanes
        shape = [self.channels, *self.kernel]
        at = plus(insert, number, segment.first)
        filters = window(
            insert, self.filters, [at, *[0] * len(shape), 0], [1, *shape, width],
            range(1, len(shape) + 2), "filters",
        )  # fmt: skip
        self._pixels(segment, filters, image, outside, strip)
        insert = self.insert
        first = plus(insert, times(insert, number, width), segment.start)
        count = segment.rest or width
        out = window(
            insert, self.views[self.found.out], [image, first, strip.first],
            [1, count, strip.count], [1, 2],
        )  # fmt: skip
        source = window(insert, self.tile, [0, 0], [strip.count, count])
        turned = AffineMap(2, 0, (AffineDimExpr(1), AffineDimExpr(0)))
        insert.place(copy_by(turned, source, out))
        for op in self.found.epilogue:
            self._follow(op, (image, first, strip.first), (1, count, strip.count))

    def _pixels(
        self,
        segment: Segment,
        filters: SSAValue,
        image: Size,
        outside: Sequence[Size],
        strip: _Strip,
    ) -> None:
        """The sums of a strip: the rows, in each the tiles of equal width or of one pixel more."""
        loops: list[_Loop] = []
        row = self._open(loops, strip.height, 1, "y")
        count = most(self.insert, parts(self.insert, strip.width, self.tiles.pixels), 1)
        narrow = quotient(self.insert, strip.width, count)
        wider = remainder(self.insert, strip.width, count)
        t = self._open(loops, count, 1, "t")
        insert = self.insert
        before = 0 if wider == 0 else least(insert, t, wider)
        x = plus(insert, times(insert, t, narrow), before)
        y = row if self.staged is not None else plus(insert, strip.top, row)
        positions = [*outside, y, plus(insert, strip.left, x)][-len(self.steps) :]
        starts = [times(insert, at, step) for at, step in zip(positions, self.steps)]
        pixel = plus(insert, times(insert, row, strip.width), x)
        if isinstance(narrow, int) and isinstance(wider, int):
            widths = [narrow, narrow + 1][not narrow : 2 if wider else 1]
        else:
            widths = [*range(1, self.tiles.pixels + 1)]
        wide = narrow if len(widths) == 1 else self._one_more(narrow, t, wider)
        self._sums(widths, wide, segment, filters, (image, starts), pixel)
        self._close(loops)

    def _one_more(self, narrow: Size, t: Size, wider: Size) -> Size:
        """The width of a tile: the first ones are a pixel wider."""
        insert = self.insert
        is_wider = insert(arith.CmpiOp(index(insert, t), index(insert, wider), "slt"))
        more = insert(arith.SelectOp(is_wider, index(insert, 1), index(insert, 0)))
        return plus(insert, narrow, more)

    def _sums(
        self,
        widths: Sequence[int],
        width: Size,
        segment: Segment,
        filters: SSAValue,
        source: tuple[Size, Sequence[Size]],
        pixel: Size,
    ) -> None:
        """The call of the function of a tile, chosen by its width."""
        insert, (image, starts) = self.insert, source
        element, lanes = self.found.element, self.tiles.lanes
        tile = PixelTile(1, segment.vectors, lanes, element, self.steps[-1], len(self.steps))
        seen: list[Size] = [(n - 1) * d + 1 for n, d in zip(self.kernel, self.dilations)]
        seen[-1] = plus(insert, seen[-1], times(insert, minus(insert, width, 1), self.steps[-1]))
        counts = [index(insert, n) for n in (self.channels, *self.kernel, *self.dilations)]
        shape: list[Size] = [self.channels, *seen]
        if self.staged is not None:
            view = window(insert, self.staged.buffer, [0, *starts], shape)
        else:
            view = window(
                insert, self.found.image, [image, 0, *starts], [1, *shape], range(1, self.rank)
            )
        views = [
            view,
            filters,
            window(insert, self.tile, [pixel, 0], [width, tile.width]),
        ]  # fmt: skip
        tiles = [replace(tile, pixels=n) for n in widths]
        choose(insert, self.functions, tiles, "pixels", index(insert, width), [*counts, *views])

    # What follows

    def _collapsed(self) -> dict[SSAValue, SSAValue]:
        """The result, and what is read where it is written, with all positions as one dimension."""
        views: dict[SSAValue, SSAValue] = {}
        operands = [(v, own) for op in self.found.epilogue for v, own in loops_of(op)]
        for value, own in [(self.found.out, (2,)), *operands]:
            if value not in views and any(loop is not None and loop >= 2 for loop in own):
                views[value] = collapse(self.insert, value, 1, 1, self.rank - 2)
        return views

    def _follow(
        self, op: linalg.GenericOp, at: tuple[Size, Size, Size], sizes: tuple[Size, Size, Size]
    ) -> None:
        """An op of the epilogue on a strip and a panel: loops image, filter, pixel."""
        values: list[SSAValue] = []
        maps: list[AffineMap] = []
        for value, loops in loops_of(op):
            own = [*loops[:2], 2] if value in self.views else loops
            if isinstance(value.type, MemRefType):
                starts = [0 if loop is None else at[loop] for loop in own]
                extents = [1 if loop is None else sizes[loop] for loop in own]
                value = window(self.insert, self.views.get(value, value), starts, extents)
            values.append(value)
            exprs = [AffineConstantExpr(0) if o is None else AffineDimExpr(o) for o in own]
            maps.append(AffineMap(3, 0, tuple(exprs)))
        count = len(op.inputs)
        self.insert.place(
            linalg.GenericOp(
                values[:count], values[count:], op.body.clone(), [*map(AffineMapAttr, maps)],
                [PARALLEL] * 3,
            )
        )  # fmt: skip
