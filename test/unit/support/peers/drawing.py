"""Random choices of a trial. Those that build the operator come from one source, those of sizes and elements
from another, so that one compiled function is called with several of these."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from relax_dialect.interpret.runtime_values import bfloat16, dtype_name
from relax_dialect.ir.types import ShapeType, TensorType

T = TypeVar("T")

BF16 = bfloat16().name
FLOATS = ("float32", "float32", "float32", "float64", "float16", BF16)
WIDE = ("float32", "float64")
"""For functions whose digits in f16 depend on where a library rounds."""
SIGNED = ("int8", "int16", "int32", "int64")
INTEGERS = (*SIGNED, "uint8")
NUMBERS = (*FLOATS, *INTEGERS)
ANY = (*NUMBERS, "bool")
INDICES = ("int32", "int64")

SIZES = (0, 1, 1, 2, 3, 3, 4, 5, 5, 7, 9, 13)
SYMBOLS = "nmkbhwcd"

UNKNOWN = 0.1
"""How many of the trials have sizes that the types do not tell."""
WRONG = 0.02
"""How many arrays of indices have one out of range."""


class Size(int):
    """A size that the operator's types name by a symbol; a result of arithmetic is a plain number."""

    symbol: str

    def __new__(cls, value: int, symbol: str) -> Size:
        size = super().__new__(cls, value)
        size.symbol = symbol
        return size


def spelled(size: int) -> int | str:
    """A size as types and attributes name it."""
    return size.symbol if isinstance(size, Size) else size


class UnsuitableError(Exception):
    """The drawn program has no meaning; another draw takes its place."""


class Draw:
    """The choices of one trial, and the arguments drawn so far, in the order of the operands."""

    has_meaning = True
    """Whether the peer is asked about the arguments."""

    def __init__(self, operator: str, build: random.Random, run: random.Random):
        self.operator, self.build, self.run = operator, build, run
        self.numbers = np.random.default_rng(run.getrandbits(32))
        self.forgetful = random.Random(build.getrandbits(32))
        self.unknown = 0.3 if self.forgetful.random() < UNKNOWN else 0.0
        self.types: list[TensorType | ShapeType] = []
        self.arguments: list[Any] = []
        self.symbols = iter(SYMBOLS)

    # What builds the operator ------------------------------------------------------------------

    def flag(self) -> bool:
        return self.build.random() < 0.5

    def one(self, choices: Sequence[T]) -> T:
        return self.build.choice(choices)

    def whole(self, low: int, high: int) -> int:
        return self.build.randint(low, high)

    def number(self, low: float, high: float) -> float:
        return round(self.build.uniform(low, high), 2)

    def maybe(self, value: T) -> T | None:
        return value if self.flag() else None

    def axis(self, rank: int) -> int:
        return self.build.randrange(-rank, rank)

    def axes(self, rank: int, least: int = 0) -> list[int]:
        """Some axes, each counted from either end."""
        chosen = self.build.sample(range(rank), self.build.randint(min(least, rank), rank))
        return [axis - rank * self.flag() for axis in chosen]

    # Sizes and elements ------------------------------------------------------------------------

    def size(self, choices: Sequence[int] = SIZES) -> int:
        """A size: a number of the operator's type, or a symbol's value."""
        if self.flag() and (symbol := next(self.symbols, None)):
            return Size(self.run.choice(choices), symbol)
        return self.build.choice(choices)

    def fixed(self, low: int, high: int) -> int:
        """A size that is known."""
        return self.build.randint(low, high)

    def shape(self, least: int = 0, most: int = 4, choices: Sequence[int] = SIZES) -> list[int]:
        return [self.size(choices) for _ in range(self.build.randint(least, most))]

    def broadcast(self, shape: Sequence[int]) -> list[int]:
        """A shape that broadcasts to another: some sizes 1, some of the first ones left out."""
        first = self.build.choice((0, 0, self.build.randint(0, len(shape))))
        return [1 if self.build.random() < 0.25 else size for size in shape[first:]]

    def array(
        self,
        shape: Sequence[int],
        dtype: str,
        values: Callable[[np.ndarray, Draw], np.ndarray] | None = None,
    ) -> np.ndarray:
        """An operand: an array of given or of all kinds of numbers."""
        made = (values or everything)(blank(shape, dtype), self)
        return self.given(np.asarray(np.asarray(made).astype(dtype)), shape)

    def given(self, array: np.ndarray, shape: Sequence[int] | None = None) -> np.ndarray:
        """An operand with these elements."""
        dims = [
            None if self.forgetful.random() < self.unknown else spelled(size)
            for size in (array.shape if shape is None else shape)
        ]
        self.types.append(TensorType(dims, dtype_name(array.dtype)))  # pyright: ignore
        self.arguments.append(array)
        return array

    def sizes(self, shape: Sequence[int]) -> list[int]:
        """A shape operand, which defines the symbols of its sizes."""
        self.types.append(ShapeType([spelled(size) for size in shape]))  # pyright: ignore
        self.arguments.append(tuple(map(int, shape)))
        return list(shape)

    def indices(self, shape: Sequence[int], size: int, negative: bool = True) -> np.ndarray:
        """An operand: indices within an axis."""
        return self.array(shape, self.one(INDICES), below(size, negative))


