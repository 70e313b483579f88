"""A small language model of characters, built with the `BlockBuilder`: its loss, and sampling.

A decoder of today's design: RMS norms before each part (Zhang and Sennrich, 2019), rotary embeddings of
positions (Su and others, 2021), causal attention to the last characters (Vaswani and others, 2017; a window
as Beltagy and others, 2020), gated units (SwiGLU; Shazeer, 2020), and one matrix for the embedding and the
output. All lengths are symbolic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from relax_dialect import symbolic, training
from relax_dialect.builder import BlockBuilder, Expression, Value, op
from relax_dialect.ir.types import TensorType
from relax_dialect.symbolic import Expr

Weights = Mapping[str, Value]
Tensor = Value | Expression
Angles = tuple[Value, Value]
"""Cosine and sine of the angle of each pair of numbers at each position, [batch, length, depth / 2]."""

EPSILON = 1e-5
SLOWEST = 10000.0
"""The wavelength of the slowest rotation, divided by 2 pi."""


@dataclass(frozen=True)
class Config:
    """The sizes of a model."""

    characters: int
    width: int = 96
    layers: int = 4
    heads: int = 4
    inner: int = 256
    """The gated units of a layer."""
    window: int = 64
    """The number of characters that attention sees, including the current one."""

    @property
    def depth(self) -> int:
        """The numbers of a character that each head looks at."""
        return self.width // self.heads

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the weights by name; those of linear maps are [outputs, inputs], as in
        PyTorch."""
        found: dict[str, tuple[int, ...]] = {"embedding": (self.characters, self.width)}
        for i in range(self.layers):
            found |= {
                f"layer{i}_attention_norm": (self.width,),
                f"layer{i}_query_key_value": (3 * self.width, self.width),
                f"layer{i}_attended": (self.width, self.width),
                f"layer{i}_inner_norm": (self.width,),
                f"layer{i}_gate_and_up": (2 * self.inner, self.width),
                f"layer{i}_down": (self.width, self.inner),
            }
        return found | {"norm": (self.width,)}

    def start(self, seed: int = 0) -> dict[str, np.ndarray]:
        """Draw random initial weights, smaller if their outputs are added up layer by layer."""
        random = np.random.default_rng(seed)

        def weight(name: str, shape: tuple[int, ...]) -> np.ndarray:
            if len(shape) == 1:
                return np.ones(shape, np.float32)
            scale = 0.02 if name == "embedding" else shape[1] ** -0.5
            if name.endswith(("attended", "down")):
                scale /= (2 * self.layers) ** 0.5
            return (scale * random.standard_normal(shape)).astype(np.float32)

        return {name: weight(name, shape) for name, shape in self.shapes().items()}

    def no_caches(self) -> list[np.ndarray]:
        """Return empty caches."""
        return [np.zeros((1, 0, self.heads, self.depth), np.float32)] * (2 * self.layers)


class Network:
    """The network, emitted into a function that is being built."""

    def __init__(self, bb: BlockBuilder, config: Config, weights: Weights):
        self.bb, self.config, self.weights = bb, config, weights

    def __call__(self, tokens: Value, caches: Sequence[Value] = ()) -> tuple[Value, list[Value]]:
        """Return the scores [batch, length, characters] of the character that follows each of `tokens`
        [batch, length]; and keys and values of each layer, with those of the tokens appended."""
        past = sizes(caches[0])[1] if caches else symbolic.const(0)
        batch, length = sizes(tokens)
        angles = self._angles(batch, length, past)
        grown: list[Value] = []
        x = self.bb.emit(op.take(self.weights["embedding"], tokens, 0))
        for i in range(self.config.layers):
            found, cache = self._attention(i, x, angles, caches[2 * i : 2 * i + 2])
            grown += cache
            x = self.bb.emit(x + found)
            x = self.bb.emit(x + self._gated(i, x))
        scores = op.linear(self._norm(x, "norm"), self.weights["embedding"])
        return self.bb.emit(scores), grown

    def _norm(self, x: Value, name: str) -> Tensor:
        return op.rms_norm(x, self.weights[name], -1, EPSILON)

    def _angles(self, batch: Expr, length: Expr, past: Expr) -> Angles:
        half = self.config.depth // 2
        speeds = SLOWEST ** (-np.arange(half, dtype=np.float32) / half)
        positions = op.astype(op.arange(past, past + length, 1), "f32")
        angles = self.bb.emit(op.expand_dims(positions, [1]) * speeds)
        cos, sin = (
            self.bb.emit(op.broadcast_to(f(angles), [batch, length, half]))
            for f in (op.cos, op.sin)
        )
        return cos, sin

    def _attention(
        self, i: int, x: Value, angles: Angles, cache: Sequence[Value]
    ) -> tuple[Tensor, list[Value]]:
        normed = self._norm(x, f"layer{i}_attention_norm")
        parts = self.bb.emit(
            op.split(op.linear(normed, self.weights[f"layer{i}_query_key_value"]), 3, axis=-1)
        )
        heads = [*sizes(x)[:2], self.config.heads, self.config.depth]
        query, key, value = (op.reshape(part, heads) for part in parts)
        query, key = (op.rotary_embedding(part, *angles) for part in (query, key))
        grown = [self.bb.emit(part) for part in (key, value)]
        if cache:
            grown = [self.bb.emit(op.concat([*pair], axis=1)) for pair in zip(cache, grown)]
        window = self.config.window
        found = op.attention(query, *grown, causal_mask="BottomRight", window_size=window)
        joined = op.reshape(found, sizes(x))
        return op.linear(joined, self.weights[f"layer{i}_attended"]), grown

    def _gated(self, i: int, x: Value) -> Tensor:
        normed = self._norm(x, f"layer{i}_inner_norm")
        both = op.linear(normed, self.weights[f"layer{i}_gate_and_up"])
        gate, up = self.bb.emit(op.split(both, 2, axis=-1))
        return op.linear(op.silu(gate) * up, self.weights[f"layer{i}_down"])


