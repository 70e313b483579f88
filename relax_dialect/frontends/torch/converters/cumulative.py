"""Prefix sums and the like."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode


@converter("cumsum", "cumprod", "logcumsumexp")
def cumulative(node: TorchNode) -> Any:
    x = node.tensor(0, node.out_dtype)
    return getattr(op, node.operator)(x, node.axis("dim")) if node.rank(0) else x


@converter("cummax", "cummin")
def cumulative_extreme(node: TorchNode) -> Any:
    return getattr(op, node.operator)(node.tensor(0), node.axis("dim"))
