"""The innermost part of a convolution: neighbours along a row of the result, for a few vectors of filters.

    func.func private @convolve_14x32_f32(%channels: index, %rows: index, %columns: index,
        %rows_apart: index, %columns_apart: index,
        %image: memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>,
        %filters: memref<?x?x?x32xf32, strided<[?, ?, ?, 1], offset: ?>>,
        %sums: memref<14x32xf32, strided<[?, 1], offset: ?>>) {
      for %c < %channels, %r < %rows, %s < %columns, with the sums in vectors from turn to turn:
        %w0, %w1 = 32 filters at %filters[%c, %r, %s, 0]
        sums of pixel %i += %image[%c, %r * %rows_apart, %s * %columns_apart + %i] broadcast * %w0, %w1
    }

The image is read where it is: its windows overlap, and no copy is made of them. One function serves every
convolution of the same step, static or symbolic. How far apart places are is an argument also where it is
always 1: compilers that know it keep what the next turn reads again in memory. Zhang, Franchetti and Low,
"High Performance Zero-Memory Overhead Direct Convolutions" (2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    VectorType,
)
from xdsl.ir import Block, SSAValue

from lowering.schedule.tile_functions import Argument, block_of, dims, private_function
from lowering.schedule.views import strided
from relax_dialect import symbolic
from relax_dialect.prim_func import SYMBOL

PLACES = ("planes", "rows", "columns")
"""What the axes of a kernel are called, as many as there are, from the last one on."""


@dataclass(frozen=True)
class PixelTile:
    """So many neighbours along a row of the result, by so many vectors of filters."""

    pixels: int
    vectors: int
    lanes: int
    element: AnyFloat
    step: int
    """How far apart in the image the windows of neighbours are."""
    axes: int
    """How many axes the image has: 1 to 3."""

    @property
    def width(self) -> int:
        return self.vectors * self.lanes

    @property
    def name(self) -> str:
        step = f"_step{self.step}" if self.step != 1 else ""
        axes = "" if self.axes == 2 else f"_{self.axes}d"
        return f"convolve_{self.pixels}x{self.width}_{self.element}{step}{axes}"

    @property
    def image(self) -> MemRefType:
        shape = [DYNAMIC_INDEX] * (self.axes + 1)
        return strided(self.element, shape, [*[None] * self.axes, 1])

    @property
    def filters(self) -> MemRefType:
        shape = [*[DYNAMIC_INDEX] * (self.axes + 1), self.width]
        return strided(self.element, shape, [*[None] * (self.axes + 1), 1])

    @property
    def sums(self) -> MemRefType:
        return strided(self.element, [self.pixels, self.width], [None, 1])

    @property
    def arguments(self) -> Sequence[Argument]:
        """What the function of a tile takes; for any number of pixels, if that is not known."""
        places = PLACES[-self.axes :]
        names, apart = ("channels", *places), [f"{place}_apart" for place in places]
        pixels = symbolic.var("pixels") if self.pixels == DYNAMIC_INDEX else self.pixels
        seen = [(symbolic.var(n) - 1) * symbolic.var(d) + 1 for n, d in zip(places, apart)]
        seen[-1] += (pixels - 1) * self.step
        return [
            *(
                Argument(n, IndexType(), DictionaryAttr({SYMBOL: StringAttr(n)}))
                for n in (*names, *apart)
            ),
            Argument("image", self.image, dims("channels", *map(str, seen))),
            Argument("filters", self.filters, dims(*names, self.width)),
            Argument("sums", self.sums, dims(str(pixels), self.width)),
        ]

    def function(self, name: str) -> func.FuncOp:
        """The function of a tile: see the module docstring."""
        block = block_of(self.arguments)
        with ImplicitBuilder(block):
            _Body(self, block.args).fill()
        return private_function(name, self.arguments, block)


class _Body:
    """The loops of a tile."""

    def __init__(self, tile: PixelTile, arguments: Sequence[SSAValue]):
        self.tile = tile
        *indices, self.image, self.filters, self.sums = arguments
        self.counts, self.apart = indices[: tile.axes + 1], indices[tile.axes + 1 :]
        self.row = VectorType(tile.element, [tile.lanes])
        self.columns = range(0, tile.width, tile.lanes)
        offsets = range(0, tile.pixels * tile.step, tile.step)
        self.numbers: dict[int, SSAValue] = {}
        for n in sorted({0, 1, *self.columns, *range(tile.pixels), *offsets}):
            self.numbers[n] = arith.ConstantOp(IntegerAttr.from_index_int_value(n)).result
            self.numbers[n].name_hint = f"c{n}"

    def fill(self) -> None:
        tile = self.tile
        zeros = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(self.row, [0.0])).result
        totals = self._loops(self.counts, [], [zeros] * (tile.pixels * tile.vectors))
        for n, total in enumerate(totals):
            at = [self.numbers[n // tile.vectors], self.numbers[self.columns[n % tile.vectors]]]
            vector.StoreOp(total, self.sums, at)
        func.ReturnOp()

    def _loops(
        self, counts: Sequence[SSAValue], at: list[SSAValue], sums: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """The loops over channels and places that are left, around the products."""
        if not counts:
            return self._products(at, sums)
        body = Block(arg_types=[IndexType(), *[self.row] * len(sums)])
        counter, *carried = body.args
        counter.name_hint = "crst"[len(at)]
        for n, total in enumerate(carried):
            total.name_hint = f"s{n}"
        loop = scf.ForOp(self.numbers[0], counts[0], self.numbers[1], sums, body)
        with ImplicitBuilder(body):
            scf.YieldOp(*self._loops(counts[1:], [*at, counter], carried))
        return loop.results

    def _products(self, at: Sequence[SSAValue], sums: Sequence[SSAValue]) -> list[SSAValue]:
        """The element of every pixel at one place of one channel, times a few vectors of filters."""
        tile = self.tile
        weights: list[SSAValue] = []
        for column in self.columns:
            load = vector.LoadOp(self.filters, [*at, self.numbers[column]], self.row)
            load.result.name_hint = "w"
            weights.append(load.result)
        channel, *places = at
        seen = [arith.MuliOp(place, d).result for place, d in zip(places, self.apart)]
        found: list[SSAValue] = []
        for pixel in range(tile.pixels):
            offset = self.numbers[pixel * tile.step]
            column = seen[-1] if pixel == 0 else arith.AddiOp(seen[-1], offset).result
            scalar = memref.LoadOp.get(self.image, [channel, *seen[:-1], column]).res
            scalar.name_hint = f"x{pixel}"
            left = vector.BroadcastOp(scalar, self.row).vector
            for n, weight in enumerate(weights):
                found.append(vector.FMAOp(left, weight, sums[pixel * tile.vectors + n]).res)
        return found