def sizes(value: Value) -> list[Expr]:
    """Return the sizes of a tensor, all of which are known or symbolic."""
    assert isinstance(value.type, TensorType) and value.type.shape is not None
    return [size for size in value.type.shape if size is not None]


def parameters(config: Config) -> dict[str, TensorType]:
    """Return the weights as parameters of functions."""
    return {name: TensorType(list(shape), "f32") for name, shape in config.shapes().items()}


def add_loss(bb: BlockBuilder, config: Config) -> None:
    """Add `@loss`: the mean cross entropy of the characters that follow those of n texts of length l."""
    own, text = parameters(config), TensorType(["n", "l"], "i64")
    with bb.function("loss", {**own, "text": text, "following": text}) as values:
        *weights, tokens, following = values
        with bb.dataflow():
            scores, _ = Network(bb, config, dict(zip(own, weights)))(tokens)
            rows = op.reshape(op.log_softmax(scores, -1), [-1, config.characters])
            loss = bb.emit_output(op.nll_loss(rows, op.reshape(following, [-1])))
        bb.emit_func_output(loss)


def add_sample(bb: BlockBuilder, config: Config) -> None:
    """Add `@sample`: characters that continue a text, drawn one by one.

    After the weights come the characters to `read` [l], at least one, the caches of the p characters before
    them, the number of characters to draw, at least one, a key for the random numbers, the temperature that
    scores are divided by, and the number of best characters to draw from. It returns the characters drawn,
    the next key, and the caches of all characters read: of all but the last character drawn. The loop
    appends to its caches after their existing entries.
    """
    own, number = parameters(config), TensorType([], "i64")
    names = [f"layer{i}_{part}" for i in range(config.layers) for part in ("keys", "values")]
    caches = dict.fromkeys(names, _cache(config, "p"))
    asked = {
        "count": number, "key": number, "temperature": TensorType([], "f32"), "best": number,
    }  # fmt: skip
    given = {"read": TensorType(["l"], "i64"), **caches, **asked}
    with bb.function("sample", {**own, **given}) as values:
        network = Network(bb, config, dict(zip(own, values)))
        read, *before = values[len(own) : -len(asked)]
        count, key, temperature, best = values[-len(asked) :]

        def step(tokens: Value, key: Value, caches: Sequence[Value]) -> list[Value]:
            """Read characters; returns the character drawn after them, the next key, and the caches."""
            scores, grown = network(bb.emit(op.expand_dims(tokens, [0])), caches)
            (length,) = sizes(tokens)
            last = op.strided_slice(scores, [1], [length - 1], [length])
            scaled = bb.emit(op.reshape(last, [1, config.characters]) / temperature)
            keys = bb.emit(op.random_bits(key, [2]))
            drawn = bb.emit(_drawn(scaled, best, op.take(keys, 0, 0)))
            return [drawn, bb.emit(op.take(keys, 1, 0)), *grown]

        def turn(text: Value, key: Value, *caches: Value) -> list[Value]:
            known = bb.match_cast(text, TensorType(["drawn"], "i64"))
            held = [bb.match_cast(each, _cache(config, "past")) for each in caches]
            (end,) = sizes(known)
            latest = bb.emit(op.strided_slice(known, [0], [end - 1], [end]))
            found, *state = step(latest, key, held)
            return [bb.emit(op.concat([known, found], axis=0)), *state]

        def more(text: Value, *_: Value) -> Expression:
            return op.less(op.take(op.shape_to_tensor(op.shape_of(text)), 0, 0), count)

        bb.emit_func_output(list(bb.while_(more, turn, *step(read, key, before))))


def _cache(config: Config, length: str) -> TensorType:
    """Return the type of the keys, or the values, of the characters that were read."""
    return TensorType([1, length, config.heads, config.depth], "f32")


def _drawn(scores: Value, best: Value, key: Tensor) -> Tensor:
    """Draw one of the `best` characters, by the likelihoods of scores [1, characters]: [1]."""
    rank = op.minimum(op.maximum(best, 1), sizes(scores)[1].value) - 1
    least = op.take(op.sort(scores, -1, descending=True), rank, 1)
    likely = op.softmax(op.where(scores >= op.expand_dims(least, [1]), scores, -np.inf), -1)
    row = np.zeros((1, 1), np.int64)
    drawn = op.multinomial_from_uniform(likely, op.random_uniform(key, [1, 1]), row)
    return op.reshape(drawn, [1])


def build(config: Config, optimizer: training.Optimizer) -> ModuleOp:
    """Build `@loss`, `@loss_step`, which trains, and `@sample`; gradients are clipped to the norm 1."""
    bb = BlockBuilder()
    add_loss(bb, config)
    add_sample(bb, config)
    module = bb.get()
    weights, clip = list(config.shapes()), training.clip_by_norm(1.0)
    training.make_step(module, "loss", optimizer, parameters=weights, clip=clip)
    return module
