"""The middle elements of rows, by selection: elements that cannot be in the middle are discarded, round by
round."""

from __future__ import annotations

from collections.abc import Sequence

from lowering.legalize.imperative_parts import increment, key_type, loops, merge_sort
from relax_dialect import te
from relax_dialect.te.dtypes import kind
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder, Variable

ROUNDS = 8
"""The number of passes over the elements of a row before the rest of it is sorted."""


def middles(
    x: te.Tensor, axis: int, kept: bool, requires: Sequence[te.Requirement] = ()
) -> te.Tensor:
    """Return the index of the middle element of each row along an axis, the lower one of two, as i64: among
    equal elements, the one that a stable sort puts there. The first NaN if there is one.

    The axis is of size 1 if it is `kept`. The `requires` are checked first: rows must have elements.
    """
    size, keys = x.shape[axis], key_type(x.dtype)
    others = [d for d in range(x.ndim) if d != axis]

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        row, left, above = (ib.allocate(size, keys, name=n) for n in ("row", "left", "above"))
        end = te.cast(size, "index")
        with loops(ib, [x.shape[d] for d in others]) as around:
            at = dict(zip(others, around))
            with ib.for_(end, name="k") as k:
                key = ins[0][tuple(k if d == axis else at[d] for d in range(x.ndim))].astype(keys)
                row[k] = key
                left[k] = key
            place = ib.var(0, "index", name="place")
            if kind(x.dtype) == "float":
                _first_nan(ib, row, end, place)
            else:
                place.value = end
            with ib.if_(te.equal(place.value, end)):
                _middle(ib, (row, left, above), end, place)
            result = tuple(at.get(d, 0) for d in range(x.ndim) if kept or d != axis)
            outs[0][result] = place.value.astype("i64")

    shape = [1 if d == axis else n for d, n in enumerate(x.shape) if kept or d != axis]
    return te.extern(tuple(shape), [x], kernel, dtype="i64", name="index", requires=requires)


def _first_nan(ib: KernelBuilder, row: KernelBuffer, end: te.Scalar, place: Variable) -> None:
    """Set `place` to the index of the first NaN, or to the end without one."""
    nans = ib.var(0, "i32", name="nans")
    with ib.for_(end, name="k") as k:
        nans.value = nans.value | te.isnan(row[k]).astype("i32")
    with ib.if_(te.equal(nans.value, 0)):
        place.value = end
    with ib.else_(), ib.while_(lambda: ~te.isnan(row[place.value])):
        increment(place)


def _draw(state: Variable, size: te.Scalar) -> te.Scalar:
    """Return a pseudorandom index below a size (Lehmer's generator), the same in every run."""
    state.value = te.floormod(state.value * 48271, 2**31 - 1)
    return te.floormod(state.value, size)


def _middle(
    ib: KernelBuilder,
    buffers: tuple[KernelBuffer, KernelBuffer, KernelBuffer],
    end: te.Scalar,
    place: Variable,
) -> None:
    """Set `place` to the index of the middle element of a row without NaN, of which `left` is a copy.

    In every round, the elements below a pivot, the middle one of three random ones, move to the front of
    `left`, the elements above it to `above`: without a branch that depends on an element.
    """
    row, left, above = buffers
    count, rank = ib.var(end, name="count"), ib.var(te.floordiv(end - 1, 2), name="rank")
    seen, state = ib.var(0, "index", name="seen"), ib.var(1, "index", name="state")
    middle = ib.var(0, row.dtype, name="middle")
    with ib.while_(lambda: (count.value > 0) & (seen.value < end * ROUNDS)):
        size = count.value
        seen.value = seen.value + size
        one, two, three = (left[_draw(state, size)] for _ in range(3))
        low, high = te.minimum(one, two), te.maximum(one, two)
        middle.value = te.minimum(te.maximum(three, low), high)
        fewer, more = ib.var(0, "index", name="fewer"), ib.var(0, "index", name="more")
        with ib.for_(size, name="k") as k:
            key = left[k]
            left[fewer.value] = key
            fewer.value = fewer.value + (key < middle.value).astype("index")
            above[more.value] = key
            more.value = more.value + (key > middle.value).astype("index")
        below, to = fewer.value, size - more.value
        with ib.if_(rank.value < below):
            count.value = below
        with ib.else_():
            with ib.if_(rank.value < to):
                rank.value = rank.value - below
                count.value = 0
            with ib.else_():
                with ib.for_(size - to, name="k") as k:
                    left[k] = above[k]
                rank.value = rank.value - to
                count.value = size - to
    with ib.if_(count.value > 0):
        merge_sort(ib, count.value, [(left, above)], lambda a, b: a < b)
        middle.value = left[rank.value]
        equal = ib.var(0, "index", name="equal")
        with ib.for_(rank.value, name="k") as k:
            equal.value = equal.value + te.equal(left[k], middle.value).astype("index")
        rank.value = equal.value
    place.value = 0
    with ib.while_(lambda: ~te.equal(row[place.value], middle.value) | (rank.value > 0)):
        rank.value = rank.value - te.equal(row[place.value], middle.value).astype("index")
        increment(place)
