"""Reductions on their own, in vectors and out of them, against numpy over lengths around both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType

Array = np.ndarray[Any, Any]


def total(x: Any) -> Any:
    return op.sum(x, axis=[1])


def square(x: Any) -> Any:
    return op.multiply(x, x)


CASES: Mapping[str, tuple[str, Callable[..., Any], Callable[[Array], Array] | None]] = {
    "rows": ("nm", lambda x: op.sum(x, axis=[1]), lambda x: x.sum(1)),
    "columns": ("nm", lambda x: op.sum(x, axis=[0]), lambda x: x.sum(0)),
    "all": ("nm", lambda x: op.sum(x), lambda x: x.sum()),
    "images": ("nkmn", lambda x: op.mean(x, axis=[2, 3]), lambda x: x.sum((2, 3)) / np.float64(x.shape[2] * 3)),
    "channels": ("nkm3", lambda x: op.sum(x, axis=[0, 2, 3]), lambda x: x.sum((0, 2, 3))),
    "middle": ("nkm", lambda x: op.sum(x, axis=[1]), lambda x: x.sum(1)),
    "outer": ("nkm", lambda x: op.sum(x, axis=[0, 1]), lambda x: x.sum((0, 1))),
    "few": ("nm3", lambda x: op.sum(x, axis=[2]), lambda x: x.sum(2)),
    "lengths": ("nm", lambda x: op.reduce_l2(x, axis=[1]), lambda x: np.sqrt((x * x).sum(1))),
    "products": ("nm", lambda x: op.prod(x, axis=[1]), lambda x: x.prod(1)),
    # two products that one addition could take, and one with a number
    "polynomial": ("nm", lambda x: total(op.add(square(x), op.multiply(op.abs(x), x))), lambda x: (x * x + abs(x) * x).sum(1)),
    "shifted": ("nm", lambda x: total(op.add(square(x), 1.5)), lambda x: (x * x + 1.5).sum(1)),
    "maxima": ("nkm", lambda x: op.max(x, axis=[1, 2]), lambda x: x.max((1, 2))),
    # what follows walks one of the loops alone
    "shared": ("nkm", lambda x: op.add(op.sum(x, axis=[2]), op.sum(x, axis=[0, 2])), lambda x: x.sum(2) + x.sum((0, 2))),
    "added": ("nm", lambda x: op.add(op.sum(x, axis=[1], keepdims=True), x), None),
}  # fmt: skip
"""The letters of the shape, the program, and numpy's result of f64."""

LENGTHS = (0, 1, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 131)


def expected(name: str, x: Array) -> Array:
    peer = CASES[name][2] or (lambda x: x.sum(1, keepdims=True) + x)
    with np.errstate(all="ignore"):
        return peer(x.astype("d"))


@cache
def compiled(dtype: str, length: int | str) -> Any:
    builder = BlockBuilder()
    for name, (letters, make, _) in CASES.items():
        shape = [{"m": length, "3": 3}.get(d, d) for d in letters]
        with builder.function(name, {"x": TensorType(shape, dtype)}) as (x,):
            builder.emit_func_output(builder.emit(make(x)))
    flags = () if (dtype, length) == ("f32", "m") else UNOPTIMISED
    return lowering.compile(builder.get(), "reductions", extra_flags=flags)


def check(model: Any, name: str, dtype: str, length: int) -> None:
    sizes = {"n": 3, "k": 2, "m": length, "3": 3}
    random = np.random.default_rng(length)
    x = random.standard_normal([sizes[d] for d in CASES[name][0]])
    x = (x if name != "products" else 1 + x / 8).astype({"f32": "f", "f64": "d"}[dtype])
    if name == "maxima" and not x.size:
        return
    tolerance = {"f32": 1e-5, "f64": 1e-13}[dtype]
    np.testing.assert_allclose(model[name](x), expected(name, x), tolerance, tolerance * 10)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_numpy(name: str, dtype: str):
    for length in LENGTHS:
        check(compiled(dtype, "m"), name, dtype, length)


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 20, 131])
def test_static_lengths(length: int):
    for name in CASES:
        check(compiled("f32", length), name, "f32", length)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rows", "all", "maxima"])
def test_what_is_no_number(name: str):
    x = np.ones([{"n": 3, "k": 2, "m": 70}[d] for d in CASES[name][0]], np.float32)
    x[0, ..., 5], x[1, ..., 69], x[2, ..., 0] = np.inf, np.nan, -np.inf
    np.testing.assert_array_equal(compiled("f32", "m")[name](x), expected(name, x))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_one_nan_anywhere_is_the_maximum(dtype: str):
    """Vectors, the last of which begins earlier, carry it as single elements do."""
    for length in LENGTHS[1:]:
        x = np.zeros((2 * length + 1, 2, length), {"f32": "f", "f64": "d"}[dtype])
        for place in range(2 * length):
            x[place].flat[place] = np.nan
        found = compiled(dtype, "m")["maxima"](x)
        np.testing.assert_array_equal(found, [np.nan] * 2 * length + [0])
