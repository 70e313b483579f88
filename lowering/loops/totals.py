"""The totals of sums in blocks: memory for the partial sums of a block, and for their totals in f64.

The sums of a tile are added up by functions that all tiles of a module share, so that C compilers keep no
totals in the registers of the innermost loop:

    func.call @add_to_totals(%c0, %c96, %parts, %totals)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    MemRefType,
    StringAttr,
    UnitAttr,
    VectorType,
    f32,
    f64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lowering.ir.constants import ConstantPool
from lowering.ir.insertion import Inserter, open_loop
from lowering.ir.side_memory import local_memory
from lowering.loops import running_sums
from lowering.loops.running_sums import RunningSum
from lowering.schedule.memrefs.tile_functions import TileFunctions
from relax_dialect.prim.signature import DIMS, SYMBOL


@dataclass(frozen=True)
class PartialSums:
    """The partial sums and the totals by lane, and the constants of the function that they are in."""

    parts: SSAValue
    totals: SSAValue
    constants: ConstantPool


Body = Callable[[Inserter, SSAValue, PartialSums], None]
"""Emits the operations on a lane."""


@dataclass(frozen=True)
class SumLanes:
    """A sum in one of the loops that carry it, and where its lanes begin in memory."""

    sum: RunningSum
    first: int

    @property
    def end(self) -> int:
        return self.first + self.sum.lanes


class Totals:
    """The partial sums of some running sums and their totals."""

    def __init__(
        self, sums: Sequence[RunningSum], constants: ConstantPool, functions: TileFunctions
    ):
        self.constants, self.functions = constants, functions
        self.lanes, count = list[SumLanes](), 0
        for own in sums:
            self.lanes.append(SumLanes(own, count))
            count += own.lanes
        self.is_few = count <= running_sums.MANY
        """Whether the totals are zeroed before the loops, not at the first spill: C compilers keep them in
        registers, and take them for uninitialized otherwise."""
        self.is_tile = len(sums) > running_sums.MANY
        parts = local_memory(f32, [count], constants, "parts")
        totals = local_memory(f64, [count], constants, "totals")
        self.memory = PartialSums(parts, totals, constants)

    def zero(self, insert: Inserter) -> Sequence[SSAValue]:
        """Begin all totals."""
        self._each(insert, self.lanes, _zero)
        return ()

    def spill(
        self, insert: Inserter, lanes: Sequence[SumLanes], values: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """Add partial sums to their totals; return the values that the loop continues with."""
        fresh = list(values)
        self.add(insert, lanes, values)
        for own in lanes:
            fresh[own.sum.number] = self._zero_of(own.sum.type)
        return fresh

    def add(self, insert: Inserter, lanes: Sequence[SumLanes], values: Sequence[SSAValue]) -> None:
        """Add partial sums, which a loop carries, to their totals."""
        for own in lanes:
            at, value = [self.constants.index(own.first)], values[own.sum.number]
            is_vector = isinstance(value.type, VectorType)
            store = vector.StoreOp if is_vector else memref.StoreOp.get
            insert.place(store(value, self.memory.parts, at))
        self._each(insert, lanes, _add, "add_to_totals")

    def rounded(self, insert: Inserter) -> list[SSAValue]:
        """Return the totals as f32."""
        self._each(insert, self.lanes, _round, "round_totals")
        return [insert(self._load(own)) for own in self.lanes]

    def _load(self, own: SumLanes) -> Operation:
        at, t = [self.constants.index(own.first)], own.sum.type
        if isinstance(t, VectorType):
            return vector.LoadOp(self.memory.parts, at, t)
        return memref.LoadOp.get(self.memory.parts, at)

    def _zero_of(self, t: Attribute) -> SSAValue:
        if isinstance(t, VectorType):
            return self.constants.splat(t, 0.0)
        return self.constants.get(FloatAttr(0.0, f32))

    def _each(
        self, insert: Inserter, lanes: Sequence[SumLanes], body: Body, function: str | None = None
    ) -> None:
        """Do something to each lane, in a tile by a function; sums that lie side by side share a loop."""
        index, runs = self.constants.index, list[tuple[int, int]]()
        for own in lanes:
            joins = bool(runs) and runs[-1][1] == own.first
            start = runs.pop()[0] if joins else own.first
            runs.append((start, own.end))
        for start, stop in runs:
            if self.is_tile and function is not None:
                self._call(insert, index(start), index(stop), function, body)
            elif stop - start == 1:
                body(insert, index(start), self.memory)
            else:
                _loop(insert, index(start), index(stop), self.memory, body)

    def _call(
        self, insert: Inserter, start: SSAValue, stop: SSAValue, name: str, body: Body
    ) -> None:
        """Do something to each lane of a run by a function of the module."""
        types = [IndexType(), IndexType(), *(MemRefType(t, [DYNAMIC_INDEX]) for t in (f32, f64))]
        memory = (self.memory.parts, self.memory.totals)
        casts = [insert(memref.CastOp.get(value, t)) for value, t in zip(memory, types[2:])]
        callee = self.functions.shared(name, None, lambda name: _function(name, types, body))
        insert.place(func.CallOp(callee, [start, stop, *casts], []))


def _function(name: str, types: Sequence[Attribute], body: Body) -> func.FuncOp:
    """Return a function that does something to each lane from one to another."""
    block, n = Block(arg_types=types), DictionaryAttr({DIMS: ArrayAttr([StringAttr("n")])})
    for argument, hint in zip(block.args, ("start", "n", "parts", "totals")):
        argument.name_hint = hint
    block.add_op(end := func.ReturnOp())
    sizes = [DictionaryAttr({SYMBOL: StringAttr(hint)}) for hint in ("start", "n")]
    function = func.FuncOp(
        name,
        (types, ()),
        Region(block),
        visibility="private",
        arg_attrs=ArrayAttr([*sizes, n, n]),
    )
    function.attributes["relax.noinline"] = UnitAttr()
    start, stop, parts, totals = block.args
    memory = PartialSums(parts, totals, ConstantPool(function))
    _loop(Inserter(before=end), start, stop, memory, body)
    return function


def _loop(
    insert: Inserter, start: SSAValue, stop: SSAValue, memory: PartialSums, body: Body
) -> None:
    loop = open_loop(insert, start, stop, memory.constants.index(1))
    body(loop, loop.counter, memory)
    loop.close()


def _zero(insert: Inserter, lane: SSAValue, memory: PartialSums) -> None:
    zero = memory.constants.get(FloatAttr(0.0, f64))
    insert.place(memref.StoreOp.get(zero, memory.totals, [lane]))


def _add(insert: Inserter, lane: SSAValue, memory: PartialSums) -> None:
    total = insert(memref.LoadOp.get(memory.totals, [lane]), "total")
    part = insert(memref.LoadOp.get(memory.parts, [lane]), "part")
    sum = insert(arith.AddfOp(total, insert(arith.ExtFOp(part, f64))))
    insert.place(memref.StoreOp.get(sum, memory.totals, [lane]))


def _round(insert: Inserter, lane: SSAValue, memory: PartialSums) -> None:
    total = insert(memref.LoadOp.get(memory.totals, [lane]), "total")
    insert.place(memref.StoreOp.get(insert(arith.TruncFOp(total, f32)), memory.parts, [lane]))
