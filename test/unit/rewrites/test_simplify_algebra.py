"""relax-simplify-algebra: bit for bit what it was, nothing left to do, linear work."""

from __future__ import annotations

import itertools
import random
from functools import partial
from typing import Any

import numpy as np
import pytest
from effort import effort
from hypothesis import given, reject
from optional import examples
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.transforms.canonicalize import CanonicalizePass

from relax_dialect import BlockBuilder
from relax_dialect.builder import op, var
from relax_dialect.errors import ExecutionError
from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.blocks import OutputOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.algebra.rule_sets.casts import may_skip
from relax_dialect.rewrites.algebra.rule_sets.inverses import COVERED, FAST_UNDONE, REPEATED, UNDONE
from relax_dialect.rewrites.algebra.rule_sets.neutral import (
    ABSORBING,
    FAST_ABSORBING,
    FAST_NEUTRAL,
    NEUTRAL,
    NeutralElement,
)
from relax_dialect.rewrites.algebra.simplify_algebra import simplify_algebra

from .algebra_programs import Program, programs, special_array
from .random_functions import ARGUMENTS, random_module

canonicalize = partial(CanonicalizePass().apply, Context())

CHAINS: dict[str, Any] = {
    "neutral": lambda x: x * 1.0,
    "undone": lambda x: op.negative(op.negative(x)),
    "repeated": op.relu,
    "permuted": op.permute_dims,
    "reshaped": lambda x: op.expand_dims(x, 0) if len(x.shape) < 3 else op.squeeze(x, 0),
    "cast": lambda x: x.astype("f64" if str(x.dtype) == "f32" else "f32"),
}
"""Operations done to a value again and again."""


def same_bits(before: Any, after: Any) -> bool:
    """Whether two results are the same bits; NaN is NaN."""
    if isinstance(before, tuple):
        return len(before) == len(after) and all(map(same_bits, before, after))
    if before.dtype != after.dtype or before.shape != after.shape:
        return False
    if before.dtype.kind != "f":
        return np.array_equal(before, after)
    return np.array_equal(before, after, equal_nan=True) and np.array_equal(
        np.signbit(before) & ~np.isnan(before), np.signbit(after) & ~np.isnan(after)
    )


def outcome(module: ModuleOp, arguments: list[np.ndarray]) -> Any:
    with np.errstate(all="ignore"):
        return run(module, "main", *arguments)


@examples(20)
@given(programs())
def test_on_random_programs(program: Program):
    try:
        before = outcome(program.module, program.arguments)
    except ExecutionError:
        reject()  # sizes that are checked at run time do not fit
    simplify_algebra(program.module)
    verify(program.module)
    assert same_bits(before, outcome(program.module, program.arguments))
    once = str(program.module)
    assert simplify_algebra(program.module) == 0
    assert str(program.module) == once
    assert str(parse(once)) == once


@examples(20)
@given(programs())
def test_canonicalize_does_the_same_on_random_programs(program: Program):
    """xDSL's own pass, which knows the rules from the operators: nothing is left to do for ours."""
    module = program.module
    try:
        before = outcome(module, program.arguments)
    except ExecutionError:
        reject()
    canonicalize(module)
    verify(module)
    assert same_bits(before, outcome(module, program.arguments))
    once = str(module)
    canonicalize(module)
    assert str(module) == once
    assert simplify_algebra(module) == 0


@pytest.mark.parametrize("kind", [{}, {"graph": True}, {"effects": True}], ids=str)
def test_canonicalize_keeps_what_functions_mean(kind: dict[str, bool], capfd: Any):
    """Branches, loops, closures, graphs and what is printed, in order."""
    changed = 0
    for number in range(6):
        module = random_module(random.Random(number), **kind)
        before = outcome(module, ARGUMENTS), capfd.readouterr()
        once = str(module)
        canonicalize(module)
        verify(module)
        changed += once != (once := str(module))
        after = outcome(module, ARGUMENTS), capfd.readouterr()
        assert same_bits(before[0], after[0]) and before[1] == after[1]
        canonicalize(module)
        assert str(module) == once
    assert changed


@pytest.mark.slow
@examples(12)
@given(programs())
def test_fast_math_ends_and_verifies(program: Program):
    simplify_algebra(program.module, fast_math=True)
    verify(program.module)
    assert simplify_algebra(program.module, fast_math=True) == 0


