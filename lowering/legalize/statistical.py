"""Reductions over axes, in stages: the elements to sum, and the function applied to the sum."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lowering.legalize.binary import quotient
from lowering.legalize.demands import requirements
from lowering.legalize.manipulate import flattened
from lowering.legalize.registry import legalize
from lowering.legalize.selecting import middles
from lowering.legalize.windows import mean_type, wide
from relax_dialect import symbolic, te
from relax_dialect.ops.statistical import (
    AllOp,
    AnyOp,
    CountNonzeroOp,
    ExtremeOp,
    KeepdimsOp,
    LogsumexpOp,
    MaxOp,
    MeanOp,
    MedianOp,
    MinOp,
    ProdOp,
    ReduceL1Op,
    ReduceL2Op,
    ReduceLogSumOp,
    ReduceSumSquareOp,
    ReductionOp,
    StdOp,
    SumOp,
    VarianceOp,
    some_element,
)
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import kind

Function = Callable[[te.Scalar], te.Scalar]
Indices = tuple[te.Scalar, ...]


@dataclass(frozen=True)
class Axes:
    """The axes of a tensor that are reduced, and whether the result keeps them."""

    x: te.Tensor
    axes: Sequence[int]
    kept: bool

    @staticmethod
    def of(op: KeepdimsOp, x: te.Tensor) -> Axes:
        return Axes(x, sorted(op.axes(x.ndim)), op.keepdims)

    @property
    def shape(self) -> list[Expr]:
        """The shape of the result."""
        one = symbolic.const(1)
        sizes = [one if d in self.axes else size for d, size in enumerate(self.x.shape)]
        return [size for d, size in enumerate(sizes) if d not in self.axes or self.kept]

    @property
    def count(self) -> Expr:
        """The number of elements that are reduced to one."""
        return symbolic.product(self.x.shape[axis] for axis in self.axes)

    def place(self, index: Sequence[te.IterVar], along: Mapping[int, te.Scalar]) -> Indices:
        """Return the index in x, from an index of the result and one along each reduced axis."""
        rest = iter([i for d, i in enumerate(index) if not (self.kept and d in along)])
        return tuple(along[d] if d in along else next(rest) for d in range(self.x.ndim))

    def at(self, statistic: te.Tensor, place: Indices) -> te.Scalar:
        """Return the element of another reduction over the axes that belongs to an index of x."""
        index = [0 if d in self.axes else i for d, i in enumerate(place)]
        return statistic[tuple(i for d, i in enumerate(index) if d not in self.axes or self.kept)]

    def number(self, place: Indices) -> te.Scalar:
        """Return the flat row-major index along the reduced axes."""
        first, *others = self.axes
        number = te.cast(place[first], "i64")
        for d in others:
            number = number * te.cast(self.x.shape[d], "i64") + te.cast(place[d], "i64")
        return number

    def wide(self, *place: te.Scalar) -> te.Scalar:
        """Return an element of x in the type to accumulate in."""
        return self.x[place].astype(wide(self.x.dtype))

    def reduce(
        self,
        reducer: Callable[..., te.Scalar] = te.sum,
        element: Callable[..., te.Scalar] | None = None,
        name: str = "out",
        requires: Sequence[te.Requirement] = (),
    ) -> te.Tensor:
        """Return the reduction of `element(*place)` over all indices of x, by default of the elements in
        the wide type. The `requires` are checked first."""
        element = element or self.wide
        if not self.axes:
            return te.compute(self.shape, element, name=name)
        along = {d: te.reduce_axis((0, self.x.shape[d]), name=f"k{d}") for d in self.axes}
        over = list(along.values())
        return te.compute(
            self.shape,
            lambda *i: reducer(element(*self.place(i, along)), axis=over),
            name=name,
            requires=requires,
        )

    def finished(
        self, reduced: te.Tensor, finish: Callable[..., te.Scalar] | None = None
    ) -> te.Tensor:
        """Return the result of a reduction, each element finished by `finish(value, *i)`, in the type
        of x."""
        if finish is None and reduced.dtype == self.x.dtype:
            return reduced
        finish = finish or (lambda value, *_: value)
        return te.compute(
            self.shape, lambda *i: finish(reduced[i], *i).astype(self.x.dtype), name="out"
        )


# The rules ---------------------------------------------------------------------------------------


Reducers = tuple[te.Reducer, te.Reducer]

REDUCERS: dict[type[ReductionOp], Reducers] = {
    SumOp: (te.sum, te.max),
    ProdOp: (te.prod, te.min),
    MaxOp: (te.max, te.max),
    MinOp: (te.min, te.min),
    AllOp: (te.min, te.min),
    AnyOp: (te.max, te.max),
}
"""The reductions of the elements as they are, and of the ones and zeros that represent truth values."""


@legalize(*REDUCERS)
def reduce(op: ReductionOp, x: te.Tensor) -> te.Tensor:
    """One reduction over some axes, after a check that they have an element if it is to take one."""
    axes, (reducer, of_bytes) = Axes.of(op, x), REDUCERS[type(op)]
    requires = requirements(op, op.demands(x.shape) if isinstance(op, ExtremeOp) else ())
    if kind(x.dtype) == "bool":
        # In bytes, which vectorises.
        ones = axes.reduce(of_bytes, lambda *place: x[place].astype("i8"), requires=requires)
        return te.compute(axes.shape, lambda *i: ones[i] > 0, name="out")
    return axes.finished(axes.reduce(reducer, requires=requires))


def _square(value: te.Scalar) -> te.Scalar:
    return value * value


def _magnitude(value: te.Scalar) -> te.Scalar:
    return value if kind(value.dtype) == "unsigned" else te.abs(value)


SUMS: dict[type[ReductionOp], tuple[Function, Function | None]] = {
    ReduceL1Op: (_magnitude, None),
    ReduceL2Op: (_square, te.sqrt),
    ReduceSumSquareOp: (_square, None),
    ReduceLogSumOp: (lambda value: value, te.log),
}
"""Sums of a function of the elements, and the function of the sum."""


@legalize(*SUMS)
def sum_of(op: ReductionOp, x: te.Tensor) -> te.Tensor:
    """Return the sum of a function of the elements, and a function of the sum."""
    axes, (inner, outer) = Axes.of(op, x), SUMS[type(op)]
    total = axes.reduce(te.sum, lambda *place: inner(axes.wide(*place)))
    return axes.finished(total, outer and (lambda value, *_: outer(value)))


@legalize(MeanOp)
def mean(op: MeanOp, x: te.Tensor) -> te.Tensor:
    """Return the sum divided by the number of elements."""
    axes, type = Axes.of(op, x), mean_type(x.dtype)
    total = axes.reduce(te.sum, lambda *place: x[place].astype(type))
    return axes.finished(total, lambda value, *_: quotient(value, te.cast(axes.count, str(type))))


@legalize(VarianceOp, StdOp)
def variance(op: VarianceOp | StdOp, x: te.Tensor) -> te.Tensor:
    """Return the mean of the squared distances from the mean, which is computed first."""
    axes = Axes.of(op, x)
    total = axes.reduce(name="total")
    means = te.compute(axes.shape, lambda *i: total[i] / axes.count, name="mean")
    squares = axes.reduce(
        te.sum, lambda *place: _square(axes.wide(*place) - axes.at(means, place)), name="squares"
    )
    root = te.sqrt if isinstance(op, StdOp) else lambda value: value
    return axes.finished(squares, lambda value, *_: root(value / axes.count))


@legalize(LogsumexpOp)
def logsumexp(op: LogsumexpOp, x: te.Tensor) -> te.Tensor:
    """Return the sum of exponentials relative to the largest element, if that is finite."""
    axes = Axes.of(op, x)
    largest = axes.reduce(te.max, name="largest")
    base = te.compute(
        axes.shape,
        lambda *i: te.select(te.isfinite(largest[i]), largest[i], 0),
        name="base",
    )
    total = axes.reduce(
        te.sum, lambda *place: te.exp(axes.wide(*place) - axes.at(base, place)), name="total"
    )
    return axes.finished(total, lambda value, *i: te.log(value) + base[i])


@legalize(CountNonzeroOp)
def count_nonzero(op: CountNonzeroOp, x: te.Tensor) -> te.Tensor:
    """Return the sum of a one for every element that is not zero."""

    def element(*place: te.Scalar) -> te.Scalar:
        is_one = x[place] if kind(x.dtype) == "bool" else ~te.equal(x[place], 0)
        return is_one.astype("i64")

    return Axes.of(op, x).reduce(te.sum, element)


@legalize(MedianOp)
def median(op: MedianOp, x: te.Tensor) -> list[te.Tensor]:
    """Return the middle element of each row in order, unless there is a NaN: then the first of these."""
    flat = op.axis is None
    rows = flattened(x) if flat else x
    axes = Axes(rows, [0], False) if flat else Axes.of(op, x)
    demands = some_element(op, x.shape, op.axes(x.ndim), "C4")
    found = middles(rows, axes.axes[0], axes.kept, requirements(op, demands))

    def value(*i: te.IterVar) -> te.Scalar:
        row = () if flat else i
        return rows[axes.place(row, {axes.axes[0]: te.cast(found[row], "index")})]

    shape = Axes.of(op, x).shape
    values = te.compute(shape, value, name="out")
    return [values] if flat else [values, found]
