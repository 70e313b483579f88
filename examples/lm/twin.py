"""The network of `network.py` in PyTorch, with the same weights under the same names, and its training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import torch
from network import EPSILON, SLOWEST, Config
from torch import Tensor
from torch.nn import functional as F


def rotated(x: Tensor) -> Tensor:
    """Rotate heads [batch, length, heads, depth] by the angles of their positions."""
    half = x.shape[-1] // 2
    speeds = SLOWEST ** (-torch.arange(half) / half)
    angles = (torch.arange(x.shape[1])[:, None] * speeds)[:, None]
    u, v = x[..., :half], x[..., half:]
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([u * cos - v * sin, u * sin + v * cos], -1)


def scores(config: Config, weights: Mapping[str, Tensor], tokens: Tensor) -> Tensor:
    """Return the scores of the character that follows each of [batch, length]."""
    batch, length = tokens.shape
    places = torch.arange(length)
    behind = places[:, None] - places
    seen = (behind >= 0) & (behind < config.window)
    x = weights["embedding"][tokens]
    for i in range(config.layers):
        own = {n.removeprefix(f"layer{i}_"): w for n, w in weights.items()}
        normed = F.rms_norm(x, (config.width,), own["attention_norm"], EPSILON)
        heads = (batch, length, config.heads, config.depth)
        query, key, value = (
            part.reshape(heads) for part in (normed @ own["query_key_value"].T).chunk(3, -1)
        )
        attended = F.scaled_dot_product_attention(
            *(part.transpose(1, 2) for part in (rotated(query), rotated(key), value)), seen
        )
        x = x + attended.transpose(1, 2).reshape(x.shape) @ own["attended"].T
        normed = F.rms_norm(x, (config.width,), own["inner_norm"], EPSILON)
        gate, up = (normed @ own["gate_and_up"].T).chunk(2, -1)
        x = x + (F.silu(gate) * up) @ own["down"].T
    return F.rms_norm(x, (config.width,), weights["norm"], EPSILON) @ weights["embedding"].T


def losses(
    config: Config,
    weights: Mapping[str, np.ndarray],
    rate: float,
    batches: Iterable[tuple[np.ndarray, np.ndarray]],
) -> Iterator[float]:
    """Yield the loss of every training step by AdamW, with gradients clipped to the norm 1."""
    own = {name: torch.tensor(array, requires_grad=True) for name, array in weights.items()}
    optimizer = torch.optim.AdamW(own.values(), rate, (0.9, 0.99), weight_decay=0.1)
    for text, following in batches:
        optimizer.zero_grad()
        found = scores(config, own, torch.tensor(text))
        loss = F.cross_entropy(found.flatten(0, 1), torch.tensor(following).flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(own.values()), 1.0)
        optimizer.step()
        yield loss.item()
