"""Canonical forms of equivalent attribute values: functions of an op and a value. If the form depends on an
unknown, such as the rank of an operand, a value is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from relax_dialect.ir.types import TensorType

Meaning: TypeAlias = Callable[[Any, Any], Any]


def rank_of(op: Any, name: str) -> int | None:
    """Return the rank of an operand or result, of the first of many."""
    value = getattr(op, name)
    first = next(iter(value), None) if isinstance(value, Sequence) else value
    type = None if first is None else first.type
    return type.rank if isinstance(type, TensorType) else None


def axis_from_front(of: str) -> Meaning:
    """Return an axis counted from the front."""

    def meaning(op: Any, axis: int | None) -> int | None:
        rank = rank_of(op, of)
        return axis if axis is None or axis >= 0 or rank is None else axis + rank

    return meaning


def axes_from_front(of: str, ordered: bool = True) -> Meaning:
    """Return the meaning of axes: counted from the front, by default all, in ascending order if the order
    is irrelevant."""

    def meaning(op: Any, axes: Sequence[int] | None) -> tuple[int, ...] | None:
        rank = rank_of(op, of)
        if rank is None or axes is None:
            return axes if rank is None or axes is not None else tuple(range(rank))  # pyright: ignore
        found = [axis + rank if axis < 0 else axis for axis in axes]
        return tuple(found if ordered else sorted(found))

    return meaning


def element_type_of_result(op: Any, dtype: Any) -> Any:
    """Return the element type of the result for an omitted one."""
    type = op.results[0].type if dtype is None and op.results else None
    return type.dtype if isinstance(type, TensorType) else dtype
