"""Compiled code beside numpy's, on one thread, both called from Python."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

import lowering
import relax_dialect
from bench import programs
from bench.measuring import Table, side_by_side
from relax_dialect.ops.core import ConstantOp

DIGITS = Path(__file__).parents[1] / "examples" / "digits"
LEAST_RATIO = 0.25
"""Of numpy's speed, for the matmul at 512."""


def matmul() -> Table:
    """Square products of `f32`, with static sizes and with one artifact for all sizes."""
    kinds = ("static", "symbolic")
    table = Table(
        "matmul, f32, n x n x n",
        ("n", "numpy GF/s", *(f"{k} GF/s" for k in kinds), *(f"{k} / numpy" for k in kinds), "met"),
    )
    symbolic = lowering.compile(relax_dialect.parse(programs.matmul("n", "k", "m")))
    rng = np.random.default_rng(0)
    for n in (17, 64, 128, 256, 511, 512):
        static = lowering.compile(relax_dialect.parse(programs.matmul(n, n, n)))
        a, b = (rng.standard_normal((n, n), dtype=np.float32) for _ in range(2))
        models = [np.matmul, static.main, symbolic.main]
        for model in models[1:]:
            np.testing.assert_allclose(model(a, b), a @ b, rtol=1e-3, atol=1e-3)
        rates = [2 * n**3 / t / 1e9 for t in side_by_side([partial(m, a, b) for m in models])]
        ratios = [rate / rates[0] for rate in rates[1:]]
        met = "-"
        if n == 512:
            met = table.limit("matmul at 512 beside numpy", min(ratios), at_least=LEAST_RATIO)
        table.rows.append((n, *rates, *ratios, met))
    return table


def digits() -> Table:
    """The digits model at three batches, one artifact, beside the same layers in numpy."""
    table = Table(
        "digits MLP, microseconds per call",
        ("batch", "numpy", "compiled", "numpy / compiled"),
    )
    module = relax_dialect.load(DIGITS / "digits.mlir")
    w1, b1, w2, b2, w3, b3 = (
        np.frombuffer(op.value.data.data, "<f4").reshape(op.value.get_shape())
        for op in module.walk()
        if isinstance(op, ConstantOp)
    )

    def peer(x: np.ndarray) -> np.ndarray:
        x = np.maximum(x @ w1 + b1, 0)
        x = np.maximum(x @ w2 + b2, 0)
        x = x @ w3 + b3
        powers = np.exp(x - x.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    with np.load(DIGITS / "held_out.npz") as data:
        images = data["images"].astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        model = lowering.compile(module, "digits", directory=folder)
        for batch in (1, 7, 360):
            x = images[:batch]
            np.testing.assert_allclose(model.main(x), peer(x), atol=1e-5)
            numpys, ours = side_by_side([partial(peer, x), partial(model.main, x)])
            table.rows.append((batch, numpys * 1e6, ours * 1e6, numpys / ours))
    return table
