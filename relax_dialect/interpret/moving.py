"""Operators that repeat, reverse, shift and pad along the axes of a tensor."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect.errors import RelaxError
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.moving import FlipOp, PadOp, RepeatOp, ReverseSequenceOp, RollOp, TileOp

NUMPY_MODE = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""numpy's name of a way of padding."""


def tile(op: TileOp, x: Array) -> Array:
    """Repeat the whole tensor along each axis."""
    return np.tile(x, op.factors(x.ndim))


def repeat(op: RepeatOp, x: Array) -> Array:
    """Repeat every element along an axis."""
    return np.repeat(x, op.repeats, None if op.axis is None else op.axis)


def flip(op: FlipOp, x: Array) -> Array:
    """Return the elements along an axis in reverse order."""
    return np.flip(x, op.axis_of(x.ndim))


def roll(op: RollOp, x: Array) -> Array:
    """Return the elements moved along axes, around the ends."""
    if op.axis is None:
        return np.roll(x, op.distance)
    shifts = op.shifts(x.ndim)
    return np.roll(x, tuple(shifts.values()), tuple(shifts))


def reverse_sequence(op: ReverseSequenceOp, x: Array, seq_lengths: Array) -> Array:
    """Return the first elements of every sequence in reverse order."""
    seq, batch = op.axes(x.ndim)
    if len(seq_lengths) != x.shape[batch]:
        raise RelaxError(f"expected {op.DEMAND}, found {len(seq_lengths)} for {x.shape[batch]}")
    rows = np.moveaxis(x, (batch, seq), (0, 1)).copy()
    for row, length in zip(rows, seq_lengths):
        end = min(max(int(length), 0), len(row))
        row[:end] = row[:end][::-1].copy()
    return np.moveaxis(rows, (0, 1), (batch, seq))


def pad(op: PadOp, x: Array) -> Array:
    """Add elements at the ends of every axis."""
    for axis, (size, width) in enumerate(zip(x.shape, op.widths)):
        least = op.least(*width)
        if size < least:
            raise RelaxError(f"expected {op.demand(axis, least)}, found {size}")
    if op.pad_mode == "constant":
        return np.pad(x, op.widths, constant_values=np.asarray(op.pad_value).astype(x.dtype))
    return np.pad(x, op.widths, NUMPY_MODE[op.pad_mode])  # pyright: ignore


@register_impls
class MovingFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.moving`."""

    tile = operator_with_attributes(TileOp, tile)
    repeat = operator_with_attributes(RepeatOp, repeat)
    flip = operator_with_attributes(FlipOp, flip)
    roll = operator_with_attributes(RollOp, roll)
    reverse_sequence = operator_with_attributes(ReverseSequenceOp, reverse_sequence)
    pad = operator_with_attributes(PadOp, pad)
