"""Matrix products whose weights are decoded in registers, against f64: forms, groups, rows around tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from optional import LONG, UNOPTIMISED, amount, needs, package, sanitizers, shortened
from sanitized_calls import call_sanitized
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.support.target import find
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType
from relax_dialect.rewrites.quantization.narrowing.weights import LEAST

ml_dtypes = package("ml_dtypes")

ROWS = (0, 1, 3, 17)
FLOATS = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
INTEGERS = {
    "i8": (np.int8, -128, 128),
    "ui8": (np.uint8, 0, 256),
    "i4": (ml_dtypes.int4, -8, 8),
    "ui4": (ml_dtypes.uint4, 0, 16),
    "i2": (ml_dtypes.int2, -2, 2),
}


@dataclass(frozen=True)
class Case:
    """Weights of a type, and how they are decoded."""

    dtype: str
    depth: int
    columns: int
    group: int = 0
    zeros: str = "none"
    """`none`, `one`, or `each`: one for each scale."""
    form: str = "matmul"
    """`matmul`, `linear`, or `written`: by astype, subtract and multiply on a tensor in groups."""

    @property
    def name(self) -> str:
        return f"{self.dtype}_{self.depth}x{self.columns}_{self.group}_{self.zeros}_{self.form}"


def drawn(number: int) -> Sequence[Case]:
    """Random cases."""
    random = np.random.default_rng(number)
    found: list[Case] = []
    for dtype in (*FLOATS, *INTEGERS):
        group = 0 if dtype in FLOATS else int(random.choice([0, 16, 32, 64, 12]))
        depth, columns = int(random.integers(33, 140)), int(random.integers(32, 110))
        zeros = "none" if dtype in FLOATS else str(random.choice(["none", "one", "each"]))
        form = str(random.choice(["matmul", "linear", "written"]))
        if form == "written" and group:
            depth = -(-depth // group) * group
        found.append(Case(dtype, depth, columns, group, zeros, form))
    return found


def weights(case: Case, seed: int = 5) -> tuple[Any, np.ndarray]:
    """The weights as an expression, and what they are."""
    random, shape = np.random.default_rng(seed), (case.depth, case.columns)
    if case.dtype in FLOATS:
        codes = random.standard_normal(shape).astype(np.float32).astype(FLOATS[case.dtype])
        return op.astype(const(turned(case, codes)), "f32"), codes.astype(np.float64)
    numpy, low, high = INTEGERS[case.dtype]
    codes = random.integers(low, high, shape).astype(numpy)
    groups = -(-case.depth // case.group) if case.group else 1
    scale = random.uniform(0.5, 1.5, (groups, case.columns)).astype(np.float32)
    zero = random.integers(low, high, scale.shape if case.zeros == "each" else ()).astype(numpy)
    if case.zeros == "none":
        zero = np.zeros((), numpy)
    exact = codes.astype(np.float64) - spread(case, zero).astype(np.float64)
    made = written if case.form == "written" else dequantized
    return made(case, codes, scale, zero), exact * spread(case, scale)


def turned(case: Case, array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array.T) if case.form == "linear" else array


def spread(case: Case, array: np.ndarray) -> np.ndarray:
    """Parameters of groups as those of rows."""
    rows = case.group or case.depth
    return np.repeat(array, rows, 0)[: case.depth] if array.ndim else array


def dequantized(case: Case, codes: np.ndarray, scale: np.ndarray, zero: np.ndarray) -> Any:
    axis = int((case.form == "linear") == bool(case.group))
    parameters = [
        a if not a.ndim else turned(case, a) if case.group else a[0] for a in (scale, zero)
    ]
    own = [const(a) for a in parameters]
    return op.dequantize(const(turned(case, codes)), *own, axis=axis, block_size=case.group)


def written(case: Case, codes: np.ndarray, scale: np.ndarray, zero: np.ndarray) -> Any:
    """The numbers of each group, minus zero points, times scales, as operators of their own."""
    groups, whole = len(scale), (case.depth, case.columns)
    rows = [groups, -1, case.columns]
    small = zero.astype(np.float32)
    value = op.astype(const(codes.reshape(rows)), "f32")
    if case.zeros != "none":
        value = op.subtract(value, const(small[:, None] if small.ndim else small))
    return op.reshape(op.multiply(value, const(scale[:, None])), whole)


def program(cases: Sequence[Case]) -> ModuleOp:
    builder = BlockBuilder()
    for case in cases:
        with builder.function(case.name, {"x": TensorType(["n", case.depth], "f32")}) as (x,):
            product = op.linear if case.form == "linear" else op.matmul
            builder.emit_func_output(builder.emit(product(x, weights(case)[0])))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    return module


def check(model: Any, cases: Sequence[Case]) -> None:
    for case in cases:
        exact = weights(case)[1]
        for rows in ROWS:
            x = np.random.default_rng(rows).standard_normal((rows, case.depth)).astype(np.float32)
            found, expected = model[case.name](x), x.astype(np.float64) @ exact
            error = np.abs(found - expected).max(initial=0)
            bound = 1e-6 * np.abs(x).max(initial=0) * np.abs(exact).sum(0).max()
            assert found.shape == expected.shape and error <= bound, (case, rows)


FEW = [
    Case("bf16", 65, 50),
    Case("i8", 40, 33, form="linear"),
    Case("ui8", 70, 48, 32, "each"),
    Case("i4", 96, 40, 32, form="written"),
    Case("ui4", 70, 37, 32, "each"),
]


@pytest.mark.slow
@shortened
@pytest.mark.parametrize(
    "cpu",
    [
        "native",
        pytest.param("x86-64-v3", marks=needs(LONG)),
        pytest.param("generic", marks=needs(LONG)),
    ],
)
@pytest.mark.parametrize("level", [1, pytest.param(0, marks=needs(LONG))])
def test_products_against_f64(cpu: str, level: int):
    cases = dict.fromkeys([*FEW, *(case for n in range(amount(2, 0)) for case in drawn(n))])
    module = program([*cases])
    options: Mapping[str, Any] = {"extra_flags": UNOPTIMISED, "cache": False, "cpu": cpu}
    check(lowering.compile(module, "narrow", opt_level=level, **options), [*cases])


@pytest.mark.slow
@needs(sanitizers("gcc", "apt install gcc"))
@pytest.mark.parametrize("cpu", ["native", pytest.param("generic", marks=needs(LONG))])
def test_products_under_sanitizers(cpu: str):
    cases = FEW
    given = {c.name: np.ones((amount(17, 5), c.depth), np.float32) for c in cases}
    calls = {c.name: ([x := given[c.name]], [np.zeros((len(x), c.columns), "f4")]) for c in cases}
    source = lowering.to_c(program(cases), "model", cpu=cpu, sidecar_threshold=1 << 40)
    flags = ("-O0", "-g1", *find(cpu).flags, "-fsanitize=address,undefined")
    for name, (found,) in call_sanitized(source, calls, flags).items():
        exact = weights(next(c for c in cases if c.name == name))[1]
        np.testing.assert_allclose(found, given[name] @ exact, rtol=1e-4, atol=1e-2)


def test_interpreted_products():
    cases = drawn(1)
    module = program(cases)
    model = {c.name: lambda x, c=c: interpret.run(module, c.name, x) for c in cases}
    check(model, cases)


@pytest.mark.parametrize(
    "case", [*FEW, Case("f16", 64, 48), Case("ui4", 96, 48, 16, "one", "written")]
)
def test_bytes_of_weights(case: Case):
    """No float of a weight is in the lowered program, nor as much memory as these would take."""
    module = program([case])
    lowering.lower(module, lowering.pipeline.optimizations(1))
    lowering.lower(module, ["relax-legalize"])
    constants = [op for op in module.walk() if op.name == "relax.constant"]
    total = sum(len(op.value.data.data) for op in constants)  # pyright: ignore
    bits = {"i4": 4, "ui4": 4, "i8": 8, "ui8": 8}.get(case.dtype, 16)
    padded = -(-case.depth // 32) * 32 if case.group else case.depth
    groups = padded // case.group if case.group else 1
    assert case.depth * case.columns >= LEAST
    assert total <= padded * case.columns * bits // 8 + 8 * groups * case.columns + 32


def test_infinite_weights_of_f16():
    """The decoding of f16 has no infinities: such weights are floats."""
    numbers = np.zeros((64, 48), np.float16)
    numbers[5, 7] = np.inf
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType([1, 64], "f32")}) as (x,):
        builder.emit_func_output(builder.emit(op.matmul(x, op.astype(const(numbers), "f32"))))
    lowering.lower(module := builder.get(), lowering.pipeline.optimizations(1))
    assert "f16" not in str(module)


TABLES = (
    Case("bf16", 40, 48),
    Case("i8", 40, 48, zeros="one", form="rows"),
    Case("ui8", 40, 48, 16, "each", "rows"),
    Case("i4", 40, 48, 16, form="rows"),
    Case("ui4", 64, 32, 32, "each", "rows"),
)
"""Tables of which rows are taken, with parameters of each row, or of groups in it."""


def table(case: Case) -> tuple[Any, np.ndarray]:
    if case.dtype in FLOATS:
        return weights(case)
    random, (numpy, low, high) = np.random.default_rng(3), INTEGERS[case.dtype]
    group, shape = case.group or case.columns, (case.depth, case.columns)
    codes = random.integers(low, high, shape).astype(numpy)
    scale = random.uniform(0.5, 1.5, (case.depth, case.columns // group)).astype(np.float32)
    zero = random.integers(low, high, scale.shape if case.zeros == "each" else ()).astype(numpy)
    each = np.repeat(zero, group, 1) if zero.ndim else zero
    exact = codes.astype(np.float32) - each.astype(np.float32)
    found = op.dequantize(const(codes), const(scale), const(zero), axis=1, block_size=group)
    return found, exact * np.repeat(scale, group, 1)


@pytest.mark.slow
@pytest.mark.parametrize("level", [0, 1])
def test_rows_of_tables(level: int):
    builder = BlockBuilder()
    for case in TABLES:
        with builder.function(case.name, {"i": TensorType(["n", 3], "i64")}) as (i,):
            builder.emit_func_output(builder.emit(op.take(table(case)[0], i, axis=0)))
    module: Any = builder.get()
    lowered = module.clone()
    lowering.lower(lowered, lowering.pipeline.optimizations(level))
    lowering.lower(lowered, ["relax-legalize"])
    sizes = [len(op.value.data.data) for op in lowered.walk() if op.name == "relax.constant"]
    assert max(sizes) <= 2 * 40 * 48, "a table of floats"
    model = lowering.compile(
        module, "tables", opt_level=level, extra_flags=UNOPTIMISED, cache=False
    )
    index = np.array([[0, 5, 39], [17, -1, 5]])
    for case in TABLES:
        np.testing.assert_allclose(model[case.name](index), table(case)[1][index], rtol=1e-6)
