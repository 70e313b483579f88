"""Steps of training: losses of small networks, written once for us and for PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from bench.work import Input
from bench.works.networks import Weights

Named = Mapping[str, Any]

RATE, DECAY = 1e-3, 1e-2
"""Of AdamW."""


@dataclass(frozen=True)
class Step:
    """A training step: its parameters, its other state, a batch, and the loss."""

    name: str
    loss: Callable[..., Any]
    """From a language, parameters and states by name, and the batch to the loss and the new states."""
    parameters: Mapping[str, np.ndarray]
    inputs: Mapping[str, Input]
    sizes: Mapping[str, int]
    states: Mapping[str, np.ndarray] = field(default_factory=dict)
    most_forwards: float | None = 3.0
    """The maximum time of the loss with its gradients, in forward passes."""

    def batch(self) -> list[np.ndarray]:
        """Return the batch, the same in every run."""
        random = np.random.default_rng(0)
        return [each.array(random, self.sizes) for each in self.inputs.values()]


def digits() -> Step:
    """Build the perceptron of examples/digits."""
    made, layers = Weights(), (64, 128, 64, 10)
    parameters: dict[str, np.ndarray] = {}
    for i, (inputs, outputs) in enumerate(pairwise(layers)):
        parameters[f"w{i}"] = made.matrix(inputs, outputs, inner=inputs)
        parameters[f"b{i}"] = made.matrix(outputs, inner=100)

    def loss(o: Any, p: Named, s: Named, x: Any, labels: Any) -> Any:
        for i in range(len(layers) - 1):
            x = o.add(o.matmul(o.relu(x) if i else x, p[f"w{i}"]), p[f"b{i}"])
        return o.nll_loss(o.log_softmax(x, -1), labels), ()

    inputs = {"x": Input(("n", layers[0])), "labels": Input(("n",), "i64", 0, layers[-1] - 1)}
    return Step("digits MLP 64-128-64-10, batch 64", loss, parameters, inputs, {"n": 64})


def encoder(width: int, heads: int, forward: int) -> Step:
    """Build a transformer's encoder block, as in examples/models, that learns to return other sequences."""
    made = Weights()
    layers = {"qkv": (3 * width, width), "out": (width, width)}
    layers |= {"wide": (forward, width), "narrow": (width, forward)}
    affine = {name: made.linear(*shape) for name, shape in layers.items()}
    affine |= {name: made.norm(width) for name in ("norm1", "norm2")}
    parameters = {f"{n}_{part}": a for n, own in affine.items() for part, a in zip("wb", own)}

    def loss(o: Any, p: Named, s: Named, x: Any, target: Any) -> Any:
        def linear(x: Any, name: str) -> Any:
            return o.linear(x, p[f"{name}_w"], p[f"{name}_b"])

        def norm(x: Any, name: str) -> Any:
            return o.layer_norm(x, p[f"{name}_w"], p[f"{name}_b"], axes=-1)

        n, length = o.size("n"), o.size("l")
        parts = o.split(linear(x, "qkv"), 3, axis=-1)
        split = [o.reshape(part, [n, length, heads, width // heads]) for part in parts]
        joined = o.reshape(o.attention(*split), [n, length, width])
        y = norm(o.add(x, linear(joined, "out")), "norm1")
        found = norm(o.add(y, linear(o.gelu(linear(y, "wide")), "narrow")), "norm2")
        return o.mse_loss(found, target), ()

    inputs = {name: Input(("n", "l", width)) for name in ("x", "target")}
    name = f"encoder block {width}-{forward}, batch 8, length 64"
    return Step(name, loss, parameters, inputs, {"n": 8, "l": 64}, most_forwards=None)


def residual(channels: int, filters: int, size: int, strides: int) -> Step:
    """Build a residual block with batch norms in training mode, a mean, and a dense layer to ten
    classes."""
    made = Weights()
    kernels = {"conv1": (filters, channels, 3, 3), "conv2": (filters, filters, 3, 3)}
    if strides > 1:
        kernels["shortcut"] = filters, channels, 1, 1
    parameters: dict[str, np.ndarray] = {}
    states: dict[str, np.ndarray] = {}
    for name, shape in kernels.items():
        parameters[name] = made.matrix(*shape, inner=int(np.prod(shape[1:])))
        parameters[f"{name}_w"], parameters[f"{name}_b"] = made.norm(filters)
        states[f"{name}_mean"] = np.zeros(filters, np.float32)
        states[f"{name}_var"] = np.ones(filters, np.float32)
    parameters["head_w"], parameters["head_b"] = made.linear(10, filters)

    def loss(o: Any, p: Named, s: Named, x: Any, labels: Any) -> Any:
        moved: list[Any] = []

        def convolution(x: Any, name: str, strides: int, padding: int) -> Any:
            y = o.conv2d(x, p[name], strides=strides, padding=padding)
            norm = p[f"{name}_w"], p[f"{name}_b"], s[f"{name}_mean"], s[f"{name}_var"]
            y, *new = o.batch_norm(y, *norm, training=True)
            moved.extend(new)
            return y

        y = convolution(o.relu(convolution(x, "conv1", strides, 1)), "conv2", 1, 1)
        shortcut = convolution(x, "shortcut", strides, 0) if strides > 1 else x
        means = o.mean(o.relu(o.add(y, shortcut)), [2, 3])
        scores = o.linear(means, p["head_w"], p["head_b"])
        return o.nll_loss(o.log_softmax(scores, -1), labels), moved

    inputs = {"x": Input(("n", channels, size, size)), "labels": Input(("n",), "i64", 0, 9)}
    name = f"residual block {channels} -> {filters} x {size}, batch 8"
    return Step(name, loss, parameters, inputs, {"n": 8}, states)


STEPS: Sequence[Callable[[], Step]] = (
    digits,
    lambda: encoder(32, 4, 64),
    lambda: encoder(256, 4, 1024),
    lambda: residual(8, 16, 32, 2),
    lambda: residual(64, 64, 28, 1),
)
