"""Random networks with the bounds of the errors that narrow types make in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.constant_values import const
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType

from .quantizable import Array, normal

NARROW = ("f16", "bf16")
UNIT = {"f16": 2.0**-11, "bf16": 2.0**-8}
"""The largest relative error of one rounding."""
LEAST = {"f16": 2.0**-25, "bf16": 0.0}
"""The largest error of rounding numbers next to zero."""


@dataclass
class Bounded:
    """A value with the largest difference there may be between its f32 form and its narrow form."""

    value: Any
    exact: Array
    error: Array


class Drawn:
    """A random network of layers on rows of x, with the bounds that follow from its roundings.

    A narrow number is off by `UNIT` of itself, the sums of a product are those of the numbers it is given,
    and an activation carries an error on as its steepest slope does.
    """

    def __init__(self, seed: int, dtype: str):
        self.random = Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.unit, self.least = UNIT[dtype] + 1e-6, LEAST[dtype]

    def rounded(self, x: Bounded) -> Bounded:
        size = np.abs(x.exact) + x.error
        return Bounded(x.value, x.exact, x.error + self.unit * size + self.least)

    def product(self, x: Bounded, kind: str) -> Bounded:
        k, m = x.exact.shape[1], self.random.randint(1, 9)
        w = (self.numbers.standard_normal((k, m)) / np.sqrt(k)).astype(np.float32)
        x = self.rounded(x)
        size = np.abs(w) * (1 + self.unit) + self.least
        error = x.error @ size + (np.abs(x.exact) + x.error) @ (size - np.abs(w))
        exact = x.exact @ w.astype(np.float64)
        if kind == "linear":
            bias = self.numbers.standard_normal(m).astype(np.float32)
            return self.rounded(
                Bounded(op.linear(x.value, const(w.T), const(bias)), exact + bias, error)
            )
        if kind == "conv2d":
            pixels = op.conv2d(op.reshape(x.value, ["n", k, 1, 1]), const(w.T.reshape(m, k, 1, 1)))
            return self.rounded(Bounded(op.reshape(pixels, ["n", m]), exact, error))
        return self.rounded(Bounded(x.value @ const(w), exact, error))

    def activation(self, x: Bounded) -> Bounded:
        name, slope = self.random.choice(
            [("relu", 1), ("tanh", 1), ("sigmoid", 0.25), ("gelu", 1.13)]
        )
        apply: Callable[..., Any] = getattr(op, name)
        y = apply(x.value)
        return self.rounded(Bounded(y, meaning(name, x.exact), slope * x.error))

    def network(self, x: Any, rows: Array) -> Bounded:
        found = [Bounded(x, rows.astype(np.float64), np.zeros_like(rows, np.float64))]
        for _ in range(self.random.randint(2, 6)):
            kind = self.random.choice(
                ["matmul", "linear", "conv2d", "activation", "sum", "softmax"]
            )
            x = self.random.choice(found[-2:])
            if kind == "activation":
                found.append(self.activation(x))
            elif kind == "softmax":  # its slope is at most 1 by the sum of absolute values
                y = meaning("softmax", x.exact)
                error = np.broadcast_to(2 * x.error.max(axis=1, keepdims=True), y.shape)
                found.append(self.rounded(Bounded(op.softmax(x.value), y, error)))
            elif kind == "sum":
                exact, error = x.exact + x.exact, x.error + x.error
                found.append(self.rounded(Bounded(x.value + x.value, exact, error)))
            else:
                found.append(self.product(x, kind))
        return found[-1]


def meaning(name: str, x: Array) -> Array:
    bb = BlockBuilder()
    with bb.function("f", {"x": TensorType(x.shape, "f64")}) as (value,):
        bb.emit_func_output(bb.emit(getattr(op, name)(value)))
    return run(bb.get(), "f", x)


def drawn(seeds: Sequence[int], dtype: str) -> tuple[ModuleOp, list[tuple[str, Array, Bounded]]]:
    """A function for each seed, its argument and its result in f64, with the bound of the error."""
    bb, calls = BlockBuilder(), list[tuple[str, Array, Bounded]]()
    for seed in seeds:
        rows = normal(seed, seed % 5 + 1, seed % 7 + 1)
        name = f"f{seed}"
        with bb.function(name, {"x": TensorType(["n", rows.shape[1]], "f32")}) as (x,):
            with bb.dataflow():
                found = Drawn(seed, dtype).network(x, rows)
                result = bb.emit_output(found.value)
            bb.emit_func_output(result)
        calls.append((name, rows, found))
    return bb.get(), calls


def within(found: Array, bounded: Bounded) -> bool:
    error = np.abs(found.astype(np.float64) - bounded.exact)
    return bool((error <= 1.01 * bounded.error + 1e-5 * (1 + np.abs(bounded.exact))).all())
