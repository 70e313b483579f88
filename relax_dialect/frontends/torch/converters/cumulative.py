"""Prefix sums, and differences of neighbours."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
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


@converter("diff")
def differences(node: TorchNode) -> Any:
    """Elements minus their predecessors, repeated `n` times; of booleans, whether they differ."""
    axis, dtype = node.axis("dim"), node.out_dtype
    keys = [key for key in ("prepend", "self", "append") if node.arg(key) is not None]
    parts = [node.tensor(key, dtype) for key in keys]
    found = node.emit(op.concat(parts, axis)) if len(parts) > 1 else parts[0]
    minus = op.not_equal if dtype == "i1" else op.subtract
    size = symbolic.total(node.shape(key)[axis] for key in keys)
    for step in range(int(node.number("n"))):
        count = size - step
        found = node.emit(
            minus(
                op.strided_slice(found, [axis], [1], [count]),
                op.strided_slice(found, [axis], [0], [count - 1]),
            )
        )
    return found
