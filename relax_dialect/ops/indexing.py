"""Operators that read and write elements at indices: take, gather, scatter, slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect.ir.types import Dims
from relax_dialect.ops import scattering, slicing
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, refuse_unmet
from relax_dialect.ops.fields import (
    Operand,
    Operands,
    integer,
    many_tensors,
    one_axis,
    string,
    tensor,
    tensor_or_scalar,
)
from relax_dialect.ops.indices import (
    broadcast_indices,
    equal_sizes,
    in_range,
    inside,
    refuse_outside,
    require_depth,
    require_same_rank,
    with_shape,
)
from relax_dialect.ops.kinds import FOLLOW, K_INJECTIVE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import FLOAT, INTEGER, LeastRank, tensor_type

MODES = ("fast", "clip", "wrap", "nan")
"""The treatment of an index outside of its axis: an error, the nearest one, modulo the size, or NaN for its
element."""


@operator("relax.take", K_INJECTIVE, FOLLOW)
class TakeOp(OperatorOp):
    """The elements of x at indices along an axis, as `numpy.take` (ONNX's Gather).

    An index outside of the axis is an error in mode "fast", where negative ones count from the end; mode
    "clip" takes the nearest element, mode "wrap" the element at the index modulo the size; mode "nan"
    yields NaN, at negative indices too, as TVM does.

    (C1) The indices are integers.
    (C2) The axis is within -rank..rank-1; without `axis` x is a vector.
    (C3) `mode` is one of those.
    (C4) In mode "fast" every index is within -size..size-1 of the axis, in the modes "clip" and "wrap"
         the axis has elements if there are indices; checked at run time where it is not known before.
    (C5) In mode "nan" x has a floating-point element type.
    """

    STORES: ClassVar = True

    x: Operand = tensor()
    indices: Operand = tensor_or_scalar(INTEGER)
    axis: int | None = one_axis(default=None)
    mode: str = string(default="fast", among=MODES, constraint="C3")

    def axis_of(self, rank: int, name: str = "axis") -> int:
        """Return the axis, counted from the front."""
        if self.axis is not None:
            return super().axis_of(rank, name)
        if rank != 1:
            self.fail("a vector x without axis (C2)", f"rank {rank}", "write axis, or flatten x")
        return 0

    def demand(self, axis: int) -> str:
        """Return the demand on the indices, for errors."""
        return in_range(axis) if self.mode == "fast" else f"axis {axis} to have elements to take"

    def infer(self) -> Sequence[Attribute]:
        x, indices = tensor_type(self.x), tensor_type(self.indices)
        if self.mode == "nan":
            FLOAT.by("C5").check(self, "x", x)
        if x.shape is None:
            return with_shape(None, x.dtype)
        axis = self.axis_of(len(x.shape))
        if self.mode == "fast":
            refuse_outside(self, self.indices, [x.shape[axis]], axis, "C4")
        if indices.shape is None:
            return with_shape(None, x.dtype)
        return with_shape((*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :]), x.dtype)


@operator("relax.gather_elements", K_INJECTIVE, FOLLOW)
class GatherElementsOp(OperatorOp):
    """The elements of `data` whose index along an axis is an element of `indices`, and along the others the
    index of that element: `result[i, j] = data[indices[i, j], j]` for axis 0 (`numpy.take_along_axis`).

    (C1) The indices are integers.
    (C2) -rank <= axis < rank.
    (C3) `data` and `indices` have one rank, and `indices` is not longer along the other axes; checked
         at run time unless proved.
    (C4) Every index is within -size..size-1 of the axis; checked at run time.
    """

    STORES: ClassVar = True

    data: Operand = tensor()
    indices: Operand = tensor(INTEGER)
    axis: int = one_axis("data", default=0)

    def demands(self, data: Dims, indices: Dims) -> Iterator[Demand]:
        """Yield the demand that `data` has an element for every index of `indices`."""
        return inside(data, indices, self.axis_of(len(data)), "indices")

    def infer(self) -> Sequence[Attribute]:
        data, indices = tensor_type(self.data), tensor_type(self.indices)
        require_same_rank(self, data, indices, "C3")
        if data.shape is not None:
            axis = self.axis_of(len(data.shape))
            refuse_outside(self, self.indices, [data.shape[axis]], axis, "C4")
            if indices.shape is not None:
                refuse_unmet(self, self.demands(data.shape, indices.shape))
        rank = data.rank if indices.shape is None else None
        return with_shape((None,) * rank if rank is not None else indices.shape, data.dtype)


@operator("relax.gather_nd", K_INJECTIVE, FOLLOW)
class GatherNdOp(OperatorOp):
    """The slices of `data` at the indices in the last dimension of `indices`, for each index of the first
    `batch_dims` dimensions of both: `result[b, i] = data[b, indices[b, i, 0], ...]`.

    (C1) The indices are integers.
    (C2) `indices` has rank 1 or more, and its last size is a number of dimensions that `data` has
         after the first `batch_dims`.
    (C3) `batch_dims` is at least 0 and less than the rank of `indices`.
    (C4) The first `batch_dims` sizes are equal; checked at run time unless proved.
    (C5) Every index is within -size..size-1 of its axis; checked at run time.
    """

    STORES: ClassVar = True

    data: Operand = tensor()
    indices: Operand = tensor(INTEGER, LeastRank(1, "C2"))
    batch_dims: int = integer(default=0, least=0, constraint="C3")

    def demands(self, data: Dims, indices: Dims) -> Iterator[Demand]:
        """Yield the demand that the batch sizes of both agree."""
        for axis, (a, b) in enumerate(zip(data[: self.batch_dims], indices)):
            expected = f"the size of axis {axis} of 'data' and 'indices' to be equal (C4)"
            yield from equal_sizes(expected, a, b, "correct 'batch_dims' or the shapes")

    def infer(self) -> Sequence[Attribute]:
        data, indices = tensor_type(self.data), tensor_type(self.indices)
        if indices.shape is None:
            return with_shape(None, data.dtype)
        if self.batch_dims >= len(indices.shape):
            expected = (
                f"batch_dims to be less than the rank of 'indices', {len(indices.shape)} (C3)"
            )
            self.fail(expected, str(self.batch_dims), "correct batch_dims")
        depth = indices.shape[-1]
        if data.shape is None or depth is None or depth.value is None:
            return with_shape(None, data.dtype)
        first, last = self.batch_dims, self.batch_dims + depth.value
        require_depth(self, data, self.batch_dims, depth.value, "C2")
        refuse_unmet(self, self.demands(data.shape, indices.shape))
        refuse_outside(self, self.indices, data.shape[first:last], first, "C5")
        return with_shape((*indices.shape[:-1], *data.shape[last:]), data.dtype)


@operator("relax.index_tensor", K_INJECTIVE, FOLLOW)
class IndexTensorOp(OperatorOp):
    """`data[indices[0], indices[1], ...]`: the tensors of indices broadcast, and index the first dimensions
    of `data`, as in numpy's advanced indexing.

    (C1) The indices are integers.
    (C2) There is at least one tensor of indices, and at most one for each dimension of `data`.
    (C3) The tensors of indices broadcast; checked at run time unless proved.
    (C4) Every index is within -size..size-1 of its axis; checked at run time.
    """

    data: Operand = tensor()
    indices: Operands = many_tensors(INTEGER)

    def infer(self) -> Sequence[Attribute]:
        data = tensor_type(self.data)
        found = broadcast_indices(self, data, self.indices)
        if found is None or data.shape is None:
            return with_shape(None, data.dtype)
        return with_shape((*found, *data.shape[len(self.indices) :]), data.dtype)


OPS = [*operators_in(globals()), *scattering.SCATTERING, *slicing.SLICING]
