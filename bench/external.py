"""Layers by the code generator `cblas`, by our own kernels and by numpy, which has its own OpenBLAS."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import lowering
from bench.measuring import Table, side_by_side
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType

Layer = tuple[Callable[..., Any], Callable[..., np.ndarray]]
"""The same in Relax and in numpy."""

LAYERS: dict[str, Layer] = {
    "matmul": (lambda x, w, b: op.matmul(x, w), lambda x, w, b: x @ w),
    "matmul + bias + relu": (
        lambda x, w, b: op.relu(op.matmul(x, w) + b),
        lambda x, w, b: np.maximum(x @ w + b, 0),
    ),
}

SIZES = (
    (1, 512, 512),
    (1, 1024, 4096),
    (17, 512, 512),
    (128, 128, 128),
    (512, 512, 512),
    (1024, 1024, 1024),
)
"""Rows, depth and columns."""

LEAST_RATIO = 0.5
"""Of numpy's speed, for the product at 1024: the two libraries are of other versions."""


def layer(name: str, codegen: str | None) -> Any:
    """Compile a layer as one artifact for all sizes."""
    builder = BlockBuilder()
    sizes = {"x": ["n", "k"], "w": ["k", "m"], "b": ["m"]}
    params = {value: TensorType(dims, "f32") for value, dims in sizes.items()}
    attributes = {} if codegen is None else {"Codegen": codegen}
    with builder.function("main", params, attributes) as values:
        builder.emit_func_output(builder.emit(LAYERS[name][0](*values)))
    return lowering.compile(builder.get()).main


def external() -> list[Table]:
    """Return speeds in GF/s, and as ratios to numpy's; an empty table if OpenBLAS is not installed."""
    try:
        layer("matmul", "cblas")
    except RelaxError:
        return [Table("External layers: not measured, as OpenBLAS is not installed", ("sizes",))]
    return [speeds(name) for name in LAYERS]


def speeds(name: str) -> Table:
    """Measure the speeds of one layer at all sizes, with symbolic sizes."""
    table = Table(
        f"{name}, f32, rows x depth x columns, symbolic",
        ("sizes", "numpy GF/s", "ours GF/s", "cblas GF/s", "ours / numpy", "cblas / numpy", "met"),
    )
    models = [LAYERS[name][1], layer(name, None), layer(name, "cblas")]
    rng = np.random.default_rng(0)
    for n, k, m in SIZES:
        x, w, b = (rng.standard_normal(s, dtype=np.float32) for s in ((n, k), (k, m), (m,)))
        expected = models[0](x, w, b)
        for model in models[1:]:
            np.testing.assert_allclose(model(x, w, b), expected, rtol=1e-3, atol=1e-3)
        times = side_by_side([partial(model, x, w, b) for model in models])
        rates = [2 * n * k * m / t / 1e9 for t in times]
        ratios = [rate / rates[0] for rate in rates[1:]]
        met = "-"
        if n == 1024:
            met = table.limit(
                f"{name} by cblas compared with numpy", ratios[1], at_least=LEAST_RATIO
            )
        table.rows.append((f"{n} x {k} x {m}", *rates, *ratios, met))
    return table
