"""Transposing copies in tiles against numpy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED
from other_cpu import OWN_CPU

import lowering
from lowering.schedule.strategies import transpose
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType

ORDERS = (
    (1, 0),
    (0, 2, 1),
    (2, 1, 0),
    (1, 2, 0),
    (2, 0, 1),
    (0, 2, 1, 3),
    (0, 3, 1, 2),
    (3, 2, 1, 0),
)
TYPES = {
    "f32": np.float32,
    "i8": np.int8,
    "f64": np.float64,
    "f16": np.float16,
    "i16": np.int16,
    "i64": np.int64,
    "bool": np.bool_,
}
OPTIMISED = ("f32", "i8")
RUNS = [
    (order, dtype)
    for number, dtype in enumerate(TYPES)
    for order in (ORDERS if dtype in OPTIMISED else ORDERS[number % 2 :: 2])
]
"""All orders for two types, every other one for those that are moved alike."""


@cache
def compiled(dtype: str, cpu: str = "native") -> Any:
    """All orders of axes, and functions of the elements on the way, for all sizes."""
    builder = BlockBuilder()
    for order in (order for order, own in RUNS if own == dtype):
        name = "turned_" + "".join(map(str, order))
        sizes = [f"n{d}" for d in range(len(order))]
        with builder.function(name, {"x": TensorType(sizes, dtype)}) as (x,):
            y = op.permute_dims(x, list(order))
            squares = dtype == "f32" and cpu == "native"
            builder.emit_func_output(builder.emit(op.multiply(y, y) if squares else y))
    flags = () if dtype in OPTIMISED and cpu == "native" else UNOPTIMISED
    return lowering.compile(builder.get(), "transposes", cpu=cpu, extra_flags=flags)


@pytest.mark.slow
@pytest.mark.parametrize(("order", "dtype"), RUNS, ids=str)
def test_every_order_of_axes(order: tuple[int, ...], dtype: str):
    check(compiled(dtype), order, dtype, squares=dtype == "f32")


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ("f32", "f64", "i8"))
def test_vectors_shorter_than_a_tile(dtype: str):
    for order in (order for order, own in RUNS if own == dtype):
        check(compiled(dtype, "generic"), order, dtype, squares=False)


def check(model: Any, order: tuple[int, ...], dtype: str, *, squares: bool) -> None:
    random = np.random.default_rng(0)
    for sizes in (
        (17, 33, 16, 2),
        (16, 1, 40, 3),
        (5, 48, 2, 31),
        (20, 0, 16, 1),
        (32, 16, 16, 16),
        *(((700, 900),) if len(order) == 2 else ()),  # more than the second cache holds
    ):
        x = (random.standard_normal(sizes[: len(order)]) * 50).astype(TYPES[dtype])
        expected = x.transpose(order)
        found = model["turned_" + "".join(map(str, order))](x)
        np.testing.assert_array_equal(found, expected * expected if squares else expected)


KNOWN = ((4, 25, 6, 20), (17, 33, 16, 5), (16, 8, 64, 64), (100, 3, 2, 31), (7, 0, 5, 9))


@pytest.mark.slow
def test_known_sizes():
    """Sides of squares are those of the smallest loop."""
    builder = BlockBuilder()
    for number, sizes in enumerate(KNOWN):
        for order in ORDERS:
            name = f"turned_{number}_" + "".join(map(str, order))
            with builder.function(name, {"x": TensorType(sizes[: len(order)], "f32")}) as (x,):
                builder.emit_func_output(builder.emit(op.permute_dims(x, list(order))))
    model = lowering.compile(builder.get(), "known_transposes", extra_flags=UNOPTIMISED)
    for number, sizes in enumerate(KNOWN):
        for order in ORDERS:
            x = np.random.default_rng(number).standard_normal(sizes[: len(order)])
            found = model[f"turned_{number}_" + "".join(map(str, order))](x.astype(np.float32))
            np.testing.assert_array_equal(found, x.astype(np.float32).transpose(order))


@pytest.mark.slow
def test_arguments_of_both_directions():
    """Sums of what runs along the result, of what runs along another loop twice, and of a row."""
    builder = BlockBuilder()
    types = {"x": ["n", "m"], "y": ["m", "n"], "z": ["m", "n"], "row": ["m"]}
    given = {name: TensorType(shape, "f32") for name, shape in types.items()}
    with builder.function("main", given) as (x, y, z, row):
        turned = op.permute_dims(builder.emit(op.multiply(y, z)), [1, 0])
        y_turned = op.permute_dims(y, [1, 0])
        total = builder.emit(op.add(builder.emit(op.add(x, y_turned)), row))
        builder.emit_func_output(builder.emit(op.subtract(total, turned)))
    model = lowering.compile(builder.get(), "directions", extra_flags=UNOPTIMISED)
    for n, m in ((1, 1), (15, 40), (16, 16), (17, 31), (33, 129), (0, 3), (200, 97)):
        random = np.random.default_rng(n)
        sizes = {"n": n, "m": m}
        x, y, z, row = (
            random.standard_normal([sizes[d] for d in shape]).astype(np.float32)
            for shape in types.values()
        )
        expected = x + y.T + row - (y * z).T
        np.testing.assert_allclose(model.main(x, y, z, row), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [("n", "m"), (40, 100), (300, 1024)], ids=str)
def test_tiles_that_overlap_are_not_written_over_an_argument(sizes: tuple[str | int, str | int]):
    """The weights die here, but the last squares read again what others have read before, and so do the last
    blocks where rows are 4096 bytes apart."""
    builder = BlockBuilder()
    types = {"x": TensorType(sizes, "f32"), "y": TensorType(sizes[::-1], "f32")}
    with builder.function("main", types) as (x, y):
        weights = builder.emit(op.softmax(x, axis=-1))
        builder.emit_func_output(builder.emit(op.subtract(weights, op.permute_dims(y, [1, 0]))))
    random, known = np.random.default_rng(2), (40, 100) if "n" in sizes else sizes
    x, y = (random.standard_normal(shape).astype(np.float32) for shape in (known, known[::-1]))
    powers = np.exp(x - x.max(1, keepdims=True))
    expected = powers / powers.sum(1, keepdims=True) - y.T
    found = lowering.compile(builder.get(), "weights", extra_flags=UNOPTIMISED).main(x, y)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_small_copies_stay_loops():
    builder = BlockBuilder()
    with builder.function("small", {"x": TensorType([transpose.LEAST_SIDE - 1, 100], "f32")}) as (
        x,
    ):
        builder.emit_func_output(builder.emit(op.permute_dims(x, [1, 0])))
    assert "transpose_" not in lowering.to_c(builder.get(), cpu="generic").c


@pytest.mark.slow
@pytest.mark.parametrize("cpu", OWN_CPU)
def test_a_number_from_outside_of_the_body(cpu: str):
    """The count of a mean is a value of the function: its transposed epilogue stays there."""
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(["n", 16, "m"], "f16")}) as (x,):
        mean = builder.emit(op.mean(x, axis=0))
        y = builder.emit(op.permute_dims(builder.emit(op.tanh(mean)), axes=[1, 0]))
        builder.emit_func_output(y)
    module = builder.get()
    model = lowering.compile(module, cpu=cpu, extra_flags=UNOPTIMISED)
    x = np.random.default_rng(0).standard_normal((3, 16, 33)).astype(np.float16)
    np.testing.assert_allclose(model.main(x), np.tanh(x.mean(axis=0)).T, 2e-2, 2e-3)
