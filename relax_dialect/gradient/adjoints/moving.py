"""Adjoints of operators that repeat, reverse, shift and pad."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.adjoints.joining import piece
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import moving as ops
from relax_dialect.symbolic import Expr


@adjoint(ops.TileOp)
def tile(of: Applied[ops.TileOp], gy: Any) -> Any:
    """The sum over the copies: each axis is split into copies and positions in a copy."""
    sizes = of.sizes()
    factors = of.op.factors(len(sizes))
    sizes = [symbolic.const(1)] * (len(factors) - len(sizes)) + sizes
    split = op.reshape(gy, [size for pair in zip(factors, sizes) for size in pair])
    return op.reshape(op.sum(split, list(range(0, 2 * len(sizes), 2))), op.shape_of(of.x))


@adjoint(ops.RepeatOp)
def repeat(of: Applied[ops.RepeatOp], gy: Any) -> Any:
    sizes, axis, times = of.sizes(), of.op.axis, of.op.repeats
    if axis is None:
        flat = op.reshape(gy, [symbolic.product(sizes), times])
        return op.reshape(op.sum(flat, [1]), op.shape_of(of.x))
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


@adjoint(ops.PadOp)
def pad(of: Applied[ops.PadOp], gy: Any) -> Any:
    """The padding is cut off, and repeated elements are accumulated at their sources, axis by axis."""
    sizes = of.sizes()
    for axis, (size, (before, after)) in enumerate(zip(sizes, of.op.widths)):
        if before == after == 0:
            continue
        ends = symbolic.const(before), size + before, size + before + after
        left, kept, right = (
            piece(gy, axis, start, end) for start, end in zip((symbolic.const(0), *ends), ends)
        )
        gy = kept
        match of.op.pad_mode:
            case "reflect":
                gy = _added(gy, op.flip(left, axis), axis, symbolic.const(1), before)
                gy = _added(gy, op.flip(right, axis), axis, size - 1 - after, after)
            case "replicate":
                at_ends = ((left, symbolic.const(0), before), (right, size - 1, after))
                for part, place, width in at_ends:
                    gy = _added(gy, op.sum(part, [axis], keepdims=True), axis, place, min(width, 1))
            case "circular":
                gy = _added(gy, left, axis, size - before, before)
                gy = _added(gy, right, axis, symbolic.const(0), after)
            case _:
                pass
    return gy


def _added(x: Any, part: Any, axis: int, start: Expr, width: int) -> Any:
    """Add a part of some width to a tensor at a position along an axis."""
    if width == 0:
        return x
    total = piece(x, axis, start, start + width) + part
    return op.slice_scatter(x, total, [start], [start + width], 1, [axis])
