"""Questions of rules about values: the number that fills one, its shape, whether it may replace another."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from relax_dialect.builder.values import Value
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import from_dense, numpy_dtype
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.storage import is_repeated
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.create import FillOp, FullLikeOp, FullOp
from relax_dialect.ops.manipulate import BroadcastToOp, ReshapeOp
from relax_dialect.symbolic import Expr

FARTHEST = 4
"""Through so many ops that only repeat or reshape it a number is looked for."""


def known_shape(value: Value | SSAValue) -> tuple[Expr, ...] | None:
    """Return the sizes of a tensor, None unless each has an expression."""
    type = value.type
    if not isinstance(type, TensorType) or type.shape is None:
        return None
    sizes = tuple(size for size in type.shape if size is not None)
    return sizes if len(sizes) == len(type.shape) else None


NUMBERED = (ConstantOp, FillOp, BroadcastToOp, ReshapeOp)
"""The ops whose result may have one number everywhere."""


def may_be_number(value: SSAValue) -> bool:
    """Return whether a value may have one number everywhere: a quick look."""
    return isinstance(owner(value), NUMBERED)


def number_of(value: SSAValue) -> Any | None:
    """Return the number that all elements of a constant, `full`, `zeros`, ... are, as numpy has it."""
    found = value
    for _ in range(FARTHEST):
        op = owner(found)
        if isinstance(op, ConstantOp):
            return _repeated(op)
        if isinstance(op, FullOp | FullLikeOp):
            if op.fill_value.type.dtype != op.result.type.dtype:  # pyright: ignore
                return None
            found = op.fill_value
        elif isinstance(op, FillOp):
            return _as_number(op)
        elif isinstance(op, BroadcastToOp | ReshapeOp):
            found = op.x
        else:
            return None
    return None


def _repeated(op: ConstantOp) -> Any | None:
    """Return the first element of a constant, if all have its bytes: 0.0 and -0.0 are two numbers."""
    with suppress(RelaxError):  # numpy does not have every element type
        array = from_dense(op.value)
        if is_repeated(op.value.data.data, array.dtype.itemsize):
            return array.flat[0]
    return None


def _as_number(op: FillOp) -> Any | None:
    type = op.result.type
    if op.NUMBER is None or not isinstance(type, TensorType) or type.dtype is None:
        return None
    with suppress(RelaxError):
        return numpy_dtype(type.dtype).type(op.NUMBER)
    return None


def spreads_into(small: Value, large: Value) -> bool:
    """Return whether broadcasting with `small` provably keeps the shape of `large`."""
    if small.shape is None or large.shape is None:
        return small.shape == ()
    if len(small.shape) > len(large.shape):
        return False
    pairs = zip(reversed(small.shape), reversed(large.shape))
    return all(a is not None and (a.value == 1 or a is b) for a, b in pairs)


def same(root: Value, value: Value) -> Value | None:
    """Return a value that replaces the root, None if its type is less precise."""
    return value if is_subtype(value.type, root.type) else None


def fitting(root: Value, make: Callable[[], Operation]) -> Operation | None:
    """Build a new op that replaces the root, None if its type is less precise."""
    try:
        op = make()
    except RelaxError:
        return None
    if is_subtype(op.results[0].type, root.type):
        return op
    discard_unplaced(op)
    return None


def discard_unplaced(op: Operation) -> None:
    """Drop the operands of an op that is not inserted, and of its operands that are not inserted."""
    work = [op]
    while work:
        op = work.pop()
        work.extend(v.owner for v in op.operands if _is_unplaced(v))  # pyright: ignore
        op.drop_all_references()


def _is_unplaced(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and value.owner.parent is None


def is_number(found: Any, wanted: Any) -> bool:
    """Return whether a number is another of its element type, the sign of zero included."""
    number = np.asarray(wanted).astype(found.dtype)
    return bool(found == number) and bool(np.signbit(found) == np.signbit(number))
