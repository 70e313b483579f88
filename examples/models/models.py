"""Three networks built with the `BlockBuilder`; all sizes that vary between calls are symbolic.

The weights have PyTorch's names and layouts, so a state dict of `twins.py` fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import BlockBuilder, Expression, Value, const, op
from relax_dialect.ir.types import TensorType

Weights = Mapping[str, np.ndarray]
Tensor = Value | Expression

WIDTH, HEADS, FORWARD = 32, 4, 64
"""The encoder block's features, attention heads, and features between its two layers."""

CHANNELS = (8, 16)
"""The channels of the residual block's input and output."""

INPUTS, HIDDEN, TAGS = 12, 24, 5
"""The tagger's features of a step, hidden units of each direction, and tags."""


@dataclass
class Network:
    """A network under construction: its builder, its weights, and its mode."""

    bb: BlockBuilder
    weights: Mapping[str, Tensor]
    training: bool = False
    states: dict[str, Value] = field(default_factory=dict)
    """The new values of weights that training moves, but not by their gradients."""

    def linear(self, x: Tensor, name: str) -> Expression:
        return op.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def batch_norm(self, x: Tensor, name: str) -> Value:
        parts = ("weight", "bias", "running_mean", "running_var")
        numbers = (self.weights[f"{name}.{part}"] for part in parts)
        found, *moved = self.bb.emit(op.batch_norm(x, *numbers, training=self.training))
        self.states.update(zip((f"{name}.{part}" for part in parts[2:]), moved))
        return found


