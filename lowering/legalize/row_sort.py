"""Sorting rows by the bits of their elements: stable, without a branch that depends on an element.

A row lies in one half of a buffer while it is written in order to the other half. Short rows are sorted by
rank, which is a count of the elements that come before; long ones digit by digit, the lowest first.
"""

from __future__ import annotations

from collections.abc import Callable

from lowering.legalize.imperative_parts import increment
from relax_dialect import symbolic, te
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import DType, as_dtype, bits, kind
from relax_dialect.te.kernels.kernel_builder import KernelBuilder, Variable

SHORT = 128
"""Up to this size a row is sorted by rank, in a number of vector operations that grows with its square."""

LANES = 16
"""The number of lanes of the vectors that elements are compared in, the last one filled up."""

DIGIT = 8
"""The bits of a digit: each of its values has a write position, and all of these fit the first-level
cache."""

_INFINITIES = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}


def _width(dtype: DType) -> int:
    """Return the bits of an element in memory."""
    return max(bits(dtype), 8)


def _as_bits(value: te.Scalar) -> te.Scalar:
    """Return an element as the signed integer that its bits are."""
    integer = f"i{_width(value.dtype)}"
    return value.astype(integer) if kind(value.dtype) == "bool" else te.reinterpret(value, integer)


def _from_bits(value: te.Scalar, dtype: DType) -> te.Scalar:
    return value.astype(dtype) if kind(dtype) == "bool" else te.reinterpret(value, dtype)


def _ordered(found: te.Scalar, dtype: DType, descending: bool) -> te.Scalar:
    """Return a signed integer in the order of the elements with these bits.

    Floats hold their magnitude next to a sign: zeros of both signs become 0, NaN the greatest number.
    """
    highest = 2 ** (_width(dtype) - 1) - 1
    match kind(dtype):
        case "float":
            magnitude, sign = found & highest, found >> (_width(dtype) - 1)
            is_nan = magnitude > _INFINITIES[str(dtype)]
            found = te.select(is_nan, highest, (magnitude ^ sign) - sign)
        case "unsigned":
            found = found ^ (-highest - 1)
        case _:
            pass
    return ~found if descending else found


