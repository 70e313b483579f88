"""Causal masks, by their formulas.

    tril(ones, k)    arange(keys) - arange(queries) <= k      True up to a diagonal
    triu(ones, k)    arange(keys) > arange(queries) + k       True from one on
    logical_not    equal(..., 0)    logical_and(..., true)    where(..., 1, 0)    of such a mask
    triu(full(-inf), 1)    where(mask, 0, -inf)    (1 - mask) * -inf              is added

Here arange(queries) is a column. Casts, and views that prepend axes of size 1, may follow anywhere. A
constant is examined element by element.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects.builtin import IntegerType

from relax_dialect.builder.values import Value
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.create import TriluOp
from relax_dialect.ops.ranges import ArangeOp
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import known_shape
from relax_dialect.rewrites.recognition.recognize.formula_numbers import number
from relax_dialect.symbolic import Expr
from relax_dialect.symbolic.expr import ONE

LOW = -1e4
"""A score of this, or a lower one, leaves its key no weight compared with other scores."""

LARGEST = 1 << 20
"""A constant mask of more elements is not looked at."""

FARTHEST = 8
"""So many ops a mask is made of, at most, one after the other."""

VIEWS = ("relax.expand_dims", "relax.reshape", "relax.broadcast_to")
COMPARISONS = ("relax.less", "relax.less_equal", "relax.greater", "relax.greater_equal")


class Band(NamedTuple):
    """A matrix that is `inside` up to a diagonal, `column - row <= diagonal`, and not after it."""

    diagonal: int
    inside: bool

    def flipped(self) -> Band:
        return Band(self.diagonal, not self.inside)


class AffineEntries(NamedTuple):
    """The number `columns * column + rows * row + constant` at each element of a matrix."""

    columns: int
    rows: int
    constant: int

    def plus(self, other: AffineEntries, factor: int) -> AffineEntries:
        return AffineEntries(*(a + factor * b for a, b in zip(self, other)))


def causal_mask(value: Value, queries: Expr, keys: Expr, form: str) -> str | None:
    """Return the name that `relax.attention` has for a causal mask of a form, None for another mask.

    A mask "keeps" the scores where it is true, "hides" them there, or is "added" to them.
    """
    look = _Look(queries, keys)
    if not look.is_matrix(value):
        return None
    band = look.added(value) if form == "added" else look.band(value)
    if band is None or band.inside == (form == "hides"):
        return None
    if band.diagonal == 0:
        return "TopLeft"
    if keys.value is None or queries.value is None or band.diagonal < 0:
        return None
    return "BottomRight" if band.diagonal == keys.value - queries.value else None


@dataclass(frozen=True)
class _Look:
    """The search for bands in masks of so many queries and keys."""

    queries: Expr
    keys: Expr

    def is_matrix(self, value: Value) -> bool:
        """Return whether a tensor is of this shape, but for sizes of 1 in front."""
        shape = known_shape(value)
        if shape is None or shape[-2:] != (self.queries, self.keys):
            return False
        return all(size.value == 1 for size in shape[:-2])

    def band(self, value: Value, steps: int = FARTHEST) -> Band | None:
        """Return the band where a mask is true, or 1 and not 0."""
        op = owner(value.value)
        if op is None or not steps or not self.is_matrix(value):
            return None
        if isinstance(op, ConstantOp):
            return _band_of_constant(op, _kept_by_ones)
        of = [Value(operand) for operand in op.operands]
        if op.name in (*VIEWS, "relax.astype"):
            return self.band(of[0], steps - 1)
        if op.name in COMPARISONS:
            return self._compared(op.name, of[0], of[1], steps - 1)
        if isinstance(op, TriluOp) and number(of[0], value) == 1:
            return _of_triangle(op)
        if op.name == "relax.logical_not":
            return _flipped(self.band(of[0], steps - 1))
        if op.name == "relax.where":
            chosen = [number(x, value) for x in of[1:]]
            inner = self.band(of[0], steps - 1) if chosen in ([1, 0], [0, 1]) else None
            return inner if chosen[0] else _flipped(inner)
        if op.name in ("relax.equal", "relax.not_equal", "relax.logical_and"):
            neutral = 1 if op.name == "relax.logical_and" else 0
            for inner, other in (of, reversed(of)):
                if number(other, value) == neutral:
                    found = self.band(inner, steps - 1)
                    return _flipped(found) if op.name == "relax.equal" else found
        return None

    def added(self, value: Value, steps: int = FARTHEST) -> Band | None:
        """Return the band where a mask added to scores is 0; elsewhere it is as low as `LOW`."""
        op = owner(value.value)
        if op is None or not steps or not self.is_matrix(value):
            return None
        if isinstance(op, ConstantOp):
            return _band_of_constant(op, _kept_by_added)
        of = [Value(operand) for operand in op.operands]
        if op.name in (*VIEWS, "relax.astype"):
            return self.added(of[0], steps - 1)
        if isinstance(op, TriluOp) and _is_low(number(of[0], value)):
            return _flipped(_of_triangle(op))
        if op.name == "relax.where":
            there, elsewhere = (number(x, value) for x in of[1:])
            if there == 0 and _is_low(elsewhere):
                return self.band(of[0], steps - 1)
            if elsewhere == 0 and _is_low(there):
                return _flipped(self.band(of[0], steps - 1))
        if op.name == "relax.multiply":
            for inner, factor in (of, reversed(of)):
                if _is_low(number(factor, value)):
                    return _flipped(self._rest(inner, value, steps - 1))
        return None

    def _rest(self, value: Value, other: Value, steps: int) -> Band | None:
        """Return the band where `1 - mask` is 1: the mask itself, flipped."""
        op = owner(value.value)
        if op is None or op.name != "relax.subtract":
            return self.band(value, steps)
        whole, mask = (Value(operand) for operand in op.operands)
        return _flipped(self.band(mask, steps)) if number(whole, other) == 1 else None

    def _compared(self, name: str, a: Value, b: Value, steps: int) -> Band | None:
        """Return the band where a comparison of two such matrices is true."""
        left, right = self._place(a, steps), self._place(b, steps)
        if left is None or right is None:
            return None
        columns, rows, rest = left.plus(right, -1)  # compared with 0
        if (columns, rows) not in ((1, -1), (-1, 1)):
            return None
        below, strict = name.startswith("relax.less"), not name.endswith("equal")
        inside = below == (columns == 1)
        # column - row + rest <= 0, or < 0; the other three by flipping and exchanging sides
        limit = -rest if columns == 1 else rest
        return Band(limit - (strict == inside), inside)

    def _place(self, value: Value, steps: int) -> AffineEntries | None:
        """Return a tensor of whole numbers as a sum of multiples of its row and column numbers."""
        op = owner(value.value)
        if op is None or not steps or not _is_wide(value):
            return None
        if (found := number(value, value)) is not None:
            return AffineEntries(0, 0, int(found))
        of = [Value(operand) for operand in op.operands]
        if op.name in ("relax.add", "relax.subtract"):
            left, right = (self._place(x, steps - 1) for x in of)
            sign = 1 if op.name == "relax.add" else -1
            return None if left is None or right is None else left.plus(right, sign)
        return self._counted(value)

    def _counted(self, value: Value) -> AffineEntries | None:
        """Return a row that counts the keys from 0, or a column that counts the queries."""
        shape, found = known_shape(value), owner(value.value)
        while found is not None and found.name in VIEWS[:2]:
            found = owner(found.operands[0])
        if shape is None or not isinstance(found, ArangeOp):
            return None
        if not found.is_whole or found.start != 0 or found.step != 1:
            return None
        if shape[-2:] == (self.queries, ONE) and all(size.value == 1 for size in shape[:-2]):
            return AffineEntries(0, 1, 0)
        along = shape[-1:] == (self.keys,) and all(size.value == 1 for size in shape[:-1])
        return AffineEntries(1, 0, 0) if along else None


def _flipped(band: Band | None) -> Band | None:
    return None if band is None else band.flipped()


def _of_triangle(op: TriluOp) -> Band:
    """Return the band that `tril` or `triu` keeps."""
    lower = op.name == "relax.tril"
    return Band(op.k if lower else op.k - 1, lower)


def _is_low(found: float | None) -> bool:
    return found is not None and found <= LOW


def _is_wide(value: Value) -> bool:
    """Return whether the element type holds all indices."""
    return isinstance(value.dtype, IntegerType) and value.dtype.width.data >= 32


def _kept_by_ones(array: Any) -> Any:
    """Return where a constant is 1, None unless it is 0 elsewhere."""
    kept = array == 1
    return kept if np.array_equal(kept, array != 0) else None


def _kept_by_added(array: Any) -> Any:
    """Return where a constant is 0, None unless it is low elsewhere."""
    kept = array == 0
    return kept if np.array_equal(kept, ~(array <= LOW)) else None


def _band_of_constant(op: ConstantOp, kept_by: Any) -> Band | None:
    try:
        if np.prod(op.value.get_shape(), dtype=object) > LARGEST:
            return None
        array: Any = from_dense(op.value)
    except RelaxError:  # numpy does not have every element type
        return None
    rows, columns = array.shape[-2:]
    kept = kept_by(array.reshape(rows, columns))
    if kept is None or not kept.size or kept.all() or not kept.any():
        return None
    for inside in (True, False):
        seen = kept if inside else ~kept
        diagonal = int(seen[0].sum()) - 1
        for found in dict.fromkeys((diagonal, columns - rows)):
            if np.array_equal(seen, np.tri(rows, columns, found, dtype=bool)):
                return Band(found, inside)
    return None
