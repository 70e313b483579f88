"""Functions of two elements, which broadcast; both operands have the promoted element type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from relax_dialect.builder import Value, const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_dtypes import spelling
from relax_dialect.frontends.torch.torch_node import TorchNode
from relax_dialect.frontends.torch.torch_package import part_of_torch

ARITHMETIC: Mapping[str, Callable[..., Any]] = {
    "atan2": op.atan2,
    "__lshift__": op.left_shift,
    "__rshift__": op.right_shift,
    "bitwise_left_shift": op.left_shift,
    "bitwise_right_shift": op.right_shift,
    "floor_divide": op.floor_divide,
    "fmod": op.mod,
    "logaddexp": op.log_add_exp,
    "maximum": op.maximum,
    "minimum": op.minimum,
    "mul": op.multiply,
    "remainder": op.floor_mod,
}

COMPARISONS: Mapping[str, Callable[..., Any]] = {
    "eq": op.equal,
    "ge": op.greater_equal,
    "gt": op.greater,
    "le": op.less_equal,
    "lt": op.less,
    "ne": op.not_equal,
}

BITS = {"bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
        "__and__": "and", "__or__": "or", "__xor__": "xor"}  # fmt: skip

LOGIC: Mapping[str, Callable[..., Any]] = {
    "logical_and": op.logical_and,
    "logical_or": op.logical_or,
    "logical_xor": op.logical_xor,
}


def operands(node: TorchNode, dtype: str) -> tuple[Value, Value]:
    """Return both operands in an element type."""
    return node.tensor(0, dtype), node.tensor(1, dtype)


def common_dtype(node: TorchNode) -> str:
    """Return the element type to which PyTorch promotes the operands."""
    kinds = {"SymInt": 1, "SymFloat": 1.0, "SymBool": True}
    examples = [node.meta(key) for key in (0, 1)]
    plain: list[Any] = [kinds.get(type(e).__name__, e) for e in examples]
    return spelling(part_of_torch().result_type(*plain))


@converter(*ARITHMETIC)
def arithmetic(node: TorchNode) -> Any:
    return ARITHMETIC[node.operator](*operands(node, node.out_dtype))


@converter(*COMPARISONS)
def comparison(node: TorchNode) -> Any:
    return COMPARISONS[node.operator](*operands(node, common_dtype(node)))


@converter("add", "sub", "rsub")
def sum_or_difference(node: TorchNode) -> Any:
    dtype = node.out_dtype
    a, b = operands(node, dtype)
    if node.operator == "rsub":
        a, b = b, a  # other - alpha * self
    alpha = node.arg("alpha", 1)
    if alpha != 1:
        b = node.emit(op.multiply(b, node.as_tensor(alpha, dtype)))
    if dtype == "i1":
        return op.logical_or(a, b)
    return (op.add if node.operator == "add" else op.subtract)(a, b)


@converter("div", "true_divide", "divide")
def quotient(node: TorchNode) -> Any:
    a, b = operands(node, node.out_dtype)
    mode = node.arg("rounding_mode")
    if mode == "floor":
        return op.floor_divide(a, b)
    found = op.divide(a, b)
    return op.trunc(found) if mode == "trunc" and node.is_float else found


@converter("pow", "float_power")
def power(node: TorchNode) -> Any:
    exponent = node.arg("exponent")
    if isinstance(exponent, int | float) and exponent in (1, 2, 3, 0.5, -0.5) and node.is_float:
        x = node.tensor(0, node.out_dtype)
        cube = op.multiply(op.square(x), x)
        return {1: x, 2: op.square(x), 3: cube, 0.5: op.sqrt(x), -0.5: op.rsqrt(x)}[exponent]
    return op.power(*operands(node, node.out_dtype))


@converter("hypot")
def hypotenuse(node: TorchNode) -> Any:
    """The root of a sum of squares, scaled by the greater operand, whose square may overflow."""
    a, b = (node.emit(op.abs(x)) for x in operands(node, node.out_dtype))
    high, low = node.emit(op.maximum(a, b)), op.minimum(a, b)
    one, zero = (const(x, node.out_dtype) for x in (1.0, 0.0))
    ratio = op.where(op.equal(high, zero), zero, op.divide(low, high))
    return op.multiply(high, op.sqrt(op.add(one, op.square(ratio))))


@converter(*BITS)
def bitwise(node: TorchNode) -> Any:
    kind = "logical" if node.out_dtype == "i1" else "bitwise"
    return getattr(op, f"{kind}_{BITS[node.operator]}")(*operands(node, node.out_dtype))


@converter(*LOGIC)
def logic(node: TorchNode) -> Any:
    return LOGIC[node.operator](*operands(node, "i1"))
