"""Random numbers as functions of a key: against the paper's generator in whole numbers of Python, its published
answers, and the distributions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.random import (
    OPS,
    RandomBitsOp,
    RandomNormalOp,
    RandomUniformOp,
    threefry,
)

from .compiled import Case, Sizes, check, compile_cases, each_case, shape, tensor
from .inputs import refused, x
from .inputs import shape as shape_value

ANSWERS = {
    (0, 0, 0, 0): (0x6B200159, 0x99BA4EFE),
    (0xFFFFFFFF,) * 4: (0x1CB996FC, 0xBB002BE7),
    (0x13198A2E, 0x03707344, 0x243F6A88, 0x85A308D3): (0xC4923A9C, 0x483DF7A0),
}
"""The known answers that the paper's authors publish: key and counter, and the block."""

TURNS = 13, 15, 26, 6, 17, 29, 16, 24


def block(k0: int, k1: int, c0: int, c1: int) -> tuple[int, int]:
    """Threefry2x32-20 as the paper words it: a key injection before every fourth round, and at the end."""
    keys, words = (k0, k1, 0x1BD11BDA ^ k0 ^ k1), [c0, c1]
    for number in range(21):
        if number % 4 == 0:
            s = number // 4
            words = [words[0] + keys[s % 3], words[1] + keys[(s + 1) % 3] + s]
        if number < 20:
            total, turn = (words[0] + words[1]) % 2**32, TURNS[number % 8]
            second = words[1] % 2**32
            words = [total, ((second << turn | second >> 32 - turn) % 2**32) ^ total]
    return words[0] % 2**32, words[1] % 2**32


def blocks(key: np.ndarray, shape: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    bits = int(key) % 2**64
    for number in range(math.prod(shape)):
        yield block(bits % 2**32, bits >> 32, number % 2**32, number >> 32)


def drawn(finish: Callable[[int, int], Any], dtype: str) -> Callable[..., np.ndarray]:
    def meaning(key: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        return np.array([finish(*b) for b in blocks(key, shape)], dtype).reshape(shape)

    return meaning


def bits(low: int, high: int) -> int:
    whole = high << 32 | low
    return whole - 2**64 if whole >= 2**63 else whole


def uniform(width: int, low: float = 0.0, high: float = 1.0) -> Callable[[int, int], float]:
    return lambda a, b: low + ((b << 32 | a) >> 64 - width) / 2**width * (high - low)


def normal(mean: float = 0.0, scale: float = 1.0) -> Callable[[int, int], float]:
    def finish(a: int, b: int) -> float:
        radius = math.sqrt(-2 * math.log((a + 1) / 2**32))
        return mean + scale * (radius * math.cos(2 * math.pi * b / 2**32))

    return finish


def keys(k: np.ndarray) -> np.ndarray:
    return k * np.int64(0x123456789ABC)


def case(op: Any, finish: Callable[..., Any], char: str, sizes: Any = "nm", **more: Any) -> Case:
    """Exact, but for a normal distribution that is not rounded from f64."""
    tolerance = 1e-14 if char == "d" and op is RandomNormalOp else 1e-300
    return Case(
        lambda k, s: op(k, s, **more), [tensor(dtype="i64"), shape(*sizes)], drawn(finish, char),
        values=keys, tolerance=tolerance,
    )  # fmt: skip


CASES = {
    "bits": case(RandomBitsOp, bits, "q"),
    "uniform": case(RandomUniformOp, uniform(24), "f", ["n", 4, "m"]),
    "uniform_f16": case(RandomUniformOp, uniform(11, -3, 5), "e", dtype="f16", low=-3.0, high=5.0),
    "uniform_f64": case(RandomUniformOp, uniform(53), "d", dtype="f64"),
    "normal": case(RandomNormalOp, normal(2, 0.5), "f", mean=2.0, scale=0.5),
    "normal_f64": case(RandomNormalOp, normal(), "d", "n", dtype="f64"),
}


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {case.tested for case in CASES.values()} == set(OPS)


def test_the_published_answers():
    for given, wanted in ANSWERS.items():
        assert block(*given) == wanted
        words = [np.full(1, word, np.uint32) for word in given]
        assert tuple(int(each[0]) for each in threefry(words[:2], words[2:])) == wanted


@each_case(CASES)
def test_agrees_with_whole_numbers_of_python(
    model: CompiledModule, name: str, sizes: Sequence[Sizes]
):
    check(model, CASES, name, sizes)


@pytest.mark.slow
def test_the_distributions(model: CompiledModule):
    """Mean, variance, and the largest distance from the distribution function, each within what one of ten
    thousand keys exceeds."""
    size, key = (300, 400), np.array(7)
    count = math.prod(size)
    for found, mean, deviation, distribution in (
        (model.uniform_f64(key, size), 0.5, 12**-0.5, lambda x: x),
        (model.normal_f64(key, (count,)), 0.0, 1.0, lambda x: (1 + math.erf(x / 2**0.5)) / 2),
    ):
        numbers = np.sort(found.reshape(-1))
        assert abs(numbers.mean() - mean) < 4 * deviation / count**0.5
        assert abs(numbers.std() / deviation - 1) < 4 / count**0.5
        expected = np.array([distribution(x) for x in numbers.tolist()])
        assert np.abs(expected - (np.arange(count) + 0.5) / count).max() < 2.2 / count**0.5


def test_keys_made_of_a_key_draw_other_numbers():
    """As a training step does: two keys of one, for the next step and for a dropout."""
    bb = BlockBuilder()
    with bb.function("main", {"key": TensorType([], "i64")}) as (key,):
        new = bb.emit(op.random_bits(key, [2]))
        first, second = (bb.emit(op.reshape(part, [])) for part in bb.emit(op.split(new, 2, 0)))
        draws = [op.random_uniform(each, [50]) for each in (key, first, second)]
        bb.emit_func_output(bb.emit(op.stack(draws, 0)))
    a, b, c = run(bb.get(), "main", np.array(-1))
    assert len({*a.tolist(), *b.tolist(), *c.tolist()}) == 150


def test_C1_C2_C3():
    sizes = shape_value("n")
    refused("C1", lambda: RandomBitsOp(x(dtype="i32"), sizes))
    refused("C2", lambda: RandomNormalOp(x(2, dtype="i64"), sizes))
    refused("C3", lambda: RandomUniformOp(x(dtype="i64"), sizes, dtype="i32"))
