"""Whole networks with random weights: a perceptron, a transformer's encoder, an LSTM, ResNet-18."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from bench.work import Input, Network, Work


class Weights:
    """Random weights in the order of requests, made once."""

    def __init__(self, seed: int = 0):
        self._random = np.random.default_rng(seed)

    def matrix(self, *shape: int, inner: int) -> np.ndarray:
        """Draw numbers that keep sums of `inner` products around one."""
        numbers = self._random.standard_normal(shape, dtype=np.float32)
        return numbers / np.float32(np.sqrt(inner))

    def linear(self, outputs: int, inputs: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw weight and bias of an affine map."""
        return self.matrix(outputs, inputs, inner=inputs), self.matrix(outputs, inner=100)

    def near_one(self, *shape: int) -> np.ndarray:
        return self._random.uniform(0.5, 1.5, shape).astype(np.float32)

    def norm(self, width: int) -> tuple[np.ndarray, np.ndarray]:
        """Scale and shift of a norm."""
        return self.near_one(width), self.matrix(width, inner=100)


# A perceptron ----------------------------------------------------------------------------------

LAYERS = (784, 512, 512, 10)


@cache
def perceptron() -> Network:
    """Build dense layers with relu between them, weights as [inputs, outputs]."""
    made = Weights()
    layers = [made.linear(n, k) for k, n in pairwise(LAYERS)]
    layers = [(np.ascontiguousarray(w.T), b) for w, b in layers]

    def network(o: Any, x: Any) -> Any:
        for i, (w, b) in enumerate(layers):
            x = o.add(o.matmul(x if i == 0 else o.relu(x), o.const(w)), o.const(b))
        return x

    return network


def _perceptrons() -> Iterator[Work]:
    operations = 2 * sum(k * n for k, n in pairwise(LAYERS))
    for batch in (1, 16, 128):
        yield Work(
            f"MLP {'-'.join(map(str, LAYERS))}, batch {batch}",
            perceptron(),
            (Input(("n", LAYERS[0])),),
            {"n": batch},
            batch * operations,
            core=True,
            static=False,
        )


# A transformer's encoder -----------------------------------------------------------------------

DEPTH, WIDTH, HEADS = 6, 384, 6


@cache
def encoder() -> Network:
    """Build layers of self-attention and two dense layers, each after a norm's residual (post-norm)."""
    made = Weights()

    def layer() -> Sequence[tuple[np.ndarray, np.ndarray]]:
        return (
            made.linear(3 * WIDTH, WIDTH),
            made.linear(WIDTH, WIDTH),
            made.norm(WIDTH),
            made.linear(4 * WIDTH, WIDTH),
            made.linear(WIDTH, 4 * WIDTH),
            made.norm(WIDTH),
        )

    layers = [layer() for _ in range(DEPTH)]

    def network(o: Any, x: Any) -> Any:
        def linear(x: Any, parameters: tuple[np.ndarray, np.ndarray]) -> Any:
            return o.linear(x, *map(o.const, parameters))

        def norm(x: Any, parameters: tuple[np.ndarray, np.ndarray]) -> Any:
            return o.layer_norm(x, *map(o.const, parameters), axes=-1)

        length = o.size("l")
        for projection, out, norm1, wide, narrow, norm2 in layers:
            parts = o.split(linear(x, projection), 3, axis=-1)
            heads = [o.reshape(part, [1, length, HEADS, WIDTH // HEADS]) for part in parts]
            joined = o.reshape(o.attention(*heads), [1, length, WIDTH])
            x = norm(o.add(x, linear(joined, out)), norm1)
            x = norm(o.add(x, linear(o.gelu(linear(x, wide)), narrow)), norm2)
        return x

    return network


def _encoders() -> Iterator[Work]:
    for length in (16, 128, 512):
        products = 2 * length * 12 * WIDTH * WIDTH + 4 * length * length * WIDTH
        yield Work(
            f"encoder {DEPTH} x {WIDTH}, length {length}",
            encoder(),
            (Input((1, "l", WIDTH)),),
            {"l": length, "depth": WIDTH // HEADS},
            DEPTH * products,
            core=True,
            whole=length == 128,
            static=False,
        )


# A long short-term memory ----------------------------------------------------------------------

INPUTS, HIDDEN, LENGTH = 128, 256, 128


@cache
def memory() -> Network:
    """Build an LSTM over the whole sequence."""
    made = Weights()
    shapes = ((1, 4 * HIDDEN, INPUTS), (1, 4 * HIDDEN, HIDDEN), (1, 4 * HIDDEN), (1, 4 * HIDDEN))
    weights = [made.matrix(*shape, inner=HIDDEN) for shape in shapes]
    return lambda o, x, h, c: o.lstm(x, h, c, *map(o.const, weights))


def _memories() -> Iterator[Work]:
    state = Input((1, "n", HIDDEN))
    for batch in (1, 16):
        yield Work(
            f"LSTM {INPUTS} -> {HIDDEN}, length {LENGTH}, batch {batch}",
            memory(),
            (Input(("l", "n", INPUTS)), state, state),
            {"l": LENGTH, "n": batch},
            2 * LENGTH * batch * 4 * HIDDEN * (INPUTS + HIDDEN),
            core=True,
            static=False,
        )


# ResNet-18 -------------------------------------------------------------------------------------

STAGES = (64, 128, 256, 512)


@cache
def resnet() -> Network:
    """Build a ResNet (He and others, 2015): a stem, four stages of two blocks, a mean, a dense layer."""
    made = Weights()

    def convolution(inputs: int, outputs: int, kernel: int, strides: int) -> Network:
        weight = made.matrix(outputs, inputs, kernel, kernel, inner=inputs * kernel**2)
        norm = *made.norm(outputs), made.matrix(outputs, inner=100), made.near_one(outputs)

        def network(o: Any, x: Any) -> Any:
            y = o.conv2d(x, o.const(weight), strides=strides, padding=kernel // 2)
            return o.batch_norm(y, *map(o.const, norm), training=False)[0]

        return network

    def block(inputs: int, outputs: int, strides: int) -> Network:
        first, second = (
            convolution(inputs, outputs, 3, strides),
            convolution(outputs, outputs, 3, 1),
        )
        shortcut = None if inputs == outputs else convolution(inputs, outputs, 1, strides)

        def network(o: Any, x: Any) -> Any:
            y = second(o, o.relu(first(o, x)))
            return o.relu(o.add(y, x if shortcut is None else shortcut(o, x)))

        return network

    stem, blocks, inputs = convolution(3, STAGES[0], 7, 2), [], STAGES[0]
    for outputs in STAGES:
        blocks += [
            block(inputs, outputs, 1 if inputs == outputs else 2),
            block(outputs, outputs, 1),
        ]
        inputs = outputs
    head = made.linear(1000, inputs)

    def network(o: Any, x: Any) -> Any:
        x = o.max_pool2d(o.relu(stem(o, x)), pool_size=3, strides=2, padding=1)
        for each in blocks:
            x = each(o, x)
        means = o.reshape(o.adaptive_avg_pool2d(x, output_size=1), [o.size("n"), STAGES[-1]])
        return o.linear(means, *map(o.const, head))

    return network


RESNET = Work(
    "ResNet-18, 224",
    resnet(),
    (Input(("n", 3, "h", "w")),),
    {"n": 1, "h": 224, "w": 224},
    3.63e9,
    core=True,
    whole=True,
)

WORKS = (*_perceptrons(), *_encoders(), *_memories(), RESNET)