def encoder_block(net: Network, x: Value, mask: Value) -> Tensor:
    """Build a block of a transformer's encoder (Vaswani and others, 2017): each of n sequences of length l
    attends to itself where the mask is true, then two layers are applied at every position."""

    def norm(x: Tensor, name: str) -> Expression:
        return op.layer_norm(x, net.weights[f"{name}.weight"], net.weights[f"{name}.bias"], -1)

    projection = (net.weights[f"self_attn.in_proj_{part}"] for part in ("weight", "bias"))
    split = net.bb.emit(op.split(op.linear(x, *projection), 3, axis=-1))
    heads = [op.reshape(part, ["n", "l", HEADS, WIDTH // HEADS]) for part in split]
    attended = op.attention(*heads, op.reshape(mask, ["n", 1, 1, "l"]))
    joined = op.reshape(attended, ["n", "l", WIDTH])
    y = net.bb.emit(norm(x + net.linear(joined, "self_attn.out_proj"), "norm1"))
    forward = net.linear(op.gelu(net.linear(y, "linear1")), "linear2")
    return norm(y + forward, "norm2")


def residual_block(net: Network, x: Tensor) -> Tensor:
    """Build a block of a residual network (He and others, 2015) between two pools: the result of two
    convolutions of n images is added to the images themselves; the result is the mean of each channel."""

    def convolution(x: Tensor, name: str, strides: int, padding: int) -> Expression:
        return op.conv2d(x, net.weights[f"{name}.weight"], strides, padding)

    x = net.bb.emit(op.max_pool2d(x, 3, 2, 1))
    y = op.relu(net.batch_norm(convolution(x, "conv1", 2, 1), "bn1"))
    y = net.batch_norm(convolution(y, "conv2", 1, 1), "bn2")
    shortcut = net.batch_norm(convolution(x, "downsample.0", 2, 0), "downsample.1")
    means = op.adaptive_avg_pool2d(op.relu(y + shortcut), 1)
    return op.reshape(means, ["n", CHANNELS[1]])


def tagger(net: Network, x: Value) -> Tensor:
    """Build a long short-term memory that reads n sequences of length l in both directions, and the
    logarithms of the likelihoods of the tags at every step."""

    def both(name: str) -> Expression:
        return op.stack([net.weights[f"lstm.{name}_l0{d}"] for d in ("", "_reverse")], 0)

    start = net.bb.emit(op.zeros([2, "n", HIDDEN], "f32"))
    parameters = map(both, ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
    lstm = op.lstm(x, start, start, *parameters, direction="bidirectional")
    output, _, _ = net.bb.emit(lstm)
    return op.log_softmax(net.linear(output, "tags"), -1)


@dataclass(frozen=True)
class Model:
    """A network: how it is built, the types of its inputs, the shapes of its weights, and inputs to try it
    with."""

    network: Callable[..., Tensor]
    parameters: Mapping[str, TensorType]
    shapes: Mapping[str, tuple[int, ...]]
    sizes: Sequence[tuple[int, ...]]
    """The values of its symbolic sizes, one tuple for each call."""
    inputs: Callable[..., list[np.ndarray]]
    """Random inputs, from a generator and sizes."""
    target: TensorType
    """The type of its training targets."""
    error: Callable[[Tensor, Tensor], Tensor]
    """The loss of a result against the target, one number."""

    def build(self, weights: Weights) -> ModuleOp:
        """Build the program of a network with these weights, `@main`."""
        bb = BlockBuilder()
        with bb.function("main", self.parameters) as values:
            with bb.dataflow():
                constants = {name: const(array) for name, array in weights.items()}
                result = bb.emit_output(self.network(Network(bb, constants), *values))
            bb.emit_func_output(result)
        return bb.get()

    def loss(self) -> ModuleOp:
        """Build `@loss`: that of a network in training. Its parameters are the weights, the inputs, and the
        target; it returns the loss, and the new values of the weights that are states."""
        bb = BlockBuilder()
        weights = {name: TensorType(shape, "f32") for name, shape in self.shapes.items()}
        with bb.function("loss", {**weights, **self.parameters, "target": self.target}) as values:
            *inputs, target = values[len(weights) :]
            net = Network(bb, dict(zip(weights, values)), training=True)
            found = bb.emit(self.error(self.network(net, *inputs), target))
            bb.emit_func_output(
                [found, *(net.states[n] for n in self.states)] if self.states else found
            )
        return bb.get()

    @property
    def states(self) -> list[str]:
        """The weights that training moves, but not by their gradients."""
        return [name for name in self.shapes if "running" in name]

    def weights(self, seed: int = 0) -> dict[str, np.ndarray]:
        """Draw random weights, small if many are summed up; variances around one."""
        random = np.random.default_rng(seed)
        found = {
            name: random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
            for name, shape in self.shapes.items()
        }
        for name in found:
            if name.endswith("running_var"):
                found[name] = 0.5 + np.abs(found[name])
        return {name: array.astype(np.float32) for name, array in found.items()}


def sentences(random: np.random.Generator, n: int, length: int) -> list[np.ndarray]:
    """Return sequences that end at random positions, and the mask of their elements."""
    ends = random.integers(1, length + 1, n) if n else np.zeros(0, int)
    mask = np.arange(length) < ends[:, None]
    return [images(random, n, length, WIDTH)[0], mask]


def images(random: np.random.Generator, *shape: int) -> list[np.ndarray]:
    """Draw noise."""
    return [random.standard_normal(shape).astype(np.float32)]


def _affine(name: str, *shape: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": shape, f"{name}.bias": shape[:1]}


def _batch_norm(name: str, channels: int) -> dict[str, tuple[int, ...]]:
    moving = {f"{name}.running_mean": (channels,), f"{name}.running_var": (channels,)}
    return {**_affine(name, channels), **moving}


def _direction(suffix: str) -> dict[str, tuple[int, ...]]:
    rows = 4 * HIDDEN
    shapes = {"weight_ih": (rows, INPUTS), "weight_hh": (rows, HIDDEN)}
    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
    return {f"lstm.{name}_l0{suffix}": shape for name, shape in shapes.items()}


MODELS: dict[str, Model] = {
    "encoder_block": Model(
        encoder_block,
        {"x": TensorType(["n", "l", WIDTH], "f32"), "mask": TensorType(["n", "l"], "i1")},
        {
            "self_attn.in_proj_weight": (3 * WIDTH, WIDTH),
            "self_attn.in_proj_bias": (3 * WIDTH,),
            **_affine("self_attn.out_proj", WIDTH, WIDTH),
            **_affine("linear1", FORWARD, WIDTH),
            **_affine("linear2", WIDTH, FORWARD),
            **_affine("norm1", WIDTH),
            **_affine("norm2", WIDTH),
        },
        [(3, 7), (1, 1), (2, 16)],
        sentences,
        TensorType(["n", "l", WIDTH], "f32"),
        op.mse_loss,
    ),
    "residual_block": Model(
        residual_block,
        {"x": TensorType(["n", CHANNELS[0], "h", "w"], "f32")},
        {
            "conv1.weight": (CHANNELS[1], CHANNELS[0], 3, 3),
            **_batch_norm("bn1", CHANNELS[1]),
            "conv2.weight": (CHANNELS[1], CHANNELS[1], 3, 3),
            **_batch_norm("bn2", CHANNELS[1]),
            "downsample.0.weight": (CHANNELS[1], CHANNELS[0], 1, 1),
            **_batch_norm("downsample.1", CHANNELS[1]),
        },
        [(2, 17, 14), (1, 8, 8), (5, 3, 30)],
        lambda random, n, *size: images(random, n, CHANNELS[0], *size),
        TensorType(["n"], "i64"),
        lambda scores, labels: op.nll_loss(op.log_softmax(scores, -1), labels),
    ),
    "tagger": Model(
        tagger,
        {"x": TensorType(["l", "n", INPUTS], "f32")},
        {**_direction(""), **_direction("_reverse"), **_affine("tags", TAGS, 2 * HIDDEN)},
        [(9, 3), (1, 1), (33, 4)],
        lambda random, length, n: images(random, length, n, INPUTS),
        TensorType(["l", "n"], "i64"),
        lambda found, tags: op.nll_loss(op.reshape(found, [-1, TAGS]), op.reshape(tags, [-1])),
    ),
}
