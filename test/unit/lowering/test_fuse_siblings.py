"""relax-fuse-siblings: random programs of several results mean the same after it, interpreted and in C."""

from __future__ import annotations

import random

import numpy as np
import pytest
from optional import UNOPTIMISED, amount, shortened
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.calls import CallTirOp

FUSED = ["relax-legalize", "relax-fuse-elementwise", "relax-fuse-siblings"]
SIZES = (0, 1, 7, 33)


def program(rng: random.Random) -> ModuleOp:
    """A loop whose state elementwise operators update, of rows of a table, and what they make on the way."""
    builder, square = BlockBuilder(), TensorType(["n", 3], "f64")
    types = {"x": square, "y": square, "row": TensorType([3], "f64")}
    table = {"table": TensorType([4, "n", 3], "f64"), "i": TensorType([], "i64")}

    def grown(values: list, count: int) -> list:
        """The values, and others made of two of them each."""
        known = list(values)
        for _ in range(count):
            a, b = rng.choice(known), rng.choice(known)
            made = rng.choice([a + b, a * b, op.tanh(a) * b, op.maximum(a, b), a - row])
            known.append(builder.emit(made))
        return known

    with builder.function("main", {**types, **table}) as (x, y, row, rows, i):
        x = builder.emit(x + op.take(rows, i, axis=0))

        def turn(k, *state):
            taken = builder.emit(op.take(rows, k, axis=0))
            known = grown([*state, builder.emit(taken * x)], rng.randint(1, 8))
            return (builder.emit(k - 1), *(op.tanh(rng.choice(known)) for _ in state))

        _, *state = builder.while_(lambda k, *_: k > 0, turn, i, x, y)
        known = grown(list(state), rng.randint(1, 6))
        builder.emit_func_output([*state, x, *rng.sample(known, 3)])
    return builder.get()


@pytest.mark.slow
@shortened
def test_random_programs():
    for seed in range(amount(6, 3)):
        check(seed)


def check(seed: int) -> None:
    """A random program, fused, interpreted and compiled."""
    rng, given = random.Random(seed), np.random.default_rng(seed)
    module = program(rng)
    fused = lowering.lower(module.clone(), FUSED, verify_each=True)
    assert any(len(o.results) > 1 for o in fused.walk() if isinstance(o, CallTirOp))
    model = lowering.compile(module, extra_flags=UNOPTIMISED)
    for n in SIZES:
        shapes = (n, 3), (n, 3), (3,), (4, n, 3)
        arrays = [given.uniform(-1, 1, shape) for shape in shapes]
        arguments = *arrays, np.array(3)
        expected = interpret.run(module, "main", *arguments)
        for found in (interpret.run(fused, "main", *arguments), model.main(*arguments)):
            for f, e in zip(found, expected, strict=True):
                np.testing.assert_allclose(f, e, rtol=1e-12, atol=1e-12)
