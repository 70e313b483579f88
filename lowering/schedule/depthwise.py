"""The strategy of depthwise convolutions, of one filter for each channel: a channel staged, then its rows.

    linalg.generic {(n, c, y, x, r, s): image (n, c, y + r, x + s), filters (c, 0, r, s) -> (n, c, y, x)}
->
    scf.for %n, %c, %top = images, channels, strips of rows {
      the rows that the strip sees, in a buffer in the first cache       // see `staging`
      scf.for %y = 0 to 56 step 4 {
        call @depthwise_3x3_4_f32(%width, %rows[0, %y, 0], %filters[%c, 0], %sums[%y, 0])
      }
      what follows element by element, from %sums to %out
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import AffineMapAttr, MemRefType, NoneAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from lowering.ir.insertion import Inserter
from lowering.ir.memref_sizes import MemrefSizes
from lowering.schedule.contraction import (
    epilogue_of,
    loops_of,
    multiplies_and_adds,
    walked,
    zeros_before,
)
from lowering.schedule.convolution import Convolution, loops_in, step_of
from lowering.schedule.depthwise_tiles import DepthwiseTile
from lowering.schedule.freeing import free_later
from lowering.schedule.open_loops import OpenLoops
from lowering.schedule.sizes import least, minus, most, parts, plus, quotient, times
from lowering.schedule.staging import Staged, padding_before, read_rows, stage
from lowering.schedule.tile_functions import TileFunctions
from lowering.schedule.views import PARALLEL, Size, allocate, cast, copy_by, index, size, window
from lowering.target import Cpu

MOST_PLACES = 49
"""Larger filters are not written out in a function."""

MOST_STEPS = 2
"""The columns of windows that are further apart are not sorted."""


@dataclass(frozen=True)
class DepthwiseSizes:
    """How a depthwise convolution is cut."""

    rows: int
    """How many rows of the result are computed together."""
    lanes: int
    strip: int
    """About how many elements the rows of a strip have."""


def depthwise_sizes(cpu: Cpu, bits: int) -> DepthwiseSizes:
    """The tile of a depthwise convolution: most of the first cache holds a strip, before and after."""
    return DepthwiseSizes(rows=4, lanes=cpu.lanes(bits), strip=cpu.l1 * 6 // bits)


def find(op: Operation) -> Convolution | None:
    """The depthwise convolution over two axes that an op is."""
    if not isinstance(op, linalg.GenericOp) or len(op.inputs) != 2 or len(op.outputs) != 1:
        return None
    if not multiplies_and_adds(op) or (fill := zeros_before(op)) is None:
        return None
    image, filters, out = (attribute.data for attribute in op.get_indexing_maps())
    expected = [{0}, {1}, {2, 4}, {3, 5}]
    if walked(out) != (0, 1, 2, 3) or walked(filters) != (1, None, 4, 5):
        return None
    if [loops_in(expr) for expr in image.results] != expected or len(op.get_iterator_types()) != 6:
        return None
    types = [value.type for value in (*op.inputs, *op.outputs)]
    if not all(isinstance(t, MemRefType) and isinstance(t.layout, NoneAttr) for t in types):
        return None
    kernel = op.inputs[1].type.get_shape()[2:]  # pyright: ignore
    if (
        step_of(image.results[3], 3) > MOST_STEPS
        or min(kernel) < 1
        or kernel[0] * kernel[1] > MOST_PLACES
    ):
        return None
    epilogue = tuple(epilogue_of(op, op.outputs[0]))
    source, weights = op.inputs
    return Convolution(op, fill, source, weights, op.outputs[0], image, epilogue)


class DepthwiseBuilder:
    """Replaces one depthwise convolution and its epilogue."""

    def __init__(
        self,
        found: Convolution,
        sizes: MemrefSizes,
        tiles: DepthwiseSizes,
        functions: TileFunctions,
    ):
        self.found, self.tiles, self.functions = found, tiles, functions
        self.ops: list[Operation] = [found.fill, found.op, *found.epilogue]
        free_later(self.ops[1], self.ops[-1])
        last = self.ops[-1]
        self.insert = Inserter(before=last)

        def extents(value: SSAValue) -> list[Size]:
            return [size(sizes.bound([(value, d)], before=last)) for d in range(4)]

        self.padding = padding_before(found)
        self.image = found.image if self.padding is None else self.padding.source
        self.extents, self.image_extents = extents(found.out), extents(self.image)
        assert isinstance(found.filters.type, MemRefType)
        _, _, *kernel = found.filters.type.get_shape()
        steps = [step_of(found.map.results[2 + d], 2 + d) for d in range(2)]
        dilations = [step_of(found.map.results[2 + d], 4 + d) for d in range(2)]
        self.tile = DepthwiseTile(
            tiles.rows,
            tiles.lanes,
            found.element,
            *map(tuple, (kernel, steps, dilations)),  # pyright: ignore
        )

    def build(self) -> None:
        """Put the loops in the place of the ops."""
        insert, tile, lanes = self.insert, self.tile, self.tiles.lanes
        images, channels, height, width = self.extents
        wide = times(insert, parts(insert, width, lanes), lanes)
        columns = tile.columns(wide, insert)
        high = self._strip_rows(height, plus(insert, times(insert, columns, tile.steps[0]), wide))
        seen = plus(
            insert, times(insert, minus(insert, high, tile.rows), tile.steps[0]), tile.seen_rows
        )
        padding = self.padding
        staged = stage(
            insert,
            self.image,
            (self.image_extents[2], self.image_extents[3]),
            (0, 0) if padding is None else (padding.before[2], padding.before[3]),
            (1, seen, columns),
            (self.found.fill if padding is None else padding.fill).inputs[0],
        )
        sums = allocate(insert, tile.element, [high, wide], "sums")
        nest = OpenLoops(insert)
        image, channel = nest.open(images, 1, "n"), nest.open(channels, 1, "c")
        top = nest.open(height, high, "top")
        first = times(nest.insert, top, tile.steps[0])
        read_rows(nest.insert, staged, (image, channel), first)
        rows = height
        if top != 0:
            rows = least(nest.insert, high, minus(nest.insert, height, top))
        self._sums(nest, staged, sums, (rows, wide), channel)
        self._write(nest.insert, sums, (image, channel, top, 0), (1, 1, rows, width))
        nest.close()
        for buffer in (staged.buffer, sums):
            insert.place(memref.DeallocOp.get(buffer))
        for op in reversed(self.ops):
            op.detach()
            op.erase()
        if padding is not None:
            padding.erase()

    def _strip_rows(self, height: Size, row: Size) -> Size:
        """The rows of a strip, whole tiles: all of the image, or parts that the cache holds.

        `row`: the elements that a row of the result takes.
        """
        insert, rows = self.insert, self.tile.rows
        fitting = quotient(insert, quotient(insert, self.tiles.strip, most(insert, row, 1)), rows)
        tiles = parts(insert, most(insert, height, 1), rows)
        strips = parts(insert, tiles, most(insert, fitting, 1))
        return times(insert, parts(insert, tiles, strips), rows)

    def _sums(
        self,
        around: OpenLoops,
        staged: Staged,
        sums: SSAValue,
        sizes: tuple[Size, Size],
        channel: Size,
    ) -> None:
        """The tiles of a strip."""
        tile, (rows, wide) = self.tile, sizes
        nest = OpenLoops(around.insert)
        y = nest.open(rows, tile.rows, "y")
        insert = nest.insert
        row = times(insert, y, tile.steps[0])
        shape = [1, tile.seen_rows, staged.columns]
        views = [
            window(insert, staged.buffer, [0, row, 0], shape, [1, 2]),
            window(
                insert, self.found.filters, [channel, 0, 0, 0], [1, 1, *tile.kernel], [2, 3]
            ),
            window(insert, sums, [y, 0], [tile.rows, wide]),
        ]  # fmt: skip
        types = (tile.image, tile.filter, tile.out)
        arguments = [cast(insert, view, type) for view, type in zip(views, types)]
        symbol = self.functions.named(tile.name, tile.function)
        insert.place(func.CallOp(symbol, [index(insert, wide), *arguments], []))
        nest.close()

    # What follows

    def _write(
        self, insert: Inserter, sums: SSAValue, at: Sequence[Size], sizes: Sequence[Size]
    ) -> None:
        """The sums to the result, or to what follows element by element."""
        local = window(insert, sums, [0, 0], sizes[2:])
        epilogue = list(self.found.epilogue)
        first = epilogue.pop(0) if epilogue and self._overwrites(epilogue[0]) else None
        if first is None:
            out = window(insert, self.found.out, at, sizes, [2, 3])
            insert.place(copy_by(AffineMap.identity(2), local, out))
        else:
            self._follow(insert, first, at, sizes, local)
        for op in epilogue:
            self._follow(insert, op, at, sizes, None)

    def _overwrites(self, op: linalg.GenericOp) -> bool:
        """Whether an op writes the result, and reads the sums as an input alone."""
        arguments = op.body.block.args[len(op.inputs) :]
        written = [a for a, value in zip(arguments, op.outputs) if value is self.found.out]
        return bool(written) and all(argument.first_use is None for argument in written)

    def _follow(
        self,
        insert: Inserter,
        op: linalg.GenericOp,
        at: Sequence[Size],
        sizes: Sequence[Size],
        local: SSAValue | None,
    ) -> None:
        """An op of the epilogue on a strip; `local`: where it reads the sums."""
        values: list[SSAValue] = []
        maps: list[AffineMap] = []
        for place, (value, loops) in enumerate(loops_of(op)):
            if local is not None and value is self.found.out and place < len(op.inputs):
                values.append(local)
                loops = (2, 3)
            elif isinstance(value.type, MemRefType):
                starts = [0 if loop is None else at[loop] for loop in loops]
                extents = [1 if loop is None else sizes[loop] for loop in loops]
                values.append(window(insert, value, starts, extents))
            else:
                values.append(value)
            exprs = [AffineConstantExpr(0) if o is None else AffineDimExpr(o) for o in loops]
            maps.append(AffineMap(4, 0, tuple(exprs)))
        count = len(op.inputs)
        insert.place(
            linalg.GenericOp(
                values[:count], values[count:], op.body.clone(), [*map(AffineMapAttr, maps)],
                [PARALLEL] * 4,
            )
        )  # fmt: skip
