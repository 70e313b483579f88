"""Operators that repeat, reverse, shift and pad along the axes of a tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from lowering.legalize.manipulate import flattened, require
from lowering.legalize.registry import legalize, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ops.moving import FlipOp, PadOp, RepeatOp, ReverseSequenceOp, RollOp, TileOp
from relax_dialect.prim.run_time_checks import hole
from relax_dialect.symbolic import Expr, const

MOST_AXES = 4
"""The most axes along which a tensor is rolled at once: it is cut into two parts along each."""

MOST_PADDED = 3
"""The most axes along which a tensor is padded at once: it is put together of three parts along each."""


@legalize(TileOp)
def tile(op: TileOp, x: te.Tensor) -> te.Tensor:
    """Tile a tensor: the copies become axes of their own, merged afterwards."""
    shape, factors = result_shape(op), op.factors(x.ndim)
    front = len(shape) - x.ndim
    sizes: list[Expr] = []
    places: list[int] = []
    for d, factor in enumerate(factors):
        if factor != 1 or d < front:
            sizes.append(const(factor))
        if d >= front:
            places.append(len(sizes))
            sizes.append(x.shape[d - front])
    copies = te.compute(sizes, lambda *i: x[tuple(i[d] for d in places)], name="copies")
    return te.reshape(copies, shape, name="out")


@legalize(RepeatOp)
def repeat(op: RepeatOp, x: te.Tensor) -> te.Tensor:
    """Repeat elements: the copies become an axis after the repeated one, then merged with it."""
    x, axis = (flattened(x), 0) if op.axis is None else (x, op.axis % x.ndim)
    sizes = (*x.shape[: axis + 1], const(op.repeats), *x.shape[axis + 1 :])
    copies = te.compute(sizes, lambda *i: x[(*i[: axis + 1], *i[axis + 2 :])], name="copies")
    return te.reshape(copies, result_shape(op), name="out")


@legalize(FlipOp)
def flip(op: FlipOp, x: te.Tensor) -> te.Tensor:
    """Reverse an axis."""
    axis = op.axis_of(x.ndim)
    last = x.shape[axis] - 1
    return te.compute(
        x.shape, lambda *i: x[(*i[:axis], last - i[axis], *i[axis + 1 :])], name="out"
    )


@legalize(RollOp)
def roll(op: RollOp, x: te.Tensor) -> te.Tensor:
    """Read every axis from its shifted beginning, around the end."""
    if op.axis is None:
        return te.reshape(rolled(flattened(x), {0: op.distance}), x.shape, name="out")
    return rolled(x, op.shifts(x.ndim))


def rolled(x: te.Tensor, shifts: Mapping[int, int]) -> te.Tensor:
    """x with axes rolled by their shifts: its parts, cut along each of these axes, are swapped."""
    axes = sorted(shifts)
    if not axes:
        return te.compute(x.shape, lambda *i: x[i], name="out")
    if len(axes) > MOST_AXES:
        x = rolled(x, {axis: shifts[axis] for axis in axes[MOST_AXES:]})
        axes = axes[:MOST_AXES]

    def sides(axis: int) -> Sequence[tuple[Expr, Expr, Expr]]:
        """Return the target offset, source offset and length of both parts of an axis."""
        size, zero = x.shape[axis], const(0)
        if axis not in axes:
            return [(zero, zero, size)]
        moved = symbolic.floormod(const(shifts[axis]), symbolic.maximum(size, 1))
        return [(zero, size - moved, moved), (moved, zero, size - moved)]

    parts = [te.part(x, *zip(*found)) for found in product(*map(sides, range(x.ndim)))]
    return te.assemble(x.shape, parts, name="out")


@legalize(ReverseSequenceOp)
def reverse_sequence(op: ReverseSequenceOp, x: te.Tensor, seq_lengths: te.Tensor) -> te.Tensor:
    """Reverse each sequence up to its length."""
    seq, batch = op.axes(x.ndim)

    def element(*i: te.IterVar) -> te.Scalar:
        length = te.minimum(seq_lengths[i[batch]].astype("index"), x.shape[seq])
        place = te.select(i[seq] < length, length - 1 - i[seq], i[seq])
        return x[(*i[:seq], place, *i[seq + 1 :])]

    lengths, rows = seq_lengths.shape[0], x.shape[batch]
    found = f"{hole(lengths)} for {hole(rows)}"
    requires = [] if lengths is rows else [require(op, op.DEMAND, found, lengths, rows)]
    return te.compute(x.shape, element, name="out", requires=requires)


def _sides(size: Expr, before: int, after: int, mode: str) -> list[tuple[Expr, Expr, Expr, int]]:
    """Return the target offset, source offset, length and source step of each part of a padded axis."""
    low, high, step = {
        "reflect": (const(before), size - 2, -1),
        "replicate": (const(0), size - 1, 0),
        "circular": (size - before, const(0), 1),
    }[mode]
    sides = [(const(before), const(0), size, 1)]
    if before:
        sides.insert(0, (const(0), low, const(before), step))
    if after:
        sides.append((size + before, high, const(after), step))
    return sides


def repeated(
    x: te.Tensor, widths: Mapping[int, tuple[int, int]], mode: str, **more: Any
) -> te.Tensor:
    """x between elements of its own: it and its borders, read backwards or again and again."""
    axes = sorted(widths)
    if len(axes) > MOST_PADDED:
        x = repeated(x, {d: widths[d] for d in axes[MOST_PADDED:]}, mode, **more)
        axes, more = axes[:MOST_PADDED], {}
    ends = [widths[d] if d in axes else (0, 0) for d in range(x.ndim)]
    sides = [_sides(size, *end, mode) for size, end in zip(x.shape, ends)]
    parts = [te.part(x, *zip(*found)) for found in product(*sides)]
    shape = [size + sum(end) for size, end in zip(x.shape, ends)]
    return te.assemble(shape, parts, name="out", **more)


def bordered(x: te.Tensor, widths: Sequence[tuple[int, int]], value: object) -> list[te.Part]:
    """x with a number around it: the borders before and after it along an axis, and x between them, in
    memory order, bordered along the following axes."""
    number = te.const(value, x.dtype)
    shape = [size + sum(width) for size, width in zip(x.shape, widths)]
    place = [const(before) for before, _ in widths]
    before, after = list[te.Part](), list[te.Part]()
    for d, ends in enumerate(widths):
        for parts, at, size in zip(
            (before, after), (const(0), x.shape[d] + ends[0]), map(const, ends)
        ):
            if size.value:
                where = (*place[:d], at, *(const(0) for _ in shape[d + 1 :]))
                own = (*x.shape[:d], size, *shape[d + 1 :])
                parts.append(te.part(number, where, shape=own))
    return [*before, te.part(x, place), *reversed(after)]


@legalize(PadOp)
def pad(op: PadOp, x: te.Tensor) -> te.Tensor:
    """Return the tensor between borders of a number, or of elements of its own."""

    padded = {d: width for d, width in enumerate(op.widths) if any(width)}
    if not padded:
        return te.compute(x.shape, lambda *i: x[i], name="out")
    if op.pad_mode == "constant":
        return te.assemble(result_shape(op), bordered(x, op.widths, op.pad_value), name="out")
    requires: list[te.Requirement] = []
    for d, (size, width) in enumerate(zip(x.shape, op.widths)):
        enough = symbolic.maximum(size, least := op.least(*width))
        if enough is not size:
            requires.append(require(op, op.demand(d, least), hole(size), enough, size))
    return repeated(x, padded, op.pad_mode, requires=requires)