class RowSort:
    """The buffers in which rows of up to `size` elements are sorted, and the operations on one row.

    row.load(k, element, place)     for each of the first `count` elements
    row.sort(count)
    row.value(k), row.place(k)      the kth element in order, and the place it was loaded with

    Without `values` the buffers hold only the integers that are compared. They do not distinguish zeros of
    both signs, nor one NaN from another.
    """

    def __init__(
        self,
        ib: KernelBuilder,
        size: Expr,
        dtype: DType,
        descending: bool = False,
        places: DType | str | None = None,
        values: bool = True,
    ):
        self.ib, self.dtype, self.descending, self.values = ib, dtype, descending, values
        self.integer = as_dtype(f"i{_width(dtype)}")
        self.unsigned = as_dtype(f"ui{_width(dtype)}")
        halves = symbolic.const(2)
        self.row = ib.allocate((halves, size), self.integer, name="row")
        self.columns = [self.row]
        if places is not None:
            self.columns.append(ib.allocate((halves, size), places, name="order"))
        least, most = size.bounds()
        self.may_be_short = least is None or least <= SHORT
        self.may_be_long = most is None or most > SHORT
        self.half: Variable | None = None
        if self.may_be_short:
            self.keys = ib.allocate(SHORT, self.integer, name="keys")
            self.equals = ib.allocate(SHORT, "i32", name="equals")
        if self.may_be_long:
            self.digits = range(-(-bits(dtype) // DIGIT))
            self.counts = ib.allocate((len(self.digits), 2**DIGIT), "i64", name="counts")

    def load(self, k: te.Scalar, element: te.Scalar, place: te.Scalar) -> None:
        """Write an element to the initial row, which is the first half."""
        found = _as_bits(element)
        self.row[0, k] = found if self.values else self._ordered(found)
        for order in self.columns[1:]:
            order[0, k] = place.astype(order.dtype)

    def value(self, k: te.Scalar) -> te.Scalar:
        assert self.values, "the row holds no elements"
        assert self.half is not None, "the row is sorted first"
        return _from_bits(self.row[self.half.value, k], self.dtype)

    def place(self, k: te.Scalar) -> te.Scalar:
        assert self.half is not None, "the row is sorted first"
        return self.columns[1][self.half.value, k]

    def _ordered(self, found: te.Scalar) -> te.Scalar:
        return _ordered(found, self.dtype, self.descending)

    def _key(self, found: te.Scalar) -> te.Scalar:
        """Return the content of a row as an integer, in the order of the elements."""
        return self._ordered(found) if self.values else found

    def sort(self, count: te.Scalar) -> None:
        """Sort the first `count` elements that were loaded."""
        half = self.half = self.ib.var(0, "index", name="half")
        if not self.may_be_long:
            self._by_rank(count, half)
        elif not self.may_be_short:
            self._by_digits(count, half)
        else:
            with self.ib.if_(count <= SHORT):
                self._by_rank(count, half)
            with self.ib.else_():
                self._by_digits(count, half)

    def _move(
        self,
        found: te.Scalar,
        source: te.Scalar | int,
        k: te.Scalar,
        target: te.Scalar | int,
        to: te.Scalar,
    ) -> None:
        """Write an element with these bits, and its index, to the other half."""
        self.row[target, to] = found
        for order in self.columns[1:]:
            order[target, to] = order[source, k]

    # Rank

    def _by_rank(self, count: te.Scalar, half: Variable) -> None:
        """An element goes where the elements less than it end, after the equal ones before it."""
        ib, keys, equals = self.ib, self.keys, self.equals
        ib.fill(keys, 2 ** (_width(self.dtype) - 1) - 1)
        ib.fill(equals, 0)
        with ib.for_(count, name="k") as k:
            keys[k] = self._key(self.row[0, k])
        vectors = te.floordiv(count + (LANES - 1), LANES) * LANES
        with ib.for_(count, name="k") as k:
            key = keys[k]
            less = ib.var(vectors.astype("i32"), "i32", name="less")
            with ib.for_(vectors, name="j") as j:
                less.value = less.value - (keys[j] >= key).astype("i32")
            rank = less.value.astype("index")
            before = equals[rank]
            equals[rank] = before + 1
            self._move(self.row[0, k], 0, k, 1, rank + before.astype("index"))
        half.value = 1

    # Digits

    def _unsigned(self, key: te.Scalar) -> te.Scalar:
        """Return a signed integer as the unsigned one in the same order."""
        return te.reinterpret(key ^ -(2 ** (_width(self.dtype) - 1)), self.unsigned)

    def _digit(self, key: te.Scalar, shift: te.Scalar | int) -> te.Scalar:
        return ((key >> shift) & (2**DIGIT - 1)).astype("index")

    def _by_digits(self, count: te.Scalar, half: Variable) -> None:
        """Sort stably by each digit, the lowest first, except for digits that all elements share."""
        ib, counts = self.ib, self.counts
        ib.fill(counts, 0)
        with ib.for_(count, name="k") as k:
            key = self.ib.var(self._unsigned(self._key(self.row[0, k])), name="key").value
            for d in self.digits:
                digit = self._digit(key, d * DIGIT)
                counts[d, digit] = counts[d, digit] + 1
        first = ib.var(self._unsigned(self._key(self.row[0, 0])), name="first").value
        with ib.for_(len(self.digits), name="d") as d:
            shift = (d * DIGIT).astype(self.unsigned)
            shared = counts[d, self._digit(first, shift)]
            with ib.if_(shared < count.astype("i64")):
                self._count_to_start(d)
                source, target = half.value, 1 - half.value
                with ib.for_(count, name="k") as k:
                    found = self.row[source, k]
                    digit = self._digit(self._unsigned(self._key(found)), shift)
                    to = counts[d, digit]
                    counts[d, digit] = to + 1
                    self._move(found, source, k, target, to.astype("index"))
                half.value = target

    def _count_to_start(self, d: te.Scalar) -> None:
        """Replace the counts of each value of a digit by the index of the first element with it."""
        start = self.ib.var(0, "i64", name="start")
        with self.ib.for_(2**DIGIT, name="digit") as digit:
            count = self.counts[d, digit]
            self.counts[d, digit] = start.value
            start.value = start.value + count

    # Selection

    def load_first(
        self, size: te.Scalar, wanted: int, element: Callable[[te.Scalar], te.Scalar]
    ) -> te.Scalar:
        """Load the elements, of `size`, that come before the last of the `wanted` first so far; return
        their number.

        Whenever the buffers of `SHORT` elements are full, the first `wanted` ones are kept.
        """
        ib, highest = self.ib, 2 ** (_width(self.dtype) - 1) - 1
        count = ib.var(0, "index", name="count")
        last = ib.var(highest, self.integer, name="last")
        with ib.for_(size, name="k") as k:
            found = ib.var(element(k), name="element").value
            key = self._ordered(_as_bits(found))
            with ib.if_((key < last.value) | (count.value < wanted)):
                self.load(count.value, found, k)
                increment(count)
                with ib.if_(te.equal(count.value, SHORT)):
                    self.sort(count.value)
                    with ib.for_(wanted, name="j") as j:
                        self._move(self.row[1, j], 1, j, 0, j)
                    last.value = self._key(self.row[0, wanted - 1])
                    count.value = wanted
        return count.value

    def load_candidates(
        self, size: te.Scalar, wanted: te.Scalar, element: Callable[[te.Scalar], te.Scalar]
    ) -> te.Scalar:
        """Load the elements of a long row that may be among the first `wanted` in order, by their highest
        digit; return their number."""
        ib, counts, d = self.ib, self.counts, self.digits[-1]

        def digit(k: te.Scalar) -> te.Scalar:
            return self._digit(self._unsigned(self._ordered(_as_bits(element(k)))), d * DIGIT)

        ib.fill(counts, 0)
        with ib.for_(size, name="k") as k:
            counts[d, digit(k)] = counts[d, digit(k)] + 1
        last = ib.var(0, "index", name="last")
        candidates = ib.var(counts[d, 0].astype("index"), name="candidates")
        with ib.while_(lambda: candidates.value < wanted):
            increment(last)
            candidates.value = candidates.value + counts[d, last.value].astype("index")
        loaded = ib.var(0, "index", name="loaded")
        with ib.for_(size, name="k") as k, ib.if_(digit(k) <= last.value):
            self.load(loaded.value, element(k), k)
            increment(loaded)
        return candidates.value
