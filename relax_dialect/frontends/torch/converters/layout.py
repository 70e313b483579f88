"""Pixels moved between channels and spatial axes."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode


@converter("pixel_shuffle")
def pixel_shuffle(node: TorchNode) -> Any:
    return op.pixel_shuffle(node.tensor(0), int(node.number(1)))


@converter("pixel_unshuffle")
def pixel_unshuffle(node: TorchNode) -> Any:
    return op.pixel_unshuffle(node.tensor(0), int(node.number(1)))


@converter("channel_shuffle")
def channel_shuffle(node: TorchNode) -> Any:
    batch, channels, *rest = node.shape(0)
    groups = int(node.number(1))
    apart = op.reshape(node.tensor(0), [batch, groups, channels // groups, *rest])
    order = [0, 2, 1, *range(3, 3 + len(rest))]
    return op.reshape(op.permute_dims(apart, order), node.out_shape)
