"""Search operators: argmax, argmin, bucketize, nonzero, unique."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.ir import SSAValue

from lowering.legalize.demands import requirements
from lowering.legalize.imperative_parts import increment, loops, merge_sort, precedes
from lowering.legalize.manipulate import flattened, require
from lowering.legalize.registry import known_tensor, legalize, result_shape
from lowering.legalize.row_sort import RowSort
from lowering.legalize.statistical import Axes
from lowering.legalize.steps import Steps, legalize_steps
from relax_dialect import te
from relax_dialect.ops.search import (
    ArgmaxOp,
    ArgminOp,
    ArgReductionOp,
    BucketizeOp,
    NonzeroOp,
    PlacementOp,
    SearchsortedOp,
    UniqueOp,
)
from relax_dialect.ops.statistical import some_element
from relax_dialect.prim.run_time_checks import shape_holes
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import kind
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder

NARROW = {
    "f16": "f32",
    "bf16": "f32",
    "i1": "i32",
    "i8": "i32",
    "i16": "i32",
    "ui8": "i32",
    "ui16": "i32",
}
"""The types that elements are compared in: as wide as the indices that vectors count."""


# The index of an extreme -------------------------------------------------------------------------


@legalize(ArgmaxOp, ArgminOp)
def arg(op: ArgReductionOp, x: te.Tensor) -> te.Tensor:
    """Return the extreme, or a NaN, and its first index, reduced together."""
    axes = Axes.of(op, x)
    if not axes.axes:
        return te.compute(axes.shape, lambda *_: te.const(0, "i64"), name="out")
    requires = requirements(op, some_element(op, x.shape, axes.axes, "C2"))
    if len(axes.axes) > 1:
        axes = replace(axes, x=flattened(x), axes=[0], kept=False)
    (axis,) = axes.axes
    k = te.reduce_axis((0, axes.x.shape[axis]), name="k")
    is_max = isinstance(op, ArgmaxOp)

    def further(found: Sequence[te.Scalar], own: Sequence[te.Scalar]) -> Sequence[te.Scalar]:
        (extreme, place), (value, here) = found, own
        is_beyond = value > extreme if is_max else value < extreme
        if kind(value.dtype) == "float":
            is_beyond = (is_beyond | te.isnan(value)) & ~te.isnan(extreme)
        return te.select(is_beyond, value, extreme), te.select(is_beyond, here, place)

    first = te.min_value if is_max else te.max_value
    reducer = te.comm_reducer(further, lambda dtype, _: (first(dtype), 0), name="extreme")
    single = replace(axes, kept=False)

    def element(*i: te.IterVar) -> Sequence[te.Scalar]:
        value = axes.x[single.place(i, {axis: k})]
        narrow = NARROW.get(str(value.dtype), value.dtype)
        return reducer((value.astype(narrow), k.astype("i64")), axis=k)

    _, places = te.compute(single.shape, element, name=["extreme", "out"], requires=requires)
    return (
        te.reshape(places, result_shape(op), name="out") if axes.x is not x or axes.kept else places
    )


# Positions in rows -------------------------------------------------------------------------------


def _placed(
    op: PlacementOp, rows: te.Tensor, values: te.Tensor, requires: Sequence[te.Requirement] = ()
) -> te.Tensor:
    """Find the position of a value in its row, or in the only one, by bisection between `low` and
    `high`."""
    dtype = str(op.place_type)
    before = precedes(rows.dtype, descending=False)

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        (row_of, value_of), (out,) = ins, outs
        with loops(ib, values.shape) as place:
            low = ib.var(0, "index", name="low")
            high = ib.var(te.cast(rows.shape[-1], "index"), name="high")
            value = value_of[tuple(place)]
            with ib.while_(lambda: low.value < high.value):
                middle = te.shift_right(low.value + high.value, 1)
                element = row_of[(*place[: rows.ndim - 1], middle)]
                later = ~before(value, element) if op.right else before(element, value)
                with ib.if_(later):
                    low.value = middle + 1
                with ib.else_():
                    high.value = middle
            out[tuple(place)] = low.value.astype(dtype)

    return te.extern(
        values.shape, [rows, values], kernel, dtype=dtype, name="out", requires=requires
    )


@legalize(BucketizeOp)
def bucketize(op: BucketizeOp, values: te.Tensor, boundaries: te.Tensor) -> te.Tensor:
    """Return the position of every value among the boundaries."""
    return _placed(op, boundaries, values)


@legalize(SearchsortedOp)
def searchsorted(op: SearchsortedOp, rows: te.Tensor, values: te.Tensor) -> te.Tensor:
    """Return the position of every value in its row."""
    sizes = zip(rows.shape[:-1], values.shape[:-1])
    found = f"{shape_holes(rows.shape)} and {shape_holes(values.shape)}"
    requires = [require(op, op.DEMAND, found, a, b) for a, b in sizes if a is not b]
    return _placed(op, rows, values, requires)


# Indices of nonzero elements ---------------------------------------------------------------------


def _is_nonzero(value: te.Scalar) -> te.Scalar:
    return value if kind(value.dtype) == "bool" else ~te.equal(value, 0)


def count(op: NonzeroOp, x: te.Tensor) -> te.Tensor:
    """Return the number of elements that are not zero, as a vector of one."""
    zero, one = (te.const(value, "i64") for value in (0, 1))

    def element(*place: te.Scalar) -> te.Scalar:
        return te.select(_is_nonzero(x[place]), one, zero)

    total = Axes(x, range(x.ndim), False).reduce(te.sum, element)
    return te.compute((1,), lambda _: total[()], name="count")


def places(op: NonzeroOp, x: te.Tensor, size: Expr) -> te.Tensor:
    """Return the indices of nonzero elements, one column after the other."""

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        (x,), (out,), column = ins, outs, ib.var(0, "index", name="column")
        with loops(ib, x.shape) as place, ib.if_(_is_nonzero(x[tuple(place)])):
            for d, index in enumerate(place or [te.const(0, "i64")]):
                out[d, column.value] = index.astype("i64")
            increment(column)

    return te.extern((max(x.ndim, 1), size), [x], kernel, dtype="i64", name="out")


@legalize_steps(NonzeroOp)
def nonzero(steps: Steps, op: NonzeroOp, x: SSAValue) -> Sequence[SSAValue]:
    """Count, then write that number of columns."""
    (number,) = steps.call(count, x)
    return steps.call(places, x, sizes=steps.sizes(number, "nonzero"))


# Elements that differ ----------------------------------------------------------------------------


def group(op: UniqueOp, x: te.Tensor) -> Sequence[te.Tensor]:
    """Return the slices in order (stable), the number of each one's group in that order, and how many
    groups there are."""
    axis = None if op.axis is None else op.axis_of(x.ndim)
    rows, axis = (flattened(x), 0) if axis is None else (x, axis)
    size, others = rows.shape[axis], [d for d in range(rows.ndim) if d != axis]
    first = precedes(x.dtype, descending=False)

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        (rows,), (order, groups, number) = ins, outs

        def before(a: te.Scalar, b: te.Scalar) -> te.Scalar:
            """Return whether a slice comes before another: decided where they differ first."""
            found = ib.var(False, "bool", name="before")
            open_ = ib.var(True, "bool", name="open")
            with loops(ib, [rows.shape[d] for d in others]) as around:
                at = dict(zip(others, around))
                x, y = (
                    _comparable(rows[tuple(s if d == axis else at[d] for d in range(rows.ndim))])
                    for s in (a, b)
                )
                with ib.if_(open_.value):
                    found.value = first(x, y)
                    open_.value = ~(first(x, y) | first(y, x))
            return found.value

        end = te.cast(size, "index")
        if others:
            merged = ib.allocate(size, "i64", name="merged")
            with ib.for_(end, name="k") as k:
                order[k] = k.astype("i64")
            merge_sort(ib, size, [(order, merged)], before)
        else:
            row = RowSort(ib, size, rows.dtype, places="i64", values=False)
            with ib.for_(end, name="k") as k:
                row.load(k, rows[k], k)
            row.sort(end)
            with ib.for_(end, name="k") as k:
                order[k] = row.place(k)
        last = ib.var(-1, "i64", name="last")
        with ib.for_(end, name="k") as k:
            is_new = ib.var(True, "bool", name="is_new")
            with ib.if_(k > 0):
                is_new.value = before(order[k - 1], order[k])
            with ib.if_(is_new.value):
                increment(last)
            groups[k] = last.value
        number[0] = last.value + 1

    shapes, names = [(size,), (size,), (1,)], ["order", "groups", "number"]
    return te.extern(shapes, [rows], kernel, dtype=["i64"] * 3, name=names)


def _comparable(value: te.Scalar) -> te.Scalar:
    return value.astype("i8") if kind(value.dtype) == "bool" else value


def gather(
    op: UniqueOp, x: te.Tensor, order: te.Tensor, groups: te.Tensor, number: Expr
) -> Sequence[te.Tensor]:
    """Return the results: one element of each group; with first indices, the inverse and counts."""
    axis = None if op.axis is None else op.axis_of(x.ndim)
    rows, axis = (flattened(x), 0) if axis is None else (x, axis)
    size = rows.shape[axis]

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        (order, groups), (first, inverse, counts) = ins, outs
        ib.fill(counts, 0)
        end = te.cast(size, "index")
        with ib.for_(end, name="k") as k:
            here = groups[k]
            with ib.if_(te.equal(counts[here], 0)):
                first[here] = order[k]
            inverse[order[k]] = here
            counts[here] = counts[here] + 1
        if not op.sorted:
            _in_order_of_first_places(ib, size, number, first, inverse, counts)

    first, inverse, counts = te.extern(
        [(number,), (size,), (number,)],
        [order, groups],
        kernel,
        dtype=["i64"] * 3,
        name=["first", "inverse", "counts"],
    )
    shape = [number if d == axis else extent for d, extent in enumerate(rows.shape)]

    def element(*i: te.IterVar) -> te.Scalar:
        return rows[tuple(first[index] if d == axis else index for d, index in enumerate(i))]

    values = te.compute(shape, element, name="values")
    more = zip(op.returned, (first, inverse, counts))
    return [values, *(vector for given, vector in more if given)]


def _in_order_of_first_places(
    ib: KernelBuilder,
    size: Expr,
    number: Expr,
    first: KernelBuffer,
    inverse: KernelBuffer,
    counts: KernelBuffer,
) -> None:
    """Renumber the groups in the order of their first elements."""
    places, sums = (ib.allocate(number, "i64", name=name) for name in ("places", "sums"))
    new = ib.allocate(number, "i64", name="new")
    end, met = te.cast(size, "index"), ib.var(0, "i64", name="met")
    with ib.for_(end, name="k") as k:
        old = inverse[k]
        with ib.if_(te.equal(first[old], k.astype("i64"))):
            new[old] = met.value
            places[met.value] = first[old]
            sums[met.value] = counts[old]
            increment(met)
        inverse[k] = new[old]
    with ib.for_(te.cast(number, "index"), name="u") as u:
        first[u] = places[u]
        counts[u] = sums[u]


@legalize_steps(UniqueOp)
def unique(steps: Steps, op: UniqueOp, x: SSAValue) -> Sequence[SSAValue]:
    """Sort into groups, then take one of each."""
    order, groups, number = steps.call(group, x)
    ((size,), _) = known_tensor(op, "groups", groups.type)
    known = op.number(size)
    sizes = steps.sizes(number, "unique") if known is None else (known,)
    return steps.call(gather, x, order, groups, sizes=sizes)
