"""Elementwise operators on two tensors, as compiled C, against numpy: broadcasting above all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lowering.runtime import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.ops.binary import (
    OPS,
    AddOp,
    DivideOp,
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    MaximumOp,
    MultiplyOp,
    NotEqualOp,
    SubtractOp,
)

from .compiled import STATIC, Case, Sizes, check, compile_cases, keep, over, special, tensor

MEANINGS: dict[type, Callable] = {
    AddOp: np.add,
    SubtractOp: np.subtract,
    MultiplyOp: np.multiply,
    DivideOp: np.divide,
    MaximumOp: np.maximum,
}
COMPARISONS: dict[type, Callable] = {
    EqualOp: np.equal,
    NotEqualOp: np.not_equal,
    LessOp: np.less,
    LessEqualOp: np.less_equal,
    GreaterOp: np.greater,
    GreaterEqualOp: np.greater_equal,
}
SHAPES = {
    "same": (["n", "m"], ["n", "m"]),
    "row": (["n", "m"], ["m"]),
    "column": (["n", "m"], ["n", 1]),
    "outer": ([1, "m"], ["n", 1]),
    "batch": (["n", 1, 3], ["k", 1]),
    "scalar": ([], ["n", 3]),
}

CASES: dict[str, Case] = {}
for op, meaning in MEANINGS.items():
    name = op.name.removeprefix("relax.")
    for form, (lhs, rhs) in SHAPES.items():
        types = [tensor(*lhs), tensor(*rhs)]
        CASES[f"{name}_{form}"] = Case(op, types, meaning, values=special)
    CASES[f"{name}_static"] = Case(op, [tensor(4, 3), tensor(4, 1)], meaning, STATIC)
    CASES[f"{name}_scalars"] = Case(op, [tensor(), tensor()], meaning, STATIC)
    for dtype in ("f64",) if op is DivideOp else ("f64", "i8", "i16", "i32", "i64"):
        types = [tensor("n", "m", dtype=dtype), tensor("m", dtype=dtype)]
        CASES[f"{name}_{dtype}"] = Case(op, types, meaning)
    either = [tensor("n", 2), tensor(4, 1)]
    CASES[f"{name}_maybe_one"] = Case(op, either, meaning, [{"n": 1}, {"n": 4}], special)
for op, meaning in COMPARISONS.items():
    name = op.name.removeprefix("relax.")
    for dtype in ("f32", "f64", "i8", "i32", "i64", "i1"):
        rows = [tensor("n", "m", dtype=dtype), tensor("m", dtype=dtype)]
        values = special if dtype.startswith("f") else keep
        CASES[f"{name}_{dtype}"] = Case(op, rows, meaning, values=values)
    CASES[f"{name}_outer"] = Case(op, [tensor(1, "m"), tensor("n", 1)], meaning, values=special)
    CASES[f"{name}_static"] = Case(op, [tensor(3, 5), tensor()], meaning, STATIC, special)
    CASES[f"{name}_itself"] = Case(
        lambda x, op=op: op(x, x),
        [tensor("n", "m")],
        lambda x, meaning=meaning: meaning(x, x),
        values=special,
    )
CASES["twice"] = Case(lambda x: AddOp(x, x), [tensor("n", "m")], lambda x: x + x)


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {*MEANINGS, *COMPARISONS} == set(OPS)


@over(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sizes):
    check(model, CASES, name, sizes)


@pytest.mark.parametrize("n", [0, 2, 3, 5])
def test_sizes_that_do_not_broadcast_are_an_error(model: CompiledModule, n: int):
    """Nothing is read past the end: [n] with [4] needs n to be 1 or 4."""
    with pytest.raises(RelaxError, match=r"relax\.add: expected n to be 1 or 4"):
        model.add_maybe_one(np.zeros((n, 2), np.float32), np.zeros((4, 1), np.float32))


def test_integers_wrap_around(model: CompiledModule):
    for dtype in ("int8", "int16", "int32", "int64"):
        ends = np.iinfo(dtype)
        x = np.array([[ends.max, ends.min, ends.min, ends.max]], dtype)
        y = np.array([1, -1, ends.min, ends.max], dtype)
        short = dtype.replace("int", "i")
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(model[f"add_{short}"](x, y), x + y)
            np.testing.assert_array_equal(model[f"subtract_{short}"](x, y), x - y)
            np.testing.assert_array_equal(model[f"multiply_{short}"](x, y), x * y)


def test_nan_on_either_side_wins_in_maximum(model: CompiledModule):
    x = np.array([[np.nan, 1, np.nan, np.inf]], np.float32)
    y = np.array([[1, np.nan, np.nan, -np.inf]], np.float32)
    np.testing.assert_array_equal(model.maximum_same(x, y), [[np.nan, np.nan, np.nan, np.inf]])


def test_only_not_equal_holds_for_nan(model: CompiledModule):
    x = np.array([[np.nan, 1, np.nan]], np.float32)
    y = np.array([1, np.nan, np.nan], np.float32)
    for op in COMPARISONS:
        result = model[f"{op.name.removeprefix('relax.')}_f32"](x, y)
        assert result.dtype == bool
        np.testing.assert_array_equal(result, np.full((1, 3), op is NotEqualOp))
