"""Elementwise operators on two tensors, as compiled C, against numpy: broadcasting above all."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ops import binary
from relax_dialect.ops.binary import OPS, AddOp, NotEqualOp
from relax_dialect.ops.promotion import compared_type

from .compiled import (
    FEW,
    STATIC,
    Case,
    Sizes,
    check,
    compile_cases,
    each_case,
    keep,
    special,
    tensor,
)
from .peers import agree

FLOATS = ("f32", "f64", "f16")
SIGNED = ("i8", "i16", "i32", "i64")
INTEGERS = (*SIGNED, "ui8", "ui16", "ui32", "ui64")


def mixed(x: np.ndarray) -> np.ndarray:
    """Small numbers with zeros among them; a few that are special among floats."""
    small = (x % x.dtype.type(7)).astype(x.dtype)
    if x.dtype.kind == "i":
        small = small - x.dtype.type(3)
    return special(small) if x.dtype.kind == "f" else small


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Numpy's, and for integers Python's, with the truncated quotient for negative exponents."""
    if a.dtype.kind == "f":
        return np.power(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)
    quotient = np.frompyfunc(
        lambda x, y: x**y if y >= 0 else (0 if abs(x) != 1 else x ** (-y)), 2, 1
    )
    wide = quotient(a.astype(object), b.astype(object))
    bits = np.frompyfunc(lambda v: int(v) % 2**64, 1, 1)(wide)
    return np.asarray(bits, dtype=np.uint64).astype(a.dtype)


def divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Numpy's, and for integers Python's quotient of the magnitudes, with its sign; 0 by zero."""
    if a.dtype.kind == "f":
        return np.divide(a, b)
    quotient = np.frompyfunc(
        lambda x, y: 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1), 2, 1
    )
    return quotient(a.astype(object), b.astype(object)).astype(a.dtype)


Rows = tuple[Callable, tuple[str, ...], Callable[[np.ndarray], np.ndarray]]
MEANINGS: dict[type, Rows] = {
    binary.AddOp: (np.add, (*FLOATS, *INTEGERS, "i1"), special),
    binary.SubtractOp: (np.subtract, (*FLOATS, *INTEGERS), special),
    binary.MultiplyOp: (np.multiply, (*FLOATS, *INTEGERS, "i1"), special),
    binary.DivideOp: (divide, (*FLOATS, *INTEGERS), mixed),
    binary.FloorDivideOp: (np.floor_divide, (*FLOATS, *INTEGERS), mixed),
    binary.FloorModOp: (np.mod, (*FLOATS, *INTEGERS), mixed),
    binary.ModOp: (np.fmod, (*FLOATS, *INTEGERS), mixed),
    binary.PowerOp: (power, (*FLOATS, *INTEGERS), mixed),
    binary.MaximumOp: (np.maximum, (*FLOATS, *INTEGERS, "i1"), special),
    binary.MinimumOp: (np.minimum, (*FLOATS, *INTEGERS, "i1"), special),
    binary.Atan2Op: (np.arctan2, FLOATS, special),
    binary.LogAddExpOp: (np.logaddexp, FLOATS, special),
    binary.BitwiseAndOp: (lambda a, b: a & b, ("i1", *INTEGERS), keep),
    binary.BitwiseOrOp: (lambda a, b: a | b, ("i1", *INTEGERS), keep),
    binary.BitwiseXorOp: (lambda a, b: a ^ b, ("i1", *INTEGERS), keep),
    binary.LeftShiftOp: (np.left_shift, INTEGERS, mixed),
    binary.RightShiftOp: (np.right_shift, INTEGERS, mixed),
    binary.LogicalAndOp: (np.logical_and, ("i1",), keep),
    binary.LogicalOrOp: (np.logical_or, ("i1",), keep),
    binary.LogicalXorOp: (np.logical_xor, ("i1",), keep),
}
COMPARISONS: dict[type, Callable] = {
    binary.EqualOp: np.equal,
    binary.NotEqualOp: np.not_equal,
    binary.LessOp: np.less,
    binary.LessEqualOp: np.less_equal,
    binary.GreaterOp: np.greater,
    binary.GreaterEqualOp: np.greater_equal,
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
for op, (meaning, dtypes, values) in MEANINGS.items():
    name, first = op.name.removeprefix("relax."), dtypes[0]
    shapes = SHAPES if op in (binary.AddOp, binary.MaximumOp, binary.LogicalOrOp) else {}
    for form, sides in (shapes or {"outer": SHAPES["outer"]}).items():
        types = [tensor(*dims, dtype=first) for dims in sides]
        CASES[f"{name}_{form}"] = Case(op, types, meaning, values=values)
    types = [tensor(4, 3, dtype=first), tensor(4, 1, dtype=first)]
    CASES[f"{name}_static"] = Case(op, types, meaning, STATIC, values)
    scalars = [tensor(dtype=first), tensor(dtype=first)]
    CASES[f"{name}_scalars"] = Case(op, scalars, meaning, STATIC, values)
    for dtype in dtypes:
        types = [tensor("n", "m", dtype=dtype), tensor("m", dtype=dtype)]
        CASES[f"{name}_{dtype}"] = Case(op, types, meaning, FEW, values)
either = [tensor("n", 2), tensor(4, 1)]
CASES["add_maybe_one"] = Case(AddOp, either, np.add, [{"n": 1}, {"n": 4}], special)
for op, meaning in COMPARISONS.items():
    name = op.name.removeprefix("relax.")
    for dtype in (*FLOATS, *INTEGERS, "i1"):
        rows = [tensor("n", "m", dtype=dtype), tensor("m", dtype=dtype)]
        values = special if dtype.startswith("f") else keep
        CASES[f"{name}_{dtype}"] = Case(op, rows, meaning, FEW, values)
    CASES[f"{name}_outer"] = Case(op, [tensor(1, "m"), tensor("n", 1)], meaning, values=special)
    CASES[f"{name}_static"] = Case(op, [tensor(3, 5), tensor()], meaning, STATIC, special)
    CASES[f"{name}_itself"] = Case(
        lambda x, op=op: op(x, x),
        [tensor("n", "m")],
        lambda x, meaning=meaning: meaning(x, x),
        values=special,
    )
PAIRS = (("i64", "ui64"), ("ui64", "i8"), ("i1", "i8"), ("i32", "f32"))
"""Element types that are compared with each other."""


def close(x: np.ndarray) -> np.ndarray:
    """Small numbers, so that many are equal; the ends of an integer type among them."""
    small = (x % x.dtype.type(3) if x.dtype.kind != "b" else x).astype(x.dtype)
    if x.dtype.kind in "iu":
        flat, info = small.reshape(-1), np.iinfo(x.dtype)
        flat[::5], flat[1::7] = info.min, info.max
    return small


for op, meaning in COMPARISONS.items():
    for pair in PAIRS if op is binary.LessOp else PAIRS[:1]:
        rows = [tensor("n", "m", dtype=pair[0]), tensor("m", dtype=pair[1])]
        CASES[f"{op.name[6:]}_{'_'.join(pair)}"] = Case(op, rows, meaning, FEW, close)
CASES["twice"] = Case(lambda x: AddOp(x, x), [tensor("n", "m")], lambda x: x + x)


@pytest.fixture(scope="module")
def model() -> CompiledModule:
    return compile_cases(CASES)


def test_every_operator_has_a_case():
    assert {*MEANINGS, *COMPARISONS} == set(OPS)


@each_case(CASES)
def test_agrees_with_numpy(model: CompiledModule, name: str, sizes: Sequence[Sizes]):
    check(model, CASES, name, sizes)


@pytest.mark.parametrize("n", [0, 2, 3, 5])
def test_sizes_that_do_not_broadcast_are_an_error(model: CompiledModule, n: int):
    """Nothing is read past the end: [n] with [4] needs n to be 1 or 4."""
    found = rf"to be equal, or one of them 1, found {min(n, 4)} and {max(n, 4)}$"
    with pytest.raises(RelaxError, match=rf"relax\.add: expected sizes to broadcast: {found}"):
        model.add_maybe_one(np.zeros((n, 2), np.float32), np.zeros((4, 1), np.float32))


@pytest.mark.long
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


@pytest.mark.slow
def test_the_least_integer_divided_by_minus_one_is_itself(model: CompiledModule):
    for dtype in ("int8", "int16", "int32", "int64"):
        least = np.array([[np.iinfo(dtype).min]], dtype)
        divide = model[f"divide_{dtype.replace('int', 'i')}"]
        np.testing.assert_array_equal(divide(least, np.array([-1], dtype)), least)


def test_element_types_are_promoted_as_numpy_does():
    """But for ui64 and signed types, which have no common one."""
    types = [parse_dtype(name) for name in (*FLOATS, *INTEGERS, "i1")]
    for a, b in itertools.product(types, types):
        common, theirs = compared_type(a, b), np.result_type(numpy_dtype(a), numpy_dtype(b))
        if common is None:
            assert theirs == np.float64 and {str(a), str(b)} & {"ui64"}
        else:
            assert numpy_dtype(common) == theirs


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.int32(2**24 + 1), np.float32(2**24)),
        (np.int64(2**53 + 1), np.float64(2**53)),
        (np.uint64(2**64 - 1), np.float32(2**64)),
        (np.int64(-1), np.uint64(2**64 - 1)),
        (np.uint64(2**63), np.int64(-(2**63))),
        (np.float16(np.nan), np.int8(0)),
    ],
)
def test_comparisons_at_the_edge_of_a_type(a: np.generic, b: np.generic):
    """Where a cast to one of the types, or to a float, would decide otherwise; numpy 2 is right of integers."""
    whole = a.dtype.kind in "iu" and b.dtype.kind in "iu"
    for op, meaning in COMPARISONS.items():
        expected = meaning(int(a), int(b)) if whole else meaning(a, b)
        agree(op, [np.asarray(a), np.asarray(b)], np.asarray(expected, np.bool_))


def test_nan_on_either_side_wins_in_maximum(model: CompiledModule):
    x = np.array([[np.nan, 1, np.nan, np.inf]], np.float32)
    y = np.array([[1, np.nan, np.nan, -np.inf]], np.float32)
    np.testing.assert_array_equal(model.maximum_same(x, y), [[np.nan, np.nan, np.nan, np.inf]])


@pytest.mark.slow
def test_only_not_equal_holds_for_nan(model: CompiledModule):
    x = np.array([[np.nan, 1, np.nan]], np.float32)
    y = np.array([1, np.nan, np.nan], np.float32)
    for op in COMPARISONS:
        result = model[f"{op.name.removeprefix('relax.')}_f32"](x, y)
        assert result.dtype == bool
        np.testing.assert_array_equal(result, np.full((1, 3), op is NotEqualOp))
