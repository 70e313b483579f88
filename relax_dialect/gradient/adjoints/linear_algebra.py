"""Adjoints of sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.gradient.one_to_one_reads import added_at, numbered
from relax_dialect.gradient.registry import Applied, adjoint
from relax_dialect.ops import linear_algebra as ops
from relax_dialect.ops.products import ContractionOp
from relax_dialect.symbolic import Expr


def transposed(x: Any, rank: int) -> Any:
    """The last two axes exchanged."""
    return op.permute_dims(x, [*range(rank - 2), rank - 1, rank - 2])


@adjoint(ops.MatmulOp)
def matmul(of: Applied[ops.MatmulOp], gy: Any) -> Any:
    """`gy @ rhs^T` and `lhs^T @ gy`; of a vector `x`, in `A @ x`, they are `gy x^T` and `gy @ A`."""
    left, right = of.inputs
    ranks = len(of.shape(0)), len(of.shape(1))
    if 1 in ranks:
        return of_left_vector(of, gy) if ranks[0] == 1 else of_right_vector(of, gy)
    if ranks[1] == 2 and None not in (*of.shape(0), *of.shape(1)):
        return op.linear(gy, right), of_matrix(left, gy, of.sizes(0), *of.sizes(1))
    of_left = op.matmul(gy, transposed(right, ranks[1]))
    if ranks[0] == ranks[1] > 2 and of.shape(0)[:-2] == of.shape(1)[:-2]:
        batch = ascii_letters[: ranks[0] - 2]
        return of_left, op.einsum([left, gy], f"{batch}yk,{batch}yx->{batch}kx")
    return of_left, op.matmul(transposed(left, ranks[0]), gy)


def of_left_vector(of: Applied[ops.MatmulOp], gy: Any) -> Any:
    """Of `x @ A` for a vector x: `A @ gy`, the sum over batches of A, and `x gy^T`."""
    left, right = of.inputs
    if len(of.shape(1)) == 1:
        return gy * right, gy * left
    columns = op.expand_dims(left, [-1])
    if len(of.shape(1)) == 2:
        return op.matmul(right, gy), columns * op.expand_dims(gy, [-2])
    of_left = op.squeeze(op.matmul(right, op.expand_dims(gy, [-1])), [-1])
    return of_left, columns * op.expand_dims(gy, [-2])


def of_right_vector(of: Applied[ops.MatmulOp], gy: Any) -> Any:
    """Of `A @ x` for a vector x: `gy x^T`, and `gy @ A` over all rows of A."""
    left, right = of.inputs
    rows, matrix = gy, left
    if len(of.shape(0)) > 2:
        *_, columns = sizes = of.sizes(0)
        count = symbolic.product(sizes[:-1])
        rows, matrix = op.reshape(gy, [count]), op.reshape(left, [count, columns])
    return op.expand_dims(gy, [-1]) * right, op.matmul(rows, matrix)


def of_matrix(x: Any, gy: Any, sizes: Sequence[Expr], rows: Expr, columns: Expr) -> Any:
    """`x^T @ gy` over the flattened leading axes of both, given by all sizes but the last: an einsum,
    which reads x in its layout."""
    if len(sizes) != 2:
        count = symbolic.product(sizes[:-1])
        x, gy = op.reshape(x, [count, rows]), op.reshape(gy, [count, columns])
    return op.einsum([x, gy], "yk,yx->kx")


@adjoint(ops.LinearOp)
def linear(of: Applied[ops.LinearOp], gy: Any) -> Any:
    """`gy @ weight`, `gy^T @ x` over all rows; the bias gets the sum over all rows."""
    if len(of.shape(1)) == 1:
        return (*contraction(of, gy), gy)
    return op.matmul(gy, of.inputs[1]), of_matrix(gy, of.x, of.sizes(), *of.sizes(1)), gy


@adjoint(ops.OuterOp, ops.EinsumOp, ops.TensordotOp)
def contraction(of: Applied[ContractionOp], gy: Any) -> Any:
    """The cotangent times the other tensors, summed over the axes that the tensor lacks. An axis of this
    tensor only is broadcast by a factor of ones. For a letter repeated in a term the diagonal is
    written."""
    factors = of.inputs[: len(of.op.factors)]
    terms, result = of.op.terms([len(of.shape(i)) for i in range(len(factors))])
    letters = dict(zip(dict.fromkeys(label for term in terms for label in term), ascii_letters))
    texts = ["".join(letters[label] for label in term) for term in (*terms, result)]
    found: list[Any] = []
    for i, (own, factor) in enumerate(zip(texts, factors)):
        others = [(text, x) for j, (text, x) in enumerate(zip(texts, factors)) if j != i]
        known = {letter for text, _ in others for letter in text} | set(texts[-1])
        if not set(own) <= known:
            others = [*others, (own, op.ones_like(factor))]
        subscripts = ",".join([texts[-1], *(text for text, _ in others)])
        diagonal = "".join(dict.fromkeys(own))
        of_diagonal = op.einsum([gy, *(x for _, x in others)], f"{subscripts}->{diagonal}")
        if diagonal == own:
            found.append(of_diagonal)
        else:
            places = op.einsum([numbered(of, i)], f"{own}->{diagonal}")
            found.append(added_at(of.sizes(i), of.type(i).dtype, places, of_diagonal))
    return found


@adjoint(ops.TraceOp)
def trace(of: Applied[ops.TraceOp], gy: Any) -> Any:
    """The cotangent along the diagonal."""
    rank = len(of.shape())
    row, column = of.op.axes(rank)
    rows, columns = of.sizes()[row], of.sizes()[column]
    diagonal = op.eye(rows, columns, of.op.offset, of.type().dtype)
    if row > column:
        diagonal = op.permute_dims(diagonal, [1, 0])
    others = [axis for axis in range(rank) if axis not in (row, column)]
    diagonal = op.expand_dims(diagonal, others) if others else diagonal
    return op.expand_dims(gy, sorted([row, column])) * diagonal
