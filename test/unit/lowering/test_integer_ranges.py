"""Ranges of integers of programs, against all values that small programs compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optional import examples
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from lowering.ir.integer_ranges import (
    SIGNED,
    UNSIGNED,
    is_never_zero,
    range_of,
    range_of_subscript,
)
from relax_dialect.parsing import parse

Compute = Callable[[np.ndarray, np.ndarray], np.ndarray]


def truncated(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))).astype(a.dtype)


def divided(divide: Compute) -> Compute:
    """A division as emitted programs have it: by 0 it gives 0; -128 by -1 wraps."""

    def compute(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        wide, by = a.astype(int), np.where(b == 0, 1, b).astype(int)
        return np.where(b == 0, 0, divide(wide, by)).astype(a.dtype)

    return compute


def rest(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a - truncated(a, b) * b


VALUES: dict[type[Operation], Compute] = {
    arith.AddiOp: np.add,
    arith.SubiOp: np.subtract,
    arith.MuliOp: np.multiply,
    arith.MinSIOp: np.minimum,
    arith.MaxSIOp: np.maximum,
    arith.AndIOp: np.bitwise_and,
    arith.FloorDivSIOp: divided(np.floor_divide),
    arith.CeilDivSIOp: divided(lambda a, b: -(-a // b)),
    arith.DivSIOp: divided(truncated),
    arith.RemSIOp: divided(rest),
    arith.MinUIOp: np.minimum,
    arith.MaxUIOp: np.maximum,
    arith.DivUIOp: divided(np.floor_divide),
    arith.RemUIOp: divided(np.remainder),
    arith.CeilDivUIOp: divided(lambda a, b: -(-a // b)),
}
"""What each op computes from bytes; those of UNSIGNED from bytes without a sign."""


def test_every_operation_is_tested():
    assert VALUES.keys() == {*SIGNED, *UNSIGNED} - {None}


@given(data=st.data())
@examples(24)
def test_no_value_is_excluded(data: st.DataObject):
    """Bytes made of two narrow integers by a few ops, for all values of the two."""
    widths = data.draw(st.tuples(st.integers(2, 4), st.integers(2, 4)))
    block = Block(arg_types=[IntegerType(w) for w in widths])
    grid = np.meshgrid(*(np.arange(-(2 ** (w - 1)), 2 ** (w - 1), dtype=np.int8) for w in widths))
    known: list[tuple[SSAValue, np.ndarray]] = []
    for argument, values, width in zip(block.args, grid, widths):
        known.append((arith.ExtSIOp(argument, i8).result, values))
        known.append((arith.ExtUIOp(argument, i8).result, values & (2**width - 1)))
    for number in data.draw(st.lists(st.integers(-128, 127), min_size=1, max_size=2)):
        constant = arith.ConstantOp(IntegerAttr(number, i8)).result
        known.append((constant, np.full_like(grid[0], number)))
    for kind in data.draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=5)):
        (a, x), (b, y) = (data.draw(st.sampled_from(known)) for _ in "ab")
        if kind in UNSIGNED:
            x, y = x.view(np.uint8), y.view(np.uint8)
        operation: Any = kind
        known.append((operation(a, b).results[0], VALUES[kind](x, y).view(np.int8)))
    for value, reached in known:
        low, high = range_of(value)
        assert low <= reached.min() and reached.max() <= high, value
        assert not (is_never_zero(value) and (reached == 0).any())


PROGRAM = """
func.func @f(%x: memref<?xf32>, %c: i1, %u: i1, %wide: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c384 = arith.constant 384 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %t = %c0 to %n step %c8 {
    %left = arith.subi %n, %t : index
    %rows = arith.minsi %left, %c8 : index
    scf.for %i = %c1 to %rows step %c1 {
      %place = arith.addi %t, %i : index
      %turned = arith.subi %rows, %i : index
      %same = arith.subi %place, %i : index
      %three = arith.muli %i, %i : index
    }
  }
  %some = arith.maxsi %n, %c1 : index
  %few = arith.minsi %some, %c384 : index
  %fit = arith.divui %c384, %few : index
  %parts = arith.ceildivui %some, %fit : index
  %bit = arith.extui %u : i1 to i8
  %byte = arith.trunci %wide : i64 to i8
  %either = arith.select %c, %bit, %byte : i8
  %index = arith.index_cast %bit : i8 to index
  func.return
}"""

RANGES = {
    "n": (0, None),
    "left": (None, None),
    "rows": (None, 8),
    "i": (1, 7),
    "place": (1, None),
    "turned": (None, 7),
    "same": (0, None),
    "three": (1, 49),
    "few": (1, 384),
    "fit": (1, 384),
    "parts": (1, None),
    "bit": (0, 1),
    "byte": (-128, 127),
    "either": (-128, 127),
    "index": (0, 1),
}


def test_ranges_of_indices():
    (function,) = parse(PROGRAM).ops
    assert isinstance(function, FuncOp)
    values = {v.name_hint: v for op in function.walk() for v in op.results}
    values |= {a.name_hint: a for op in function.walk() for r in op.regions for a in r.block.args}
    found = {name: range_of(values[name]) for name in RANGES}
    finite = {n: tuple(e if isinstance(e, int) else None for e in r) for n, r in found.items()}
    assert finite == RANGES


@pytest.mark.parametrize(
    "subscript, low, high",
    [
        (lambda i, j: i * 2 + j + 1, 1, None),
        (lambda i, j: i * 2 + j - 1, -1, None),
        (lambda i, j: (i - 5) % 3, 0, 2),
        (lambda i, j: (i - 5) // 3, -2, None),
        (lambda i, j: (j + 3) // 4 * -1, None, 0),
    ],
)
def test_ranges_of_subscripts(subscript: Callable[..., object], low: int, high: int):
    (expr,) = AffineMap.from_callable(lambda i, j: (subscript(i, j),)).results  # pyright: ignore
    found = range_of_subscript(expr)
    assert tuple(e if isinstance(e, int) else None for e in found) == (low, high)
