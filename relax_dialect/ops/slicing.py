"""Operators on strided slices along some axes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, TypeAlias

from xdsl.ir import Attribute, SSAValue

from relax_dialect import symbolic
from relax_dialect.ir.types import Dim, Dims, ShapeType, TensorType
from relax_dialect.ops.axes import normalize_axes
from relax_dialect.ops.base import IllFormedOpError, OperatorOp
from relax_dialect.ops.core import ShapeOp
from relax_dialect.ops.demands import Demand, refuse_unmet
from relax_dialect.ops.fields import (
    Axes,
    Given,
    Operand,
    Operands,
    OptionalAxes,
    flag,
    ints,
    many,
    tensor,
)
from relax_dialect.ops.indices import equal_sizes, known_indices, require_same_rank
from relax_dialect.ops.kinds import FOLLOW, K_INJECTIVE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import common_dtype
from relax_dialect.ops.slices import FAR, Slice, near
from relax_dialect.ops.type_rules import INTEGER, Rank, tensor_type
from relax_dialect.prim.run_time_checks import hole
from relax_dialect.symbolic import Expr, SymbolicOverflow, const

Bound: TypeAlias = Expr | int | str | None
"""A bound of a slice: an index, a symbolic size, or None for the end of its axis."""


class SlicingOp(OperatorOp):
    """An operator on slices along some axes: the begin, end and stride (1 by default) of each.

    Begin and end are integers, with the meaning of Python: negative ones count from the end of the axis,
    and bounds are clamped to it. Symbolic sizes are passed by two shapes instead.

    (C1) Begin and end are specified once: by integers, or by two shapes.
    (C2) Every axis is within -rank..rank-1 and occurs once.
    (C3) There are a begin, an end and a stride for each axis.
    (C4) No stride is 0.
    """

    PATTERN_KIND: ClassVar = K_INJECTIVE
    PRECISION: ClassVar = FOLLOW

    @property
    @abstractmethod
    def axes(self) -> tuple[int, ...]:
        """The axes that are sliced."""

    @property
    @abstractmethod
    def begin(self) -> tuple[int, ...] | None:
        """The begins of the slices, if they are integers."""

    @property
    @abstractmethod
    def end(self) -> tuple[int, ...] | None:
        """The ends of the slices, if they are integers."""

    @property
    @abstractmethod
    def strides(self) -> tuple[int, ...] | None:
        """The stride along each axis, by default 1."""

    @property
    def given_sizes(self) -> list[Dims | None]:
        """Return the sizes of the shapes that begin and end may be."""
        return [v.type.shape for v in self.operands if isinstance(v.type, ShapeType)]

    def steps(self) -> tuple[int, ...]:
        """Return the stride along each axis."""
        count = len(self.axes)
        given = (1,) * count if self.strides is None else self.strides
        steps = tuple(max(-FAR, min(step, FAR)) for step in given)
        if len(steps) != count:
            self._fail_count("strides", len(steps))
        if 0 in steps:
            self.fail("strides other than 0 (C4)", str(list(steps)), "correct the strides")
        return steps

    def _fail_count(self, name: str, found: int) -> None:
        expected = f"{len(self.axes)} numbers in '{name}', one for each axis (C3)"
        self.fail(expected, str(found), "write one for each axis")

    def begins_and_ends(self) -> Sequence[Dims | None]:
        """Return the begins and the ends of the slices, as far as they are known."""
        given = [p for p in (self.begin, self.end) if p is not None]
        shapes = self.given_sizes
        counts = (len(given), len(shapes))
        if counts not in ((2, 0), (0, 2)):
            expected = "begin and end by two lists of integers or by two shapes (C1)"
            found = f"{counts[0]} lists and {counts[1]} shapes"
            self.fail(expected, found, "write both in one form")
        found = shapes or [tuple(map(near, p)) for p in given]
        for name, bounds in zip(("begin", "end"), found):
            if bounds is not None and len(bounds) != len(self.axes):
                self._fail_count(name, len(bounds))
        return found

    def bounded(self, rank: int) -> dict[int, tuple[Dim, Dim, int]]:
        """Begin, end and stride by axis, for a tensor of a rank."""
        axes = normalize_axes(self, self.axes, rank)
        unknown = (None,) * len(axes)
        begins, ends = (bounds or unknown for bounds in self.begins_and_ends())
        return dict(zip(axes, zip(begins, ends, self.steps())))

    def slices(self, shape: Dims) -> Mapping[int, Slice | None]:
        """Return the slice of every axis that is sliced, None if its size or bounds are not known."""
        return {d: _known(shape[d], *bounds) for d, bounds in self.bounded(len(shape)).items()}


def _known(size: Dim, begin: Dim, end: Dim, stride: int) -> Slice | None:
    if size is None or begin is None or end is None:
        return None
    try:
        return Slice.of(size, begin, end, stride)
    except SymbolicOverflow:
        return None


def sliced_shape(shape: Dims, slices: Mapping[int, Slice | None]) -> Dims:
    """Return a shape whose sliced axes have the lengths of the slices."""
    lengths = {d: None if s is None else s.length for d, s in slices.items()}
    return tuple(lengths.get(d, size) if d in lengths else size for d, size in enumerate(shape))


def given(
    x: Given,
    axes: Sequence[int],
    begin: Sequence[Bound],
    end: Sequence[Bound],
    strides: Sequence[int] | None,
) -> tuple[list[ShapeOp], dict[str, Sequence[int] | None]]:
    """Return the shapes and the properties of an op on slices; None is the begin or end of the axis. Two
    shapes are made if a bound is a symbolic size; negative integers are then resolved.
    """
    steps = strides if strides is not None else [1] * len(axes)
    low = [_or_end(b, s < 0) for b, s in zip(begin, steps)] if len(steps) == len(begin) else begin
    high = [_or_end(e, s > 0) for e, s in zip(end, steps)] if len(steps) == len(end) else end
    bounds = [[_as_size(b) for b in side] for side in (low, high)]
    plain = [[b.value for b in side if b.value is not None] for side in bounds]
    rest: dict[str, Sequence[int] | None] = {"axes": axes, "strides": strides}
    if all(len(p) == len(side) for p, side in zip(plain, bounds)):
        return [], {**rest, "begin": plain[0], "end": plain[1]}
    type = SSAValue.get(x).type
    sizes = type.shape if isinstance(type, TensorType) else None
    of_axes = [sizes[a] if sizes and -len(sizes) <= a < len(sizes) else None for a in axes]
    resolved = [[_resolved(*pair) for pair in zip(side, of_axes)] for side in bounds]
    return [ShapeOp(side) for side in resolved], rest


def _as_size(bound: Bound) -> Expr:
    return near(bound or 0) if isinstance(bound, int | None) else symbolic.as_expr(bound)


def _or_end(bound: Bound, high: bool) -> Bound:
    return bound if bound is not None else FAR if high else -FAR


def _resolved(bound: Expr, size: Dim) -> Expr:
    """Return a bound that counts from the front."""
    if bound.value is None or (0 <= bound.value < FAR):
        return bound
    if size is None or bound.value == -FAR:
        raise IllFormedOpError(
            f"relax: expected bounds of 0 or more where others are symbolic, found {bound} for an axis of "
            f"size {'?' if size is None else size}; insert a relax.match_cast that names the size, or "
            "slice in two steps"
        )
    return size if bound.value == FAR else symbolic.maximum(size + bound, 0)


@operator("relax.strided_slice")
class StridedSliceOp(SlicingOp):
    """The elements of x within slices of some of its axes, as `x[begin:end:stride]` in numpy.

    From Python begin and end may be symbolic sizes, and None is the begin or end of the axis.

    (C5) With `assume_inbound` every slice begins and ends inside of its axis, and ends after its begin;
    checked at run time unless proved.
    """

    STORES: ClassVar = True

    x: Operand = tensor()
    bounds: Operands = many(ShapeType)
    axes: Axes = ints()
    begin: OptionalAxes = ints(default=None)
    end: OptionalAxes = ints(default=None)
    strides: OptionalAxes = ints(default=None)
    assume_inbound: bool = flag(default=False)

    FIRST_IN_TEXT: ClassVar = ("assume_inbound",)

    def __init__(
        self,
        x: Given,
        axes: Sequence[int],
        begin: Sequence[Bound],
        end: Sequence[Bound],
        strides: Sequence[int] | None = None,
        assume_inbound: bool = False,
    ):
        shapes, attributes = given(x, axes, begin, end, strides)
        self.init_fields(x=x, bounds=shapes, **attributes, assume_inbound=assume_inbound)

    def demands(self, shape: Dims, bounded: Mapping[int, tuple[Dim, Dim, int]]) -> Iterator[Demand]:
        """Yield the demands that the slices lie inside of their axes, if that is assumed."""
        for d, (begin, end, stride) in bounded.items() if self.assume_inbound else ():
            size, found = shape[d], _known(shape[d], begin, end, stride)
            if found is not None and size is not None and begin is not None and end is not None:
                expected = f"begin and end inside of axis {d}, in this order (C5)"
                length = Slice.assumed(size, begin, end, stride)
                mend = "correct them, or leave assume_inbound out"
                yield Demand(expected, found.length, length, f"{hole(begin)} and {hole(end)}", mend)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if type.shape is None:
            self.steps()
            self.begins_and_ends()
            return (TensorType.get(None, type.dtype),)
        bounded = self.bounded(len(type.shape))
        refuse_unmet(self, self.demands(type.shape, bounded))
        shape = sliced_shape(type.shape, self.slices(type.shape))
        if self.assume_inbound:
            return (TensorType.get(self._assumed(type.shape, shape, bounded), type.dtype),)
        return (TensorType.get(shape, type.dtype),)

    def _assumed(
        self, shape: Dims, clamped: Dims, bounded: Mapping[int, tuple[Dim, Dim, int]]
    ) -> Dims:
        """Return the shape of the result as the bounds have it, which is simpler."""
        lengths = list(clamped)
        for d, (begin, end, stride) in bounded.items():
            size = shape[d]
            if (
                size is not None
                and begin is not None
                and end is not None
                and clamped[d] is not None
            ):
                length = Slice.assumed(size, begin, end, stride)
                lengths[d] = symbolic.maximum(length, 0)
        return tuple(lengths)


@operator("relax.slice_scatter")
class SliceScatterOp(SlicingOp):
    """A copy of `input_tensor` with a slice of it replaced by `src`, as `x[begin:end:stride] = src`.

    (C5) `src` has the shape of the slice; checked at run time unless proved.
    (C6) The tensors have one element type.
    """

    input_tensor: Operand = tensor()
    src: Operand = tensor()
    bounds: Operands = many(ShapeType)
    axes: Axes = ints()
    begin: OptionalAxes = ints(default=None)
    end: OptionalAxes = ints(default=None)
    strides: OptionalAxes = ints(default=None)

    def __init__(
        self,
        input_tensor: Given,
        src: Given,
        start: Bound | Sequence[Bound],
        end: Bound | Sequence[Bound],
        step: int | Sequence[int] = 1,
        axis: int | Sequence[int] = 0,
    ):
        axes = [axis] if isinstance(axis, int) else axis
        strides = [step] * len(axes) if isinstance(step, int) else step
        shapes, attributes = given(input_tensor, axes, listed(start), listed(end), strides)
        self.init_fields(input_tensor=input_tensor, src=src, bounds=shapes, **attributes)

    def demands(self, src: Dims, sliced: Dims) -> Iterator[Demand]:
        """Yield the demands that `src` is as large as the slice it replaces."""
        for d, (own, length) in enumerate(zip(src, sliced)):
            expected = f"axis {d} of 'src' to be as long as the slice (C5)"
            yield from equal_sizes(expected, own, length, "slice or pad 'src'")

    def infer(self) -> Sequence[Attribute]:
        type, src = tensor_type(self.input_tensor), tensor_type(self.src)
        dtype = common_dtype(self, type, src, "C6")
        require_same_rank(self, type, src, "C5")
        self.steps()
        self.begins_and_ends()
        if type.shape is not None:
            sliced = sliced_shape(type.shape, self.slices(type.shape))
            if src.shape is not None:
                refuse_unmet(self, self.demands(src.shape, sliced))
        return (TensorType.get(type.shape, dtype),)


def listed(bound: Bound | Sequence[Bound]) -> Sequence[Bound]:
    """Return bounds as a list."""
    single = bound is None or isinstance(bound, Expr | int | str)
    return [bound] if single else bound  # pyright: ignore[reportReturnType]


@operator("relax.dynamic_strided_slice", K_INJECTIVE, FOLLOW)
class DynamicStridedSliceOp(OperatorOp):
    """The elements of x within a slice of every axis, as `x[begin:end:stride]` in numpy, where begin, end
    and stride are elements of vectors: the size of the result is found when the program runs.

    (C1) Begin, end and strides are integers.
    (C2) They are vectors with an element for each axis of x; checked at run time unless proved.
    (C3) No stride is 0; checked at run time where it is not known before.
    """

    x: Operand = tensor()
    begin: Operand = tensor(INTEGER, Rank(1, "C2", "flatten it first"))
    end: Operand = tensor(INTEGER, Rank(1, "C2", "flatten it first"))
    strides: Operand = tensor(INTEGER, Rank(1, "C2", "flatten it first"))

    NOT_ZERO: ClassVar = "strides other than 0 (C3)"

    def demands(self, rank: int, bounds: Sequence[Dims]) -> Iterator[Demand]:
        """Yield the demand for a begin, an end and a stride for each axis."""
        for name, shape in zip(("begin", "end", "strides"), bounds):
            expected = f"'{name}' to have one element for each of {rank} axes (C2)"
            yield from equal_sizes(expected, shape[0], const(rank), f"correct '{name}'")

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        bounds = [tensor_type(value) for value in (self.begin, self.end, self.strides)]
        if 0 in known_indices(self.strides):
            self.fail(self.NOT_ZERO, "0", "correct the strides")
        if type.shape is None:
            return (TensorType.get(None, type.dtype),)
        rank = len(type.shape)
        refuse_unmet(self, self.demands(rank, [b.shape or (None,) for b in bounds]))
        return (TensorType.get((None,) * rank, type.dtype),)


SLICING = operators_in(globals())
