"""Rows read by vectors aligned to the row, and vectors shuffled out of two neighbouring ones.

    %v0, %v1 = vector.load %row[%x], %row[%x + 16]
    vector.shuffle %v0, %v1 [1, 2, ..., 16]                  // 16 elements from %x + 1 on
    vector.shuffle %v0, %v1 [0, 2, ..., 30]                  // every other one from %x on

Loads that cross lines of the cache are slow, the more so where a compiler makes operands of instructions of
them, and reads each again wherever it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.ir import SSAValue

from lowering.ir.insertion import Inserter


class AlignedRow:
    """The elements of a row that iterations of a loop read, each vector loaded and picked once."""

    def __init__(self, insert: Inserter, load: Callable[[int], SSAValue], lanes: int, step: int):
        """`load` returns the vector of a number, from the first one on; the step is 1 or 2."""
        self.insert, self.load, self.lanes, self.step = insert, cache(load), lanes, step
        self.made: dict[tuple[int, int, int], SSAValue] = {}

    def picked(self, shift: int) -> SSAValue:
        """Return the elements `step` apart, from `shift` elements after the first one on."""
        column, rest = divmod(shift, self.step)
        number, shift = divmod(column, self.lanes)
        if shift == 0:
            return self._sorted(number, rest)
        lanes = range(shift, shift + self.lanes)
        pair = self._sorted(number, rest), self._sorted(number + 1, rest)
        return self._shuffled((number, rest, shift), *pair, lanes)

    def _sorted(self, number: int, rest: int) -> SSAValue:
        """Return the vector of a number among the elements that leave a rest by the step."""
        if self.step == 1:
            return self.load(number)
        pair = self.load(2 * number), self.load(2 * number + 1)
        return self._shuffled((number, rest, 0), *pair, range(rest, 2 * self.lanes, 2))

    def _shuffled(
        self, key: tuple[int, int, int], a: SSAValue, b: SSAValue, lanes: range
    ) -> SSAValue:
        if key not in self.made:
            assert isinstance(a.type, VectorType)
            picked = DenseArrayBase.from_list(i64, lanes)
            self.made[key] = self.insert(vector.ShuffleOp(a, b, picked, result_type=a.type))
        return self.made[key]
