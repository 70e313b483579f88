"""Parts of the state of a loop whose sizes along one axis change between iterations.

    y = while ... (f(y))       ys, ends = [], [0]                 gy = ...
                               while ...                          while iterations are left
                                 ys, ends += y, len(ys + y)         gy through f at ys[ends[t]:ends[t + 1]]
                                 y = f(y)

The states of all iterations are concatenated in one tensor, with the end offset of each. So reading the
rows appended so far, or appending in some iterations only, takes memory and time for the sum of the sizes.
A loop that has such a part keeps the state of every iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.gradient.cotangents import is_differentiable
from relax_dialect.gradient.one_to_one_reads import number
from relax_dialect.gradient.sweep_state import Sweep
from relax_dialect.gradient.through_loops.tapes import Rows
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.loops import WhileOp

END = np.iinfo(np.int64).max
"""An end that slices clamp to the end of an axis."""


def changing_parts(loop: WhileOp, appended: Container[int]) -> dict[int, int]:
    """Return the axes whose size changes between iterations, by state index. Append-only parts are
    excluded."""
    found: dict[int, int] = {}
    for index, argument in enumerate(loop.body.block.args):
        type = loop.results[index].type
        needed = argument.first_use is not None or is_differentiable(type)
        if index in appended or not needed or not isinstance(type, TensorType):
            continue
        if type.dtype is not None and type.shape is not None and type.shape.count(None) == 1:
            found[index] = type.shape.index(None)
    return found


class StateHistory:
    """The kept dynamic state of a loop: parts added to its own state."""

    def __init__(self, sweep: Sweep, loop: WhileOp, axes: Mapping[int, int], first: int):
        self._sweep, self._axes, self._count = sweep, axes, first
        emit = sweep.builder.emit
        self.inits: list[Value] = []
        self.types: list[Attribute] = []
        self.kept: dict[int, TensorType] = {}
        """The end offsets, one for each iteration."""
        for index in axes:
            type = loop.results[index].type
            assert isinstance(type, TensorType) and type.shape is not None
            sizes = [symbolic.const(0) if size is None else size for size in type.shape]
            end = emit(np.zeros((), np.int64))
            assert isinstance(end.type, TensorType)
            self.inits += [emit(op.zeros(sizes, type.dtype)), end]
            self.types += [type, end.type]
            self.kept[first + len(self.types) - 1] = end.type

    def recording(self, turn: Callable[..., Sequence[Any]]) -> Callable[..., Sequence[Any]]:
        """Return an iteration that first appends its initial state."""

        def recording_turn(*values: Value) -> Sequence[Any]:
            state, rest = values[: self._count], iter(values[self._count :])
            more: list[Any] = []
            for index, axis in self._axes.items():
                rows = [self._sweep.named(each, axis) for each in (next(rest), state[index])]
                size = (rows[1].shape or ())[axis]
                assert size is not None
                more += [op.concat(rows, axis=axis), next(rest) + number(size, "i64")]
            return [*turn(*state), *more]

        return recording_turn

    def rows(self, results: Sequence[Value], rows: Mapping[int, Value]) -> dict[int, Rows]:
        """Return the kept state of the loop, from the results of its state and the rows of the offsets."""
        places = range(self._count, len(results), 2)
        return {
            index: Rows(results[at], rows[at + 1], axis)
            for at, (index, axis) in zip(places, self._axes.items())
        }


def rows_of(sweep: Sweep, kept: Rows, turn: Value, next: Value) -> Value:
    """Return the state at the start of an iteration; `next` is the number of the following one."""
    emit, axis = sweep.builder.emit, kept.axis
    type = kept.values.type
    assert isinstance(type, TensorType) and type.shape is not None
    ends = sweep.named(kept.ends, 0)
    sizes = [sweep.fresh("rows") if i == axis else size for i, size in enumerate(type.shape)]

    def bound(at: Value, other: int) -> Any:
        """That along the axis, and one for all others."""
        sides = np.full(axis, other), np.full(len(sizes) - axis - 1, other)
        row = op.expand_dims(op.take(ends, at, axis=0), [0])
        parts = [emit(sides[0]), row, emit(sides[1])]
        return emit(op.concat(parts, axis=0))

    step = emit(np.ones(len(sizes), np.int64))
    found = emit(op.dynamic_strided_slice(kept.values, bound(turn, 0), bound(next, END), step))
    return sweep.builder.match_cast(found, TensorType(sizes, type.dtype))
