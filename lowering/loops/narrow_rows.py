"""Rows of f16 are converted separately from computations: part of `relax-emulate-unsupported-floats`.

    scf.for %j = 0 to %n {
      %a = memref.load %A[%i, %j] : memref<?x?xf16>
      %x = arith.extf %a : f16 to f32
      %y = math.exp %x : f32
      %b = arith.truncf %y : f32 to f16
      memref.store %b, %B[%i, %j] : memref<?x?xf16>
    }
->
    scf.for %start = 0 to %n step 1024 {
      %count = min(%n - %start, 1024)
      scf.for %l = 0 to %count { %wide[%l] = extf %A[%i, %start + %l] }
      scf.for %l = 0 to %count { %result[%l] = math.exp %wide[%l] }
      scf.for %l = 0 to %count { %B[%i, %start + %l] = truncf %result[%l] }
    }

`%wide` and `%result` are rows of f32 at the top of the function, a few of which fit into the nearest cache
(here of 32 KB). C compilers do not vectorise the machine's own conversions; loops that do nothing else
become calls of a function that uses them. An intermediate result, which is rounded and widened again, stays
an f32: adding and subtracting a power of two rounds it. An innermost loop is split if its elements are
independent: it reads elements that it writes at the same index at most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import Float16Type, Float32Type, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import is_speculatable

from lowering.ir.arith_emitter import ArithEmitter, Float
from lowering.ir.constants import ConstantPool, known_integer
from lowering.ir.insertion import Inserter, OpenLoop, open_loop
from lowering.ir.memref_views import buffer_of, is_contiguous
from lowering.support.target import ALIGNMENT, Cpu
from relax_dialect.ir.walk import walk_ops

F16, F32 = Float16Type(), Float32Type()

ROWS = 8
"""The number of buffers that fit into the nearest cache."""

LEAST = 32
"""Shorter loops stay."""


@dataclass
class _Split:
    """The conversions that a loop is split from: loads that are widened, and stores of rounded values."""

    loads: list[tuple[memref.LoadOp, list[arith.ExtFOp]]]
    stores: list[tuple[memref.StoreOp, arith.TruncFOp]]


def row_length(cpu: Cpu) -> int:
    """Return the elements of a buffer, a power of two."""
    return 1 << (cpu.l1 // (ROWS * F32.size)).bit_length() - 1


def convert_rows(function: FuncOp, cpu: Cpu) -> None:
    """Split the innermost loops of a function that widen or round f16, in place."""
    loops = [op for op in walk_ops(function) if isinstance(op, scf.ForOp)]
    work = [(loop, split) for loop in loops if (split := _split_of(loop)) is not None]
    if not work:
        return
    rows = _Rows(ConstantPool(function), row_length(cpu))
    for loop, split in work:
        _Rewriter(loop, split, rows).rewrite()
    rows.constants.prune()


def _split_of(loop: scf.ForOp) -> _Split | None:
    """Return the conversions to split from a loop, None if there are none or if the loop must stay as it
    is."""
    ops = list(loop.body.block.ops)[:-1]
    if loop.iter_args or known_integer(loop.lb) != 0 or known_integer(loop.step) != 1:
        return None
    size = known_integer(loop.ub)
    if (size is not None and size < LEAST) or not _is_independent(ops):
        return None
    counter = loop.body.block.args[0]
    split = _Split([], [])
    for op in ops:
        if isinstance(op, memref.LoadOp) and _is_row(op, counter, loop):
            users = [use.operation for use in op.res.uses]
            widening = [user for user in users if isinstance(user, arith.ExtFOp)]
            if len(widening) == len(users) and all(w.result.type == F32 for w in widening):
                split.loads.append((op, widening))
        elif isinstance(op, memref.StoreOp) and _is_row(op, counter, loop):
            value = op.value.owner
            here = isinstance(value, arith.TruncFOp) and value.parent is loop.body.block
            if isinstance(value, arith.TruncFOp) and here and value.input.type == F32:
                split.stores.append((op, value))
    converts = (memref.LoadOp, memref.StoreOp, arith.ExtFOp, arith.TruncFOp)
    if not (split.loads or split.stores) or all(isinstance(op, converts) for op in ops):
        return None
    return split


def _is_row(op: memref.LoadOp | memref.StoreOp, counter: SSAValue, loop: scf.ForOp) -> bool:
    """Return whether an access goes along a row of f16, one element after the other."""
    type_ = op.memref.type
    if not isinstance(type_, MemRefType) or not is_contiguous(type_):
        return False
    if type_.element_type != F16 or not op.indices or op.indices[-1] is not counter:
        return False
    return not any(_stands_in(value, loop) for value in op.indices[:-1])


def _stands_in(value: SSAValue, loop: scf.ForOp) -> bool:
    """Return whether a value is defined in the loop, so that it differs between iterations."""
    block = value.owner.parent if isinstance(value, OpResult) else value.owner
    return block is loop.body.block


_Place = tuple[SSAValue, ...]
"""A memref, and the indices of an element of it."""


def _is_independent(ops: Sequence[Operation]) -> bool:
    """Return whether the elements of a loop may be computed in steps: no effect but stores, each to a
    buffer of its own, which is read only at the same index of the same view of it."""
    places: dict[SSAValue, _Place] = {}
    for op in ops:
        if isinstance(op, memref.StoreOp):
            buffer = buffer_of(op.memref)
            if buffer is None or buffer in places:
                return False
            places[buffer] = (op.memref, *op.indices)
        elif op.regions or not (isinstance(op, memref.LoadOp) or is_speculatable(op)):
            return False
    loads = [op for op in ops if isinstance(op, memref.LoadOp)]
    buffers = [buffer_of(op.memref) for op in loads]
    return all(
        buffer is not None and places.get(buffer, at) == at
        for buffer, at in zip(buffers, ((op.memref, *op.indices) for op in loads))
    )


def _rounded(x: Float) -> Float:
    """Round an f32 to the digits of f16: in the sum the last of them is the last bit."""
    a = x.abs()
    power = (a.bits() & 0x7F800000).as_float().clamp(2.0**-14, 2.0**16) * 2.0**13
    too_large = a > 65520.0 - 2.0**-8
    return too_large.select(math.inf, a + power - power).with_sign_of(x)


class _Rows:
    """The buffers of a function, which its loops share."""

    def __init__(self, constants: ConstantPool, length: int):
        self.constants = constants
        self.length = length
        self.buffers: list[SSAValue] = []

    def get(self, number: int) -> SSAValue:
        """Return the buffer with a number, allocated at the top of the function."""
        while number >= len(self.buffers):
            op = memref.AllocaOp.get(F32, ALIGNMENT, [self.length])
            entry = self.constants.entry
            first = next(op for op in entry.ops if not isinstance(op, arith.ConstantOp))
            entry.insert_op_before(op, first)
            op.memref.name_hint = "row"
            self.buffers.append(op.memref)
        return self.buffers[number]


class _Rewriter:
    """Splits one loop."""

    def __init__(self, loop: scf.ForOp, split: _Split, rows: _Rows):
        self.loop, self.split = loop, split
        self.constants, self.index = rows.constants, rows.constants.index
        self.row = rows.length
        self.wide = [rows.get(i) for i in range(len(split.loads))]
        self.results = [rows.get(len(self.wide) + i) for i in range(len(split.stores))]

    def rewrite(self) -> None:
        for op in list(self.loop.body.block.ops):
            if isinstance(op, arith.ExtFOp):
                self._keep_wide(op)
        loop, insert = self.loop, Inserter(before=self.loop)
        size = known_integer(loop.ub)
        if size is not None and size <= self.row:
            self._piece(insert, None, loop.ub)
        else:
            pieces = open_loop(insert, loop.lb, loop.ub, self.index(self.row), "start")
            left = pieces(arith.SubiOp(loop.ub, pieces.counter))
            count = pieces(arith.MinSIOp(left, self.index(self.row)), "count")
            self._piece(pieces, pieces.counter, count)
            pieces.close()
        loop.detach()
        loop.erase()

    def _keep_wide(self, op: arith.ExtFOp) -> None:
        """Round an f32 to the digits of f16 where it was made one and widened again."""
        rounding = op.input.owner
        if not isinstance(rounding, arith.TruncFOp) or rounding.input.type != F32:
            return
        emitter = ArithEmitter(op, self.constants, None)
        rounded = _rounded(Float(emitter, rounding.input)).ssa
        rounded.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(rounded)
        for old in (op, rounding):
            if old.results[0].first_use is None:
                old.detach()
                old.erase()

    def _piece(self, insert: Inserter, start: SSAValue | None, count: SSAValue) -> None:
        """Widen, compute and round `count` elements."""
        for (load, _), wide in zip(self.split.loads, self.wide):
            turn, place = self._turn(insert, start, count)
            element = turn(memref.LoadOp.get(load.memref, [*load.indices[:-1], place]))
            turn.place(memref.StoreOp.get(turn(arith.ExtFOp(element, F32)), wide, [turn.counter]))
            turn.close()
        self._compute(*self._turn(insert, start, count))
        for (store, _), result in zip(self.split.stores, self.results):
            turn, place = self._turn(insert, start, count)
            element = turn(memref.LoadOp.get(result, [turn.counter]))
            rounded = turn(arith.TruncFOp(element, F16))
            turn.place(memref.StoreOp.get(rounded, store.memref, [*store.indices[:-1], place]))
            turn.close()

    def _turn(
        self, insert: Inserter, start: SSAValue | None, count: SSAValue
    ) -> tuple[OpenLoop, SSAValue]:
        """Open a loop over the buffers; return it and the index of its counter in the original loop."""
        turn = open_loop(insert, self.index(0), count, self.index(1))
        place = turn.counter if start is None else turn(arith.AddiOp(start, turn.counter))
        return turn, place

    def _compute(self, turn: OpenLoop, place: SSAValue) -> None:
        body = self.loop.body.block
        values: dict[SSAValue, SSAValue] = {body.args[0]: place}
        wide = {load: row for (load, _), row in zip(self.split.loads, self.wide)}
        widening = {op for _, ops in self.split.loads for op in ops}
        results = {store: row for (store, _), row in zip(self.split.stores, self.results)}
        rounding = {op for _, op in self.split.stores if op.result.has_one_use()}
        for op in list(body.ops)[:-1]:
            if op in wide:
                row = wide[op]  # pyright: ignore[reportArgumentType]
                number = turn(memref.LoadOp.get(row, [turn.counter]), op.results[0].name_hint)
                values.update((use.operation.results[0], number) for use in op.results[0].uses)
            elif op in results:
                assert isinstance(op, memref.StoreOp) and isinstance(op.value.owner, arith.TruncFOp)
                number = op.value.owner.input
                row = results[op]
                turn.place(memref.StoreOp.get(values.get(number, number), row, [turn.counter]))
            elif op not in widening and op not in rounding:
                turn.place(op.clone(values))
        turn.close()
