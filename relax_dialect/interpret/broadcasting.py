"""Elementwise operators on several tensors: what does not broadcast is an error that names the sizes as
compiled code does, by the types of the operands, and not one of numpy's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.values import Array
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.rules import tensor_type
from relax_dialect.types import Dim

Axis = Sequence[tuple[int, Dim]]
"""The sizes that the operands have along one axis of the result: the number, and what the type says."""


def broadcasting(op_type: type[OperatorOp], function: Callable[..., Any]) -> Any:
    """The semantics of an operator without attributes whose operands broadcast."""

    def run(op: OperatorOp, *operands: Array) -> Any:
        require_broadcast(op, operands)
        return function(*operands)

    return operator_with_attributes(op_type, run)


def require_broadcast(op: OperatorOp, operands: Sequence[Array], kept: int = 0) -> None:
    """Stop at the first axis, but for the last ones that are `kept`, along which two sizes differ and
    none of them is 1."""
    try:
        np.broadcast_shapes(*(array.shape[: max(array.ndim - kept, 0)] for array in operands))
    except ValueError:
        shapes = (_from_the_end(op, n, array)[kept:] for n, array in enumerate(operands))
        raise RelaxError(next(_messages(*shapes))) from None


def _messages(*shapes: Axis) -> Iterator[str]:
    """What is wrong along each axis, from the first one on, of shapes that begin with the last one."""
    axes = zip_longest(*shapes)
    for axis in reversed(list(axes)):
        differing: dict[int, Dim] = {}
        for number, size in filter(None, axis):
            differing.setdefault(number, size)
        differing.pop(1, None)
        if len(differing) > 1:
            yield _message(*list(differing.items())[:2])


def _from_the_end(op: OperatorOp, place: int, array: Array) -> Axis:
    shape = tensor_type(op.operands[place]).shape or (None,) * array.ndim
    return list(zip(array.shape, shape))[::-1]


def _message(one: tuple[int, Dim], other: tuple[int, Dim]) -> str:
    """What a user is told about two sizes, in the words of the check in compiled code."""
    (a_number, a), (b_number, b) = one, other
    found = f"found {a_number} and {b_number}"
    if a is None or b is None or (a.is_constant and b.is_constant):
        return f"expected sizes to broadcast: to be equal, or one of them 1, {found}"
    if a.is_constant or b.is_constant:
        known, size = (a, b) if a.is_constant else (b, a)
        return f"expected {size} to be 1 or {known}, {found}"
    parts = " and ".join(map(str, symbolic.broadcast_parts(symbolic.broadcast(a, b))))
    return f"expected {parts} to broadcast: to be equal, or one of them 1, {found}"
