"""Random regions: the error stays below what the steps of the scales explain.

With x in its range, x' = x + dx and w' = w + dw, where |dx| <= sx / 2 (sx, next to the ends of the range) and
|dw| <= sw / 2, so that the error of a sum is at most |w| * |dx| + |x| * |dw| + |dx| * |dw|, and that of the bias
half a step of the sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from optional import examples

from relax_dialect.builder import op
from relax_dialect.builder.constant_values import const
from relax_dialect.interpret import run
from relax_dialect.parsing import verify
from relax_dialect.rewrites.quantization.quantize import quantize

from .quantizable import Array, network, normal, numbers

EXAMPLES = examples(24)
SIZES = st.integers(1, 6)
SCALES = st.sampled_from([1e-6, 1e-2, 1.0, 3.0, 1e5])
ULPS = 1e-5
"""Of a result: floats are summed up in another order."""


@st.composite
def regions(draw: st.DrawFn) -> tuple[Any, Array, Array, bool]:
    """A product of x and a weight as a function, x, the weight as a matrix [rows of x, out], a relu."""
    seed = draw(st.integers(0, 2**16))
    n, k, m = draw(SIZES), draw(SIZES), draw(SIZES)
    scale, shift = draw(SCALES), draw(st.sampled_from([0, 0, 1, -3]))
    x = (normal(seed, n, k) + np.float32(shift)) * np.float32(scale)
    w = normal(seed + 1, k, m, scale=draw(SCALES))
    w[:, draw(st.integers(0, m - 1))] *= draw(st.sampled_from([1, 1, 0, 100]))
    kind = draw(st.sampled_from(["matmul", "linear", "conv2d"]))
    bias = const(normal(seed + 2, m, scale=draw(SCALES))) if draw(st.booleans()) else None
    return kind, x, w, bias, draw(st.booleans())  # pyright: ignore[reportReturnType]


def body(kind: str, w: Array, bias: Any, relu: bool) -> Any:
    """The region as a function of x [n, k]; a convolution sees each row as an image of one pixel."""

    def computed(x: Any) -> Any:
        if kind == "matmul":
            y = x @ const(w) if bias is None else x @ const(w) + bias
        elif kind == "linear":
            y = op.linear(x, const(w.T), *([] if bias is None else [bias]))
        else:
            kernel = const(w.T.reshape(*w.T.shape, 1, 1))
            pixels = op.reshape(x, ["n", w.shape[0], 1, 1])
            y = op.conv2d(pixels, kernel)
            y = y if bias is None else y + op.reshape(bias, [w.shape[1], 1, 1])
            y = op.reshape(op.relu(y) if relu else y, ["n", w.shape[1]])
            return y
        return op.relu(y) if relu else y

    return computed


@EXAMPLES
@given(regions(), st.sampled_from(["ui8", "i8"]))
def test_the_error_is_that_of_the_steps(region: Any, activations: str):
    kind, x, w, bias, relu = region
    module = network(["n", w.shape[0]], body(kind, w, bias, relu))
    exact = run(module, "main", x).astype(np.float64)
    report = quantize(module, {"x": x}, activations=activations)
    verify(module)
    assert len(report.quantized) == 1 and not report.kept
    found = run(module, "main", x).astype(np.float64)

    ((sx,),) = numbers(module, "quantize", 1)
    ((sums,),) = numbers(module, "dequantize", 1)
    dx, dw = float(sx), sums.astype(np.float64) / float(sx) / 2
    x, w = np.abs(x.astype(np.float64)), np.abs(w.astype(np.float64))
    bound = dx * w.sum(axis=0) + x.sum(axis=1, keepdims=True) * dw + len(w) * dx * dw
    bound = bound + sums / 2 + ULPS * (x @ w + np.abs(exact) + np.abs(found))
    assert (np.abs(found - exact) <= bound).all()
