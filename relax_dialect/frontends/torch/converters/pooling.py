"""Pools."""

from __future__ import annotations

from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode


def spatial_rank(node: TorchNode) -> int:
    """Return the number of spatial axes, from the operator's name."""
    return int(node.operator.rpartition("pool")[2][0])


def batched(node: TorchNode, spatial: int) -> Any:
    """Return the first argument with a batch axis."""
    x = node.tensor(0)
    return x if node.rank(0) == spatial + 2 else node.emit(op.expand_dims(x, [0]))


def window(node: TorchNode, spatial: int) -> dict[str, Any]:
    """Return the arguments that pools share."""
    size = node.ints("kernel_size", spatial)
    padding = node.ints("padding", spatial)
    return {
        "pool_size": size,
        "strides": node.ints("stride", spatial) or size,
        "padding": [*padding, *padding],
        "ceil_mode": bool(node.arg("ceil_mode")),
    }


def unbatched(node: TorchNode, found: Any, spatial: int, example: Any) -> Any:
    """Remove the batch axis that was added."""
    return found if node.rank(0) == spatial + 2 else op.reshape(found, node.shape_of(example))


@converter("max_pool1d", "max_pool2d", "max_pool3d")
def max_pool(node: TorchNode) -> Any:
    spatial = spatial_rank(node)
    make = getattr(op, f"max_pool{spatial}d")
    found = make(
        batched(node, spatial), dilation=node.ints("dilation", spatial), **window(node, spatial)
    )
    return unbatched(node, found, spatial, node.result)


@converter("max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices")
def max_pool_with_indices(node: TorchNode) -> Any:
    """Maxima, and the index of each in its channel."""
    spatial = spatial_rank(node)
    options = {"dilation": node.ints("dilation", spatial), **window(node, spatial)}
    x = batched(node, spatial)
    if not node.uses(1):
        found = getattr(op, f"max_pool{spatial}d")(x, **options)
        return [unbatched(node, found, spatial, node.result[0]), None]
    values, indices = node.emit(getattr(op, f"max_pool{spatial}d_with_indices")(x, **options))
    plane = symbolic.product(node.shape(0)[-spatial:])
    own = op.floor_mod(node.emit(indices), node.importer.scalars.size(plane))
    pair = zip((node.emit(values), own), node.result)
    return [unbatched(node, each, spatial, example) for each, example in pair]


@converter("avg_pool1d", "avg_pool2d", "avg_pool3d")
def avg_pool(node: TorchNode) -> Any:
    spatial, divisor = spatial_rank(node), node.arg("divisor_override")
    options = window(node, spatial)
    counted = bool(node.arg("count_include_pad")) or divisor is not None
    x = batched(node, spatial)
    if divisor is not None and options["ceil_mode"]:
        node.unsupported("divisor_override with ceil_mode")
    found = getattr(op, f"avg_pool{spatial}d")(x, count_include_pad=counted, **options)
    if divisor is not None:
        count = 1
        for size in options["pool_size"]:
            count *= size
        found = op.multiply(found, const(count / divisor, node.out_dtype))
    return unbatched(node, found, spatial, node.result)


@converter("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
           "_adaptive_avg_pool2d", "_adaptive_avg_pool3d")  # fmt: skip
def adaptive_avg_pool(node: TorchNode) -> Any:
    spatial = spatial_rank(node)
    size = [s.value for s in node.out_shape[-spatial:]]
    if None in size:
        node.unsupported("symbolic output sizes", "pass numbers")
    found = getattr(op, f"adaptive_avg_pool{spatial}d")(batched(node, spatial), size)
    return unbatched(node, found, spatial, node.result)


@converter("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(node: TorchNode) -> Any:
    if node.uses(1):
        node.unsupported("the indices of adaptive maxima")
    spatial = spatial_rank(node)
    found = getattr(op, f"adaptive_max_pool{spatial}d")(
        batched(node, spatial), node.ints("output_size", spatial)
    )
    return [unbatched(node, found, spatial, node.result[0]), None]
