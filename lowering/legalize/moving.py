"""Operators that repeat, reverse, shift and pad along the axes of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import Any

from lowering.legalize.joining import chosen
from lowering.legalize.manipulate import delinearized, linearized, require
from lowering.legalize.registry import legalize, result_shape
from relax_dialect import symbolic, te
from relax_dialect.ops.moving import FlipOp, PadOp, RepeatOp, ReverseSequenceOp, RollOp, TileOp
from relax_dialect.run_time_checks import hole
from relax_dialect.symbolic import Expr, const

MAX_COPIES = 16
"""So many copies side by side are told apart by branches, more by a remainder."""


@legalize(TileOp)
def tile(op: TileOp, x: te.Tensor) -> te.Tensor:
    """The place within one copy is what its size leaves of the index."""
    shape, factors = result_shape(op), op.factors(x.ndim)
    front = len(shape) - x.ndim
    innermost = x.ndim - 1

    def place(index: te.IterVar, size: Expr, factor: int) -> Any:
        return index if factor == 1 else 0 if size.value == 1 else te.floormod(index, size)

    def element(*i: te.IterVar) -> te.Scalar:
        places = list(map(place, i[front:], x.shape, factors[front:]))
        if not x.ndim or not 1 < factors[-1] <= MAX_COPIES or x.shape[innermost].value == 1:
            return x[tuple(places)]
        size = x.shape[innermost]
        ends = [size * (copy + 1) for copy in range(factors[-1])]
        return chosen(i[-1], ends, lambda copy: x[(*places[:-1], i[-1] - size * copy)])

    return te.compute(shape, element, name="out")


@legalize(RepeatOp)
def repeat(op: RepeatOp, x: te.Tensor) -> te.Tensor:
    """So many indices in a row read the same element."""
    shape, count = result_shape(op), op.repeats
    if count == 0:
        return te.compute(shape, lambda *i: te.const(0, x.dtype), name="out")
    if op.axis is None:
        return te.compute(
            shape, lambda i: x[tuple(delinearized(te.floordiv(i, count), x.shape))], name="out"
        )
    axis = op.axis % x.ndim
    return te.compute(
        shape, lambda *i: x[(*i[:axis], te.floordiv(i[axis], count), *i[axis + 1 :])], name="out"
    )


@legalize(FlipOp)
def flip(op: FlipOp, x: te.Tensor) -> te.Tensor:
    """The axis is read from its end."""
    axis = op.axis_of(x.ndim)
    last = x.shape[axis] - 1
    return te.compute(
        x.shape, lambda *i: x[(*i[:axis], last - i[axis], *i[axis + 1 :])], name="out"
    )


@legalize(RollOp)
def roll(op: RollOp, x: te.Tensor) -> te.Tensor:
    """Every axis is read from where its shift has moved the beginning, around the end."""

    def moved(index: Any, size: Expr, shift: int) -> tuple[Expr, te.Scalar, te.Scalar]:
        """The first place that comes from the beginning; where places before and from it on come from."""
        start = symbolic.floormod(const(shift), symbolic.maximum(size, 1))
        return start, index + (size - start), index - start

    def selected(index: Any, size: Expr, shift: int) -> te.Scalar:
        start, before, behind = moved(index, size, shift)
        return te.select(index < start, before, behind)

    if op.axis is None:
        count = symbolic.product(x.shape)

        def flat(*i: te.IterVar) -> te.Scalar:
            if not i:
                return x[()]
            place = linearized(i, x.shape)
            start, before, behind = moved(place, count, op.distance)
            sides = [x[tuple(delinearized(side, x.shape))] for side in (before, behind)]
            return te.if_then_else(place < start, *sides)

        return te.compute(x.shape, flat, name="out")
    shifts = op.shifts(x.ndim)
    last = max(shifts, default=-1)

    def element(*i: te.IterVar) -> te.Scalar:
        places: list[Any] = list(i)
        for axis in (a for a in shifts if a != last):
            places[axis] = selected(i[axis], x.shape[axis], shifts[axis])
        if last < 0:
            return x[i]
        start, before, behind = moved(i[last], x.shape[last], shifts[last])
        sides = [x[(*places[:last], place, *places[last + 1 :])] for place in (before, behind)]
        return te.if_then_else(i[last] < start, *sides)

    return te.compute(x.shape, element, name="out")


@legalize(ReverseSequenceOp)
def reverse_sequence(op: ReverseSequenceOp, x: te.Tensor, seq_lengths: te.Tensor) -> te.Tensor:
    """Places before the length of a sequence are read from there backwards."""
    seq, batch = op.axes(x.ndim)

    def element(*i: te.IterVar) -> te.Scalar:
        length = te.minimum(seq_lengths[i[batch]].astype("index"), x.shape[seq])
        place = te.select(i[seq] < length, length - 1 - i[seq], i[seq])
        return x[(*i[:seq], place, *i[seq + 1 :])]

    lengths, rows = seq_lengths.shape[0], x.shape[batch]
    found = f"{hole(lengths)} for {hole(rows)}"
    requires = [] if lengths is rows else [require(op, op.DEMAND, found, lengths, rows)]
    return te.compute(x.shape, element, name="out", requires=requires)


def _beyond(place: Any, size: Expr, mode: str) -> tuple[Any, Any]:
    """A place before the first and one behind the last, as those of the elements repeated there."""
    if mode == "replicate":
        return te.const(0, "index"), te.cast(size - 1, "index")
    if mode == "reflect":
        return -place, 2 * (size - 1) - place
    return place + size, place - size


@legalize(PadOp)
def pad(op: PadOp, x: te.Tensor) -> te.Tensor:
    """Places in the tensor read it, others are filled or read what is repeated there."""
    padded = [d for d, width in enumerate(op.widths) if any(width)]

    def filled(places: Sequence[Any]) -> te.Scalar:
        ends = [(places[d] >= 0) & (places[d] < x.shape[d]) for d in padded]
        return te.if_then_else(
            reduce(and_, ends), x[tuple(places)], te.const(op.pad_value, x.dtype)
        )

    def repeated(places: list[Any]) -> te.Scalar:
        """Most elements lie inside: along the last axis these are told apart by a branch."""
        last = padded[-1]
        insides = [(places[d] >= 0) & (places[d] < x.shape[d]) for d in padded]
        for d, inside in zip(padded, insides):
            low, high = _beyond(places[d], x.shape[d], op.pad_mode)
            outside = te.select(places[d] < 0, low, high)
            inner, places[d] = places[d], te.select(inside, places[d], outside)
        return te.if_then_else(
            insides[-1], x[(*places[:last], inner, *places[last + 1 :])], x[tuple(places)]
        )

    def element(*i: te.IterVar) -> te.Scalar:
        places = [index - b if b else index for index, (b, _) in zip(i, op.widths)]
        if not padded:
            return x[i]
        return filled(places) if op.pad_mode == "constant" else repeated(places)

    requires: list[te.Requirement] = []
    for d in padded:
        least = op.least(*op.widths[d])
        enough = symbolic.maximum(x.shape[d], least)
        if enough is not x.shape[d]:
            requires.append(require(op, op.demand(d, least), hole(x.shape[d]), enough, x.shape[d]))
    return te.compute(result_shape(op), element, name="out", requires=requires)
