"""Operators that repeat, reverse, shift and pad along the axes of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import (
    Axes,
    Num,
    Operand,
    OptionalAxes,
    integer,
    ints,
    number,
    one_axis,
    some_axes,
    string,
    tensor,
)
from relax_dialect.ops.kinds import FOLLOW, K_INJECTIVE
from relax_dialect.ops.manipulate import element_count
from relax_dialect.ops.number_attributes import require_number_of
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import shared_dim
from relax_dialect.ops.type_rules import INTEGER, Rank, tensor_type
from relax_dialect.symbolic import SymbolicOverflow


def times(size: Dim, factor: int) -> Dim:
    """Return a multiple of a size, None if it is not known."""
    try:
        return symbolic.const(0) if factor == 0 else None if size is None else size * factor
    except SymbolicOverflow:
        return None


@operator("relax.tile", K_INJECTIVE, FOLLOW)
class TileOp(OperatorOp):
    """The whole tensor repeated along each axis; `repeats` and axes are aligned at the end, as in
    `numpy.tile`.

    (C1) Every number of `repeats` is at least 0.
    """

    STORES: ClassVar = True

    x: Operand = tensor()
    repeats: Axes = ints(least=0, constraint="C1")

    def factors(self, rank: int) -> tuple[int, ...]:
        """Return the number of repetitions along each axis of the result, for an operand of a rank."""
        factors = self.repeats
        return (1,) * (rank - len(factors)) + factors

    def result_shape(self, x: Dims) -> Dims:
        factors = self.factors(len(x))
        sizes = (symbolic.const(1),) * (len(factors) - len(x)) + x
        return tuple(map(times, sizes, factors))


@operator("relax.repeat", K_INJECTIVE, FOLLOW)
class RepeatOp(OperatorOp):
    """Every element repeated along an axis; without `axis` those of the flattened tensor.

    (C1) `repeats` is at least 0.
    (C2) The axis is within -rank..rank-1.
    """

    x: Operand = tensor()
    repeats: int = integer(least=0, constraint="C1")
    axis: int | None = one_axis(default=None)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if self.axis is None:
            return (TensorType.get((times(element_count(type.shape), self.repeats),), type.dtype),)
        if type.shape is None:
            return (TensorType.get(None, type.dtype),)
        axis = self.axis_of(len(type.shape))
        shape = list(type.shape)
        shape[axis] = times(shape[axis], self.repeats)
        return (TensorType.get(tuple(shape), type.dtype),)


@operator("relax.flip", K_INJECTIVE, FOLLOW)
class FlipOp(OperatorOp):
    """The elements along an axis in reverse order.

    (C1) The axis is within -rank..rank-1.
    """

    STORES: ClassVar = True

    x: Operand = tensor()
    axis: int = one_axis("x", "C1")


@operator("relax.roll", K_INJECTIVE, FOLLOW)
class RollOp(OperatorOp):
    """The elements shifted cyclically along axes; without `axis` those of the flattened tensor. As
    `numpy.roll`.

    (C1) There is one number in `shift` for each axis, or only one without `axis`.
    (C2) Every axis is within -rank..rank-1 and occurs once.
    """

    x: Operand = tensor()
    shift: Axes = ints()
    axis: OptionalAxes = some_axes(default=None)

    def infer(self) -> Sequence[Attribute]:
        expected = 1 if self.axis is None else len(self.axis)
        if len(self.shift) != expected:
            self.fail(
                "as many numbers in shift as there are axes (C1)"
                if self.axis is not None
                else "one number in shift without axis (C1)",
                str(list(self.shift)),
                "write one for each axis",
            )
        return super().infer()

    @property
    def distance(self) -> int:
        """Return the shift of the flattened tensor, without an axis."""
        return self.shift[0]

    def shifts(self, rank: int) -> dict[int, int]:
        """Return the shift of every axis that is moved, for a tensor of a rank."""
        assert self.axis is not None
        return dict(zip(self.axes_of(rank, "axis"), self.shift))


LENGTHS = replace(INTEGER, expected="a vector of integers, an integer element type")


@operator("relax.reverse_sequence", K_INJECTIVE, FOLLOW)
class ReverseSequenceOp(OperatorOp):
    """The first `seq_lengths[b]` elements along `seq_axis` in reverse order, for each `b` along
    `batch_axis`; the rest stays. A length beyond the size counts as the size.

    (C1) `seq_lengths` is a vector of integers, as long as the batch axis; checked at run time where
         that is not proved.
    (C2) The axes are within -rank..rank-1 and differ.
    """

    DEMAND: ClassVar = "as many lengths as the batch axis is long"

    x: Operand = tensor()
    seq_lengths: Operand = tensor(LENGTHS, Rank(1, "C1", "flatten it first"))
    seq_axis: int = one_axis(default=1, shown=True)
    batch_axis: int = one_axis(default=0, shown=True)

    def axes(self, rank: int) -> tuple[int, int]:
        """Return the sequence axis and the batch axis, counted from the front."""
        axes = self.axis_of(rank, "seq_axis"), self.axis_of(rank, "batch_axis")
        if axes[0] == axes[1]:
            found = f"{self.seq_axis} and {self.batch_axis}"
            self.fail("two different axes (C2)", found, "correct one of them")
        return axes

    def infer(self) -> Sequence[Attribute]:
        shape, lengths = tensor_type(self.x).shape, tensor_type(self.seq_lengths).shape
        if shape is not None:
            _, batch = self.axes(len(shape))
            where = "of seq_lengths and the batch axis"
            shared_dim(self, (shape[batch], *(lengths or ())), where, "C1")
        return super().infer()


MODES = ("constant", "reflect", "replicate", "circular")
"""The elements that padding adds: a number, the elements mirrored at the edge (which itself is not
repeated), the one at the edge, or the elements of the other end."""


@operator("relax.pad", K_INJECTIVE, FOLLOW)
class PadOp(OperatorOp):
    """The tensor with elements added before and after it along each axis.

    `pad_width` has a number for before and one for after each axis: `[before_0, after_0, before_1, ...]`.
    `pad_mode` is "constant" (`pad_value`), "reflect" (mirrored at the edge, which is not repeated),
    "replicate" (the element at the edge) or "circular" (the elements of the other end).

    (C1) `pad_width` has two numbers for each axis, of at least 0.
    (C2) `pad_mode` is one of those.
    (C3) `pad_value` is a number that an integer element type holds.
    (C4) Where elements are repeated, there are enough along the axis: more than are added at one side
         for "reflect", as many for "circular", one for "replicate"; checked at run time unless
         proved.
    """

    x: Operand = tensor()
    pad_width: Axes = ints(least=0, constraint="C1")
    pad_mode: str = string(default="constant", shown=True, among=MODES, constraint="C2")
    pad_value: Num = number(default=None, absent=0)

    @property
    def widths(self) -> list[tuple[int, int]]:
        """The numbers of elements added before and after each axis."""
        flat = self.pad_width
        return list(zip(flat[::2], flat[1::2]))

    def least(self, before: int, after: int) -> int:
        """Return the minimum size of an axis for the elements that are added to it."""
        if before == after == 0:
            return 0
        needed = {"constant": 0, "reflect": max(before, after) + 1, "replicate": 1}
        return needed.get(self.pad_mode, max(before, after))

    def demand(self, axis: int, least: int) -> str:
        """Return the demand on the size of an axis whose elements are repeated, for errors."""
        return f'axis {axis} to have at least {least} elements for pad_mode "{self.pad_mode}"'

    def infer(self) -> Sequence[Attribute]:
        type, flat = tensor_type(self.x), self.pad_width
        require_number_of(self, "pad_value", self.pad_value, type.dtype, "C3")
        if len(flat) % 2 or (type.rank is not None and len(flat) != 2 * type.rank):
            count = "an even number" if type.rank is None else str(2 * type.rank)
            self.fail(
                f"{count} of numbers in pad_width (C1)"
                if type.rank is None
                else f"{count} numbers in pad_width for a tensor of rank {type.rank} (C1)",
                str(list(flat)),
                "write two for each axis",
            )
        shape = type.shape if type.shape is not None else (None,) * len(self.widths)
        sizes = [self._padded(axis, *item) for axis, item in enumerate(zip(shape, self.widths))]
        return (TensorType.get(tuple(sizes), type.dtype),)

    def _padded(self, axis: int, size: Dim, width: tuple[int, int]) -> Dim:
        if size is None:
            return None
        least = self.least(*width)
        most = size.bounds()[1]
        if most is not None and most < least:
            self.fail(f"{self.demand(axis, least)} (C4)", str(size), "pad less")
        try:
            return size + sum(width)
        except SymbolicOverflow:
            return None


OPS = operators_in(globals())
