"""The cotangent of append-only state: each iteration reads that of its own rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.ir import Block, SSAValue

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.adjoints.joining import piece
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.one_to_one_reads import number
from relax_dialect.gradient.sweep_state import Sweep
from relax_dialect.gradient.through_loops.append_detection import Appended
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import TensorType
from relax_dialect.symbolic import Expr


def extended(sweep: Sweep, part: Appended, known: Value, more: Value) -> Any:
    """Return rows concatenated with the rows that were appended to an empty tensor."""
    both = [sweep.named(known, part.axis), sweep.named(more, part.axis)]
    return op.concat(both if part.after else both[::-1], axis=part.axis)


class Unread:
    """The cotangent of an append-only part after the loop, from which the iterations read that of their
    rows.

    The unread rows are represented by bounds, each of type i64: the first unread row if rows are prepended,
    and the end of the unread rows if rows are appended.
    """

    def __init__(self, sweep: Sweep, part: Appended, cotangent: Value):
        self._sweep, self._part = sweep, part
        self._cotangent = sweep.named(cotangent, part.axis)
        self.count = bool(part.before) + bool(part.after)
        """The number of bounds."""

    def bounds(self) -> list[Value]:
        """Return the bounds after all iterations."""
        emit, zero = self._sweep.builder.emit, np.zeros((), np.int64)
        before = [emit(zero)] if self._part.before else []
        rows = self._size(self._cotangent.value)
        return [*before, emit(number(rows, "i64"))] if self._part.after else before

    def back(self, bounds: Sequence[Value]) -> list[Value]:
        """Add the cotangents of the rows of an iteration; returns the new bounds."""
        emit, first, last = self._sweep.builder.emit, bounds[0], bounds[-1]
        for row in reversed(self._part.after):
            last = emit(last - number(self._size(row), "i64"))
            self._sweep.add(row, (), self._rows(last, self._size(row)))
        for row in self._part.before:
            self._sweep.add(row, (), self._rows(first, self._size(row)))
            first = emit(first + number(self._size(row), "i64"))
        return [*([first] if self._part.before else []), *([last] if self._part.after else [])]

    def rest(self, init: SSAValue, bounds: Sequence[Value]) -> Any:
        """Return the cotangent of the initial value of the part: the rows that no iteration has read."""
        size = self._size(init)
        if not self._part.before:
            return piece(self._cotangent, self._part.axis, symbolic.const(0), size)
        return self._rows(bounds[0], size)

    def _rows(self, first: Value, count: Expr) -> Any:
        axis = self._part.axis
        if count.value == 1:
            return op.expand_dims(op.take(self._cotangent, first, axis=axis), [axis])
        return op.take(self._cotangent, op.arange(0, count, 1) + first, axis=axis)

    def _size(self, rows: SSAValue) -> Expr:
        """Return the number of rows of a value of the program."""
        assert isinstance(rows.type, TensorType) and rows.type.shape is not None
        size = rows.type.shape[self._part.axis]
        if size is None:
            raise GradientError(
                f"{_place_of(rows)}: expected rows of a known number where a loop collects them, found "
                f"{rows.type}; name their number by a relax.match_cast before"
            )
        return size


def _place_of(value: SSAValue) -> str:
    return "the rows" if isinstance(value.owner, Block) else describe(value.owner)
