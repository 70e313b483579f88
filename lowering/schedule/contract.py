"""The strategy of contractions: panels of columns, tiles of rows, sums in registers, the epilogue per tile.

    linalg.fill ins(%zero) outs(%out)
    linalg.generic {(i, k), (k, j) -> (i, j)} ins(%x, %w : memref<?x512xf32>, memref<512x96xf32>) outs(%out)
    linalg.generic {(i, j), (j) -> (i, j)} ins(%out, %bias) outs(%out)
->
    scf.for %p = 0 to 2 {                                          // panels of 48 columns
      scf.for %t = 0 to %tiles {                                   // tiles of 8 rows, some of 7
        scf.index_switch %height
        case 8 { call @contract_8x48_f32(%c512, %x[%row, 0] [8, 512], %w[0, %column] [512, 48], %out[...]) }
        ...
        linalg.generic ins(%out[%row, %column] [%height, 48], %bias[%column] [48]) outs(%out[...])
      }
    }

* Heights are balanced: 17 rows are 6 + 6 + 5, so that no tile is left with one row.
* Columns that do not fill their vectors go through a tile in memory, from a panel filled up with zeros.
* The right operand is read in place, or from panels: laid out at compile time where it is constant, before
  loops around that leave it alone, on each call where its columns do not follow each other in memory, or
  it is large and many rows share the cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    IndexType,
    MemRefType,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from lowering.ir.insertion import Inserter, OpenLoop, open_loop
from lowering.ir.memref_sizes import MemrefSizes
from lowering.schedule.choice import choose
from lowering.schedule.contraction import Contraction, Operand, loops_of
from lowering.schedule.convolution import Gather
from lowering.schedule.invariant import invariant_loop
from lowering.schedule.pack_constants import ConstantPacker
from lowering.schedule.panels import Panels, Segment
from lowering.schedule.tile_functions import TileFunctions
from lowering.schedule.views import (
    Size,
    allocate,
    at_most,
    copy_by,
    index,
    size,
    window,
    zero_of,
)

FEWEST_ROWS = 2
"""The fewest rows that tiles are worth it for."""

FEWEST_TURNED = 4
"""The same, where the columns of the right operand have to be gathered."""


@dataclass(frozen=True)
class TileSizes:
    """How a contraction is cut."""

    rows: int
    """The most rows of a tile."""
    vectors: int
    """The most vectors side by side in a tile."""
    lanes: int
    block: int
    """How many tiles of rows go through all panels before the next ones do."""
    pack_bytes: int
    """How large an operand is that is laid out in panels on each call, where `pack_rows` share the cost."""
    pack_rows: int
    least_work: int
    """Static contractions of fewer multiplications stay loops."""


def is_worth_it(found: Contraction, sizes: TileSizes) -> bool:
    """Whether tiles are expected to help: some work, and columns for half a vector at least."""
    extents = [found.extent(loop) for loop in (*found.batch, found.row, found.column, found.depth)]
    columns = found.extent(found.column)
    if 0 <= columns < sizes.lanes // 2:
        return False
    if any(extent < 0 for extent in extents):
        return True
    work = 1
    for extent in extents:
        work *= extent
    return work >= sizes.least_work


@dataclass
class _Rows:
    """The rows of a tile: the first one, and how many there are."""

    start: SSAValue
    height: SSAValue
    heights: Sequence[int]
    """What the height may be."""


class ContractionBuilder:
    """Replaces one contraction and its epilogue by loops over tiles."""

    def __init__(
        self,
        function: func.FuncOp,
        found: Contraction,
        sizes: MemrefSizes,
        tiles: TileSizes,
        functions: TileFunctions,
        packer: ConstantPacker,
        ops: Sequence[Operation],
        gather: Gather | None = None,
    ):
        self.function, self.found, self.tiles, self.functions = function, found, tiles, functions
        self.sizes = sizes
        self.gather = gather
        self.ops = ops
        """What is replaced: the fill, the contraction, and what follows."""
        self.insert = Inserter(before=self.ops[-1])
        free_later(self.ops)
        self.extents: dict[int, SSAValue] = {
            loop: sizes.bound(found.places(loop), before=ops[-1])
            for loop in (*found.batch, found.row, found.column, found.depth)
        }
        self.packed = self._packed_ahead(packer)
        """The right operand in panels, those of all batches one after the other."""
        is_ready = self.packed is not None or gather is not None
        self.invariant = None if is_ready else invariant_loop(ops[-1], found.right.value)
        """The outermost loop around that leaves the right operand alone, unless that is packed ahead."""
        self.panels_at: SSAValue | None = None
        """The panels of the right operand, if it is not read in place."""
        self.count: Size = 0 if self.panels is None else self.panels.count
        """How many panels each batch has, where those of all batches lie one after the other."""
        self.rooms: list[SSAValue] = []
        """What has been allocated around all loops."""
        self.last_panel: SSAValue | None = None
        """The last columns as a panel, where they do not fill one and the others are read in place."""
        self.offsets: dict[int | None, Size] = {None: 0}
        """Where the loops around stand, by loop."""

    # What is known

    def extent(self, loop: int) -> Size:
        return size(self.extents[loop])

    @property
    def panels(self) -> Panels | None:
        """The panels, where the number of columns is known."""
        columns = self.extent(self.found.column)
        if isinstance(columns, SSAValue):
            return None
        return Panels(columns, self.tiles.vectors, self.tiles.lanes)

    @property
    def is_turned(self) -> bool:
        """Whether the columns of the right operand do not follow each other in memory."""
        return self.found.right.last != self.found.column

    # The whole

    def build(self) -> None:
        """Put the loops in the place of the ops; contractions of too few rows stay what they are."""
        rows, few = self.extent(self.found.row), self._few()
        if isinstance(rows, int) and rows < few:
            return
        ops = self.ops
        if self.invariant is not None:
            self._pack_before(self.invariant)
        self.zero, self.one = index(self.insert, 0), index(self.insert, 1)
        self.local = self._rest_tile()
        if isinstance(rows, int) or few <= 1:
            self._batches()
            for op in reversed(ops):
                op.detach()
                op.erase()
            return
        test = self.insert(arith.CmpiOp(rows, index(self.insert, few), "slt"))
        as_it_was, tiled = Block(), Block()
        self.insert.place(scf.IfOp(test, [], Region(as_it_was), Region(tiled)))
        for op in ops:
            op.detach()
            as_it_was.add_op(op)
        as_it_was.add_op(scf.YieldOp())
        self.insert = Inserter(end=tiled)
        self._batches()
        tiled.add_op(scf.YieldOp())

    def _few(self) -> int:
        """From how many rows on tiles are faster than loops: rows share the cost of gathering columns."""
        if self.packed is not None or self.invariant is not None or self.found.is_laid_out:
            return 1
        return FEWEST_TURNED if self.is_turned else FEWEST_ROWS

    def _batches(self) -> None:
        """The loops around the tiles."""
        self.around = around = self.insert
        loops: list[OpenLoop] = []
        for loop in self.found.batch:
            self._open(loops, self.zero, self.extents[loop], "b")
            self.offsets[loop] = loops[-1].counter
        # memory for all turns is allocated before the outermost loop
        if loops:
            self.around = Inserter(before=loops[0].loop)
        if self.gather is not None:
            self.rooms.append(self.gather.windows)
            image, strip = (opened.counter for opened in loops)
            self.gather.insert(self.insert, image, self._from(strip, 0, self.gather.step))
        self._with_right_operand()
        for opened in reversed(loops):
            opened.close()
        for room in self.rooms:
            around.place(memref.DeallocOp.get(room))
        self.insert = around

    def _open(self, loops: list[OpenLoop], start: SSAValue, stop: SSAValue, hint: str) -> None:
        loops.append(open_loop(self.insert, start, stop, self.one, hint))
        self.insert = loops[-1]

    def _rest_tile(self) -> SSAValue | None:
        """The memory of a tile whose columns do not fill it, at the top of the function."""
        if (panels := self.panels) is not None and panels.columns % self.tiles.lanes == 0:
            return None
        found = self.found
        shape = [
            {found.row: self.tiles.rows, found.column: self.tiles.vectors * self.tiles.lanes}.get(
                loop, 1
            )
            for loop in found.out.loops
            if loop is not None
        ]
        op = memref.AllocaOp.get(found.element, 64, shape)
        first = self.function.body.block.first_op
        assert first is not None
        self.function.body.block.insert_op_before(op, first)
        op.memref.name_hint = "tile"
        return op.memref

    # The right operand

    def _packed_ahead(self, packer: ConstantPacker) -> SSAValue | None:
        """Lay a constant right operand out in panels, once and for all."""
        right, panels = self.found.right, self.panels
        if panels is None or len(list(right.value.uses)) != 1:
            return None
        order = [*self._own_batches(), self.found.depth, self.found.column]
        place = tuple(None if loop is None else order.index(loop) for loop in right.loops)

        def layout(weights: np.ndarray) -> np.ndarray:
            walked = weights[tuple(0 if p is None else slice(None) for p in place)]
            axes = np.argsort([p for p in place if p is not None])
            matrices = walked.transpose(axes)
            matrices = matrices.reshape(-1, *matrices.shape[-2:])
            return np.concatenate([panels.pack(matrix) for matrix in matrices])

        return packer.pack(self.function, right.value, (panels, place), layout)

    def _own_batches(self) -> Sequence[int]:
        """The batch loops of the right operand."""
        return [loop for loop in self.found.batch if loop in self.found.right.loops]

    def _pack_before(self, loop: scf.ForOp) -> None:
        """Lay the right operand out in panels before a loop in which it stays as it is."""
        inner, self.insert = self.insert, Inserter(before=loop)
        self.around, right = self.insert, self.found.right
        self.zero, self.one = index(self.insert, 0), index(self.insert, 1)
        for own in (*self._own_batches(), self.found.depth, self.found.column):
            if isinstance(known := self.extent(own), int):
                self.extents[own] = index(self.insert, known)
            else:
                self.extents[own] = self.sizes.bound([(right.value, right.dimension(own))], loop)
        self.count = count = self._count()
        for own in self._own_batches():
            count = self.insert(arith.MuliOp(index(self.insert, count), self.extents[own]))
        self.panels_at = self._allocate([count, self.extent(self.found.depth), self._width()])
        loops: list[OpenLoop] = []
        for own in self._own_batches():
            self._open(loops, self.zero, self.extents[own], "b")
            self.offsets[own] = loops[-1].counter
        self.packed = self.panels_at
        self._each_panel(lambda n, segment, start, columns: self._pack(n, start, columns))
        for opened in reversed(loops):
            opened.close()
        after = memref.DeallocOp.get(self.panels_at)
        assert loop.parent is not None
        loop.parent.insert_op_after(after, loop)
        self.rooms.clear()
        self.panels_at, self.insert = None, inner

    def _with_right_operand(self) -> None:
        """The loops over panels, with the right operand as it is best read."""
        if self.packed is not None:
            self.panels_at = self.packed
            self._all_panels()
            return
        test = True if self.is_turned else self._must_pack()
        if not isinstance(test, SSAValue):
            (self._on_packed if test else self._in_place)()
            return
        outer = self.insert
        then, otherwise = Block(), Block()
        outer.place(branches := scf.IfOp(test, [], Region(then), Region(otherwise)))
        if self.around is outer:
            self.around = Inserter(before=branches)
        self.insert = Inserter(end=then)
        self._on_packed()
        then.add_op(scf.YieldOp())
        self.insert = Inserter(end=otherwise)
        self._in_place()
        otherwise.add_op(scf.YieldOp())
        self.insert = outer

    def _must_pack(self) -> bool | SSAValue:
        """Whether the right operand is worth laying out in panels: it is large, and many rows read it."""
        columns, depth, rows = (
            self.extent(loop) for loop in (self.found.column, self.found.depth, self.found.row)
        )
        most = at_most(rows)
        if most is not None and most < self.tiles.pack_rows:
            return False
        elements = self.tiles.pack_bytes * 8 // self.found.element.bitwidth
        tests: list[SSAValue] = []
        if isinstance(columns, int) and isinstance(depth, int):
            if columns * depth < elements:
                return False
        else:
            sides = index(self.insert, columns), index(self.insert, depth)
            tests.append(self._at_least(self.insert(arith.MuliOp(*sides)), elements))
        if not isinstance(rows, int):
            tests.append(self._at_least(rows, self.tiles.pack_rows))
        return reduce(lambda a, b: self.insert(arith.AndIOp(a, b)), tests) if tests else True

    def _at_least(self, value: SSAValue, least: int) -> SSAValue:
        return self.insert(arith.CmpiOp(value, index(self.insert, least), "sge"))

    def _in_place(self) -> None:
        """Read the right operand where it is; columns that fill no panel from one that is filled up."""
        if self.panels is not None and self.panels.columns % self.tiles.lanes == 0:
            self._all_panels()
            return
        self.panels_at = self.last_panel = self._allocate(
            [1, self.extent(self.found.depth), self._width()]
        )
        self._each_panel(
            lambda n, segment, start, columns: self._pack(self.zero, start, columns), only_last=True
        )
        self.panels_at = None
        self._all_panels()
        self.last_panel = None

    def _on_packed(self) -> None:
        """Lay the right operand out in panels, use them, and free them."""
        depth, width = self.extent(self.found.depth), self._width()
        self.panels_at = self._allocate([self._count(), depth, width])
        self._each_panel(lambda n, segment, start, columns: self._pack(n, start, columns))
        self._all_panels()
        self.panels_at = None

    def _width(self) -> int:
        panels = self.panels
        return self.tiles.vectors * self.tiles.lanes if panels is None else panels.width

    def _count(self) -> Size:
        """How many panels the columns are, the unfilled one too."""
        if (panels := self.panels) is not None:
            return panels.count
        columns = self.extents[self.found.column]
        width = index(self.around, self._width())
        return self.around(arith.CeilDivUIOp(columns, width), "panels")

    def _allocate(self, shape: Sequence[Size]) -> SSAValue:
        """Memory for all turns of the loops around, freed after them."""
        room = allocate(self.around, self.found.element, shape, "panels")
        self.rooms.append(room)
        return room

    def _pack(self, number: SSAValue, start: SSAValue, columns: Size) -> None:
        """Copy the columns from `start` on to a panel, zeros behind them."""
        assert self.panels_at is not None
        depth, width = self.extent(self.found.depth), self._width()
        number = self._in_batch(number)
        panel = window(self.insert, self.panels_at, [number, 0, 0], [1, depth, width], [1, 2])
        if columns != width:
            zero = self.insert(arith.ConstantOp(zero_of(self.found.element)))
            self.insert.place(linalg.FillOp([zero], [panel], []))
        whole = window(self.insert, self.panels_at, [number, 0, 0], [1, depth, columns], [1, 2])
        source = self._right_window(start, depth, columns)
        turned = [AffineDimExpr(1), AffineDimExpr(0)] if self.is_turned else None
        self._copy(source, whole, turned)

    def _in_batch(self, number: SSAValue) -> SSAValue:
        """The number of a panel among those of all batches, where they lie one after the other."""
        if self.packed is None:
            return number
        batch: SSAValue | None = None
        for loop in self._own_batches():
            own = index(self.insert, self.offsets[loop])
            if batch is not None:
                before = self.insert(arith.MuliOp(batch, self.extents[loop]))
                own = self.insert(arith.AddiOp(before, own))
            batch = own
        if batch is None:
            return number
        first = self.insert(arith.MuliOp(batch, index(self.insert, self.count)))
        return self.insert(arith.AddiOp(first, number))

    def _right_window(self, start: Size, depth: Size, columns: Size) -> SSAValue:
        """Columns of the right operand in place."""
        found = self.found
        at = {**self.offsets, found.depth: 0, found.column: start}
        sizes = {found.depth: depth, found.column: columns}
        return self._part(found.right, at, sizes, (found.depth, found.column))

    def _copy(
        self, source: SSAValue, target: SSAValue, read: Sequence[AffineDimExpr] | None = None
    ) -> None:
        """Copy element by element, with the source's dimensions in another order if one is given."""
        assert isinstance(target.type, MemRefType)
        rank = target.type.get_num_dims()
        map_ = AffineMap(rank, 0, tuple(read)) if read else AffineMap.identity(rank)
        self.insert.place(copy_by(map_, source, target))

    # Panels

    def _each_panel(
        self, body: Callable[[SSAValue, Segment, SSAValue, Size], None], *, only_last: bool = False
    ) -> None:
        """A body for each panel: its number, its kind, its first column, and how many columns it has.

        `only_last`: just for the one that is not filled."""
        for segment, count in self._segments():
            if only_last and segment.rest is None:
                continue
            outer, loops = self.insert, list[OpenLoop]()
            width = segment.vectors * self.tiles.lanes
            if count == 1:
                number = index(self.insert, segment.first)
                start = index(self.insert, segment.start)
                body(number, segment, start, segment.rest or width)
                continue
            self._open(loops, self.zero, index(self.insert, count), "p")
            n = loops[0].counter
            number, start = self._from(n, segment.first, 1), self._from(n, segment.start, width)
            body(number, segment, start, width)
            loops[0].close()
            self.insert = outer
        if self.panels is None:
            self._last_panel(body)

    def _segments(self) -> list[tuple[Segment, Size]]:
        if (panels := self.panels) is not None:
            return [(segment, segment.count) for segment in panels.segments()]
        columns = self.extents[self.found.column]
        full = self.insert(arith.DivUIOp(columns, index(self.insert, self._width())), "full")
        return [(Segment(0, 0, 0, self.tiles.vectors), full)]

    def _last_panel(self, body: Callable[[SSAValue, Segment, SSAValue, Size], None]) -> None:
        """The columns that are left of a number known at run time."""
        width = index(self.insert, self._width())
        columns = self.extents[self.found.column]
        number = self.insert(arith.DivUIOp(columns, width), "p")
        left = self.insert(arith.RemUIOp(columns, width), "left")
        start = self.insert(arith.SubiOp(columns, left), "start")
        some = self.insert(arith.CmpiOp(left, self.zero, "ne"))
        outer, then = self.insert, Block()
        outer.place(scf.IfOp(some, [], Region(then), Region(Block([scf.YieldOp()]))))
        self.insert = Inserter(end=then)
        body(number, Segment(0, 1, 0, self.tiles.vectors, rest=-1), start, left)
        then.add_op(scf.YieldOp())
        self.insert = outer

    def _times(self, n: Size, factor: int) -> Size:
        if isinstance(n, int):
            return n * factor
        return self.insert(arith.MuliOp(n, index(self.insert, factor)))

    def _from(self, n: SSAValue, start: int, step: int) -> SSAValue:
        if step != 1:
            n = self.insert(arith.MuliOp(n, index(self.insert, step)))
        return n if start == 0 else self.insert(arith.AddiOp(n, index(self.insert, start)))

    def _all_panels(self) -> None:
        """All tiles: blocks of rows, in each all panels, in each the rows of the block."""
        tiles, base, wider, heights = self._balanced(self.extent(self.found.row))
        if isinstance(rows_known := self.extent(self.found.row), int) and (
            rows_known <= self.tiles.rows * self.tiles.block
        ):
            self._each_panel(
                lambda n, s, start, columns: self._rows(
                    n, s, start, columns, self.zero, tiles, base, wider, heights
                )
            )
            return
        step = index(self.insert, self.tiles.block)
        body = Block(arg_types=[IndexType()])
        loop = scf.ForOp(self.zero, tiles, step, [], body)
        self.insert.place(loop)
        outer, self.insert = self.insert, Inserter(end=body)
        first = body.args[0]
        first.name_hint = "t0"
        behind = self.insert(arith.AddiOp(first, step))
        end = self.insert(arith.MinSIOp(behind, tiles), "t1")
        self._each_panel(
            lambda n, s, start, columns: self._rows(
                n, s, start, columns, first, end, base, wider, heights
            )
        )
        body.add_op(scf.YieldOp())
        self.insert = outer

    # Rows

    def _balanced(self, rows: Size) -> tuple[SSAValue, SSAValue, SSAValue, Sequence[int]]:
        """How many tiles the rows are, the lower height, and how many tiles are a row higher."""
        most = self.tiles.rows
        if isinstance(rows, int):
            count = max(1, -(-rows // most))
            base, wider = divmod(rows, count)
            heights = sorted({base, base + 1} if wider else {base})
            if rows == 0:
                count = 0
            return *(index(self.insert, n) for n in (count, base, wider)), heights  # pyright: ignore
        tiles = self.insert(arith.CeilDivUIOp(rows, index(self.insert, most)), "tiles")
        some = self.insert(arith.MaxSIOp(tiles, self.one))
        base = self.insert(arith.DivUIOp(rows, some), "height")
        wider = self.insert(arith.RemUIOp(rows, some), "higher")
        return tiles, base, wider, range(1, most + 1)

    def _rows(
        self,
        number: SSAValue,
        segment: Segment,
        start: SSAValue,
        columns: Size,
        first: SSAValue,
        end: SSAValue,
        base: SSAValue,
        wider: SSAValue,
        heights: Sequence[int],
    ) -> None:
        """The tiles from `first` to `end` of one panel."""
        right = self._panel(number, segment, start)
        outer = self.insert
        loop = open_loop(outer, first, end, self.one, "t")
        self.insert = loop
        t = loop.counter
        is_wider = self.insert(arith.CmpiOp(t, wider, "slt"))
        more = self.insert(arith.SelectOp(is_wider, self.one, self.zero))
        height = self.insert(arith.AddiOp(base, more), "h")
        before = self.insert(arith.MinSIOp(t, wider))
        row = self.insert(arith.AddiOp(self.insert(arith.MuliOp(t, base)), before), "row")
        self._tile(_Rows(row, height, heights), segment, start, columns, right)
        loop.close()
        self.insert = outer

    def _panel(self, number: SSAValue, segment: Segment, start: SSAValue) -> SSAValue:
        """The panel that the tiles of these columns read."""
        depth, width = self.extent(self.found.depth), segment.vectors * self.tiles.lanes
        panels = self.panels_at
        if panels is None and segment.rest is not None:
            panels, number = self.last_panel, self.zero
        if panels is None:
            return self._right_window(start, depth, width)
        number = self._in_batch(number)
        return window(self.insert, panels, [number, 0, 0], [1, depth, width], [1, 2], "panel")

    def _tile(
        self, rows: _Rows, segment: Segment, start: SSAValue, columns: Size, right: SSAValue
    ) -> None:
        """One tile: its sums, and what follows element by element."""
        found, is_filled = self.found, segment.rest is None
        heights = [h for h in rows.heights if h > 0]
        height = heights[0] if len(heights) == 1 else rows.height
        at = {**self.offsets, found.row: rows.start, found.column: start, found.depth: 0}
        width = segment.vectors * self.tiles.lanes
        sizes = {found.row: height, found.column: width, found.depth: self.extent(found.depth)}
        left = self._part(found.left, at, sizes, (found.row, found.depth))
        if is_filled:
            out = self._part(found.out, at, sizes, (found.row, found.column))
        else:
            out = self._local_part(sizes, (found.row, found.column))
        self._sums(heights, rows.height, segment.vectors, left, right, out)
        sizes[found.column] = columns
        overwrites = self._overwrites_at_once()
        if not is_filled and not overwrites:
            self._copy(self._local_part(sizes), self._part(found.out, at, sizes))
        for number, op in enumerate(found.epilogue):
            from_local = number == 0 and overwrites and not is_filled
            self._follow(op, at, sizes, from_local=from_local)

    def _sums(
        self,
        heights: Sequence[int],
        height: SSAValue,
        vectors: int,
        left: SSAValue,
        right: SSAValue,
        out: SSAValue,
    ) -> None:
        """The call that computes the sums of a tile, chosen by its height."""
        tiles = [self.found.tile(h, vectors, self.tiles.lanes, self.functions) for h in heights]
        values = [self.extents[self.found.depth], left, right, out]
        choose(self.insert, self.functions, tiles, "height", height, values)

    def _part(
        self,
        operand: Operand,
        at: Mapping[int | None, Size],
        sizes: Mapping[int, Size],
        kept: Sequence[int] | None = None,
    ) -> SSAValue:
        """The part of an operand that a tile reads or writes, with the dimensions of the loops `kept`."""
        whole = {**sizes}
        if operand.group != 1:
            assert at[self.found.depth] == 0
            whole[self.found.depth] = self._times(sizes[self.found.depth], operand.group)
        return window(
            self.insert,
            operand.value,
            [at[loop] for loop in operand.loops],
            [1 if loop is None else whole.get(loop, 1) for loop in operand.loops],
            None if kept is None else [d for d, o in enumerate(operand.loops) if o in kept],
        )

    def _local_part(self, sizes: Mapping[int, Size], kept: Sequence[int] | None = None) -> SSAValue:
        """The part that is used of a tile in memory of its own."""
        assert self.local is not None
        at = dict.fromkeys(self.found.out.loops, 0)
        return self._part(Operand(self.local, self.found.out.loops), at, sizes, kept)

    # What follows

    def _overwrites_at_once(self) -> bool:
        """Whether the first op of the epilogue writes the whole output, and reads it as an input only."""
        if not self.found.epilogue:
            return False
        first = self.found.epilogue[0]
        out = self.found.out.value
        places = [i for i, o in enumerate(first.outputs) if o is out]
        arguments = first.body.block.args[len(first.inputs) :]
        return bool(places) and all(arguments[i].first_use is None for i in places)

    def _follow(
        self,
        op: linalg.GenericOp,
        at: Mapping[int | None, Size],
        sizes: Mapping[int, Size],
        *,
        from_local: bool,
    ) -> None:
        """An op of the epilogue on the elements of one tile."""
        loops = self.found.out.loops
        views: list[SSAValue] = []
        for place, (value, own) in enumerate(loops_of(op)):
            walked = tuple(None if loop is None else loops[loop] for loop in own)
            if not isinstance(value.type, MemRefType):
                views.append(value)
            elif from_local and value is self.found.out.value and place < len(op.inputs):
                views.append(self._local_part(sizes))
            else:
                views.append(self._part(Operand(value, walked), at, sizes))
        copy: Operation = op.clone()
        copy.operands = views
        self.insert.place(copy)


def free_later(ops: Sequence[Operation]) -> None:
    """Move what is freed between ops to after the last one, which will do all their work."""
    block, last = ops[-1].parent, ops[-1]
    assert block is not None
    between, op = list[Operation](), ops[1].next_op
    while op is not None and op is not last:
        between.append(op)
        op = op.next_op
    for op in between if last is not ops[1] else ():
        if isinstance(op, memref.DeallocOp):
            op.detach()
            block.insert_op_after(op, last)
