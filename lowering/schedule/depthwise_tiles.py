"""The innermost part of a depthwise convolution: a few rows of the result, vectors of neighbouring pixels.

    func.func private @depthwise_3x3_4_f32(%width: index,
        %image: memref<6x?xf32, strided<[?, 1], offset: ?>>,
        %filter: memref<3x3xf32, strided<[3, 1], offset: ?>>,
        %out: memref<4x?xf32, strided<[?, 1], offset: ?>>) {
      %w0, ..., %w8 = the places of the filter, each broadcast
      scf.for %x = %c0 to %width step %c16 {
        %v0, %v1 = vector.load %image[row, %x], %image[row, %x + 16]
        what a place sees of the row is shuffled out of both, once for all rows of the result that see it
        %out[row, %x] = the sum of what it sees times %w
      }
    }

Loads that cross lines of the cache would take more than twice as long as all else.
The image is staged with its columns sorted by the remainder of the step, and wide enough for whole vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, func, memref, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    VectorType,
    i64,
)
from xdsl.ir import Block, SSAValue

from lowering.ir.insertion import Inserter
from lowering.schedule.sizes import plus, times
from lowering.schedule.tile_functions import Argument, block_of, dims, private_function
from lowering.schedule.views import Size, strided
from relax_dialect import symbolic
from relax_dialect.prim_func import SYMBOL


@dataclass(frozen=True)
class DepthwiseTile:
    """So many rows of the result, by a filter."""

    rows: int
    lanes: int
    element: AnyFloat
    kernel: tuple[int, int]
    steps: tuple[int, int]
    dilations: tuple[int, int]

    @property
    def name(self) -> str:
        parts = ["depthwise", self._pair(self.kernel), str(self.rows), str(self.element)]
        if self.steps != (1, 1):
            parts.append(f"step{self._pair(self.steps)}")
        if self.dilations != (1, 1):
            parts.append(f"dilated{self._pair(self.dilations)}")
        return "_".join(parts)

    def _pair(self, pair: tuple[int, int]) -> str:
        return f"{pair[0]}x{pair[1]}"

    @property
    def seen_rows(self) -> int:
        """The rows of the image that it reads."""
        return (self.rows - 1) * self.steps[0] + (self.kernel[0] - 1) * self.dilations[0] + 1

    def columns(self, width: Size, insert: Inserter) -> Size:
        """The columns of an image that whole vectors of so many pixels read: whole vectors, too."""
        return plus(insert, times(insert, width, self.steps[1]), self.beyond)

    @property
    def beyond(self) -> int:
        """How many more columns are read than the result has, times the step."""
        last = (self.kernel[1] - 1) * self.dilations[1] // self.steps[1]
        return -(-last // self.lanes) * self.lanes * self.steps[1]

    @property
    def image(self) -> MemRefType:
        return strided(self.element, [self.seen_rows, DYNAMIC_INDEX], [None, 1])

    @property
    def filter(self) -> MemRefType:
        return strided(self.element, self.kernel, [self.kernel[1], 1])

    @property
    def out(self) -> MemRefType:
        return strided(self.element, [self.rows, DYNAMIC_INDEX], [None, 1])

    def function(self, name: str) -> func.FuncOp:
        """The function of a tile: see the module docstring."""
        columns = str(symbolic.var("width") * self.steps[1] + self.beyond)
        arguments = [
            Argument("width", IndexType(), DictionaryAttr({SYMBOL: StringAttr("width")})),
            Argument("image", self.image, dims(self.seen_rows, columns)),
            Argument("filter", self.filter, dims(*self.kernel)),
            Argument("out", self.out, dims(self.rows, "width")),
        ]
        block = block_of(arguments)
        with ImplicitBuilder(block):
            _Body(self, block).fill()
        return private_function(name, arguments, block)


class _Body:
    """The loop of a tile along its rows."""

    def __init__(self, tile: DepthwiseTile, block: Block):
        self.tile = tile
        self.width, self.image, self.filter, self.out = block.args
        self.vector = VectorType(tile.element, [tile.lanes])
        largest = max(tile.seen_rows, tile.beyond + 2 * tile.lanes, *tile.kernel)
        self.numbers: list[SSAValue] = []
        for n in range(largest + 1):
            self.numbers.append(arith.ConstantOp(IntegerAttr.from_index_int_value(n)).result)
            self.numbers[-1].name_hint = f"c{n}"

    def fill(self) -> None:
        tile, numbers = self.tile, self.numbers
        weights = {place: self._weight(*place) for place in product(*map(range, tile.kernel))}
        body = Block(arg_types=[IndexType()])
        body.args[0].name_hint = "x"
        scf.ForOp(numbers[0], self.width, numbers[tile.lanes], [], body)
        with ImplicitBuilder(body):
            self._column(body.args[0], weights)
            scf.YieldOp()
        func.ReturnOp()

    def _weight(self, r: int, s: int) -> SSAValue:
        scalar = memref.LoadOp.get(self.filter, [self.numbers[r], self.numbers[s]]).res
        scalar.name_hint = "w"
        return vector.BroadcastOp(scalar, self.vector).vector

    def _column(self, x: SSAValue, weights: Mapping[tuple[int, ...], SSAValue]) -> None:
        """A vector of each row."""
        tile, sums, first = self.tile, dict[int, SSAValue](), x
        if tile.steps[1] != 1:
            first = arith.MuliOp(x, self.numbers[tile.steps[1]]).result
        for row in range(tile.seen_rows):
            self.loaded: dict[int, SSAValue] = {}
            self.sorted: dict[tuple[int, int], SSAValue] = {}
            seen = [self._seen(row, s, first) for s in range(tile.kernel[1])]
            for (r, s), weight in weights.items():
                number, left = divmod(row - r * tile.dilations[0], tile.steps[0])
                if left or not 0 <= number < tile.rows:
                    continue
                if number in sums:
                    sums[number] = vector.FMAOp(seen[s], weight, sums[number]).res
                else:
                    sums[number] = arith.MulfOp(seen[s], weight).result
        for number, total in sums.items():
            vector.StoreOp(total, self.out, [self.numbers[number], x])

    def _seen(self, row: int, s: int, x: SSAValue) -> SSAValue:
        """What a place of the filter sees of a row of the image, at a vector of pixels."""
        lanes, step = self.tile.lanes, self.tile.steps[1]
        column, remainder = divmod(s * self.tile.dilations[1], step)
        number, shift = divmod(column, lanes)
        first = self._sorted(row, number, remainder, x)
        if shift == 0:
            return first
        second = self._sorted(row, number + 1, remainder, x)
        return self._shuffled(first, second, range(shift, shift + lanes))

    def _sorted(self, row: int, number: int, remainder: int, x: SSAValue) -> SSAValue:
        """The columns of a remainder by the step, the `number`th vector of them."""
        lanes, key = self.tile.lanes, (number, remainder)
        if self.tile.steps[1] == 1:
            return self._load(row, number * lanes, x)
        if key not in self.sorted:
            first = self._load(row, 2 * number * lanes, x)
            second = self._load(row, (2 * number + 1) * lanes, x)
            self.sorted[key] = self._shuffled(first, second, range(remainder, 2 * lanes, 2))
        return self.sorted[key]

    def _shuffled(self, first: SSAValue, second: SSAValue, picked: range) -> SSAValue:
        lanes = DenseArrayBase.from_list(i64, picked)
        return vector.ShuffleOp(first, second, lanes, result_type=self.vector).result

    def _load(self, row: int, column: int, x: SSAValue) -> SSAValue:
        """A vector of the image that begins where a line of the cache does."""
        numbers = self.numbers
        if column not in self.loaded:
            at = x if column == 0 else arith.AddiOp(x, numbers[column]).result
            self.loaded[column] = vector.LoadOp(self.image, [numbers[row], at], self.vector).result
            self.loaded[column].name_hint = "v"
        return self.loaded[column]
