"""Functions with matrix products for the code generator `cblas`, each with what numpy computes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType

Options = Mapping[str, str | bool]


@dataclass(frozen=True)
class Product:
    """A function: the sizes of its parameters, what it computes, and the options of its kernels."""

    params: tuple[str, ...]
    """The sizes by letters or digits: `nk` is a matrix of n by k."""
    relax: Callable[..., Any]
    numpy: Callable[..., np.ndarray]
    kernels: tuple[Options, ...] = field(default=({},))


def _matmul(x: Any, w: Any) -> Any:
    return op.matmul(x, w)


def _turned(x: Any, *axes: int) -> Any:
    return op.permute_dims(x, axes=list(axes) or None)


def _relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


def gelu(x: np.ndarray) -> np.ndarray:
    return (x * (0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))))).astype(
        x.dtype
    )


ROW, FULL, RELU = {"bias": "row"}, {"bias": "full"}, {"activation": "relu"}
LEFT, RIGHT = {"transpose_lhs": True}, {"transpose_rhs": True}

PRODUCTS: dict[str, Product] = {
    "plain": Product(("nk", "km"), _matmul, np.matmul),
    "row": Product(
        ("nk", "km", "m"), lambda x, w, b: _matmul(x, w) + b, lambda x, w, b: x @ w + b, (ROW,)
    ),
    "row_2d": Product(
        ("nk", "km", "1m"), lambda x, w, b: _matmul(x, w) + b, lambda x, w, b: x @ w + b, (ROW,)
    ),
    "full": Product(
        ("nk", "km", "nm"), lambda x, w, b: b + _matmul(x, w), lambda x, w, b: x @ w + b, (FULL,)
    ),
    "relu": Product(
        ("nk", "km"), lambda x, w: op.relu(_matmul(x, w)), lambda x, w: _relu(x @ w), (RELU,)
    ),
    "row_relu": Product(
        ("nk", "km", "m"),
        lambda x, w, b: op.relu(_matmul(x, w) + b),
        lambda x, w, b: _relu(x @ w + b),
        ({**ROW, **RELU},),
    ),
    "full_gelu": Product(
        ("nk", "km", "nm"),
        lambda x, w, b: op.gelu(_matmul(x, w) + b),
        lambda x, w, b: gelu(x @ w + b),
        (FULL,),
    ),
    "column": Product(  # not a bias of the kernel, so that its relu is not either
        ("nk", "km", "n1"),
        lambda x, w, b: op.relu(_matmul(x, w) + b),
        lambda x, w, b: _relu(x @ w + b),
    ),
    "wider": Product(  # a bias with more rows than the product
        ("1k", "km", "nm"), lambda x, w, b: _matmul(x, w) + b, lambda x, w, b: x @ w + b
    ),
    "linear": Product(("nk", "mk"), op.linear, lambda x, w: x @ w.T, (RIGHT,)),
    "linear_row_relu": Product(
        ("bnk", "mk", "m"),
        lambda x, w, b: op.relu(op.linear(x, w, b)),
        lambda x, w, b: _relu(x @ w.T + b),
        ({**RIGHT, **ROW, **RELU},),
    ),
    "turned_rhs": Product(
        ("nk", "mk"), lambda x, w: _matmul(x, _turned(w)), lambda x, w: x @ w.T, (RIGHT,)
    ),
    "turned_lhs": Product(
        ("kn", "km"), lambda x, w: _matmul(_turned(x, 1, 0), w), lambda x, w: x.T @ w, (LEFT,)
    ),
    "turned_both": Product(
        ("kn", "mk", "m"),
        lambda x, w, b: _matmul(_turned(x), _turned(w)) + b,
        lambda x, w, b: x.T @ w.T + b,
        ({**LEFT, **RIGHT, **ROW},),
    ),
    "batch_by_matrix": Product(
        ("bnk", "km", "m"),
        lambda x, w, b: op.relu(_matmul(x, w) + b),
        lambda x, w, b: _relu(x @ w + b),
        ({**ROW, **RELU},),
    ),
    "batches_by_turned": Product(
        ("bcnk", "mk"), lambda x, w: _matmul(x, _turned(w)), lambda x, w: x @ w.T, (RIGHT,)
    ),
    "turned_batch_by_matrix": Product(
        ("bkn", "km", "bnm"),
        lambda x, w, b: _matmul(_turned(x, 0, 2, 1), w) + b,
        lambda x, w, b: x.transpose(0, 2, 1) @ w + b,
        ({**LEFT, **FULL},),
    ),
    "matrix_by_batch": Product(
        ("nk", "bkm", "m"), lambda x, w, b: _matmul(x, w) + b, lambda x, w, b: x @ w + b, (ROW,)
    ),
    "batch_by_batch": Product(
        ("bcnk", "bcmk", "bcnm"),
        lambda x, w, b: op.relu(_matmul(x, _turned(w, 0, 1, 3, 2)) + b),
        lambda x, w, b: _relu(x @ w.transpose(0, 1, 3, 2) + b),
        ({**RIGHT, **FULL, **RELU},),
    ),
    "one_by_batch": Product(("1nk", "bkm"), _matmul, np.matmul),
    "batch_by_one": Product(("bnk", "1km"), _matmul, np.matmul),
    "vector_by_matrix": Product(
        ("k", "km", "m"), lambda x, w, b: _matmul(x, w) + b, lambda x, w, b: x @ w + b, (FULL,)
    ),
    "matrix_by_vector": Product(
        ("nk", "k", "n"), lambda x, w, b: _matmul(x, w) + b, lambda x, w, b: x @ w + b, (FULL,)
    ),
    "batch_by_vector": Product(("bnk", "k"), _matmul, np.matmul),
    "vector_by_batch": Product(("k", "bkm"), _matmul, np.matmul),
    "vector_by_vector": Product(("k", "k"), _matmul, np.matmul),
    "square": Product(("nn",), lambda x: _matmul(x, x), lambda x: x @ x),
    "gram": Product(("nk",), lambda x: _matmul(x, _turned(x)), lambda x: x @ x.T, (RIGHT,)),
    "own_bias": Product(("nn",), lambda x: _matmul(x, x) + x, lambda x: x @ x + x, (FULL,)),
    "layers": Product(
        ("nk", "km", "m", "mk"),
        lambda x, w, b, v: _matmul(op.relu(_matmul(x, w) + b), v),
        lambda x, w, b, v: _relu(x @ w + b) @ v,
        ({**ROW, **RELU}, {}),
    ),
    "not_a_transposition": Product(
        ("nbk", "bkm"),
        lambda x, w: _matmul(_turned(x, 1, 0, 2), w),
        lambda x, w: x.transpose(1, 0, 2) @ w,
    ),
    "used_twice": Product(
        ("nk", "km"),
        lambda x, w: (y := _matmul(x, w)) * y + y,
        lambda x, w: (x @ w) * (x @ w) + x @ w,
    ),
    "doubled": Product(
        ("nk", "km"), lambda x, w: (y := _matmul(x, w)) + y, lambda x, w: x @ w + x @ w
    ),
}
"""By the names of the functions."""


def program(sizes: Mapping[str, int], dtype: str, codegen: str | None = "cblas") -> ModuleOp:
    """All of them in one module; letters without a size are symbolic."""
    builder = BlockBuilder()
    for name, product in PRODUCTS.items():
        params = {
            f"p{i}": TensorType([sizes.get(d, int(d) if d.isdigit() else d) for d in dims], dtype)
            for i, dims in enumerate(product.params)
        }
        attributes = {} if codegen is None else {"Codegen": codegen}
        with builder.function(name, params, attributes) as values:
            builder.emit_func_output(builder.emit(product.relax(*values)))
    return builder.get()


def arrays(product: Product, sizes: Mapping[str, int], dtype: str) -> list[np.ndarray]:
    """Arguments of sizes about 1."""
    rng = np.random.default_rng(0)
    shapes = [[sizes.get(d, 1) for d in dims] for dims in product.params]
    return [rng.uniform(-1, 1, shape).astype(dtype) for shape in shapes]
