"""Matrix products: a dense layer, squares, a transposed operand, a batch."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from bench.work import Input, Network, Work
from relax_dialect.rewrites.matmul.fold_transpose_into_matmul import fold_transposes


def weights(*shape: int, seed: int = 1) -> np.ndarray:
    """Draw random numbers that keep sums of products around one."""
    numbers = np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)
    return numbers / np.float32(np.sqrt(shape[0]))


@cache
def dense(size: int) -> Network:
    """Build `relu(x @ w + b)`."""
    w, b = weights(size, size), weights(size, seed=2)
    return lambda o, x: o.relu(o.add(o.matmul(x, o.const(w)), o.const(b)))


@cache
def by_constant(size: int) -> Network:
    w = weights(size, size)
    return lambda o, x: o.matmul(x, o.const(w))


def product(o: Any, x: Any, w: Any) -> Any:
    return o.matmul(x, w)


def transposed(o: Any, x: Any, w: Any) -> Any:
    return o.matmul(x, o.permute_dims(w, [1, 0]))


def _dense() -> Iterator[Work]:
    for size in (512, 500):
        for rows in (1, 7, 17, 128, 512):
            yield Work(
                f"matmul + bias + relu, {rows} x {size} x {size}",
                dense(size),
                (Input(("m", size)),),
                {"m": rows},
                2 * rows * size * size,
                core=size == 512 or rows == 128,
            )


def _square(size: int) -> Work:
    """Build a product whose matrices are both arguments."""
    inputs = Input(("m", "k")), Input(("k", "n"))
    sizes = dict.fromkeys("mkn", size)
    return Work(f"matmul, {size} cubed", product, inputs, sizes, 2 * size**3, core=True)


def _by_constant(size: int) -> Work:
    name = f"matmul, {size} cubed, weights constant"
    inputs = (Input(("m", size)),)
    return Work(name, by_constant(size), inputs, {"m": size}, 2 * size**3)


TRANSPOSED = Work(
    "matmul, 512 cubed, B transposed",
    transposed,
    (Input(("m", "k")), Input(("n", "k"))),
    dict.fromkeys("mkn", 512),
    2 * 512**3,
    core=True,
)
FOLDED = Work(
    "the same after fold-transpose-into-matmul",
    transposed,
    TRANSPOSED.inputs,
    TRANSPOSED.sizes,
    TRANSPOSED.operations,
    core=True,
    prepare=fold_transposes,
)
BATCHED = Work(
    "matmul, 32 x 128 cubed",
    product,
    (Input(("b", "m", "k")), Input(("b", "k", "n"))),
    {"b": 32, **dict.fromkeys("mkn", 128)},
    32 * 2 * 128**3,
    core=True,
)

WORKS = (
    *_dense(),
    *map(_square, (512, 1024)),
    *map(_by_constant, (512, 1024)),
    TRANSPOSED,
    FOLDED,
    BATCHED,
)
