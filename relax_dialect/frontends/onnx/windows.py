"""Strides, paddings and dilations as ONNX writes them, for convolutions and pools."""

from __future__ import annotations

from collections.abc import Sequence

from relax_dialect.frontends.onnx.node import Node


def numbers(node: Node, name: str, count: int) -> list[int]:
    """An attribute with a number for each spatial axis, 1 where it is left out."""
    found = node.attr(name, None)
    if found is None:
        return [1] * count
    if len(found) != count:
        node.fail(f"{count} numbers in {name}", str(found), "correct the model")
    return list(found)


def paddings(
    node: Node, kernel: Sequence[int | None], strides: list[int], dilation: list[int]
) -> list[int]:
    """The padding before and then after each spatial axis, that of `auto_pad` too."""
    count = len(kernel)
    mode = node.attr("auto_pad", "NOTSET")
    if mode in ("NOTSET", ""):
        found = list(node.attr("pads", None) or [0] * (2 * count))
        if len(found) != 2 * count:
            node.fail(f"{2 * count} numbers in pads", str(found), "correct the model")
        return found
    if mode == "VALID":
        return [0] * (2 * count)
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
        if s == 1:
            total = reach - 1
        elif size.value is None:
            node.unsupported(
                f"auto_pad {mode} with strides for a size {size} that is not known",
                "give it a number (dims={...})",
            )
        else:
            total = max(0, (-(-size.value // s) - 1) * s + reach - size.value)
        small, large = total // 2, total - total // 2
        before.append(large if mode == "SAME_LOWER" else small)
        after.append(small if mode == "SAME_LOWER" else large)
    return [*before, *after]


def known_kernel(node: Node, place: int, spatial: int) -> list[int | None]:
    """The spatial sizes of a kernel, None for one that is known only at run time."""
    shape = node.shape(place, spatial + 2)[2:]
    given = node.attr("kernel_shape", None) or [size.value for size in shape]
    if len(given) != spatial or any(
        size.value not in (None, k) for size, k in zip(shape, given) if k is not None
    ):
        found = f"{list(given)} for sizes [{', '.join(map(str, shape))}]"
        node.fail("a kernel_shape that is the one of the weights", found, "correct the model")
    return list(given)


def spatial_rank(node: Node) -> int:
    """The number of spatial axes of the first input."""
    found = node.rank(0) - 2
    if not 1 <= found <= 3:
        node.unsupported(f"{found} spatial axes", "use one to three")
    return found
