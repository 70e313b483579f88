"""Indices of operators that read or write at them: their bounds, and the facts known while a program is
built."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from relax_dialect import symbolic
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.demands import Demand, guarded
from relax_dialect.ops.rules import broadcast_shapes
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.prim.run_time_checks import hole

MAX_LOOKED_AT = 4096
"""Constants of more indices than that are checked only when the program runs."""


def in_range(axis: int | str) -> str:
    """Return the demand on indices along an axis, for errors; negative ones count from its end."""
    return f"every index to be within -size..size-1 of axis {axis}"


def known_indices(value: SSAValue) -> Sequence[int]:
    """Return the indices of a constant; none of any other value."""
    owner = value.owner
    if not isinstance(owner, ConstantOp):
        return ()
    element = owner.value.get_element_type()
    if not isinstance(element, IntegerType):
        return ()
    if len(owner.value.data.data) > MAX_LOOKED_AT * element.size:
        return ()
    return [int(v) for v in owner.value.get_values()]  # pyright: ignore


def refuse_outside(
    op: OperatorOp, indices: SSAValue, sizes: Sequence[Dim], first_axis: int, constraint: str
) -> None:
    """Raise an error for constant indices outside of an axis; indices of several axes are interleaved."""
    if not sizes or all(size is None or size.value is None for size in sizes):
        return
    for place, index in enumerate(known_indices(indices)):
        axis = place % len(sizes)
        size = sizes[axis]
        length = None if size is None else size.value
        if length is not None and not -length <= index < length:
            op.fail(
                f"{in_range(first_axis + axis)} ({constraint})",
                f"{index} for a size of {length}",
                "correct the index",
            )


def equal_sizes(expected: str, a: Dim, b: Dim, mend: str) -> list[Demand]:
    """Return the demand that two sizes are equal, if both are known."""
    if a is None or b is None:
        return []
    return [Demand(expected, a, b, f"{hole(a)} and {hole(b)}", mend)]


def at_most(expected: str, small: Dim, large: Dim, mend: str) -> list[Demand]:
    """Return the demand that one size is not larger than another, if both are known."""
    if small is None or large is None:
        return []
    least = guarded(lambda: symbolic.minimum(small, large))
    if least is None:
        return []
    return [Demand(expected, least, small, f"{hole(small)} and {hole(large)}", mend)]


def with_shape(shape: Sequence[Dim] | None, dtype: Attribute | None) -> tuple[TensorType]:
    """Return the only result type of an operator."""
    return (TensorType.get(None if shape is None else tuple(shape), dtype),)


def inside(data: Dims, indices: Dims, axis: int, name: str) -> Iterator[Demand]:
    """Yield the demands that a tensor is no longer than another along all axes but one."""
    for d, (size, limit) in enumerate(zip(indices, data)):
        if d != axis:
            expected = f"'{name}' to be at most as long as 'data' along axis {d} (C3)"
            yield from at_most(expected, size, limit, f"slice '{name}'")


def require_same_rank(op: OperatorOp, data: TensorType, other: TensorType, constraint: str) -> None:
    """Refuse tensors that are known to have different ranks."""
    if data.rank is not None and other.rank is not None and data.rank != other.rank:
        op.fail(
            f"tensors of one rank ({constraint})",
            f"{data.rank} and {other.rank}",
            "add dimensions with relax.expand_dims or relax.reshape",
        )


def require_depth(
    op: OperatorOp, data: TensorType, batch: int, depth: int, constraint: str
) -> None:
    """Refuse more indices in a row than there are dimensions to count along."""
    if data.rank is not None and depth > data.rank - batch:
        op.fail(
            f"at most {max(data.rank - batch, 0)} indices in a row for {data} ({constraint})",
            str(depth),
            "correct the last size of 'indices'",
        )


def broadcast_indices(op: OperatorOp, data: TensorType, indices: Sequence[SSAValue]) -> Dims | None:
    """Return the shape that tensors of indices broadcast to; checks (C2) to (C4) of them."""
    types = [tensor_type(value) for value in indices]
    if not types or (data.rank is not None and len(types) > data.rank):
        count = "one tensor or more" if data.rank is None else f"1 to {data.rank} tensors"
        op.fail(f"{count} of indices for {data} (C2)", str(len(types)), "write one for each axis")
    if data.shape is not None:
        for axis, value in enumerate(indices):
            refuse_outside(op, value, [data.shape[axis]], axis, "C4")
    return broadcast_shapes(op, indices, "C3")