def function(dtype: str, make: Any, *shapes: tuple[Any, ...]) -> ModuleOp:
    """A function @main of tensors of an element type."""
    params = [var(f"x{i}", TensorType(shape, dtype)) for i, shape in enumerate(shapes)]
    bb = BlockBuilder()
    with bb.function("main", params):
        with bb.dataflow():
            result = bb.emit_output(make(*params))
        bb.emit_func_output(result)
    return bb.get()


def rows() -> list[Any]:
    kinds = {"integers": ("i8", "ui8", "i32"), "floats": ("f32", "f16"), "booleans": ("i1",)}
    return [
        pytest.param(row, dtype, absorbs, id=f"{row.op}-{dtype}-{absorbs}")
        for absorbs, table in ((False, NEUTRAL), (True, ABSORBING))
        for row in table
        for kind, dtypes in kinds.items()
        for dtype in dtypes
        if getattr(row, kind) is not None
    ]


def number(row: NeutralElement, dtype: str) -> Any:
    numpy = numpy_dtype(parse_dtype(dtype))
    kind = {"b": row.booleans, "f": row.floats}.get(numpy.kind, row.integers)
    if isinstance(kind, str):
        limits = np.iinfo(numpy) if numpy.kind in "iu" else None
        low, high = (limits.min, limits.max) if limits else (-np.inf, np.inf)
        kind = low if kind == "least" else high
    return np.array(kind).astype(numpy)[()]


@pytest.mark.parametrize(("row", "dtype", "absorbs"), rows())
def test_every_row_fires_and_is_exact(row: NeutralElement, dtype: str, absorbs: bool):
    """Against numpy: a row is one that numpy's own operator has, on special numbers."""
    found, numpy = number(row, dtype), numpy_dtype(parse_dtype(dtype))
    x = special_array((64,), numpy, 1)
    for side in row.sides:

        def make(a: Any, side: int = side) -> Any:
            order = (a, found) if side else (found, a)
            return getattr(op, row.op)(*order)

        module = function(dtype, make, ("n",))
        before = outcome(module, [x])
        assert simplify_algebra(module) == 1
        verify(module)
        assert f"relax.{row.op} " not in str(module)
        after = outcome(module, [x])
        assert same_bits(before, after)
        assert same_bits(after, np.full_like(x, found) if absorbs else x)


NOT_NEUTRAL = [
    ("add", "f32", 0.0),  # -0.0 + 0.0 is 0.0
    ("subtract", "f32", -0.0),
    ("multiply", "f32", 0.0),
    ("maximum", "f32", np.inf),  # of NaN
    ("minimum", "f32", -np.inf),
    ("maximum", "f32", 0.0),
    ("floor_divide", "f32", 1.0),
    ("power", "f32", 2.0),
    ("add", "i8", 1),
    ("bitwise_and", "i8", 1),
    ("logical_xor", "i1", True),
]


@pytest.mark.parametrize(("name", "dtype", "value"), NOT_NEUTRAL)
def test_other_numbers_stay(name: str, dtype: str, value: Any):
    numpy = numpy_dtype(parse_dtype(dtype))
    module = function(dtype, lambda x: getattr(op, name)(x, numpy.type(value)), ("n",))
    assert simplify_algebra(module) == 0


@pytest.mark.parametrize("name", ["subtract", "divide", "power", "left_shift", "floor_divide"])
def test_a_number_on_the_left_of_what_does_not_commute_stays(name: str):
    dtype = "f32" if name in ("subtract", "divide", "power") else "i32"
    value = numpy_dtype(parse_dtype(dtype)).type(name not in ("subtract", "left_shift"))
    module = function(dtype, lambda x: getattr(op, name)(value, x), ("n",))
    assert simplify_algebra(module) == 0


@pytest.mark.parametrize("row", [*FAST_NEUTRAL, *FAST_ABSORBING], ids=lambda row: row.op)
def test_fast_rows_fire_only_if_asked_for(row: NeutralElement):
    module = function("f32", lambda x: getattr(op, row.op)(x, np.float32(row.floats)), ("n",))
    assert simplify_algebra(module) == 0
    assert simplify_algebra(module, fast_math=True) == 1
    x = np.array([1.5, -2.0, 0.0], "f")
    expected = 0 * x if row.op == "multiply" else x
    assert np.array_equal(outcome(module, [x]), expected)


