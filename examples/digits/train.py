"""Train the digits model in plain numpy; writes `digits.mlir` and `held_out.npz` next to this file.

    pip install -e '.[train]' && python examples/digits/train.py

Only this script needs scikit-learn, which carries the images. On the same numpy and processor it
writes the committed files again, byte for byte.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one order of summation, whatever the machine

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

HERE = Path(__file__).parent
SIZES = (64, 128, 64, 10)
SPLIT_SEED, TRAIN_SEED = 2024, 7
HELD_OUT, VALIDATION = 0.2, 0.15
MAX_EPOCHS, BATCH, RATE, DECAY = 120, 32, 1e-3, 1e-4
PIXEL_SCALE = np.float32(1 / 16)

Layers = list[tuple[np.ndarray, np.ndarray]]


def stratified(labels: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the rest and of a random `share` of every class (rounded up), both sorted."""
    rng = np.random.default_rng(seed)
    chosen = []
    for digit in range(10):
        members = rng.permutation(np.flatnonzero(labels == digit))
        chosen.append(members[: int(np.ceil(share * len(members)))])
    taken = np.sort(np.concatenate(chosen))
    return np.setdiff1d(np.arange(len(labels)), taken), taken


def initial(rng: np.random.Generator) -> Layers:
    """He's initialisation: normal weights of variance 2 / inputs, zero biases."""
    return [
        (
            (rng.standard_normal((i, o)) * np.sqrt(2 / i)).astype(np.float32),
            np.zeros(o, np.float32),
        )
        for i, o in pairwise(SIZES)
    ]


def forward(layers: Layers, x: np.ndarray) -> list[np.ndarray]:
    """The input, the hidden layers after their relu, and the probabilities."""
    values = [x]
    for w, b in layers[:-1]:
        values.append(np.maximum(values[-1] @ w + b, 0))
    w, b = layers[-1]
    scores = values[-1] @ w + b
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return [*values, powers / powers.sum(axis=1, keepdims=True)]


def gradients(layers: Layers, x: np.ndarray, labels: np.ndarray) -> Iterator[np.ndarray]:
    """Of the mean cross-entropy, with weight decay, in the order w1, b1, w2, ..."""
    values = forward(layers, x)
    delta = (values[-1] - np.eye(10, dtype=np.float32)[labels]) / np.float32(len(x))
    found: list[np.ndarray] = []
    for (w, _), inner in zip(reversed(layers), reversed(values[:-1])):
        found += [delta.sum(axis=0), inner.T @ delta + np.float32(DECAY) * w]
        delta = (delta @ w.T) * (inner > 0)
    yield from reversed(found)


def epochs(x: np.ndarray, labels: np.ndarray, count: int) -> Iterator[Layers]:
    """Adam (Kingma and Ba, 2015); gives the layers after every epoch."""
    rng = np.random.default_rng(TRAIN_SEED)
    layers = initial(rng)
    parameters = [p for layer in layers for p in layer]
    first = [np.zeros_like(p) for p in parameters]
    second = [np.zeros_like(p) for p in parameters]
    step = 0
    for _ in range(count):
        order = rng.permutation(len(x))
        for start in range(0, len(x), BATCH):
            batch = order[start : start + BATCH]
            step += 1
            found = gradients(layers, x[batch], labels[batch])
            for p, g, m, v in zip(parameters, found, first, second):
                m += np.float32(0.1) * (g - m)
                v += np.float32(0.001) * (g * g - v)
                mean, square = m / np.float32(1 - 0.9**step), v / np.float32(1 - 0.999**step)
                p -= np.float32(RATE) * mean / (np.sqrt(square) + np.float32(1e-8))
        yield layers


def loss(layers: Layers, x: np.ndarray, labels: np.ndarray) -> float:
    """The mean cross-entropy."""
    probabilities = forward(layers, x)[-1]
    return float(-np.log(probabilities[np.arange(len(x)), labels] + 1e-12).mean())


def without_traces(layers: Layers) -> Layers:
    """Weights of pixels that are always blank decay to traces near zero: make them zero."""
    return [(np.where(np.abs(w) < 1e-12, np.float32(0), w), b) for w, b in layers]


def accuracy(layers: Layers, x: np.ndarray, labels: np.ndarray) -> float:
    """The share of images whose likeliest digit is the label."""
    return float((forward(layers, x)[-1].argmax(axis=1) == labels).mean())


def dense(array: np.ndarray) -> str:
    """An array as MLIR writes big ones: its bytes, little-endian, in hexadecimal."""
    shape = "x".join(map(str, array.shape))
    return f'dense<"0x{array.astype("<f4").tobytes().hex().upper()}"> : tensor<{shape}xf32>'


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


def relax_text(layers: Layers, note: str) -> str:
    """The model as a program in the Relax dialect."""
    arrays: dict[str, np.ndarray] = {}
    lines: list[str] = []
    value = "x"
    for i, ((w, b), inputs, outputs) in enumerate(zip(layers, SIZES, SIZES[1:]), 1):
        arrays |= {f"w{i}": w * (PIXEL_SCALE if i == 1 else np.float32(1)), f"b{i}": b}
        given, made = (f"!relax.tensor<[n, {size}], f32>" for size in (inputs, outputs))
        weight = f"!relax.tensor<[{inputs}, {outputs}], f32>"
        bias = f"!relax.tensor<[{outputs}], f32>"
        last = i == len(layers)
        name, activation = (
            ("p", f"softmax %t{i} {{axis = -1}}") if last else (f"h{i}", f"relu %t{i}")
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


def main() -> None:
    """Split, choose the number of epochs by validation, train on all but the held-out images."""
    pixels, labels = (array.astype(np.uint8) for array in load_digits(return_X_y=True))
    x = pixels.astype(np.float32) * PIXEL_SCALE
    rest, held_out = stratified(labels, HELD_OUT, SPLIT_SEED)
    inner, validation = stratified(labels[rest], VALIDATION, SPLIT_SEED)
    inner, validation = rest[inner], rest[validation]
    print(f"{len(rest)} images to train on, {len(validation)} of them for validation")
    losses = [
        loss(layers, x[validation], labels[validation])
        for layers in epochs(x[inner], labels[inner], MAX_EPOCHS)
    ]
    count = int(np.argmin(losses)) + 1
    print(f"least validation loss {min(losses):.4f} after {count} epochs")
    *_, last = epochs(x[rest], labels[rest], count)
    layers = without_traces(last)
    score = accuracy(layers, x[held_out], labels[held_out])
    print(f"accuracy on {len(held_out)} held-out images: {score:.4f}")
    note = f"trained on {len(rest)} images, accuracy {score:.4f} on the {len(held_out)} held out"
    (HERE / "digits.mlir").write_text(relax_text(layers, note), encoding="utf-8")
    np.savez(HERE / "held_out.npz", images=pixels[held_out], labels=labels[held_out])


if __name__ == "__main__":
    main()
