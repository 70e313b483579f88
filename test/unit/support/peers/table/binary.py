"""Functions of two elements, broadcast."""

from __future__ import annotations

import numpy as np

from peers.drawing import (
    ANY,
    FLOATS,
    INTEGERS,
    NUMBERS,
    SIGNED,
    Draw,
    Values,
    everything,
    finite,
    positive,
    ties,
)
from peers.libraries import Function, by_numpy, by_torch, torch
from peers.registry import Build, Meaning, exact, peer
from relax_dialect.ops import binary as ops


def shift(x: np.ndarray, d: Draw) -> np.ndarray:
    return d.numbers.integers(0, 8 * x.itemsize, x.shape)


def exponent(x: np.ndarray, d: Draw) -> np.ndarray:
    return everything(x, d) if x.dtype.kind not in "iu" else d.numbers.integers(0, 9, x.shape)


BITS = (*INTEGERS, "bool")
TRUTH = ("bool",)
OPERATORS: dict[str, tuple[Build, Function, tuple[str, ...]]] = {
    "add": (ops.AddOp, by_torch(torch.add), NUMBERS),
    "subtract": (ops.SubtractOp, by_torch(torch.sub), NUMBERS),
    "multiply": (ops.MultiplyOp, by_torch(torch.mul), NUMBERS),
    "divide": (ops.DivideOp, by_torch(torch.div), FLOATS),
    "floor_divide": (ops.FloorDivideOp, by_numpy(np.floor_divide), NUMBERS),
    "floor_mod": (ops.FloorModOp, by_numpy(np.mod), NUMBERS),
    "mod": (ops.ModOp, by_numpy(np.fmod), NUMBERS),
    "maximum": (ops.MaximumOp, by_torch(torch.maximum), NUMBERS),
    "minimum": (ops.MinimumOp, by_torch(torch.minimum), NUMBERS),
    "bitwise_and": (ops.BitwiseAndOp, by_torch(torch.bitwise_and), BITS),
    "bitwise_or": (ops.BitwiseOrOp, by_torch(torch.bitwise_or), BITS),
    "bitwise_xor": (ops.BitwiseXorOp, by_torch(torch.bitwise_xor), BITS),
    "logical_and": (ops.LogicalAndOp, by_torch(torch.logical_and), TRUTH),
    "logical_or": (ops.LogicalOrOp, by_torch(torch.logical_or), TRUTH),
    "logical_xor": (ops.LogicalXorOp, by_torch(torch.logical_xor), TRUTH),
    "equal": (ops.EqualOp, by_torch(torch.eq), ANY),
    "not_equal": (ops.NotEqualOp, by_torch(torch.ne), ANY),
    "less": (ops.LessOp, by_torch(torch.lt), ANY),
    "less_equal": (ops.LessEqualOp, by_torch(torch.le), ANY),
    "greater": (ops.GreaterOp, by_torch(torch.gt), ANY),
    "greater_equal": (ops.GreaterEqualOp, by_torch(torch.ge), ANY),
}


def pair(d: Draw, dtype: str, *values: Values) -> None:
    """Two arrays whose shapes broadcast."""
    shape = d.shape()
    shapes = [d.broadcast(shape), shape]
    if d.flag():
        shapes.reverse()
    for each, kind in zip(shapes, values or (everything, everything)):
        d.array(each, dtype, kind)


def enter(name: str, build: Build, meaning: Meaning, dtypes: tuple[str, ...]) -> None:
    @peer(name, zeros="C" if name in ("maximum", "minimum") else "peer", **exact)
    def draw(d: Draw) -> tuple[Build, Meaning]:
        pair(d, d.one(dtypes))
        return build, meaning


for name, (build, meaning, dtypes) in OPERATORS.items():
    enter(name, build, meaning, dtypes)


@peer("power", cancels=0)
def power(d: Draw) -> tuple[Build, Meaning]:
    pair(d, d.one(NUMBERS), everything, exponent)
    return ops.PowerOp, by_torch(torch.pow)


@peer("atan2", cancels=0)
def atan2(d: Draw) -> tuple[Build, Meaning]:
    pair(d, d.one(FLOATS))
    return ops.Atan2Op, by_torch(torch.atan2)


@peer("log_add_exp")
def log_add_exp(d: Draw) -> tuple[Build, Meaning]:
    pair(d, d.one(FLOATS))
    return ops.LogAddExpOp, by_torch(torch.logaddexp)


@peer("divide", **exact)
def integer_quotient(d: Draw) -> tuple[Build, Meaning]:
    pair(d, d.one(INTEGERS), everything, positive)
    return ops.DivideOp, by_torch(lambda a, b: torch.div(a, b, rounding_mode="trunc"))


COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


@peer(*COMPARISONS, **exact)
def of_two_types(d: Draw) -> tuple[Build, Meaning]:
    shape, types = d.shape(), (*INTEGERS, "uint64", "bool", "float32", "float64", "float16")
    for each in (shape, d.broadcast(shape)):
        d.array(each, d.one(types), d.one((everything, ties)))
    return OPERATORS[d.operator][0], by_numpy(getattr(np, d.operator))


@peer("left_shift", "right_shift", **exact)
def shifts(d: Draw) -> tuple[Build, Meaning]:
    pair(d, d.one(SIGNED), everything, shift)
    return {
        "left_shift": (ops.LeftShiftOp, by_torch(torch.bitwise_left_shift)),
        "right_shift": (ops.RightShiftOp, by_torch(torch.bitwise_right_shift)),
    }[d.operator]


@peer(
    "floor_divide", "floor_mod", "mod", cancels=0, zeros="C"
)  # PyTorch's zero remainder has another sign
def quotients(d: Draw) -> tuple[Build, Meaning]:
    pair(d, d.one(("float32", "float64", *SIGNED)), finite, finite)
    return {
        "floor_divide": (ops.FloorDivideOp, by_torch(torch.floor_divide)),
        "floor_mod": (ops.FloorModOp, by_torch(torch.remainder)),
        "mod": (ops.ModOp, by_torch(torch.fmod)),
    }[d.operator]
