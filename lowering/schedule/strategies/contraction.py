"""The schedule of a contraction: panels of columns, tiles of rows, sums in registers.

fuse_epilogue()
tile(d0, 128, balanced=true)     // rows that go through all panels before the next ones do
tile(d1, 48, multiple=16)
pack_constant(in1, d1)
tile(d0, 8, balanced=true)       // 17 rows are 6 + 6 + 5
pad(d1)
specialize(d0)
vectorize(d1, 16)
unroll_and_jam(d0)
unroll_and_jam(d1)
split_accumulators(d2, 8)        // tiles of few rows
outline(contract)

The right operand is laid out at compile time if it is constant; packed before enclosing loops in which it
is invariant, such as the steps of a recurrent network; packed on each call if its columns are not
contiguous in memory, or it is large and many rows share the cost; otherwise read in place except for
columns that fill no vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.contraction import Contraction, find
from lowering.schedule.memrefs.loop_invariance import invariant_loop
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.primitives.collapse import Collapse
from lowering.schedule.primitives.fuse_epilogue import FuseEpilogue
from lowering.schedule.primitives.hoist import Hoist
from lowering.schedule.primitives.outline import Outline
from lowering.schedule.primitives.pack import Pack
from lowering.schedule.primitives.pack_constant import PackConstant
from lowering.schedule.primitives.pad import Pad
from lowering.schedule.primitives.specialize import Specialize
from lowering.schedule.primitives.split_accumulators import SplitAccumulators
from lowering.schedule.primitives.tile import Tile
from lowering.schedule.primitives.unroll_and_jam import UnrollAndJam
from lowering.schedule.primitives.vectorize import Vectorize
from lowering.schedule.primitives.when import AtLeast, When
from lowering.schedule.regroup.collapse_loops import pair_of
from lowering.support.target import Cpu

VECTORS = 3
"""The number of adjacent vectors in a tile of a contraction, unless the columns require another."""

FEW_VECTORS = 2
"""The same with 16 registers: 4 rows of 3 vectors leave one for the row of the right operand, and compilers
fold each of its reads into a multiplication."""

ACCUMULATORS = 8
"""The least number of independent sums: two multiplications begin per cycle, and take four."""

BLOCK = 16
"""The number of row tiles that go through all panels before the next ones do."""

PACK_ROWS = 128
"""The number of rows that share the cost of panels laid out on each call."""

NEVER = 1 << 40
"""More bytes than an operand has."""

LEAST_WORK = 1 << 12
"""Static contractions of fewer multiplications stay loops."""

FEWEST_ROWS = 2
"""The fewest rows that tiles are worth it for."""

FEWEST_TURNED = 4
"""The same, if the columns of the right operand have to be gathered."""


@dataclass(frozen=True)
class TileSizes:
    """The tile sizes of a contraction."""

    rows: int
    """The most rows of a tile."""
    vectors: int
    """The most vectors side by side in a tile."""
    lanes: int
    block: int
    """The number of row tiles that go through all panels before the next ones do."""
    pack_bytes: int
    """The least size of an operand that is laid out in panels on each call, if `pack_rows` share the
    cost."""
    pack_rows: int
    least_work: int
    """Static contractions of fewer multiplications stay loops."""


def tile_sizes(cpu: Cpu, bits: int, columns: int = -1) -> TileSizes:
    """Return the tile sizes of a CPU for a number of columns, negative if unknown.

    Three quarters of the registers hold sums, the others a row of vectors and a factor.
    """
    lanes, sums, vectors = cpu.lanes(bits), cpu.registers * 3 // 4, FEW_VECTORS
    if cpu.registers >= 32:
        vectors = max(2, -(-columns // lanes)) if 0 < columns <= 4 * lanes else VECTORS
    return TileSizes(
        rows=sums // vectors,
        vectors=vectors,
        lanes=lanes,
        block=BLOCK,
        pack_bytes=cpu.l2,
        pack_rows=PACK_ROWS,
        least_work=LEAST_WORK,
    )


def chosen_sizes(kernel: Kernel, cpu: Cpu, tiles: TileSizes) -> TileSizes:
    """Return the tile sizes of a kernel, which may want others."""
    vectors = kernel.choose("vectors of columns", tiles.vectors, (1, 2, 3, 4))
    rows = tiles.rows * tiles.vectors // vectors
    most = (cpu.registers - 1) // vectors - 1
    return replace(
        tiles,
        vectors=vectors,
        rows=kernel.choose("rows", rows, {most, rows - 1, rows - 2, rows // 2} - {0, -1}),
        block=kernel.choose("block", tiles.block, (tiles.block // 4, tiles.block * 4)),
        pack_bytes=kernel.choose("pack from", tiles.pack_bytes, (0, tiles.pack_bytes // 8, NEVER)),
        pack_rows=kernel.choose("pack rows", tiles.pack_rows, (tiles.pack_rows // 4,)),
    )


def is_worth_it(found: Contraction, sizes: TileSizes) -> bool:
    """Return whether tiles are expected to help: some work, and columns for half a vector at least."""
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


def is_product(op: linalg.GenericOp) -> bool:
    """Return whether an op is a contraction of floats of at least 32 bits."""
    found = find(op)
    return found is not None and found.element.bitwidth >= 32


def steps(kernel: Kernel, cpu: Cpu) -> Iterator[Primitive]:
    """Return the schedule of a contraction of floats."""
    return contract(kernel, cpu, find, ContractionSchedule)


def contract(
    kernel: Kernel,
    cpu: Cpu,
    find: Callable[[Operation], Contraction | None],
    strategy: type[ContractionSchedule],
) -> Iterator[Primitive]:
    """Neighbouring loops as one, then the steps that a class chooses, if they are worth it."""
    yield from collapsed(kernel, find)
    found = found_in(kernel, find)
    columns, right = found.extent(found.column), found.right.value
    tiles = chosen_sizes(kernel, cpu, tile_sizes(cpu, found.element.bitwidth, columns))
    if is_worth_it(found, tiles):
        is_constant = columns > 0 and kernel.is_constant(right)
        is_invariant = invariant_loop(found.op, right) is not None
        yield from strategy(
            found, tiles, is_constant=is_constant, is_invariant=is_invariant
        ).steps()


def collapsed(
    kernel: Kernel, find: Callable[[Operation], Contraction | None]
) -> Iterator[Primitive]:
    """Collapse neighbouring loops of a contraction."""
    while (pair := pair_of(found_in(kernel, find))) is not None:
        yield Collapse(f"d{pair[0]}", f"d{pair[1]}")


def found_in(kernel: Kernel, find: Callable[[Operation], Contraction | None]) -> Contraction:
    """Return the contraction that a kernel is."""
    found = find(kernel.op)
    assert found is not None
    return found


class ContractionSchedule:
    """Chooses the steps for one contraction."""

    def __init__(
        self, found: Contraction, tiles: TileSizes, *, is_constant: bool, is_invariant: bool
    ):
        self.found, self.tiles, self.is_constant = found, tiles, is_constant
        self.is_invariant = is_invariant
        """Whether loops around leave the right operand alone."""
        self.row, self.column, self.depth = (
            f"d{loop}" for loop in (found.row, found.column, found.depth)
        )
        self.right = "in1" if found.op.inputs[1] is found.right.value else "in0"
        self.is_turned = found.right.last != found.column
        """Whether the columns of the right operand do not follow each other in memory."""

    def steps(self) -> Iterator[Primitive]:
        """Yield the schedule; none for contractions of too few rows."""
        rows, fewest = self.found.extent(self.found.row), self._fewest()
        if 0 <= rows < fewest:
            return
        if self.found.epilogue:
            yield FuseEpilogue()
        if rows < 0 and fewest > 1:
            yield When((AtLeast((self.row,), fewest),), tuple(self._packed_or_not()))
        else:
            yield from self._packed_or_not()

    def _fewest(self) -> int:
        """Return the least number of rows for which tiles are faster than loops: rows share the cost of
        gathering columns."""
        if self.is_constant or self.is_invariant:
            return 1
        return FEWEST_TURNED if self.is_turned else FEWEST_ROWS

    def _packed_or_not(self) -> Iterator[Primitive]:
        """Yield the tiles, with the right operand as it is best read."""
        constant = (PackConstant(self.right, self.column),)
        packed = (Pack(self.right, self.column), *self._hoisted())
        if self.is_constant:
            yield from self._tiles(constant)
        elif self.is_turned or self.is_invariant:
            yield from self._tiles(packed)
        else:
            conditions = self._worth_packing()
            if conditions is None:
                yield from self._tiles(self._rest())
            elif conditions:
                then, otherwise = self._tiles(packed), self._tiles(self._rest())
                yield When(conditions, tuple(then), tuple(otherwise))
            else:
                yield from self._tiles(packed)

    def _hoisted(self) -> tuple[Primitive, ...]:
        """Return all panels laid out before the loops, unless each is read in one iteration of them: then
        it is laid out there, in memory for one."""
        rows = self.found.extent(self.found.row)
        is_once = 0 <= rows <= self._block and not self.found.batch and not self.is_invariant
        return () if is_once else (Hoist(self.right),)

    @property
    def _block(self) -> int:
        """The number of rows that go through all panels before the next ones do."""
        return self.tiles.rows * self.tiles.block

    def _worth_packing(self) -> tuple[AtLeast, ...] | None:
        """Return the sizes from which on the right operand is packed on each call; None if it never is."""
        found, tiles = self.found, self.tiles
        elements = tiles.pack_bytes * 8 // found.element.bitwidth
        conditions: list[AtLeast] = []
        for loops, least in (
            ((found.column, found.depth), elements),
            ((found.row,), tiles.pack_rows),
        ):
            extents = [found.extent(loop) for loop in loops]
            if min(extents) < 0:
                conditions.append(AtLeast(tuple(f"d{loop}" for loop in loops), least))
                continue
            iterations = 1
            for extent in extents:
                iterations *= extent
            if iterations < least:
                return None
        return tuple(conditions)

    def _rest(self) -> tuple[Primitive, ...]:
        """Pack the columns that fill no vector in a panel, leave the others in place."""
        if self._is_even():
            return ()
        return Pack(self.right, self.column, rest=True), Hoist(self.right)

    def _is_even(self) -> bool:
        columns = self.found.extent(self.found.column)
        return columns > 0 and columns % self.tiles.lanes == 0

    def _tiles(
        self, packing: tuple[Primitive, ...], *before_vectors: Primitive
    ) -> Iterator[Primitive]:
        """Yield the loops, from the outermost one on."""
        tiles, rows = self.tiles, self.found.extent(self.found.row)
        for loop in self.found.batch:
            yield Tile(f"d{loop}", 1)
        if rows < 0 or rows > self._block:
            yield Tile(self.row, self._block, balanced=True)
        yield Tile(self.column, tiles.vectors * tiles.lanes, multiple=tiles.lanes)
        yield from packing
        if rows < 0 or rows > tiles.rows:
            yield Tile(self.row, tiles.rows, balanced=True)
        if not self._is_even():
            yield Pad(self.column)
        yield Specialize(self.row)
        yield from before_vectors
        yield Vectorize(self.column, tiles.lanes)
        yield UnrollAndJam(self.row)
        yield UnrollAndJam(self.column)
        yield SplitAccumulators(self.depth, ACCUMULATORS)
        yield Outline("contract")
