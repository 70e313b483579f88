"""Operators that look for elements: argmax, argmin, bucketize, nonzero, unique."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute
from xdsl.irdl import (
    var_result_def,
)

from relax_dialect import symbolic
from relax_dialect.ir.types import Dim, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import refuse_unmet
from relax_dialect.ops.fields import Operand, flag, one_axis, tensor
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.manipulate import element_count
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import common_dtype, shared_dim
from relax_dialect.ops.statistical import KeepdimsOp, some_element
from relax_dialect.ops.type_rules import NUMBER, Rank, tensor_type


class ArgReductionOp(KeepdimsOp):
    """The index (i64) of an element along an axis, the first one of equal elements; without an axis its
    linear index in row-major order. True is greater than False. `keepdims` keeps the reduced axes with size
    1.

    (C1) The axis is within -rank..rank-1.
    (C2) The reduced axes are not empty; checked at run time unless proved.
    """

    axis: int | None = one_axis("x", "C1", default=None)
    keepdims: bool = flag(default=False)

    def axes(self, rank: int) -> tuple[int, ...]:
        return tuple(range(rank)) if self.axis is None else (self.axis_of(rank),)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if type.shape is not None:
            refuse_unmet(self, some_element(self, type.shape, self.axes(len(type.shape)), "C2"))
        return (TensorType.get(self.reduced(type.shape), i64),)


@operator("relax.argmax")
class ArgmaxOp(ArgReductionOp):
    """The index of the largest element; of the first NaN if there is one."""


@operator("relax.argmin")
class ArgminOp(ArgReductionOp):
    """The index of the smallest element; of the first NaN if there is one."""


class PlacementOp(OperatorOp):
    """The number of elements of an ascending row before a value: the elements less than it, with `right`
    those less or equal. NaN sorts last.

    For rows that do not ascend the result is any index. It is i64, with `out_int32` i32.

    (C1) Row and values have one numeric element type.
    """

    PATTERN_KIND: ClassVar = K_OPAQUE
    ELEMENTS: ClassVar = NUMBER

    @property
    @abstractmethod
    def out_int32(self) -> bool:
        """Whether the result is i32."""

    @property
    @abstractmethod
    def right(self) -> bool:
        """Whether elements that are equal come before."""

    @property
    def place_type(self) -> Attribute:
        """The element type of the result."""
        return i32 if self.out_int32 else i64

    def placed(self, row: TensorType, values: TensorType) -> Sequence[Attribute]:
        """Return the result types for values to be searched in rows."""
        common_dtype(self, row, values)
        return (TensorType.get(values.shape, self.place_type),)


@operator("relax.bucketize")
class BucketizeOp(PlacementOp):
    """The number of the bucket that each element falls in: bucket i ends with boundary i, with `right`
    it begins after it.

    (C2) `boundaries` has rank 1.
    """

    input_tensor: Operand = tensor()
    boundaries: Operand = tensor(Rank(1, "C2"))
    out_int32: bool = flag(default=False)
    right: bool = flag(default=False)

    def infer(self) -> Sequence[Attribute]:
        return self.placed(tensor_type(self.boundaries), tensor_type(self.input_tensor))


@operator("relax.searchsorted")
class SearchsortedOp(PlacementOp):
    """The insertion index of each value that keeps its row of `sorted_sequence` sorted
    (`torch.searchsorted`).

    (C2) `sorted_sequence` has rank 1, or as many dimensions as `values`, of equal sizes but for the
         last one; checked at run time unless proved.
    """

    DEMAND: ClassVar = "equal sizes of sorted_sequence and values but for the last one (C2)"

    sorted_sequence: Operand = tensor()
    values: Operand = tensor()
    out_int32: bool = flag(default=False)
    right: bool = flag(default=False)

    def infer(self) -> Sequence[Attribute]:
        rows, values = tensor_type(self.sorted_sequence), tensor_type(self.values)
        if rows.shape is not None and values.shape is not None and len(rows.shape) != 1:
            if len(rows.shape) != len(values.shape):
                self.fail(
                    f"sorted_sequence of rank 1 or {len(values.shape)} (C2)",
                    f"rank {len(rows.shape)}",
                    "reshape one of the operands",
                )
            for d, sizes in enumerate(zip(rows.shape[:-1], values.shape)):
                shared_dim(self, sizes, f"of dimension {d}", "C2")
        return self.placed(rows, values)


@operator("relax.nonzero", K_OPAQUE)
class NonzeroOp(OperatorOp):
    """The indices of the nonzero elements (NaN is nonzero), in row-major order: a row for every dimension,
    a column for every element. A scalar counts as a vector.

    The number of columns is known when the program runs; a `relax.match_cast` names it.
    """

    x: Operand = tensor()

    def infer(self) -> Sequence[Attribute]:
        rank = tensor_type(self.x).rank
        rows = None if rank is None else symbolic.const(max(rank, 1))
        return (TensorType.get((rows, None), i64),)


@operator("relax.unique", K_OPAQUE)
class UniqueOp(OperatorOp):
    """The distinct elements, in ascending order, or in order of first occurrence if `sorted` is false; with
    an axis the distinct slices along it. Every NaN is the same, after the numbers; of equal elements the
    first one is taken.

    Further results, as vectors of i64: the index of the first occurrence of each, the number of the
    distinct element that every element equals (in row-major order), and the count of each. The number of
    distinct elements is known at run time, and before only for none and one; a `relax.match_cast` names it.

    (C1) The axis is within -rank..rank-1.
    (C2) There is a result for the elements and for each of `return_index`, `return_inverse` and
         `return_counts` that is true.
    """

    x: Operand = tensor()
    sorted: bool = flag(default=True)
    return_index: bool = flag(default=False)
    return_inverse: bool = flag(default=False)
    return_counts: bool = flag(default=False)
    axis: int | None = one_axis("x", "C1", default=None)
    outs = var_result_def(TensorType)

    RESULTS: ClassVar = "(C2)"

    @property
    def returned(self) -> tuple[bool, bool, bool]:
        """Return whether the first indices, the inverse and the counts are results."""
        return self.return_index, self.return_inverse, self.return_counts

    @property
    def result_count(self) -> int:
        return 1 + sum(self.returned)

    @staticmethod
    def number(size: Dim) -> Dim:
        """Return the number of distinct elements or slices, if it is known: all of none or one."""
        return size if size is not None and size.value in (0, 1) else None

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if self.axis is None:
            size = element_count(type.shape)
            shape = (self.number(size),)
        elif type.shape is None:
            shape, size = None, None
        else:
            axis = self.axis_of(len(type.shape))
            size = type.shape[axis]
            shape = (*type.shape[:axis], self.number(size), *type.shape[axis + 1 :])
        vectors = zip(self.returned, (self.number(size), size, self.number(size)))
        more = [TensorType.get((length,), i64) for given, length in vectors if given]
        return [TensorType.get(shape, type.dtype), *more]


OPS = operators_in(globals())
