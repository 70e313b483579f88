"""Losses."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode

WORDS = ("none", "mean", "sum")
"""PyTorch's numbers of reductions."""


@converter("mse_loss", "l1_loss")
def difference_loss(node: TorchNode) -> Any:
    make = op.mse_loss if node.operator == "mse_loss" else op.l1_loss
    return make(node.tensor(0), node.tensor(1), WORDS[node.arg("reduction")])


@converter("cosine_similarity")
def cosine_similarity(node: TorchNode) -> Any:
    a, b = node.tensor(0), node.tensor(1)
    return op.cosine_similarity(a, b, node.axis("dim"), float(node.number("eps")))
