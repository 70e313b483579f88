"""Products of matrices."""

from __future__ import annotations

from typing import Any

from relax_dialect.builder import Value, const, op
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


@converter("_grouped_mm", "transformers::grouped_mm_fallback")
def grouped_matmul(node: TorchNode) -> Any:
    """Products of consecutive groups of rows with one matrix each, as experts compute them.

    for g in range(groups): y[ends[g - 1] : ends[g]] = x[ends[g - 1] : ends[g]] @ w[g]
    """
    if node.arg("bias") is not None or (node.rank(0), node.rank(1)) not in ((2, 3), (3, 3)):
        node.unsupported(f"operands of rank {node.rank(0)} and {node.rank(1)}, or a bias")
    if node.arg("offs") is None:
        return op.matmul(node.tensor(0), node.tensor(1))
    x, w, ends = node.tensor(0), node.tensor(1), node.tensor("offs", "i64")
    zero, one = node.emit(const(0, "i64")), node.emit(const(1, "i64"))
    limit = node.importer.scalars.size(node.shape(1)[0])

    def group(index: Value, begin: Value, y: Value) -> list[Value]:
        end = node.emit(op.take(ends, index, 0))

        def product() -> Value:
            rows = _rows(node, x, begin, end)
            found = op.matmul(rows, op.take(w, index, 0))
            at = op.add(op.arange(0, rows.shape[0], 1, dtype="i64"), begin)
            return node.emit(op.index_put(y, [at], found))

        found = node.importer.builder.if_(node.emit(op.less(begin, end)), product, lambda: y)
        return [node.emit(op.add(index, one)), end, found]

    start = node.full(node.out_shape, 0.0, node.dtype(0))
    return node.importer.builder.while_(
        lambda index, *_: op.less(index, limit), group, zero, zero, start
    )[2]


def _rows(node: TorchNode, x: Value, begin: Value, end: Value) -> Any:
    """Return rows of a matrix; their number is defined when the program runs."""
    zero, one = const([0]), const([1, 1])
    width = node.importer.scalars.size(node.shape(0)[1])
    first = op.concat([op.reshape(begin, [1]), zero])
    last = op.concat([op.reshape(end, [1]), op.reshape(width, [1])])
    count = node.importer.sizes.names.fresh("rows")
    return node.with_shape(op.dynamic_strided_slice(x, first, last, one), [count, node.shape(0)[1]])
