"""Operators that fill tensors with one number, or with it on or next to a diagonal."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls
from xdsl.ir import Attribute

from relax_dialect.interpret import total_arithmetic
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array, numpy_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.create import (
    EyeLikeOp,
    EyeOp,
    FillOp,
    FullLikeOp,
    FullOp,
    OnesLikeOp,
    OnesOp,
    TrilOp,
    TriuOp,
    ZerosLikeOp,
    ZerosOp,
)


def result_dtype(op: OperatorOp, like: Array | None = None) -> np.dtype:
    """Return the element type of the result, or that of the operand if only the operand determines it."""
    (type,) = op.checked_types()
    assert isinstance(type, TensorType)
    dtype: Attribute | None = type.dtype
    if dtype is None:
        assert like is not None
        return like.dtype
    return numpy_dtype(dtype)


def full(op: FullOp, shape: tuple[int, ...], fill_value: Array) -> Array:
    """Return a tensor of a shape, filled with a number."""
    return np.full(shape, total_arithmetic.astype(fill_value, result_dtype(op, fill_value)))


def full_like(op: FullLikeOp, x: Array, fill_value: Array) -> Array:
    """Return a tensor of the shape of another, filled with a number."""
    return np.full(x.shape, total_arithmetic.astype(fill_value, result_dtype(op, x)))


def constant(op: FillOp, shape: tuple[int, ...]) -> Array:
    """Return a tensor of a shape, filled with the number that the operator is named after."""
    return np.full(shape, op.NUMBER, result_dtype(op))


def constant_like(op: FillOp, x: Array) -> Array:
    """Return a tensor of the shape of another, filled with the number that the operator is named after."""
    return np.full(x.shape, op.NUMBER, result_dtype(op, x))


def eye(op: EyeOp, shape: tuple[int, int]) -> Array:
    """Return a matrix with ones on a diagonal."""
    return np.eye(*shape, k=op.k).astype(result_dtype(op))


def eye_like(op: EyeLikeOp, x: Array) -> Array:
    """Return a matrix of the shape of another with ones on a diagonal."""
    return np.eye(*x.shape, k=op.k).astype(result_dtype(op, x))


def tril(op: TrilOp, x: Array) -> Array:
    """Return the lower triangles."""
    return np.where(np.tri(*x.shape[-2:], k=op.k, dtype=bool), x, np.zeros_like(x))


def triu(op: TriuOp, x: Array) -> Array:
    """Return the upper triangles."""
    return np.where(np.tri(*x.shape[-2:], k=op.k - 1, dtype=bool), np.zeros_like(x), x)


@register_impls
class CreateFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.create`."""

    full = operator_with_attributes(FullOp, full)
    full_like = operator_with_attributes(FullLikeOp, full_like)
    zeros = operator_with_attributes(ZerosOp, constant)
    zeros_like = operator_with_attributes(ZerosLikeOp, constant_like)
    ones = operator_with_attributes(OnesOp, constant)
    ones_like = operator_with_attributes(OnesLikeOp, constant_like)
    eye = operator_with_attributes(EyeOp, eye)
    eye_like = operator_with_attributes(EyeLikeOp, eye_like)
    tril = operator_with_attributes(TrilOp, tril)
    triu = operator_with_attributes(TriuOp, triu)
