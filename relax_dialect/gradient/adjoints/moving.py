"""Adjoints of operators that repeat, reverse, shift and pad."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import moving as ops


@adjoint(ops.TileOp)
def tile(of: Applied[ops.TileOp], gy: Any) -> Any:
    """The sum over the copies: each axis is one of copies and one of places in a copy."""
    sizes = of.sizes()
    factors = of.op.factors(len(sizes))
    sizes = [symbolic.const(1)] * (len(factors) - len(sizes)) + sizes
    split = op.reshape(gy, [size for pair in zip(factors, sizes) for size in pair])
    return op.reshape(op.sum(split, list(range(0, 2 * len(sizes), 2))), op.shape_of(of.x))


@adjoint(ops.RepeatOp)
def repeat(of: Applied[ops.RepeatOp], gy: Any) -> Any:
    sizes, axis, times = of.sizes(), of.op.axis, of.op.repeats
    if axis is None:
        return op.reshape(op.sum(op.reshape(gy, [-1, times]), [1]), op.shape_of(of.x))
    axis %= len(sizes)
    split = op.reshape(gy, [*sizes[: axis + 1], times, *sizes[axis + 1 :]])
    return op.sum(split, [axis + 1])


@adjoint(ops.FlipOp)
def flip(of: Applied[ops.FlipOp], gy: Any) -> Any:
    return op.flip(gy, of.op.axis)


@adjoint(ops.RollOp)
def roll(of: Applied[ops.RollOp], gy: Any) -> Any:
    return op.roll(gy, [-shift for shift in of.op.shift], of.op.axis)


@adjoint(ops.ReverseSequenceOp)
def reverse_sequence(of: Applied[ops.ReverseSequenceOp], gy: Any) -> Any:
    return op.reverse_sequence(gy, of.inputs[1], of.op.seq_axis, of.op.batch_axis), None
