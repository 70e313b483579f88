"""Strides, paddings and dilations as ONNX writes them, for convolutions and pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.frontends.onnx.evaluation.shape_arithmetic import positive
from relax_dialect.frontends.onnx.imported_values import is_natural
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.symbolic import Expr


def numbers(node: OnnxNode, name: str, count: int) -> list[int]:
    """Return an attribute with a number for each spatial axis, 1 by default."""
    found = node.attr(name, None)
    if found is None:
        return [1] * count
    if len(found) != count:
        node.fail(f"{count} numbers in {name}", str(found), "correct the model")
    return list(found)


def paddings(
    node: OnnxNode, kernel: Sequence[int | None], strides: list[int], dilation: list[int]
) -> list[int]:
    """Return the padding before and then after each spatial axis, which must be known."""
    found = _paddings(node, kernel, strides, dilation)
    known = [pad.value for pad in found if pad.value is not None]
    if len(known) < len(found):
        node.unsupported(
            f"auto_pad {node.attr('auto_pad')} with strides for sizes that are not known",
            "set them (dims={...})",
        )
    return known


def padded_input(
    node: OnnxNode,
    x: Any,
    kernel: Sequence[int | None],
    strides: list[int],
    dilation: list[int],
    fill: Any,
) -> tuple[Any, list[int]]:
    """Return a tensor of the first input's shape, and the remaining padding of its spatial axes: none if it
    depends on sizes that are not known, since `fill` is then put around the tensor."""
    found = _paddings(node, kernel, strides, dilation)
    known = [pad.value for pad in found if pad.value is not None]
    if len(known) == len(found):
        return x, known
    spatial, none = len(kernel), [symbolic.const(0)] * 2
    pads = [*none, *found[:spatial], *none, *found[spatial:]]
    return with_edges(node, x, node.shape(0), pads, fill), [0] * len(found)


def _paddings(
    node: OnnxNode, kernel: Sequence[int | None], strides: list[int], dilation: list[int]
) -> list[Expr]:
    """Return the padding before and then after each spatial axis, also that of `auto_pad`."""
    count = len(kernel)
    mode = node.attr("auto_pad", "NOTSET")
    if mode in ("NOTSET", ""):
        found = list(node.attr("pads", None) or [0] * (2 * count))
        if len(found) != 2 * count:
            node.fail(f"{2 * count} numbers in pads", str(found), "correct the model")
        return list(map(symbolic.const, found))
    if mode == "VALID":
        return [symbolic.const(0)] * (2 * count)
    if mode not in ("SAME_UPPER", "SAME_LOWER"):
        node.fail(
            "an auto_pad among NOTSET, VALID, SAME_UPPER, SAME_LOWER", mode, "correct the model"
        )
    before, after = [], []
    for size, k, s, d in zip(node.shape(0)[2:], kernel, strides, dilation):
        if k is None:
            node.unsupported(
                f"auto_pad {mode} for a kernel whose size is not known", "fix its sizes"
            )
        reach = (k - 1) * d + 1
        total = positive((symbolic.ceildiv(size, s) - 1) * s + reach - size)
        small = total // 2
        before.append(total - small if mode == "SAME_LOWER" else small)
        after.append(small if mode == "SAME_LOWER" else total - small)
    return [*before, *after]


def with_edges(
    node: OnnxNode, x: Any, shape: Sequence[Expr], pads: Sequence[Expr], fill: Any
) -> Any:
    """Pad by symbolic pads before all axes and then after all; negative ones crop."""
    sizes, rank = list(shape), len(shape)
    for axis in range(rank):
        sides = before, after = pads[axis], pads[axis + rank]
        if not all(map(is_natural, sides)):
            begin, end = positive(-before), sizes[axis] - positive(-after)
            x = op.strided_slice(x, [axis], [begin], [end])
            sizes[axis] = end - begin
        parts = [
            None
            if width.value == 0
            else op.full([positive(width) if d == axis else n for d, n in enumerate(sizes)], fill)
            for width in sides
        ]
        x = op.concat([p for p in (parts[0], x, parts[1]) if p is not None], axis)
        sizes[axis] = shape[axis] + before + after
    return node.with_sizes(node.emit(x), sizes)


def known_kernel(node: OnnxNode, place: int, spatial: int) -> list[int | None]:
    """Return the spatial sizes of a kernel, None for a size that is known only at run time."""
    shape = node.shape(place, spatial + 2)[2:]
    given = node.attr("kernel_shape", None) or [size.value for size in shape]
    if len(given) != spatial or any(
        size.value not in (None, k) for size, k in zip(shape, given) if k is not None
    ):
        found = f"{list(given)} for sizes [{', '.join(map(str, shape))}]"
        node.fail("a kernel_shape that is the one of the weights", found, "correct the model")
    return list(given)


def spatial_rank(node: OnnxNode) -> int:
    """Return the number of spatial axes of the first input."""
    found = node.rank(0) - 2
    if not 1 <= found <= 3:
        node.unsupported(f"{found} spatial axes", "use one to three")
    return found
