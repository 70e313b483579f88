"""Programs for the tests of sharding: layers of a transformer, and random ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.interpret import Traffic, run, run_spmd
from relax_dialect.ir.types import TensorType
from relax_dialect.sharding import Grid, shard
from relax_dialect.sharding.cost import Move
from relax_dialect.sharding.rank_weights import arguments_by_rank

Sharding = Mapping[str, Sequence[str]]


def annotate(
    module: ModuleOp, grid: Mapping[str, int], sharding: Sharding, name: str = "main"
) -> None:
    """Put a grid on a module, and placements on a function."""
    sizes = {axis: IntegerAttr(size, i64) for axis, size in grid.items()}
    module.attributes["relax.grid"] = DictionaryAttr(sizes)
    placements = {n: ArrayAttr([StringAttr(a) for a in dims]) for n, dims in sharding.items()}
    (function,) = (f for f in module.ops if f.sym_name.data == name)  # pyright: ignore
    function.attributes["relax.sharding"] = DictionaryAttr(placements)


def leaves(value: Any) -> list[np.ndarray]:
    """The arrays in nested tuples."""
    return [x for each in value for x in leaves(each)] if isinstance(value, tuple) else [value]


def sharded(
    module: ModuleOp,
    args: Sequence[Any],
    grid: Mapping[str, int],
    sharding: Sharding,
    name: str = "main",
) -> tuple[list[Move], Traffic, ModuleOp]:
    """Shard a function, and check that every rank of the simulator returns what one device does."""
    wanted, many, traffic = run(module, name, *deepcopy(args)), module.clone(), Traffic()
    annotate(many, grid, sharding, name)
    moves = shard(many, name)
    many.verify()
    parts, ranks = arguments_by_rank(many, name, args), Grid.of(many).ranks
    found = run_spmd(many, name, *parts, ranks=ranks, traffic=traffic, check_types=True)
    for result in found:
        for ours, theirs in zip(leaves(result), leaves(wanted), strict=True):
            scale = max(1.0, float(np.max(np.abs(theirs), initial=0)))
            np.testing.assert_allclose(ours / scale, theirs / scale, rtol=1e-5, atol=1e-5)
    return moves, traffic, many


WIDTH, HEADS, HIDDEN = 64, 4, 128
LAYER = {
    "q": [WIDTH, WIDTH],
    "k": [WIDTH, WIDTH],
    "v": [WIDTH, WIDTH],
    "o": [WIDTH, WIDTH],
    "up": [WIDTH, HIDDEN],
    "bias": [HIDDEN],
    "down": [HIDDEN, WIDTH],
    "gamma": [WIDTH],
}
MEGATRON: Sharding = {
    **{name: ["", "tp"] for name in ("q", "k", "v", "up")},
    **{name: ["tp", ""] for name in ("o", "down")},
    "bias": ["tp"],
}
"""Column-parallel maps into heads and hidden units, row-parallel ones out of them."""


def attention(x: Any, w: Mapping[str, Any]) -> Any:
    heads = [op.reshape(op.matmul(x, w[n]), ["b", "s", HEADS, WIDTH // HEADS]) for n in "qkv"]
    found = op.attention(*heads, causal_mask="TopLeft")
    return op.matmul(op.reshape(found, ["b", "s", WIDTH]), w["o"])


def mlp(x: Any, w: Mapping[str, Any]) -> Any:
    return op.matmul(op.gelu(op.add(op.matmul(x, w["up"]), w["bias"])), w["down"])


def layers(count: int = 1, vocabulary: int = 0, dtype: str = "f32") -> ModuleOp:
    """A function of a number of layers of a transformer on [b, s, width], with a loss of their result."""
    builder = BlockBuilder()
    types = {
        "x": TensorType(["b", "s", WIDTH], dtype),
        **{n: TensorType(s, dtype) for n, s in LAYER.items()},
    }
    if vocabulary:
        types |= {
            "table": TensorType([vocabulary, WIDTH], dtype),
            "x": TensorType(["b", "s"], "i64"),
        }
    with builder.function("main", types) as values:
        w = dict(zip(types, values))
        x = builder.emit(op.take(w["table"], w["x"], axis=0)) if vocabulary else w["x"]
        for _ in range(count):
            for part in (attention, mlp):
                normed = builder.emit(op.rms_norm(x, w["gamma"], axes=[2]))
                x = builder.emit(op.add(x, part(normed, w)))
        builder.emit_func_output(builder.emit(op.mean(op.multiply(x, x))))
    return builder.get()


def arrays(module: ModuleOp, seed: int = 0, **sizes: int) -> list[np.ndarray]:
    """Arguments of @main, whole numbers below 4."""
    rng, (function, *_) = np.random.default_rng(seed), module.ops
    found: list[np.ndarray] = []
    for parameter in function.body.block.args:  # pyright: ignore
        shape = [d.evaluate(sizes) for d in parameter.type.shape]
        is_index = str(parameter.type.dtype) == "i64"
        values = rng.integers(0, 4, shape) if is_index else rng.standard_normal(shape)
        dtype = {"i64": "i8", "f32": "f4", "f64": "f8"}[str(parameter.type.dtype)]
        found.append(values.astype(dtype))
    return found
