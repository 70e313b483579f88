"""What a node is made of: sizes, arrays with odd values in them, element types that its operator takes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from onnx import defs

SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5, 7)
FLOATS = ("float32", "float32", "float64", "float16")
INTS = ("int64", "int32", "int8", "uint8", "int16", "uint16", "uint32", "uint64")
ALL = (*FLOATS, *INTS, "bool")
OPSETS = range(7, 24)
ODD = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-3, 100.0, -1e4)
SPECIAL = (np.nan, np.inf, -np.inf, 1e38, -1e38, 1e-40)


@dataclass
class Drawn:
    """A node: inputs (None for one that is left out), which of them are constants, attributes."""

    op_type: str
    inputs: Sequence[Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    constants: Sequence[int] = ()
    outputs: int = 1
    tolerance: float = 1.0
    """How much more than usual results may differ."""
    opset: int = 0
    """What the operator is drawn for, 0 for the one that was asked for."""
    symbolic: bool = True
    by_reference: bool = False
    """Whether ONNX's own evaluator stands in for a peer that has no such kernel."""
    is_random: bool = False
    """Whether the results are alike, not the same."""
    within: str = ""
    """What the node is in, as `wrapping` has it."""

    def __str__(self) -> str:
        inputs = [
            "none"
            if a is None
            else f"{a.dtype}{list(np.shape(a))}{'=' if i in self.constants else ''}"
            for i, a in enumerate(self.inputs)
        ]
        told = ", ".join([*inputs, *(f"{k}={v!r}" for k, v in self.attributes.items())])
        within = f" in {self.within}" if self.within else ""
        return f"{self.op_type}-{self.opset}({told}){within}"


class Draw:
    """Random parts of a node of an operator in an opset."""

    def __init__(self, rng: random.Random, op_type: str, opset: int):
        self.rng, self.op_type, self.opset = rng, op_type, opset
        self.numbers = np.random.default_rng(rng.getrandbits(32))

    def chance(self, probability: float = 0.5) -> bool:
        return self.rng.random() < probability

    def one(self, *of: Any) -> Any:
        return self.rng.choice(of)

    def int(self, low: int, high: int) -> int:
        """An integer, both ends included."""
        return self.rng.randint(low, high)

    def shape(self, low: int = 0, high: int = 4, empty: bool = True) -> tuple[int, ...]:
        sizes = SIZES if empty and self.chance(0.25) else SIZES[1:]
        return tuple(self.rng.choice(sizes) for _ in range(self.int(low, high)))

    def broadcast(self, shape: Sequence[int]) -> tuple[int, ...]:
        """A shape that broadcasts with another to that one."""
        kept = [1 if self.chance(0.3) else d for d in shape]
        return tuple(kept[self.int(0, len(kept)) if self.chance(0.3) else 0 :])

    def axis(self, rank: int) -> int:
        return self.int(-rank, rank - 1) if rank else 0

    def axes(self, rank: int, low: int = 0, high: int | None = None) -> list[int]:
        count = self.int(low, max(low, rank if high is None else min(high, rank)))
        found = self.rng.sample(range(rank), min(count, rank))
        return [a - rank if self.chance(0.4) else a for a in found]

    def dtype(self, among: Sequence[str] = ALL, place: int = 0) -> str:
        """An element type that the operator takes as an input."""
        allowed = allowed_types(self.op_type, self.opset, place)
        found = [t for t in among if not allowed or t in allowed]
        return self.rng.choice(found or among)

    def array(self, dtype: str, shape: Sequence[int], special: bool = True) -> Any:
        """Small numbers, now and then with odd ones among them."""
        count = int(np.prod(shape))
        if dtype == "bool":
            return (self.numbers.random(shape) < 0.5).reshape(shape)
        if dtype.startswith("float"):
            values = self.numbers.standard_normal(count) * self.one(1, 1, 3, 10)
            among = ODD + (SPECIAL if special and self.chance(0.3) else ())
            if self.chance(0.3):
                for at in range(count):
                    if self.chance(0.3):
                        values[at] = self.rng.choice(among)
            with np.errstate(all="ignore"):
                return values.astype(dtype).reshape(shape)
        info = np.iinfo(dtype)
        low, high = max(info.min, -9), 9
        values = self.numbers.integers(low, high, count, endpoint=True).astype(dtype)
        if special and self.chance(0.3):
            for at in range(count):
                if self.chance(0.3):
                    values[at] = self.rng.choice((info.min, info.max, 0, 1))
        return values.reshape(shape)

    def positive(self, dtype: str, shape: Sequence[int]) -> Any:
        return (self.numbers.random(shape) + 0.1).astype(dtype)

    def ints(self, low: int, high: int, shape: Sequence[int], dtype: str = "int64") -> Any:
        """Integers, both ends included; nothing where there is none between them."""
        if high < low:
            shape = [0 if i == 0 else d for i, d in enumerate(shape)] or [0]
            return np.zeros(shape, dtype)
        return self.numbers.integers(low, high, tuple(shape), endpoint=True).astype(dtype)


def vector(values: Sequence[int], dtype: str = "int64") -> Any:
    return np.array(values, dtype)


Maker = Callable[[Draw], Drawn | None]
TABLE: dict[str, Maker] = {}


def draws(names: str) -> Callable[[Maker], Maker]:
    """Register what draws nodes of operators."""

    def register(function: Maker) -> Maker:
        TABLE.update(dict.fromkeys(names.split(), function))
        return function

    return register


@cache
def schema(op_type: str, opset: int) -> Any:
    try:
        return defs.get_schema(op_type, opset)
    except defs.SchemaError:
        return None


@cache
def opsets(op_type: str) -> list[int]:
    """Those of them that have an operator, or the first that has it."""
    found = [n for n in OPSETS if (has := schema(op_type, n)) and not has.deprecated]
    return found or [defs.get_schema(op_type).since_version]


NAMES: dict[str, str] = {"float": "float32", "double": "float64"}
"""Numpy's names of types that ONNX calls otherwise."""


@cache
def allowed_types(op_type: str, opset: int, place: int) -> frozenset[str]:
    """Numpy's names of the element types that an operator takes at a place."""
    found = schema(op_type, opset)
    if found is None or place >= len(found.inputs):
        return frozenset()
    types = {t.removeprefix("tensor(").removesuffix(")") for t in found.inputs[place].types}
    return frozenset(NAMES.get(t, t) for t in map(str, types))
