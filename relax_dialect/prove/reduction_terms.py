"""Reductions and products of tensors: their summands, as terms of bound indices.

    sum(x, axis=0)[j]                  sum of x[r, j] over r
    matmul(x, w)[i, j]                 sum of x[i, r] * w[r, j] over r
    einsum("ik,jk->ij", x, v)[i, j]    sum of x[i, r] * v[j, r] over r

Two sums over the same number of terms are equal if their terms are. The rounding of a sum is unspecified,
as in docs/operators.md: sums are taken in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.linear_algebra import EinsumOp, MatmulOp
from relax_dialect.ops.products import ContractionOp
from relax_dialect.ops.statistical import AxesOp
from relax_dialect.prove.index_maps import IndexMaps
from relax_dialect.prove.scalars.terms import Terms
from relax_dialect.prove.value_terms import Index, TensorTerm, Value
from relax_dialect.symbolic import Expr, broadcast

Labels = Sequence[str]

OF_AXES = ("axis", "keepdims")
"""The attributes of a reduction that determine the elements reduced."""


def is_reduction(op: Operation) -> bool:
    """Return whether an operator reduces elements, or products of them, whose indices are known."""
    if isinstance(op, MatmulOp | EinsumOp):
        return True
    return isinstance(op, AxesOp) and len(op.operands) == 1 and len(op.results) == 1


def reduced(op: Any, key: int, operands: Sequence[Value], views: IndexMaps) -> TensorTerm | None:
    """Return the result of a reduction, None if its tensors are not known precisely enough."""
    tensors = [x for x in operands if isinstance(x, TensorTerm)]
    type = op.results[0].type
    if len(tensors) < len(operands) or type.shape is None or None in type.shape:
        return None
    if isinstance(op, AxesOp):
        return _over_axes(op, key, tensors[0], type)
    return _contracted(op, key, tensors, type, views)


def _over_axes(op: AxesOp, key: int, x: TensorTerm, type: TensorType) -> TensorTerm:
    axes = op.axes(len(x.shape))
    given = {name: a for name, a in op.properties.items() if name not in OF_AXES}
    over = tuple(x.shape[axis] for axis in sorted(axes))

    def element(terms: Terms, index: Index) -> Any:
        with terms.bound(len(over)) as variables:
            kept, bound = iter(index), iter(variables)
            full = [
                (next(kept), next(bound))[1]
                if axis in axes and op.keepdims
                else next(bound if axis in axes else kept)
                for axis in range(len(x.shape))
            ]
            args = [x.at(terms, tuple(full))]
        header = (op.name, tuple(sorted(given.items())), over, str(x.dtype))
        return terms.binder(header, op.name, args, result.type.sort)

    shape = tuple(size for size in type.shape or () if size is not None)
    result = TensorTerm(key, shape, type.dtype, element)
    return result


def _labels(op: MatmulOp | ContractionOp, ranks: Sequence[int]) -> tuple[Sequence[Labels], Labels]:
    """Return the labels of the axes of the factors and of the result."""
    if isinstance(op, ContractionOp):
        return op.terms(ranks)
    batches = [[f".{rank - axis}" for axis in range(rank - 2)] for rank in ranks]
    left, right = (["k"] if rank == 1 else None for rank in ranks)
    factors = [left or [*batches[0], "i", "k"], right or [*batches[1], "k", "j"]]
    longest = max(batches, key=len)
    outer = [label for label in ("i", "j") if label in factors[0] or label in factors[1]]
    return factors, [*longest, *outer]


def _contracted(
    op: MatmulOp | ContractionOp,
    key: int,
    factors: Sequence[TensorTerm],
    type: TensorType,
    views: IndexMaps,
) -> TensorTerm:
    labels, result_labels = _labels(op, [len(x.shape) for x in factors])
    sizes: dict[str, Expr] = {}
    for term, x in zip(labels, factors):
        for label, size in zip(term, x.shape):
            sizes[label] = broadcast(sizes[label], size) if label in sizes else size
    over = [label for label in sizes if label not in result_labels]

    def element(terms: Terms, index: Index) -> Any:
        with terms.bound(len(over)) as variables:
            known = dict(zip((*result_labels, *over), (*index, *variables)))
            args = []
            for term, x in zip(labels, factors):
                own, whole = ([of[label] for label in term] for of in (known, sizes))
                args.append(x.at(terms, views.broadcast(tuple(own), x.shape, tuple(whole))))
        args.sort(key=lambda arg: arg.get_id())
        types = tuple(sorted(str(x.dtype) for x in factors))
        header = ("sum of products", tuple(sizes[label] for label in over), types, str(type.dtype))
        return terms.binder(header, op.name, args, result.type.sort)

    shape = tuple(size for size in type.shape or () if size is not None)
    result = TensorTerm(key, shape, type.dtype, element)
    return result
