"""Normalizations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relax_dialect.builder import Value, const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode
from relax_dialect.symbolic import Expr, product

EPSILONS = {"f32": 2.0**-23, "f64": 2.0**-52, "f16": 2.0**-10, "bf16": 2.0**-7}
"""The epsilon of rms_norm without one, by element type."""


def affine(node: TorchNode, shape: Sequence[Expr], dtype: str) -> tuple[Value, Value]:
    """Return weight and bias, or ones and zeros for one that is left out."""
    weight, bias = node.optional("weight", dtype), node.optional("bias", dtype)
    return (
        node.full(shape, 1.0, dtype) if weight is None else weight,
        node.full(shape, 0.0, dtype) if bias is None else bias,
    )


def last_axes(node: TorchNode) -> list[int]:
    """Return the axes of `normalized_shape`."""
    rank = node.rank(0)
    return list(range(rank - len(node.arg("normalized_shape")), rank))


@converter("layer_norm")
def layer_norm(node: TorchNode) -> Any:
    axes = last_axes(node)
    weight, bias = affine(node, node.shape(0)[axes[0] :], node.dtype(0))
    return op.layer_norm(node.tensor(0), weight, bias, axes, float(node.number("eps")))


@converter("native_layer_norm")
def native_layer_norm(node: TorchNode) -> Any:
    return [layer_norm(node), *_statistics(node, node.tensor(0), last_axes(node))]


def _statistics(node: TorchNode, x: Any, axes: list[int]) -> list[Any]:
    """Return mean and reciprocal deviation, as far as they are used."""
    eps = const(float(node.number("eps")), node.dtype(0))
    return [
        op.mean(x, axes, True) if node.uses(1) else None,
        op.rsqrt(op.add(op.variance(x, axes, True), eps)) if node.uses(2) else None,
    ]


@converter("rms_norm", "_fused_rms_norm")
def rms_norm(node: TorchNode) -> Any:
    axes, dtype = last_axes(node), node.dtype(0)
    weight = node.optional("weight", dtype)
    if weight is None:
        weight = node.full(node.shape(0)[axes[0] :], 1.0, dtype)
    eps = node.arg("eps")
    found = op.rms_norm(
        node.tensor(0), weight, axes, EPSILONS[dtype] if eps is None else float(eps)
    )
    if node.operator == "rms_norm":
        return found
    if node.uses(1):
        node.unsupported("the reciprocal deviation of an RMS norm")
    return [found, None]


@converter("group_norm", "native_group_norm")
def group_norm(node: TorchNode) -> Any:
    groups = int(node.number("num_groups" if node.operator == "group_norm" else "group"))
    weight, bias = affine(node, node.shape(0)[1:2], node.dtype(0))
    axes = list(range(2, node.rank(0)))
    x = node.tensor(0)
    found = op.group_norm(x, weight, bias, groups, 1, axes, float(node.number("eps")))
    if node.operator == "group_norm":
        return found
    batch, channels, *rest = node.shape(0)
    grouped = op.reshape(x, [batch, groups, product([channels, *rest]) // groups])
    return [
        found,
        *(
            s if s is None else op.reshape(s, [batch, groups])
            for s in _statistics(node, grouped, [2])
        ),
    ]


@converter("instance_norm")
def instance_norm(node: TorchNode) -> Any:
    if not node.arg("use_input_stats"):
        return batch_norm(node)
    if node.arg("running_mean") is not None:
        node.unsupported("an update of moving statistics", "export the model in eval mode")
    weight, bias = affine(node, node.shape(0)[1:2], node.dtype(0))
    axes = list(range(2, node.rank(0)))
    return op.instance_norm(node.tensor(0), weight, bias, 1, axes, float(node.number("eps")))


@converter("batch_norm")
def batch_norm(node: TorchNode) -> Any:
    """A normalization by the moving statistics."""
    if node.arg("training") and node.operator == "batch_norm":
        node.unsupported("statistics of the operand", "export the model in eval mode")
    dtype = node.dtype(0)
    weight, bias = affine(node, node.shape(0)[1:2], dtype)
    mean, variance = node.tensor("running_mean", dtype), node.tensor("running_var", dtype)
    eps = float(node.number("eps"))
    return node.emit(
        op.batch_norm(node.tensor(0), weight, bias, mean, variance, 1, eps, training=False)[0]
    )


@converter("_native_batch_norm_legit_no_training")
def batch_norm_no_training(node: TorchNode) -> Any:
    if node.uses(1) or node.uses(2):
        empty = node.full([const_zero()], 0.0, node.dtype(0))
        return [batch_norm(node), empty, empty]
    return [batch_norm(node), None, None]


def const_zero() -> Expr:
    """Return the size 0."""
    return product([]) - 1


@converter("native_batch_norm", "_native_batch_norm_legit", "_native_batch_norm_legit_functional")
def training_batch_norm(node: TorchNode) -> Any:
    """A normalization by the statistics of x, the statistics, and the moving ones brought up to date."""
    if node.arg("training") is False:
        return batch_norm_no_training(node)
    x, dtype, shape = node.tensor(0), node.dtype(0), node.shape(0)
    axes = [axis for axis in range(len(shape)) if axis != 1]
    weight, bias = affine(node, shape[1:2], dtype)
    mean = node.emit(op.mean(x, axes, False))
    variance = node.emit(op.variance(x, axes, False))
    eps = const(float(node.number("eps")), dtype)
    inverse = node.emit(op.rsqrt(op.add(variance, eps)))
    rows = [-1, *[1] * (len(shape) - 2)]
    spread = lambda v: op.reshape(v, rows)  # noqa: E731
    y = op.multiply(op.subtract(x, spread(mean)), spread(op.multiply(inverse, weight)))
    found = [op.add(y, spread(bias)), mean, inverse]
    if node.operator != "_native_batch_norm_legit_functional":
        return found
    count = node.cast(node.importer.scalars.size(product([shape[a] for a in axes])), dtype)
    unbiased = op.multiply(variance, op.divide(count, op.subtract(count, const(1.0, dtype))))
    return [*found, _moving(node, "running_mean", mean), _moving(node, "running_var", unbiased)]


def _moving(node: TorchNode, key: str, own: Any) -> Any:
    momentum, dtype = float(node.number("momentum")), node.dtype(key)
    old = op.multiply(node.tensor(key), const(1 - momentum, dtype))
    return op.add(old, op.multiply(own, const(momentum, dtype)))
