"""Random programs on elements and views, and of the numbers that rules look for."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from proof_cases import OPS, made
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder.constant_values import const
from relax_dialect.ir.types import TensorType

FLOATS, INTEGERS = ("f16", "bf16", "f32", "f64"), ("i8", "i32", "i64", "ui8", "ui32")
SHAPES = ([], ["n"], ["n", "m"], [1, "m"], ["n", 3])
UNARY = {
    "float": [
        "negative",
        "abs",
        "sign",
        "square",
        "floor",
        "ceil",
        "round",
        "trunc",
        "relu",
        "relu6",
        "sqrt",
        "reciprocal",
        "exp",
        "tanh",
    ],
    "integer": [
        "negative",
        "abs",
        "sign",
        "square",
        "relu",
        "relu6",
        "bitwise_not",
        "floor",
        "round",
    ],
    "bool": ["logical_not", "bitwise_not"],
}
BINARY = {
    "float": ["add", "subtract", "multiply", "divide", "maximum", "minimum"],
    "integer": [
        "add",
        "subtract",
        "multiply",
        "divide",
        "floor_divide",
        "maximum",
        "minimum",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "left_shift",
        "right_shift",
    ],
    "bool": ["logical_and", "logical_or", "logical_xor", "bitwise_and", "equal", "not_equal"],
}
NUMBERS = {
    "float": (0.0, -0.0, 1.0, -1.0, 2.0, math.inf, -math.inf, math.nan),
    "integer": (0, 1, 2, 3, 127),
    "bool": (True, False),
}
COMPARISONS = ("equal", "not_equal", "less", "greater_equal")


def kind_of(dtype: str) -> str:
    return "float" if dtype in FLOATS else "bool" if dtype == "i1" else "integer"


def grown(
    source: random.Random, value: Any, other: Any, dtype: str, shape: Sequence[Any]
) -> tuple[Any, str]:
    """A value with one more operator, and its element type."""
    kind, chance = kind_of(dtype), source.random()
    if chance < 0.3:
        return OPS[source.choice(UNARY[kind])](value), dtype
    if chance < 0.7:
        number = const(source.choice(NUMBERS[kind]), dtype)
        second = source.choice((number, number, other, value))
        operands = (value, second) if source.random() < 0.6 else (second, value)
        return OPS[source.choice(BINARY[kind])](*operands), dtype
    if chance < 0.8:
        wide = source.choice((*FLOATS, *INTEGERS, "i1"))
        return OPS["astype"](OPS["astype"](value, wide), dtype), dtype
    if chance < 0.87:
        view = source.choice(
            (OPS["flatten"], OPS["permute_dims"], lambda x: OPS["expand_dims"](x, 0))
        )
        return OPS["reshape"](view(value), shape), dtype
    if chance < 0.93:
        return OPS["permute_dims"](OPS["permute_dims"](value)), dtype
    return OPS["where"](OPS[source.choice(COMPARISONS)](value, other), value, other), dtype


def program(source: random.Random) -> ModuleOp | None:
    """A program of up to five operators, None where they do not fit together."""
    dtype = source.choice((*FLOATS, "f32", *INTEGERS, "i1"))
    shape = source.choice(SHAPES)
    type = TensorType(shape, dtype)
    count = source.randint(2, 5)

    def build(x: Any, y: Any) -> Any:
        value, own = x, dtype
        for _ in range(count):
            value, own = grown(source, value, y, own, shape)
        return value

    try:
        return made([type, type], build)
    except (TypeError, KeyError):
        return None
