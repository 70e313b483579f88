"""Operators that write elements at indices into a copy of a tensor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, refuse_unmet
from relax_dialect.ops.fields import Operand, Operands, flag, many_tensors, one_axis, string, tensor
from relax_dialect.ops.indices import (
    broadcast_indices,
    equal_sizes,
    inside,
    refuse_outside,
    require_depth,
    require_same_rank,
)
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.manipulate import refuse_other_size
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import common_dtype
from relax_dialect.ops.type_rules import INTEGER, LeastRank, is_bool, tensor_type

REDUCTIONS = ("update", "add", "mul", "mean", "max", "min")
"""The ways to combine an element and its update; "update" takes the update alone."""

MEND = "slice or reshape 'updates'"


class ScatterOp(OperatorOp):
    """A copy of `data` with its elements at `indices` combined with `updates`, one after the other.

    By `reduction` "update" an element is replaced (by the last of several updates), by "add", "mul",
    "max" and "min" combined with its updates; "mean" is the mean of the element and all its updates,
    rounded down for integers.

    (C1) The indices are integers; `data` and `updates` have one element type, a number unless the
         reduction is "update".
    (C4) `reduction` is one of those.
    """

    data: Operand = tensor()
    indices: Operand = tensor(INTEGER)
    updates: Operand = tensor()
    PATTERN_KIND: ClassVar = K_OPAQUE

    @property
    @abstractmethod
    def reduction(self) -> str:
        """The combination of an element and its update."""

    def check_types(self) -> Attribute | None:
        """Return the element type of the result; checks (C1)."""
        dtype = common_dtype(self, tensor_type(self.data), tensor_type(self.updates))
        require_combinable(self, dtype, self.reduction == "update")
        return dtype


def require_combinable(op: OperatorOp, dtype: Attribute | None, replaces: bool) -> None:
    """Refuse booleans where elements are combined by arithmetic."""
    if dtype is not None and is_bool(dtype) and not replaces:
        mend = "convert with relax.astype first"
        op.fail("a numeric element type to combine elements (C1)", f"{dtype}", mend)


@operator("relax.scatter_elements")
class ScatterElementsOp(ScatterOp):
    """`data` with each update combined with the element whose index along an axis is an element of
    `indices`, and along the others that of the update: `result[indices[i, j], j] = updates[i, j]` for axis
    0.

    (C2) -rank <= axis < rank.
    (C3) The operands have one rank; `indices` and `updates` have one shape, no longer than `data` along
         the other axes; checked at run time unless proved.
    (C5) Every index is within -size..size-1 of the axis; checked at run time.
    """

    axis: int = one_axis("data", default=0)
    reduction: str = string(default="update", among=REDUCTIONS, constraint="C4")

    def demands(self, data: Dims, indices: Dims, updates: Dims | None) -> Iterator[Demand]:
        """Yield the demands for an index for every update, and an element for both."""
        for d, (a, b) in enumerate(zip(indices, updates or ())):
            expected = f"the size of axis {d} of 'indices' and 'updates' to be equal (C3)"
            yield from equal_sizes(expected, a, b, MEND)
        yield from inside(data, indices, self.axis_of(len(data)), "indices")

    def infer(self) -> Sequence[Attribute]:
        dtype = self.check_types()
        data, indices = tensor_type(self.data), tensor_type(self.indices)
        updates = tensor_type(self.updates)
        for other in (indices, updates):
            require_same_rank(self, data, other, "C3")
        require_same_rank(self, indices, updates, "C3")
        if data.shape is not None:
            axis = self.axis_of(len(data.shape))
            refuse_outside(self, self.indices, [data.shape[axis]], axis, "C5")
            if indices.shape is not None:
                refuse_unmet(self, self.demands(data.shape, indices.shape, updates.shape))
        return (TensorType.get(data.shape, dtype),)


@operator("relax.scatter_nd")
class ScatterNdOp(ScatterOp):
    """`data` with the slices at the indices in the last dimension of `indices` combined with those of
    `updates`: `result[indices[i, 0], indices[i, 1], ...] = updates[i, ...]`.

    (C2) `indices` has rank 1 or more, and its last size is a number of dimensions that `data` has.
    (C3) The shape of `updates` is that of `indices` without the last size, and then that of `data`
         without the dimensions counted along; checked at run time unless proved.
    (C5) Every index is within -size..size-1 of its axis; checked at run time.
    """

    indices: Operand = tensor(INTEGER, LeastRank(1, "C2"))
    reduction: str = string(default="update", among=REDUCTIONS, constraint="C4")

    def demands(self, data: Dims, indices: Dims, updates: Dims) -> Iterator[Demand]:
        """Yield the demands for an update for every row of indices."""
        assert indices[-1] is not None and indices[-1].value is not None
        wanted = (*indices[:-1], *data[indices[-1].value :])
        for d, (a, b) in enumerate(zip(updates, wanted)):
            expected = f"axis {d} of 'updates' to be as long as 'indices' and 'data' say (C3)"
            yield from equal_sizes(expected, a, b, MEND)

    def infer(self) -> Sequence[Attribute]:
        dtype = self.check_types()
        data, indices = tensor_type(self.data), tensor_type(self.indices)
        depth = None if indices.shape is None else indices.shape[-1]
        if data.shape is not None and depth is not None and depth.value is not None:
            require_depth(self, data, 0, depth.value, "C2")
            refuse_outside(self, self.indices, data.shape[: depth.value], 0, "C5")
            self._check_updates(data.shape, indices.shape or (), depth.value)
        return (TensorType.get(data.shape, dtype),)

    def _check_updates(self, data: Dims, indices: Dims, depth: int) -> None:
        updates = tensor_type(self.updates).shape
        rank = len(indices) - 1 + len(data) - depth
        if updates is not None and len(updates) != rank:
            self.fail(f"'updates' to have rank {rank} (C3)", str(len(updates)), MEND)
        if updates is not None:
            refuse_unmet(self, self.demands(data, indices, updates))


@operator("relax.index_put", K_OPAQUE)
class IndexPutOp(OperatorOp):
    """A copy of `data` with `data[indices[0], indices[1], ...] = values`: the tensors of indices broadcast
    and index the first dimensions, `values` broadcast to the elements there. Of several values for one
    element the last is stored, or with `accumulate` all are added to it.

    (C1) The indices are integers; `data` and `values` have one element type, a number to accumulate.
    (C2) There is at least one tensor of indices, and at most one for each dimension of `data`.
    (C3) The tensors of indices broadcast; checked at run time unless proved.
    (C4) Every index is within -size..size-1 of its axis; checked at run time.
    (C5) `values` broadcast to the elements at the indices; checked at run time unless proved.
    """

    data: Operand = tensor()
    indices: Operands = many_tensors(INTEGER)
    values: Operand = tensor()
    accumulate: bool = flag(default=False)

    @property
    def reduction(self) -> str:
        """The combination of an element and its update."""
        return "add" if self.accumulate else "update"

    def places(self, data: Dims, found: Dims) -> Dims:
        """Return the shape of the elements that are written, for tensors of indices of some shape."""
        return (*found, *data[len(self.indices) :])

    def infer(self) -> Sequence[Attribute]:
        data, values = tensor_type(self.data), tensor_type(self.values)
        dtype = common_dtype(self, data, values)
        require_combinable(self, dtype, not self.accumulate)
        found = broadcast_indices(self, data, self.indices)
        if data.shape is not None and found is not None and values.shape is not None:
            require_broadcast(self, values.shape, self.places(data.shape, found))
        return (TensorType.get(data.shape, dtype),)


VALUES = "'values' to broadcast to the elements at the indices (C5)"
"""The demand on the values of `relax.index_put`, for errors."""


def require_broadcast(op: OperatorOp, values: Dims, target: Dims) -> None:
    """Refuse values that provably do not broadcast to a shape."""
    if len(values) > len(target):
        op.fail(VALUES, f"rank {len(values)} for {len(target)}", "take some of the values")
    for own, wanted in zip(reversed(values), reversed(target)):
        refuse_other_size(op, own, wanted, "C5")


SCATTERING = operators_in(globals())
