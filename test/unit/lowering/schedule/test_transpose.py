"""Transposing copies in tiles against numpy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import lowering
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.types import TensorType

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
TYPES = ("f32", "i8", "f64", "f16")


@cache
def compiled(dtype: str, cpu: str = "native") -> Any:
    """All orders of axes, and functions of the elements on the way, for all sizes."""
    builder = BlockBuilder()
    for order in ORDERS:
        name = "turned_" + "".join(map(str, order))
        sizes = [f"n{d}" for d in range(len(order))]
        with builder.function(name, {"x": TensorType(sizes, dtype)}) as (x,):
            y = op.permute_dims(x, list(order))
            squares = dtype == "f32" and cpu == "native"
            builder.emit_func_output(builder.emit(op.multiply(y, y) if squares else y))
    return lowering.compile(builder.get(), "transposes", cpu=cpu)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_every_order_of_axes(order: tuple[int, ...], dtype: str):
    check(compiled(dtype), order, dtype, squares=dtype == "f32")


@pytest.mark.parametrize("dtype", ("f32", "f64"))
def test_vectors_shorter_than_a_tile(dtype: str):
    for order in ORDERS:
        check(compiled(dtype, "generic"), order, dtype, squares=False)


def check(model: Any, order: tuple[int, ...], dtype: str, *, squares: bool) -> None:
    random = np.random.default_rng(0)
    type = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8}[dtype]
    for sizes in (
        (17, 33, 16, 2),
        (16, 1, 40, 3),
        (5, 48, 2, 31),
        (20, 0, 16, 1),
        (32, 16, 16, 16),
    ):
        x = (random.standard_normal(sizes[: len(order)]) * 50).astype(type)
        expected = x.transpose(order)
        found = model["turned_" + "".join(map(str, order))](x)
        np.testing.assert_array_equal(found, expected * expected if squares else expected)


def test_small_and_growing_copies_stay_loops():
    builder = BlockBuilder()
    with builder.function("small", {"x": TensorType([8, 100], "f32")}) as (x,):
        builder.emit_func_output(builder.emit(op.permute_dims(x, [1, 0])))
    assert "transpose_" not in lowering.to_c(builder.get()).c
