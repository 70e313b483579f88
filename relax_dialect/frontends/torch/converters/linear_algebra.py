"""Products of matrices."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import const, op
from relax_dialect.frontends.torch.registry import converter
from relax_dialect.frontends.torch.torch_node import TorchNode


@converter("mm", "bmm", "matmul", "dot", "mv", "vdot", "inner")
def matmul(node: TorchNode) -> Any:
    if node.operator == "inner" and node.rank(0) * node.rank(1) > 1:
        return op.tensordot(
            node.tensor(0), node.tensor(1), [[node.rank(0) - 1], [node.rank(1) - 1]]
        )
    return op.matmul(node.tensor(0), node.tensor(1))


@converter("addmm", "baddbmm", "addbmm", "addmv")
def scaled_product(node: TorchNode) -> Any:
    """beta * self + alpha * (a @ b); with beta 0, NaN in self has no effect."""
    beta, alpha, dtype = node.arg("beta"), node.arg("alpha"), node.out_dtype
    found = op.matmul(node.tensor(1), node.tensor(2))
    if node.operator == "addbmm":
        found = op.sum(found, [0])
    if alpha != 1:
        found = op.multiply(found, const(float(alpha) if node.is_float else int(alpha), dtype))
    if beta == 0:
        return found
    more: Any = node.tensor(0)
    if beta != 1:
        more = op.multiply(more, const(float(beta) if node.is_float else int(beta), dtype))
    return op.add(found, more)


@converter("linear")
def linear(node: TorchNode) -> Any:
    bias = node.optional("bias")
    if node.rank("weight") != 2 or node.rank(0) < 2:
        found = op.matmul(node.tensor(0), _transposed(node))
        return found if bias is None else op.add(found, bias)
    return op.linear(node.tensor(0), node.tensor("weight"), bias)


def _transposed(node: TorchNode) -> Any:
    weight = node.tensor("weight")
    return op.permute_dims(weight) if node.rank("weight") > 1 else weight


@converter("einsum")
def einsum(node: TorchNode) -> Any:
    return op.einsum(node.tensors("tensors"), node.arg("equation").replace(" ", ""))


@converter("outer", "ger")
def outer(node: TorchNode) -> Any:
    return op.outer(node.tensor(0, node.out_dtype), node.tensor(1, node.out_dtype))


@converter("_trilinear")
def trilinear(node: TorchNode) -> Any:
    """The sum over some axes of a product of three tensors, each with more axes of size 1."""
    parts = []
    for i in range(3):
        axes = node.arg(f"expand{i + 1}")
        parts.append(op.expand_dims(node.tensor(i), list(axes)) if axes else node.tensor(i))
    return op.sum(op.multiply(op.multiply(parts[0], parts[1]), parts[2]), list(node.arg("sumdim")))


@converter("tensordot")
def tensordot(node: TorchNode) -> Any:
    left, right = node.ints("dims_self"), node.ints("dims_other")
    axes = [[a % node.rank(0) for a in left], [b % node.rank(1) for b in right]]
    return op.tensordot(node.tensor(0), node.tensor(1), axes)


@converter("linalg_det", "det")
def determinant(node: TorchNode) -> Any:
    return op.det(node.tensor(0))
