"""Functions of one element."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from relax_dialect.builder import const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_dtypes import is_float
from relax_dialect.frontends.torch.torch_node import TorchNode

OF_ANY: Mapping[str, Callable[..., Any]] = {
    "abs": op.abs,
    "ceil": op.ceil,
    "floor": op.floor,
    "isfinite": op.isfinite,
    "isinf": op.isinf,
    "isnan": op.isnan,
    "neg": op.negative,
    "relu": op.relu,
    "relu6": op.relu6,
    "sgn": op.sign,
    "sign": op.sign,
    "square": op.square,
    "trunc": op.trunc,
}
"""Functions on elements of any type."""

OF_FLOATS: Mapping[str, Callable[..., Any]] = {
    "acos": op.acos,
    "acosh": op.acosh,
    "asin": op.asin,
    "asinh": op.asinh,
    "atan": op.atan,
    "atanh": op.atanh,
    "cos": op.cos,
    "cosh": op.cosh,
    "erf": op.erf,
    "erfc": op.erfc,
    "exp": op.exp,
    "exp2": op.exp2,
    "expm1": op.expm1,
    "log": op.log,
    "log10": op.log10,
    "log1p": op.log1p,
    "log2": op.log2,
    "reciprocal": op.reciprocal,
    "rsqrt": op.rsqrt,
    "sigmoid": op.sigmoid,
    "sin": op.sin,
    "sinh": op.sinh,
    "sqrt": op.sqrt,
    "tan": op.tan,
    "tanh": op.tanh,
    "special_erf": op.erf,
    "special_expit": op.sigmoid,
}
"""Functions on floating-point numbers, to which integers are converted."""


@converter(*OF_ANY)
def of_any(node: TorchNode) -> Any:
    return OF_ANY[node.operator](node.tensor(0))


@converter(*OF_FLOATS)
def of_floats(node: TorchNode) -> Any:
    return OF_FLOATS[node.operator](node.tensor(0, node.out_dtype))


@converter("logical_not")
def logical_not(node: TorchNode) -> Any:
    return op.logical_not(node.tensor(0, "i1"))


@converter("bitwise_not")
def bitwise_not(node: TorchNode) -> Any:
    return (op.logical_not if node.out_dtype == "i1" else op.bitwise_not)(node.tensor(0))


@converter("round")
def rounded(node: TorchNode) -> Any:
    decimals = node.arg("decimals", 0)
    if not decimals or not node.is_float:
        return op.round(node.tensor(0))
    scale = node.emit(const(10.0 ** abs(decimals), node.out_dtype))
    there, back = (op.multiply, op.divide) if decimals > 0 else (op.divide, op.multiply)
    return back(op.round(there(node.tensor(0), scale)), scale)


@converter("signbit")
def is_negative(node: TorchNode) -> Any:
    """Whether numbers are below 0, or -0, whose reciprocal is minus infinity."""
    x, dtype = node.tensor(0), node.dtype(0)
    if not is_float(dtype):
        return op.less(x, const(0, dtype))
    zero = const(0.0, dtype)
    return op.less(op.where(op.equal(x, zero), op.reciprocal(x), x), zero)


@converter("frac")
def fraction(node: TorchNode) -> Any:
    return op.subtract(node.tensor(0), op.trunc(node.tensor(0)))
