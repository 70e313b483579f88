"""Works on a million elements, which memory bounds more than arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.work import Input, Network, Work

ROWS = COLUMNS = 1000
SIZES = {"n": ROWS, "m": COLUMNS}
X = Input(("n", "m"))

SCALE, SHIFT = (
    np.random.default_rng(seed).uniform(0.5, 1.5, COLUMNS).astype(np.float32) for seed in (1, 2)
)


def million(name: str, network: Network, count: int = 1, *, core: bool = True) -> Work:
    """Build a work on as many matrices."""
    return Work(name, network, (X,) * count, SIZES, core=core)


def four(o: Any, x: Any, y: Any) -> Any:
    """Apply four elementwise operators in sequence."""
    return o.relu(o.add(o.multiply(o.subtract(x, y), y), x))


WORKS = (
    million("softmax, rows", lambda o, x: o.softmax(x, axis=-1)),
    Work(
        "layer norm, rows",
        lambda o, x: o.layer_norm(x, o.const(SCALE), o.const(SHIFT), axes=-1),
        (Input(("n", COLUMNS)),),
        {"n": ROWS},
        core=True,
    ),
    million("gelu", lambda o, x: o.gelu(x)),
    million("transpose", lambda o, x: o.permute_dims(x, [1, 0])),
    Work(
        "max pool 3x3 / 2, 64 x 125",
        lambda o, x: o.max_pool2d(x, pool_size=3, strides=2, padding=1),
        (Input(("n", 64, "h", "w")),),
        {"n": 1, "h": 125, "w": 125},
        core=True,
    ),
    million("add", lambda o, x, y: o.add(x, y), 2),
    million("add + relu", lambda o, x, y: o.relu(o.add(x, y)), 2),
    million("four elementwise", four, 2),
    million("tanh(x) * sigmoid(y)", lambda o, x, y: o.multiply(o.tanh(x), o.sigmoid(y)), 2),
    million("concat, columns", lambda o, x, y: o.concat([x, y], axis=1), 2),
    million("concat, rows", lambda o, x, y: o.concat([x, y], axis=0), 2, core=False),
    million("argmax, rows", lambda o, x: o.argmax(x, axis=1)),
    million("sum, all", lambda o, x: o.sum(x), core=False),
    million("sum, rows", lambda o, x: o.sum(x, axis=1)),
    million("sum, columns", lambda o, x: o.sum(x, axis=0)),
)
