"""Squares of vectors transposed in registers: as many rows as a row has elements become columns.

    a0 a1 a2 a3                    a0 b0 a1 b1                  a0 b0 c0 d0
    b0 b1 b2 b3   ->  pairs of     a2 b2 a3 b3   ->  pairs of   a1 b1 c1 d1
    c0 c1 c2 c3       rows         c0 d0 c1 d1       pairs      a2 b2 c2 d2
    d0 d1 d2 d3                    c2 d2 c3 d3                  a3 b3 c3 d3

Within a lane (see `LANE_BYTES`) the elements of two rows alternate, then pairs of elements, and so on; then
whole lanes of two rows are separated by their numbers. Every result of a step is one cheap instruction:
x86's `unpck` and `vshuf32x4`, aarch64's `zip`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, FixedBitwidthType, VectorType, i64
from xdsl.ir import SSAValue

from lowering.ir.insertion import Inserter
from lowering.support.target import LANE_BYTES


def turn(insert: Inserter, rows: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Return the columns of a square whose rows are vectors."""
    row = rows[0].type
    assert isinstance(row, VectorType) and isinstance(row.element_type, FixedBitwidthType)
    count = len(rows)
    lane = min(count, 8 * LANE_BYTES // row.element_type.bitwidth)
    found = list(rows)
    apart = 1
    while apart < count:
        masks = _alternating(count, lane, apart) if apart < lane else _by_lanes(count, lane)
        for i in range(count):
            if not i & apart:
                pair = found[i], found[i + apart]
                for place, mask in zip((i, i + apart), masks):
                    picked = DenseArrayBase.from_list(i64, mask)
                    found[place] = insert(vector.ShuffleOp(*pair, picked, result_type=row))
        apart *= 2
    return [found[i // lane * lane + _reversed(i % lane, lane)] for i in range(count)]


def _alternating(count: int, lane: int, group: int) -> Sequence[Sequence[int]]:
    """Alternating groups of elements of two rows: of the lower halves of all lanes, and of the upper
    ones."""
    place = [(q // (2 * group) * group + q % group, q // group % 2) for q in range(lane)]
    return [
        [first + half + p + which * count for first in range(0, count, lane) for p, which in place]
        for half in (0, lane // 2)
    ]


def _by_lanes(count: int, lane: int) -> Sequence[Sequence[int]]:
    """Return the even lanes of both rows, then the odd ones."""
    return [
        [n + q for n in range(odd * lane, 2 * count, 2 * lane) for q in range(lane)]
        for odd in (0, 1)
    ]


def _reversed(number: int, bound: int) -> int:
    """Return a number with its bits, of numbers below a power of two, the other way round."""
    found = 0
    while bound := bound // 2:
        found, number = 2 * found + number % 2, number // 2
    return found
