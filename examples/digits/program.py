"""The trained network as a program in the Relax dialect, its weights above it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

PIXEL_SCALE = np.float32(1 / 16)
"""The factor by which training scales pixels: it is folded into the first weights."""

MODEL = """\
// A perceptron with two hidden layers, 64-128-64-10, that reads handwritten digits: %x holds n
// images of 8x8 pixels (0 to 16, row by row), the result the probability of every digit.
//
// Written by train.py: {note}.
// The weights are f32, little-endian; #w1 is divided by 16, so that pixels come as they are.

{weights}

relax.func @main(%x: !relax.tensor<[n, 64], f32>) -> !relax.tensor<[n, 10], f32> {{
  %probabilities = relax.dataflow {{
{bindings}
    relax.output %p : !relax.tensor<[n, 10], f32>
  }}
  relax.return %probabilities : !relax.tensor<[n, 10], f32>
}}
"""


def dense(array: np.ndarray) -> str:
    """Write an array in MLIR's form for large ones: its bytes, little-endian, in hexadecimal."""
    shape = "x".join(map(str, array.shape))
    return f'dense<"0x{array.astype("<f4").tobytes().hex().upper()}"> : tensor<{shape}xf32>'


def text(weights: Sequence[np.ndarray], note: str) -> str:
    """Write the program of the weights w1, b1, w2, ..., with a note of their origin."""
    arrays: dict[str, np.ndarray] = {}
    lines: list[str] = []
    value, count = "x", len(weights) // 2
    for i, (w, b) in enumerate(zip(weights[::2], weights[1::2]), 1):
        arrays |= {f"w{i}": w * (PIXEL_SCALE if i == 1 else np.float32(1)), f"b{i}": b}
        inputs, outputs = w.shape
        given, made = (f"!relax.tensor<[n, {size}], f32>" for size in (inputs, outputs))
        weight = f"!relax.tensor<[{inputs}, {outputs}], f32>"
        bias = f"!relax.tensor<[{outputs}], f32>"
        name, activation = (
            ("p", f"softmax %t{i} {{axis = -1}}") if i == count else (f"h{i}", f"relu %t{i}")
        )
        lines += [
            f"%w{i} = relax.constant #w{i}",
            f"%b{i} = relax.constant #b{i}",
            f"%s{i} = relax.matmul %{value}, %w{i} : ({given}, {weight}) -> {made}",
            f"%t{i} = relax.add %s{i}, %b{i} : ({made}, {bias}) -> {made}",
            f"%{name} = relax.{activation} : ({made}) -> {made}",
        ]
        value = name
    return MODEL.format(
        note=note,
        weights="\n".join(f"#{name} = {dense(array)}" for name, array in arrays.items()),
        bindings="\n".join(f"    {line}" for line in lines),
    )