Values = Callable[[np.ndarray, Draw], np.ndarray]


def blank(shape: Sequence[int], dtype: str) -> np.ndarray:
    return np.zeros(tuple(map(int, shape)), dtype)


def is_float(dtype: Any) -> bool:
    return np.dtype(dtype).kind == "f" or np.dtype(dtype).name == BF16


def normal(x: np.ndarray, d: Draw) -> np.ndarray:
    """Numbers of the size of 1, integers that are small."""
    if is_float(x.dtype):
        return d.numbers.standard_normal(x.shape)
    if x.dtype == bool:
        return d.numbers.integers(0, 2, x.shape)
    return d.numbers.integers(0 if x.dtype.kind == "u" else -9, 10, x.shape)


def positive(x: np.ndarray, d: Draw) -> np.ndarray:
    return abs(normal(x, d)) + (0.05 if is_float(x.dtype) else 1)


def unit(x: np.ndarray, d: Draw) -> np.ndarray:
    """Numbers between 0 and 1, both at times."""
    return np.clip(d.numbers.uniform(-0.1, 1.1, x.shape), 0, 1)


def ties(x: np.ndarray, d: Draw) -> np.ndarray:
    """Few different numbers."""
    return np.round(normal(x, d) * 2) / 2 if is_float(x.dtype) else normal(x, d) // 4


SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5)


def special(x: np.ndarray, d: Draw) -> np.ndarray:
    """Infinities, NaN, zeros of both signs, denormals, the largest numbers; bounds of integers."""
    if x.dtype == bool:
        return normal(x, d)
    among = extremes(x.dtype)
    chosen = among[d.numbers.integers(0, len(among), x.shape)]
    return np.where(d.numbers.random(x.shape) < 0.5, chosen, normal(x, d).astype(chosen.dtype))


def extremes(dtype: np.dtype[Any]) -> np.ndarray:
    """The values that arithmetic of a type treats apart, and a few others."""
    if not is_float(dtype):
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, info.min + 1, 0, 1, 2, 7], dtype)
    info = np.finfo(dtype) if dtype.kind == "f" else np.finfo("float32")
    largest = float(info.max) if dtype.kind == "f" else 3.3e38
    least = float(info.smallest_subnormal) if dtype.kind == "f" else 1e-40
    ends = (largest, -largest, float(info.tiny), least, -3 * least)
    return np.array([*SPECIAL, *ends, 30.0, -100.0])


def wide(x: np.ndarray, d: Draw) -> np.ndarray:
    """All orders of magnitude; all integers of the type."""
    if is_float(x.dtype):
        most = {"float16": 4, "float64": 300}.get(x.dtype.name, 37)
        return d.numbers.standard_normal(x.shape) * 10.0 ** d.numbers.uniform(-most, most, x.shape)
    if x.dtype == bool:
        return normal(x, d)
    info = np.iinfo(x.dtype)
    return d.numbers.integers(info.min, info.max, x.shape, x.dtype, endpoint=True)


def mixture(*kinds: Values) -> Values:
    """One of the kinds for each array."""
    return lambda x, d: d.run.choice(kinds)(x, d)


def sprinkled(x: np.ndarray, d: Draw) -> np.ndarray:
    """A NaN or an infinity here and there."""
    rare = d.numbers.choice([np.nan, np.inf, -np.inf], x.shape)
    return np.where(d.numbers.random(x.shape) < 0.03, rare, normal(x, d))


everything = mixture(normal, normal, ties, special, wide)
finite = mixture(normal, ties)
some_special = mixture(normal, normal, sprinkled)


def below(size: int, negative: bool = True) -> Values:
    """Indices within an axis, counted from either end; none where there are no elements."""

    def values(x: np.ndarray, d: Draw) -> np.ndarray:
        if x.size and not size:
            raise UnsuitableError
        out = d.run.random() < WRONG
        return d.numbers.integers(-size - out if negative else 0, max(size, 1) + out, x.shape)

    return values
