"""Reductions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import Value, const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode

OF_RESULT: Mapping[str, Callable[..., Any]] = {
    "logsumexp": op.logsumexp,
    "mean": op.mean,
    "prod": op.prod,
    "sum": op.sum,
}
"""Reductions in the element type of the result."""

EXTREMES: Mapping[str, Callable[..., Any]] = {
    "amax": op.max,
    "amin": op.min,
    "max": op.max,
    "min": op.min,
}
POSITIONS = {"max": op.argmax, "min": op.argmin, "argmax": op.argmax, "argmin": op.argmin}


def p_norm(x: Any, order: float, axes: list[int] | None, keep: bool, dtype: str) -> Any:
    """Emit the norm of an order over axes."""
    if order in (1.0, 2.0):
        return (op.reduce_l1 if order == 1 else op.reduce_l2)(x, axes, keep)
    if math.isinf(order):
        return (op.max if order > 0 else op.min)(op.abs(x), axes, keep)
    if order == 0:
        return op.astype(op.count_nonzero(x, axes, keep), dtype)
    powers = op.sum(op.power(op.abs(x), const(order, dtype)), axes, keep)
    return op.power(powers, const(1 / order, dtype))


@converter("_cdist_forward")
def distances(node: TorchNode) -> Any:
    """The norm of the difference of each row of one operand and each of the other."""
    a, b = (op.expand_dims(node.tensor(i), [node.rank(i) - 1 - i]) for i in (0, 1))
    difference = op.subtract(a, b)
    return p_norm(difference, float(node.number("p")), [node.rank(0)], False, node.out_dtype)


def keepdim(node: TorchNode) -> bool:
    return bool(node.arg("keepdim", False))


@converter(*OF_RESULT)
def reduction(node: TorchNode) -> Any:
    x = node.tensor(0, node.out_dtype)
    return OF_RESULT[node.operator](x, node.axes("dim"), keepdim(node))


@converter("amax", "amin", "max.default", "min.default")
def extreme(node: TorchNode) -> Any:
    return EXTREMES[node.operator](node.tensor(0), node.axes("dim"), keepdim(node))


@converter("aminmax")
def extremes(node: TorchNode) -> Any:
    x, axes, keep = node.tensor(0), node.axes("dim"), keepdim(node)
    return [op.min(x, axes, keep), op.max(x, axes, keep)]


@converter("max.other", "min.other", "fmax", "fmin")
def extreme_of_two(node: TorchNode) -> Any:
    if node.operator[0] == "f":
        node.unsupported("a maximum that ignores NaN")
    make = op.maximum if node.operator == "max" else op.minimum
    return make(node.tensor(0, node.out_dtype), node.tensor(1, node.out_dtype))


@converter("max.dim", "min.dim")
def extreme_and_index(node: TorchNode) -> Any:
    x, keep = node.tensor(0), keepdim(node)
    if not node.rank(0):
        return [x, op.zeros([], "i64")]
    axis = node.axis("dim")
    return [
        EXTREMES[node.operator](x, [axis], keep),
        POSITIONS[node.operator](x, axis, keep) if node.uses(1) else None,
    ]


@converter("argmax", "argmin")
def position(node: TorchNode) -> Any:
    axis = None if node.arg("dim") is None else node.axis("dim")
    if not node.rank(0):
        return op.zeros([], "i64")
    return POSITIONS[node.operator](node.tensor(0), axis, keepdim(node))


@converter("any", "all")
def truth(node: TorchNode) -> Any:
    make = op.any if node.operator == "any" else op.all
    return make(node.tensor(0, "i1"), node.axes("dim"), keepdim(node))


@converter("count_nonzero")
def count_nonzero(node: TorchNode) -> Any:
    return op.count_nonzero(node.tensor(0), node.axes("dim"))


def correction(node: TorchNode) -> float:
    """Return the number that a variance subtracts from the count of elements."""
    if node.arg("unbiased") is not None:
        return float(bool(node.arg("unbiased")))
    given = node.arg("correction")
    return 1.0 if given is None else float(given)


def variance_of(node: TorchNode, x: Any, axes: list[int] | None, less: float, keep: bool) -> Any:
    """Return a variance over axes, whose divisor is the count of elements minus a correction."""
    found = op.variance(x, axes, keep)
    if not less:
        return found
    every = range(node.rank(0)) if axes is None else axes
    count = symbolic.product([node.shape(0)[axis] for axis in every])
    dtype = node.dtype(0)
    if count.value is not None:
        rest = count.value - less
        scale = const(count.value / rest if rest > 0 else math.nan, dtype)
    else:
        number = node.cast(node.importer.scalars.size(count), dtype)
        scale = op.divide(
            number, op.maximum(op.subtract(number, const(less, dtype)), const(0.0, dtype))
        )
    return op.multiply(found, scale)


@converter("var", "std")
def variance(node: TorchNode) -> Any:
    found = variance_of(node, node.tensor(0), node.axes("dim"), correction(node), keepdim(node))
    return op.sqrt(found) if node.operator == "std" else found


@converter("var_mean", "std_mean")
def variance_and_mean(node: TorchNode) -> Any:
    axes, keep, x = node.axes("dim"), keepdim(node), node.tensor(0)
    found = variance_of(node, x, axes, correction(node), keep)
    return [op.sqrt(found) if node.operator == "std_mean" else found, op.mean(x, axes, keep)]


@converter("linalg_vector_norm", "norm.ScalarOpt_dim", "norm.Scalar")
def norm(node: TorchNode) -> Any:
    order = node.arg("ord", node.arg("p"))
    order = 2.0 if order is None else float(order)
    x = node.tensor(0, node.out_dtype)
    return p_norm(x, order, node.axes("dim"), keepdim(node), node.out_dtype)


@converter("histc")
def histogram(node: TorchNode) -> Any:
    """Counts of elements in bins of equal width; elements outside of the range are left out."""
    dtype, bins = node.dtype(0), int(node.number("bins"))
    x = node.emit(op.reshape(node.tensor(0), [-1]))
    low, high = _range(node, x)
    inside = node.emit(op.logical_and(op.greater_equal(x, low), op.less_equal(x, high)))
    scaled = op.multiply(op.subtract(op.where(inside, x, low), low), const(float(bins), dtype))
    bin = op.astype(op.divide(scaled, op.subtract(high, low)), "i64")
    bin = op.minimum(bin, const(bins - 1, "i64"))  # the last bin has the upper limit
    return op.scatter_elements(op.zeros([bins], dtype), bin, op.astype(inside, dtype), 0, "add")


def _range(node: TorchNode, x: Value) -> tuple[Value, Value]:
    """Return the limits of a histogram: those of the elements if none are stated."""
    low, high, dtype = float(node.number("min")), float(node.number("max")), node.dtype(0)
    if low != high:
        return node.emit(const(low, dtype)), node.emit(const(high, dtype))
    low, high = node.emit(op.min(x)), node.emit(op.max(x))
    half = op.astype(op.equal(low, high), dtype)
    return node.emit(op.subtract(low, half)), node.emit(op.add(high, half))