@pytest.mark.parametrize(("outer", "inner"), FAST_UNDONE)
def test_fast_inverses_fire_only_if_asked_for(outer: str, inner: str):
    module = function("f32", lambda x: getattr(op, outer)(getattr(op, inner)(x)), ("n",))
    assert simplify_algebra(module) == 0
    before = outcome(module, [np.array([0.25, 0.5], "f")])
    assert simplify_algebra(module, fast_math=True) == 1
    np.testing.assert_allclose(outcome(module, [np.array([0.25, 0.5], "f")]), before, rtol=1e-6)


@pytest.mark.parametrize(("outer", "inner"), [*UNDONE, *REPEATED, *COVERED])
def test_every_pair_fires_and_is_exact(outer: str, inner: str):
    dtypes = {"logical_not": ["i1"], "bitwise_not": ["i8", "ui8", "i1"]}
    for dtype in dtypes.get(outer, ["f32", "f16", "i8", "ui8"]):
        if dtype == "ui8" and "relu6" in (outer, inner):
            continue
        x = special_array((64,), numpy_dtype(parse_dtype(dtype)), 2)
        module = function(dtype, lambda x: getattr(op, outer)(getattr(op, inner)(x)), ("n",))
        before = outcome(module, [x])
        fired = simplify_algebra(module)
        assert bool(fired) == (dtype != "ui8" or (outer, inner) not in COVERED)
        verify(module)
        assert same_bits(before, outcome(module, [x]))


SPECIAL_FLOATS = [0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, -1.5, 1e-8, 65519.0, 65520.0]


def cast_twice(x: Any, middle: str, last: str) -> Any:
    return x.astype(middle).astype(last)


CASTS = ["f16", "f32", "f64", "bf16", "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32"]


@pytest.mark.parametrize("first", CASTS)
def test_casts_are_skipped_only_where_they_lose_nothing(first: str):
    """Against the interpreter's casts, on special numbers and on every power of two around."""
    numpy = numpy_dtype(parse_dtype(first))
    powers = [sign * 2.0**e + d for e in range(65) for sign in (1, -1) for d in (-1, 0, 1)]
    with np.errstate(all="ignore"):
        kind = "f" if numpy.kind == "V" else numpy.kind
        x = np.array([*SPECIAL_FLOATS, *powers] if kind == "f" else powers, "f8").astype(numpy)
    pairs = list(itertools.product(CASTS, CASTS))
    param = var("x", TensorType(("n",), first))
    bb = BlockBuilder()
    with bb.function("main", [param]):
        with bb.dataflow():
            casts = [bb.emit_output(cast_twice(param, *pair)) for pair in pairs]
        bb.emit_func_output(casts)
    module = bb.get()
    before = outcome(module, [x])
    simplify_algebra(module)
    after = outcome(module, [x])
    (end,) = (op for op in module.walk() if isinstance(op, OutputOp))
    fired = 0
    for (middle, last), old, new, result in zip(pairs, before, after, end.operands, strict=True):
        assert old.dtype == new.dtype
        assert same_bits(*(y.astype("f8") if last == "bf16" else y for y in (old, new)))
        skipped = may_skip(*map(parse_dtype, (first, middle, last)))
        fired += skipped
        left = [first != middle, middle != last] if not skipped else [first != last]
        assert casts_of(result) == sum(left), (middle, last)
    assert fired >= len(CASTS)


def casts_of(value: SSAValue) -> int:
    """How many casts in a row a value comes out of."""
    return 1 + casts_of(value.owner.x) if isinstance(value.owner, AstypeOp) else 0


@pytest.mark.long
@pytest.mark.parametrize("kind", CHAINS)
def test_work_is_linear(kind: str):
    def work(length: int) -> int:
        x = var("x", TensorType(("n", 4), "f32"))
        bb = BlockBuilder()
        with bb.function("main", [x]):
            with bb.dataflow():
                value = x
                for _ in range(length):
                    value = bb.emit(CHAINS[kind](value))
                result = bb.emit_output(op.tanh(value))
            bb.emit_func_output(result)
        return effort(lambda: simplify_algebra(bb.get()))

    work(4)
    assert work(96) < 2.5 * work(48)
