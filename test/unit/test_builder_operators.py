"""Operators whose constructors take more than operands, as expressions of the builder."""

from __future__ import annotations

import numpy as np

import lowering
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.interpret import run
from relax_dialect.parsing import verify
from relax_dialect.types import TensorType


def test_lists_sizes_and_numbers_are_told_apart():
    """Axes and bounds stay numbers, sizes become shapes, numbers beside tensors become constants."""
    bb = BlockBuilder()
    types = {"x": TensorType(["n", 4], "f32"), "y": TensorType(["n", 2], "f32")}
    with bb.function("main", types) as (x, y):
        both = bb.emit(op.concat([x, y], 1))
        left, right = bb.emit(op.split(both, [2], axis=-1))
        clipped = op.clip(right, -0.5, 0.5) + op.expand_dims(op.arange(4), 0).astype("f32")
        rows = bb.emit(op.where(op.eye("n", 4, dtype="i1"), clipped, const(0.0, "f32")))
        padded = op.pad(op.tile(left, 2), [0, 0, 1, 1], "constant", 1)
        bb.emit_func_output(op.stack([op.sum(rows), op.sum(padded), op.sum(op.ones(["n"]))], 0))
    module = bb.get()
    verify(module)
    a, b = (np.random.default_rng(0).standard_normal((5, k)).astype("f") for k in (4, 2))
    both = np.concatenate([a, b], 1)
    chosen = np.where(np.eye(5, 4), both[:, 2:].clip(-0.5, 0.5) + np.arange(4), 0)
    expected = [chosen.sum(), 2 * both[:, :2].sum() + 10, 5]
    np.testing.assert_allclose(run(module, "main", a, b), expected, rtol=1e-5)
    np.testing.assert_allclose(lowering.compile(module).main(a, b), expected, rtol=1e-5)
