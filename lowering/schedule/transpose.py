"""The strategy of transposing copies: square tiles through a small buffer, read and written along rows.

    linalg.generic {(i, j): x (j, i) -> out (i, j)}
->
    scf.for %i = 0 to 512 step 16 { scf.for %j = 0 to 384 step 16 {
      call @transpose_16x16_f32(%x[%j, %i] [16, 16], %out[%i, %j] [16, 16])
    }}
    // what is left below and to the right, as it was

Functions of single elements, and elements other than f32 and f64, are read into a buffer of the tile first:

      linalg.generic {(j, i)} ins(%x[%j, %i] [16, 16]) outs(%tile)            // along the rows of x

The outer loop goes along the rows of the result: the other order takes more than twice as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, Float32Type, Float64Type, MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from lowering.ir.insertion import Inserter, OpenLoop, open_loop
from lowering.ir.memref_sizes import MemrefSizes
from lowering.schedule.contraction import Operand, has_index, walked
from lowering.schedule.tile_functions import TileFunctions, square
from lowering.schedule.views import Size, cast, index, size, window
from lowering.target import ALIGNMENT, Cpu

SIDE = 16
"""Rows and columns of a tile: a line of the cache holds a row of f32."""


@dataclass(frozen=True)
class Transpose:
    """A copy, or a function of single elements, whose argument runs along another loop than its result."""

    op: linalg.GenericOp
    source: Operand
    out: Operand

    @property
    def row(self) -> int:
        """The loop that runs along the source."""
        assert self.source.last is not None
        return self.source.last

    @property
    def column(self) -> int:
        """The loop that runs along the result."""
        assert self.out.last is not None
        return self.out.last


def find(op: Operation) -> Transpose | None:
    """The transposing copy that an op is, unless it is known to be smaller than a tile."""
    if not isinstance(op, linalg.GenericOp) or len(op.inputs) != 1 or len(op.outputs) != 1:
        return None
    source, out = (walked(attribute.data) for attribute in op.get_indexing_maps())
    if source is None or out is None:
        return None
    count = len(op.get_iterator_types())
    kinds = {kind.data.value for kind in op.get_iterator_types()}
    if out != tuple(range(count)) or kinds != {"parallel"}:
        return None
    types = op.inputs[0].type, op.outputs[0].type
    if not all(isinstance(t, MemRefType) for t in types) or any(has_index(op.body.block)):
        return None
    if not source or source[-1] in (None, count - 1) or count - 1 not in source:
        return None
    if op.body.block.args[1].first_use is not None or op.inputs[0] is op.outputs[0]:
        return None
    found = Transpose(op, Operand(op.inputs[0], source), Operand(op.outputs[0], out))
    sizes = found.out.type.get_shape()
    if any(0 <= sizes[loop] < SIDE for loop in (found.row, found.column)):
        return None
    return found


class TransposeBuilder:
    """Replaces one transposing copy."""

    def __init__(
        self,
        function: func.FuncOp,
        found: Transpose,
        sizes: MemrefSizes,
        functions: TileFunctions,
        cpu: Cpu,
    ):
        self.found, self.functions = found, functions
        element = found.out.type.element_type
        self.lanes = 1
        if isinstance(element, Float32Type | Float64Type):
            self.lanes = min(SIDE, cpu.lanes(element.bitwidth))
        self.insert = Inserter(before=found.op)
        self.extents: list[Size] = [
            size(sizes.bound([(found.out.value, d)], before=found.op))
            for d in range(len(found.out.loops))
        ]
        self.local = None if self._is_copy() and self.lanes > 1 else self._buffer(function)

    def _is_copy(self) -> bool:
        """Whether elements are written as they are read."""
        block = self.found.op.body.block
        return len(block.ops) == 1 and list(block.last_op.operands) == [block.args[0]]  # pyright: ignore

    def _buffer(self, function: func.FuncOp) -> SSAValue:
        """The memory of a tile, at the top of the function."""
        first = function.body.block.first_op
        assert first is not None
        tile = memref.AllocaOp.get(self.found.out.type.element_type, ALIGNMENT, [SIDE, SIDE])
        function.body.block.insert_op_before(tile, first)
        tile.memref.name_hint = "tile"
        return tile.memref

    def build(self) -> None:
        """Put the tiles, and what is left around them, in the place of the op."""
        found, outer = self.found, self.insert
        rows, columns = (self._whole_tiles(loop) for loop in (found.row, found.column))
        loops: list[OpenLoop] = []
        at: dict[int | None, Size] = {None: 0}
        for loop in found.out.loops:
            if loop not in (found.row, found.column):
                at[loop] = self._open(loops, self.extents[loop], 1)  # pyright: ignore
        at[found.row] = self._open(loops, rows, SIDE)
        at[found.column] = self._open(loops, columns, SIDE)
        self._tile(at)
        for opened in reversed(loops):
            opened.close()
        self.insert = outer
        starts = {found.row: rows, found.column: columns}
        for loop in (found.row, found.column):
            self._rest(loop, starts)
        found.op.detach()
        found.op.erase()

    def _whole_tiles(self, loop: int) -> Size:
        """How far whole tiles reach along a loop."""
        extent = self.extents[loop]
        if isinstance(extent, int):
            return extent // SIDE * SIDE
        left = self.insert(arith.RemUIOp(extent, index(self.insert, SIDE)))
        return self.insert(arith.SubiOp(extent, left))

    def _open(self, loops: list[OpenLoop], end: Size, step: int) -> SSAValue:
        insert = self.insert
        start, stop = index(insert, 0), index(insert, end)
        loops.append(open_loop(insert, start, stop, index(insert, step), None))
        self.insert = loops[-1]
        return loops[-1].counter

    def _tile(self, at: Mapping[int | None, Size]) -> None:
        found = self.found
        sizes = {found.row: SIDE, found.column: SIDE}
        source, out = (
            self._part(operand, at, sizes, kept=True) for operand in (found.source, found.out)
        )
        if self.local is not None:
            self._read(source, self.local)
            source = self.local
        type = square(found.out.type.element_type, SIDE)
        symbol = self.functions.transpose(type.element_type, SIDE, self.lanes)
        views = [cast(self.insert, view, type) for view in (source, out)]
        self.insert.place(func.CallOp(symbol, views, []))

    def _read(self, source: SSAValue, tile: SSAValue) -> None:
        """Put a tile of the source, or the function of its elements, into a buffer."""
        read = self.found.op.clone()
        read.operands = [source, tile]
        read.properties["indexing_maps"] = ArrayAttr([AffineMapAttr(AffineMap.identity(2))] * 2)
        read.properties["iterator_types"] = ArrayAttr(read.iterator_types.data[:2])
        self.insert.place(read)

    def _rest(self, loop: int, starts: Mapping[int, Size]) -> None:
        """What is left along a loop; along the first one, over all of the second."""
        found = self.found
        extent, start = self.extents[loop], starts[loop]
        if isinstance(extent, int) and extent == start:
            return
        sizes: dict[int, Size] = dict(enumerate(self.extents))
        at: dict[int | None, Size] = dict.fromkeys((None, *found.out.loops), 0)
        at[loop] = start
        if isinstance(extent, int) and isinstance(start, int):
            sizes[loop] = extent - start
        else:
            ends = (index(self.insert, extent), index(self.insert, start))
            sizes[loop] = self.insert(arith.SubiOp(*ends))
        if loop == found.column:
            sizes[found.row] = starts[found.row]
        rest = found.op.clone()
        rest.operands = [self._part(o, at, sizes) for o in (found.source, found.out)]
        self.insert.place(rest)

    def _part(
        self,
        operand: Operand,
        at: Mapping[int | None, Size],
        sizes: Mapping[int, Size],
        *,
        kept: bool = False,
    ) -> SSAValue:
        """The part of an operand; `kept`: with the two dimensions of a tile only."""
        tile = (self.found.row, self.found.column)
        return window(
            self.insert,
            operand.value,
            [at[loop] for loop in operand.loops],
            [1 if loop is None else sizes.get(loop, 1) for loop in operand.loops],
            [d for d, loop in enumerate(operand.loops) if loop in tile] if kept else None,
        )
