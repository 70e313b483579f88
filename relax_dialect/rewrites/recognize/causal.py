"""Causal masks, by what they are made of.

    tril(ones)    logical_not(triu(ones, 1))                 keeps the keys j <= i for query i
    triu(ones, 1)    equal(tril(ones), 0)                    hides the others
    arange(keys) <= arange(queries), the latter a column      keeps them
    arange(keys) > arange(queries), the latter a column       hides the others
    triu(full(-inf), 1)    where(tril(ones), 0, -inf)        is added

Casts, and views that put 1 in front, may follow. A constant is looked at element by element: it may start
at another key, as the mask of the last queries does ("BottomRight").
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType

from relax_dialect.builder.values import Value
from relax_dialect.dpl import Match, Pattern, is_op, wildcard
from relax_dialect.dpl.view import owner
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.values import from_dense
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.ranges import ArangeOp
from relax_dialect.rewrites.recognize.numbers import Numbers, number
from relax_dialect.rewrites.rule_sets.values import known_shape
from relax_dialect.symbolic import Expr
from relax_dialect.symbolic.expr import ONE

LOW = -1e4
"""A score of this, or a lower one, leaves its key no weight beside other scores."""

LARGEST = 1 << 20
"""A constant mask of more elements is not looked at."""


def _view(p: Pattern) -> Pattern:
    """A tensor, or a view of it."""
    return p.optional(lambda q: is_op("expand_dims")(q) | is_op("reshape")(q, wildcard()))


def _seen(p: Pattern) -> Pattern:
    """A mask through a cast and a view."""
    return _view(p.optional(lambda q: is_op("astype")(q)))


numbers = Numbers()
low = wildcard()
tril, triu, filled = is_op("tril")(numbers(1.0)), is_op("triu")(numbers(1.0)), is_op("triu")(low)
lower, upper = _seen(tril.has_attr("k", 0)), _seen(triu.has_attr("k", 1))

row, column = is_op("arange"), is_op("arange")
"""The numbers of the queries and those of the keys."""
queries_down, keys_along = _view(row), _view(column)
earlier = is_op("less_equal")(keys_along, queries_down)
earlier |= is_op("greater_equal")(queries_down, keys_along)
later = is_op("greater")(keys_along, queries_down) | is_op("less")(queries_down, keys_along)

not_, equal = is_op("logical_not"), is_op("equal")
lower, upper = lower | _seen(earlier), upper | _seen(later)
keeps = lower | _seen(not_(upper) | equal(upper, numbers(0.0)))
hides = upper | _seen(not_(lower) | equal(lower, numbers(0.0)))
band = _seen(filled.has_attr("k", 1))
zero, where = numbers(0.0), is_op("where")
added = band | where(keeps, zero, low) | where(hides, low, zero)

FORMS = {"keeps": keeps, "hides": hides, "added": added}


def causal_mask(value: Value, queries: Expr, keys: Expr, form: str) -> str | None:
    """The name that `relax.attention` has for a causal mask of a form, None for another mask."""
    if not _is_matrix(value, queries, keys):
        return None
    op = owner(value.value)
    if isinstance(op, ConstantOp):
        return _of_constant(op, form)
    m = FORMS[form].extract(value)
    if m is None or not numbers.hold(m, value):
        return None
    if not all(_is_matrix(m[node], queries, keys) for node in (tril, triu, filled) if node in m):
        return None
    if row in m and not _are_places(m, queries, keys):
        return None
    if low in m:
        found = number(m[low], value)
        if found is None or found > LOW:
            return None
    return "TopLeft"


def _are_places(m: Match, queries: Expr, keys: Expr) -> bool:
    """Whether a column counts the queries from 0, and a row the keys."""
    shapes = known_shape(m[queries_down]), known_shape(m[keys_along])
    if None in shapes:
        return False
    down, along = (shape or () for shape in shapes)
    if down[-2:] != (queries, ONE) or along[-1:] != (keys,):
        return False
    if any(size.value != 1 for size in (*down[:-2], *along[:-1])):
        return False
    return all(_counts_from_0(m[node]) for node in (row, column))


def _counts_from_0(value: Value) -> bool:
    """Whether a tensor is 0, 1, 2, ... in an element type that holds them all."""
    op = owner(value.value)
    assert isinstance(op, ArangeOp)
    wide = isinstance(value.dtype, IntegerType) and value.dtype.width.data >= 32
    return wide and op.is_whole and op.start == 0 and op.step == 1


def _is_matrix(value: Value, queries: Expr, keys: Expr) -> bool:
    """Whether a tensor is of this shape, but for sizes of 1 in front."""
    shape = known_shape(value)
    if shape is None or shape[-2:] != (queries, keys):
        return False
    return all(size.value == 1 for size in shape[:-2])


def _of_constant(op: ConstantOp, form: str) -> str | None:
    try:
        if np.prod(op.value.get_shape(), dtype=object) > LARGEST:
            return None
        array: Any = from_dense(op.value)
    except RelaxError:  # numpy does not have every element type
        return None
    queries, keys = array.shape[-2:]
    array = array.reshape(queries, keys)
    if form == "added":
        kept, hidden = array == 0, array <= LOW
    else:
        truth = array.astype(bool)
        kept, hidden = (truth, ~truth) if form == "keeps" else (~truth, truth)
    if not hidden.any() or not np.array_equal(kept, ~hidden):
        return None
    for name, offset in {"TopLeft": 0, "BottomRight": keys - queries}.items():
        if offset >= 0 and np.array_equal(kept, np.tri(queries, keys, offset, dtype=bool)):
            return name
    return None


__all__ = ["LOW", "causal_mask"]
