"""Operators that repeat, reverse, shift and pad, as compiled C, against numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.moving import OPS, FlipOp, PadOp, RepeatOp, ReverseSequenceOp, RollOp, TileOp

from .compiled import STATIC, Case, Sizes, check, compile_cases, each_case, special, tensor
from .inputs import refused, x
from .stopping import both_stop


def picked(axis: int, places: Callable[[int], Sequence[int]]):
    """The elements at some places of an axis, one after the other."""

    def meaning(x: np.ndarray) -> np.ndarray:
        rows = np.moveaxis(x, axis, 0)
        chosen = [rows[place] for place in places(len(rows))]
        shape = (len(chosen), *rows.shape[1:])
        return np.moveaxis(np.array(chosen, x.dtype).reshape(shape), 0, axis)

    return meaning


def flat(meaning: Callable[[np.ndarray], np.ndarray], keep_shape: bool = False):
    def apply(x: np.ndarray) -> np.ndarray:
        result = meaning(x.reshape(-1))
        return result.reshape(x.shape) if keep_shape else result

    return apply


def tiled(repeats: Sequence[int]):
    """Axis by axis, on a tensor with as many axes as there are numbers."""

    def meaning(x: np.ndarray) -> np.ndarray:
        x = x.reshape((1,) * (len(repeats) - x.ndim) + x.shape)
        for axis, count in enumerate(repeats, x.ndim - len(repeats)):
            x = picked(axis, lambda size, count=count: [*range(size)] * count)(x)
        return x

    return meaning


def tile(repeats: Any, type: TensorType, **more: Any) -> Case:
    numbers = [repeats] if isinstance(repeats, int) else repeats
    return Case(lambda x: TileOp(x, repeats), [type], tiled(numbers), **more)


def repeated(count: int) -> Callable[[int], Sequence[int]]:
    return lambda size: [place for place in range(size) for _ in range(count)]


def repeat(count: int, axis: int | None, type: TensorType, **more: Any) -> Case:
    meaning = picked(axis or 0, repeated(count))
    meaning = flat(meaning) if axis is None else meaning
    return Case(lambda x: RepeatOp(x, count, axis), [type], meaning, **more)


def flip(axis: int, type: TensorType, **more: Any) -> Case:
    meaning = picked(axis, lambda size: range(size - 1, -1, -1))
    return Case(lambda x: FlipOp(x, axis), [type], meaning, **more)


def rolled(shift: int) -> Callable[[int], Sequence[int]]:
    return lambda size: [(place - shift) % size for place in range(size)]


def roll(shift: Any, axis: Any, type: TensorType, **more: Any) -> Case:
    pairs = (
        [(axis, shift)] if isinstance(axis, int) else list(zip(axis or [0], np.atleast_1d(shift)))
    )

    def meaning(x: np.ndarray) -> np.ndarray:
        for axis, distance in pairs:
            x = picked(axis, rolled(int(distance)))(x)
        return x

    expected = flat(meaning, keep_shape=True) if axis is None else meaning
    return Case(lambda x: RollOp(x, shift, axis), [type], expected, **more)


def reversed_rows(seq: int, batch: int):
    def meaning(x: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        result = x.copy()
        for place in np.ndindex(x.shape):
            length = min(int(lengths[place[batch]]), x.shape[seq])
            if place[seq] < length:
                source = list(place)
                source[seq] = length - 1 - place[seq]
                result[place] = x[tuple(source)]
        return result

    return meaning


def small(x: np.ndarray) -> np.ndarray:
    """Lengths, one of them more than there are elements, one negative where they can be."""
    x = np.abs(x) % 7
    x[:1] = 90
    x[1:2] -= 8 if x.dtype.kind == "i" else 0
    return x


def reverse(seq: int, batch: int, type: TensorType, lengths: TensorType, **more: Any) -> Case:
    return Case(
        lambda x, n: ReverseSequenceOp(x, n, seq, batch),
        [type, lengths],
        reversed_rows(seq, batch),
        values=[lambda x: x, small],
        **more,
    )


def bounced(place: int, size: int) -> int:
    """A place walked from 0 on, turning round at the ends."""
    period = 2 * (size - 1) or 1
    place %= period
    return min(place, period - place)


BEYOND: dict[str, Callable[[int, int], int]] = {
    "reflect": bounced,
    "replicate": lambda place, size: sorted([0, place, size - 1])[1],
    "circular": lambda place, size: place % size,
}


def padded(width: Sequence[int], mode: str, value: float):
    """Axis by axis: full slices at both ends, or the elements of places beyond them."""

    def meaning(x: np.ndarray) -> np.ndarray:
        for axis, (before, after) in enumerate(zip(width[::2], width[1::2])):
            if mode == "constant":
                ends = [list(x.shape), list(x.shape)]
                ends[0][axis], ends[1][axis] = before, after
                head, tail = (np.full(end, value).astype(x.dtype) for end in ends)
                x = np.concatenate([head, x, tail], axis)
            else:
                size = x.shape[axis]
                places = [BEYOND[mode](place, size) for place in range(-before, size + after)]
                x = picked(axis, lambda _, places=places: places)(x)
        return x

    return meaning


def pad(width: Sequence[int], mode: str, type: TensorType, value: Any = 0, **more: Any) -> Case:
    meaning = padded(width, mode, value)
    return Case(lambda x: PadOp(x, width, mode, value), [type], meaning, **more)


def at_least(**least: int) -> list[Sizes]:
    """Sizes for padding that repeats elements."""
    return [{name: size + more for name, size in least.items()} for more in (0, 1, 6)]


CASES: dict[str, Case] = {
    "tile": tile([2, 3], tensor("n", "m")),
    "tile_last": tile(2, tensor("n", "m", dtype="i64")),
    "tile_more": tile([2, 1, 3], tensor("n")),
    "tile_many": tile([2, 20], tensor("n", "m")),
    "tile_none": tile([0, 2], tensor("n", "m")),
    "tile_static": tile([3, 1, 2], tensor(2, 1, dtype="i1"), sizes=STATIC),
    "repeat": repeat(3, 0, tensor("n", "m")),
    "repeat_last": repeat(2, -1, tensor("n", "m", dtype="i16")),
    "repeat_flat": repeat(2, None, tensor("n", "m")),
    "repeat_none": repeat(0, 0, tensor("n", "m")),
    "flip": flip(0, tensor("n", "m")),
    "flip_last": flip(-1, tensor("n", "m", dtype="ui8")),
    "flip_static": flip(1, tensor(2, 5), sizes=STATIC, values=special),
    "roll": roll(2, 1, tensor("n", "m")),
    "roll_back": roll(-3, 0, tensor("n", "m", dtype="f64")),
    "roll_two": roll([1, -9], [0, -1], tensor("n", "m")),
    "roll_flat": roll(4, None, tensor("n", "m")),
    "roll_scalar": roll(4, None, tensor(), sizes=STATIC),
    "reverse_sequence": reverse(1, 0, tensor("n", "m", 2), tensor("n", dtype="i32")),
    "reverse_sequence_major": reverse(0, 1, tensor("n", "m"), tensor("m", dtype="i64")),
    "reverse_sequence_bytes": reverse(2, 0, tensor("n", 2, "m"), tensor("n", dtype="ui8")),
    "reverse_sequence_unproved": reverse(
        1, 0, tensor("n", "m"), tensor("k", dtype="i32"), sizes=[{"n": 3, "m": 4, "k": 3}]
    ),
    "pad": pad([1, 2, 0, 3], "constant", tensor("n", "m"), 1.5),
    "pad_one_side": pad([0, 0, 2, 0], "constant", tensor("n", "m", dtype="i8"), -7),
    "pad_nothing": pad([0, 0], "constant", tensor("n", dtype="i1")),
    "pad_infinite": pad([1, 1], "constant", tensor("n", dtype="f16"), -np.inf),
    "pad_bf16": pad([1, 2], "constant", tensor("n", dtype="bf16"), 1.5),
    "pad_booleans": pad([1, 1], "constant", tensor("n", dtype="i1"), True),
    "pad_reflect": pad([2, 1, 0, 3], "reflect", tensor("n", "m"), sizes=at_least(n=3, m=4)),
    "pad_reflect_static": pad([2, 2], "reflect", tensor(3), sizes=STATIC),
    "pad_replicate": pad([2, 9, 1, 0], "replicate", tensor("n", "m"), sizes=at_least(n=1, m=1)),
    "pad_circular": pad([2, 1, 0, 3], "circular", tensor("n", "m"), sizes=at_least(n=2, m=3)),
    "pad_wide": pad(
        [0, 0, 17, 20], "reflect", tensor("n", "m", dtype="i8"), sizes=at_least(n=1, m=21)
    ),
    "pad_four_axes": pad(
        [1, 0, 2, 2, 0, 1, 3, 0], "circular", tensor("n", 2, "m", 3), sizes=at_least(n=1, m=1)
    ),
    "pad_replicate_static": pad([1, 2, 3, 3], "replicate", tensor(1, 5, dtype="i8"), sizes=STATIC),
    "pad_other_axis": pad([1, 1, 0, 0], "reflect", tensor("n", "m"), sizes=[{"n": 2, "m": 0}]),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


@pytest.mark.parametrize(
    ("name", "shapes", "message"),
    [
        ("pad_reflect", [(2, 9)], 'axis 0 to have at least 3 elements for pad_mode "reflect"'),
        ("pad_replicate", [(0, 1)], 'axis 0 to have at least 1 elements for pad_mode "replicate"'),
        ("pad_circular", [(5, 2)], 'axis 1 to have at least 3 elements for pad_mode "circular"'),
        ("reverse_sequence_unproved", [(3, 4), (2,)], "as many lengths as the batch axis is long"),
    ],
)
def test_other_sizes_are_an_error(model: CompiledModule, name: str, shapes: Any, message: str):
    both_stop(model, CASES, name, *shapes, message=message)


def test_tile_C1():
    refused("C1", lambda: TileOp(x("n"), -1))


def test_repeat_C1():
    refused("C1", lambda: RepeatOp(x("n"), -1))


def test_repeat_C2():
    refused("C2", lambda: RepeatOp(x("n"), 2, 1))


def test_flip_C1():
    refused("C1", lambda: FlipOp(x("n"), 1))


def test_roll_C1():
    refused("C1", lambda: RollOp(x("n"), [1, 2], 0))
    refused("C1", lambda: RollOp(x("n"), [1, 2]))


def test_roll_C2():
    refused("C2", lambda: RollOp(x("n"), 1, 1))
    refused("C2", lambda: RollOp(x("n", "m"), [1, 1], [1, -1]))


def test_reverse_sequence_C1():
    refused("C1", lambda: ReverseSequenceOp(x("n", "m"), x("n")))
    refused("C1", lambda: ReverseSequenceOp(x("n", "m"), x("n", 1, dtype="i32")))
    refused("C1", lambda: ReverseSequenceOp(x(3, "m"), x(4, dtype="i32")))


def test_reverse_sequence_C2():
    refused("C2", lambda: ReverseSequenceOp(x("n", "m"), x("n", dtype="i32"), 2))
    refused("C2", lambda: ReverseSequenceOp(x("n", "m"), x("n", dtype="i32"), 0, -2))


def test_pad_C1():
    refused("C1", lambda: PadOp(x("n"), [1]))
    refused("C1", lambda: PadOp(x("n"), [1, 1, 1, 1]))
    refused("C1", lambda: PadOp(x("n"), [1, -1]))


def test_pad_C2():
    refused("C2", lambda: PadOp(x("n"), [1, 1], "edge"))


def test_pad_C3():
    refused("C3", lambda: PadOp(x("n", dtype="i8"), [1, 1], "constant", 128))
    refused("C3", lambda: PadOp(x("n", dtype="i8"), [1, 1], "constant", 0.5))


def test_pad_C4():
    refused("C4", lambda: PadOp(x(2), [2, 0], "reflect"))
    refused("C4", lambda: PadOp(x(2), [3, 0], "circular"))
    refused("C4", lambda: PadOp(x(0), [1, 0], "replicate"))
