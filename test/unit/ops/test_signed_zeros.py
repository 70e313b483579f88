"""Zeros of both signs: of equal operands the first, in the interpreter, in vectors and beside them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from optional import LIGHTLY
from other_cpu import OWN_CPU

import lowering
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType

PLUS, MINUS = const(0.0, "f32"), const(-0.0, "f32")
X = np.array([0.0, -0.0] * 9 + [-1.0, np.nan, 2.0], np.float32)
Y = np.array([0.0, 0.0, -0.0] * 7, np.float32)

FIRST: dict[str, Callable[[Any, Any], Any]] = {
    "relu": lambda x, y: op.relu(x),
    "relu6": lambda x, y: op.relu6(x),
    "clip": lambda x, y: op.clip(x, 0.0, 1.0),
    "hard_tanh": lambda x, y: op.hard_tanh(x, -0.0, 1.0),
    "leaky_relu": lambda x, y: op.leakyrelu(x, 0.5),
    "round": lambda x, y: op.round(x),
    "maximum": op.maximum,
    "minimum": op.minimum,
    "maximum_of_scalar": lambda x, y: op.maximum(x, PLUS),
    "minimum_of_scalar": lambda x, y: op.minimum(x, MINUS),
}
"""Functions of x and y that are x where x is a zero, and y too."""
ALIKE: dict[str, tuple[float, Callable[[Any, Any], Any]]] = {
    "maximum_from_plus": (0.0, lambda x, y: op.maximum(PLUS, x)),
    "minimum_from_minus": (-0.0, lambda x, y: op.minimum(MINUS, x)),
    "abs": (0.0, lambda x, y: op.abs(x)),
    "sign": (0.0, lambda x, y: op.sign(x)),
}
"""Functions that are some zero, whatever zero x is."""


@pytest.fixture(scope="module")
def module() -> Any:
    bb = BlockBuilder()
    functions = FIRST | {name: function for name, (_, function) in ALIKE.items()}
    for name, function in functions.items():
        types = {"x": TensorType(["n"], "f32"), "y": TensorType(["n"], "f32")}
        with bb.function(name, types) as (x, y):
            bb.emit_func_output(bb.emit(function(x, y)))
    return bb.get()


@pytest.mark.parametrize("cpu", [None, *OWN_CPU])
def test_signs(module: Any, cpu: str | None):
    model = None if cpu is None else lowering.compile(module, cpu=cpu, extra_flags=LIGHTLY)
    for name in (*FIRST, *ALIKE):
        call = partial(run, module, name) if model is None else model[name]
        found, zeros = call(X, Y), X == 0
        wanted = X if name in FIRST else np.full_like(X, ALIKE[name][0])
        assert np.all(found[zeros] == 0), name
        assert np.array_equal(np.signbit(found[zeros]), np.signbit(wanted[zeros])), name
        assert np.isnan(found[19]), name
