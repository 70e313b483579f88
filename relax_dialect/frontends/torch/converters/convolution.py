"""Convolutions."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode

FORWARD = (op.conv1d, op.conv2d, op.conv3d)
TRANSPOSED = (op.conv1d_transpose, op.conv2d_transpose, op.conv3d_transpose)


@converter("conv1d", "conv2d", "conv3d", "convolution", "_convolution",
           "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")  # fmt: skip
def convolution(node: TorchNode) -> Any:
    spatial = node.rank("weight") - 2
    x, is_single = node.tensor(0), node.rank(0) == spatial + 1
    if is_single:
        x = node.emit(op.expand_dims(x, [0]))
    strides, dilation = (node.ints(key, spatial) for key in ("stride", "dilation"))
    groups = int(node.number("groups"))
    options = {"strides": strides, "dilation": dilation, "groups": groups}
    if "transpose" in node.operator or node.arg("transposed"):
        padding = node.ints("padding", spatial)
        more = node.ints("output_padding", spatial)
        y = TRANSPOSED[spatial - 1](
            x, node.tensor("weight"), padding=[*padding, *padding], output_padding=more, **options
        )
    else:
        y = FORWARD[spatial - 1](
            x, node.tensor("weight"), padding=_padding(node, spatial, dilation), **options
        )
    if node.arg("bias") is not None:
        y = op.add(y, op.reshape(node.tensor("bias"), [-1, *[1] * spatial]))
    return op.reshape(y, node.out_shape) if is_single else y


def _padding(node: TorchNode, spatial: int, dilation: list[int]) -> list[int]:
    """Return the padding before all axes, then after them; the odd element of "same" is after."""
    given = node.arg("padding")
    if not isinstance(given, str):
        found = node.ints("padding", spatial)
        return [*found, *found]
    if given == "valid":
        return [0] * (2 * spatial)
    kernel = [int(k) for k in node.meta("weight").shape[2:]]
    totals = [d * (k - 1) for d, k in zip(dilation, kernel)]
    return [*(t // 2 for t in totals), *(t - t // 2 for t in totals)]
