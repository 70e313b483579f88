"""Operators that fill tensors with one number, everywhere or on one side of a diagonal."""

from __future__ import annotations

from collections.abc import Callable

from lowering.legalize.registry import legalize, result_dtype, result_shape
from relax_dialect import te
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


@legalize(FullOp, FullLikeOp)
def full(op: OperatorOp, *tensors: te.Tensor) -> te.Tensor:
    """Return the number, the last operand, everywhere."""
    dtype, number = result_dtype(op), tensors[-1]
    return te.compute(result_shape(op), lambda *i: number[()].astype(dtype), name="out")


@legalize(ZerosOp, ZerosLikeOp, OnesOp, OnesLikeOp)
def constant(op: FillOp, *_: te.Tensor) -> te.Tensor:
    """Return the number that the operator is named after, everywhere."""
    assert op.NUMBER is not None
    number = te.const(op.NUMBER, result_dtype(op))
    return te.compute(result_shape(op), lambda *i: number, name="out")


@legalize(EyeOp, EyeLikeOp)
def eye(op: EyeOp | EyeLikeOp, *_: te.Tensor) -> te.Tensor:
    """Ones on the diagonal `column - row == k`."""
    zero, one = (te.const(number, result_dtype(op)) for number in (0, 1))
    return te.compute(
        result_shape(op),
        lambda i, j: te.select(te.equal(j - i, op.k), one, zero),
        name="out",
    )


@legalize(TrilOp)
def tril(op: TrilOp, x: te.Tensor) -> te.Tensor:
    """Zeros above the diagonal `column - row == k`."""
    return _masked(x, lambda i, j: j - i <= op.k)


@legalize(TriuOp)
def triu(op: TriuOp, x: te.Tensor) -> te.Tensor:
    """Zeros below the diagonal `column - row == k`."""
    return _masked(x, lambda i, j: j - i >= op.k)


def _masked(x: te.Tensor, stays: Callable[[te.IterVar, te.IterVar], te.Scalar]) -> te.Tensor:
    """Return the matrices in the last two dimensions, zero where the row and column do not stay."""
    zero = te.const(0, x.dtype)
    return te.compute(x.shape, lambda *i: te.select(stays(*i[-2:]), x[i], zero), name="out")
