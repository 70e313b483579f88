"""Linear algebra: matmul with numpy's rules for batches and vectors, and sums of labelled products."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from xdsl.ir import Attribute

from lowering.legalize.demands import requirements
from lowering.legalize.registry import (
    accumulate,
    broadcast_index,
    broadcasts,
    legalize,
    result_dtype,
    result_shape,
)
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ops.linear_algebra import (
    EinsumOp,
    LinearOp,
    MatmulOp,
    OuterOp,
    TensordotOp,
    TraceOp,
)
from relax_dialect.ops.products import ContractionOp, MatrixProductOp
from relax_dialect.ops.subscripts import Labels
from relax_dialect.symbolic import Expr


def summed(
    dtype: Attribute,
    shape: Sequence[Expr],
    element: Callable[..., te.Scalar],
    axes: Sequence[te.IterVar],
    requires: Sequence[te.Requirement] = (),
    finish: Callable[..., te.Scalar] | None = None,
) -> te.Tensor:
    """Return the sum over the axes (or the element, if there are none), finished, then rounded once."""
    sums = _sums(shape, element, axes, "sums", requires)
    if finish is None and sums.dtype == dtype:
        return sums
    end = finish or (lambda value, *_: value)
    return te.compute(shape, lambda *i: end(sums[i], *i).astype(dtype), name="out")


def _sums(
    shape: Sequence[Expr],
    element: Callable[..., te.Scalar],
    axes: Sequence[te.IterVar],
    name: str,
    requires: Sequence[te.Requirement],
) -> te.Tensor:
    """Return the sum over axes, if any, in the type of the elements."""

    def total(*i: te.IterVar) -> te.Scalar:
        return te.sum(element(*i), axis=axes) if axes else element(*i)

    return te.compute(shape, total, name=name, requires=requires)


@legalize(MatmulOp)
def matmul(op: MatmulOp, a: te.Tensor, b: te.Tensor) -> te.Tensor:
    """Return the matrix product."""
    return product(op, a, b, result_dtype(op))


def product(op: MatrixProductOp, a: te.Tensor, b: te.Tensor, dtype: Attribute) -> te.Tensor:
    """Return the sum over the last dimension of `a` and the last but one of `b`, batches broadcast.

    A vector has no row dimension on the left and no column dimension on the right.
    """
    depths = (a.shape[-1], b.shape[-2:][0])
    k = te.reduce_axis((0, min(depths, key=lambda size: not size.is_constant)), name="k")
    rows, columns = int(a.ndim > 1), int(b.ndim > 1)
    type = wide(dtype)

    def element(*i: te.IterVar) -> te.Scalar:
        batches = len(i) - rows - columns
        batch, row, column = i[:batches], i[batches : batches + rows], i[batches + rows :]
        a_batch = broadcast_index(a.shape[: -1 - rows], batch)
        b_batch = broadcast_index(b.shape[: -1 - columns], batch)
        return a[(*a_batch, *row, k)].astype(type) * b[(*b_batch, k, *column)].astype(type)

    shape = result_shape(op)
    batch = shape[: len(shape) - rows - columns]
    requires = broadcasts(op, a.shape[: -1 - rows], batch)
    requires += broadcasts(op, b.shape[: -1 - columns], batch)
    requires += requirements(op, op.depths(a.shape, b.shape))
    return summed(dtype, shape, element, [k], requires)


def contracted(
    op: ContractionOp,
    tensors: Sequence[te.Tensor],
    labels: Sequence[Labels],
    result: Labels,
    requires: Sequence[te.Requirement] = (),
    finish: Callable[..., te.Scalar] | None = None,
) -> te.Tensor:
    """Return the tensors multiplied one after the other; a label is summed over with the last that has
    it."""
    sizes = op.sizes(labels, [x.shape for x in tensors])
    known = {label: size for label, size in sizes.items() if size is not None}
    product, term = tensors[0], labels[0]
    for place in range(1, max(len(tensors), 2)):
        last = place >= len(tensors) - 1
        factors = [(product, term), *zip(tensors[place : place + 1], labels[place : place + 1])]
        needed = {label for rest in (result, *labels[place + 1 :]) for label in rest}
        joined = dict.fromkeys(label for _, own in factors for label in own)
        term = result if last else tuple(label for label in joined if label in needed)
        product = _product(op, factors, term, known, requires, finish, last)
        requires = ()
    return product


def _product(
    op: ContractionOp,
    factors: Sequence[tuple[te.Tensor, Labels]],
    result: Labels,
    sizes: Mapping[str, Expr],
    requires: Sequence[te.Requirement],
    finish: Callable[..., te.Scalar] | None,
    last: bool,
) -> te.Tensor:
    """Return the product of one or two tensors over all labels, summed over the labels that the result
    lacks."""
    dtype = result_dtype(op)
    type, labels = wide(dtype), dict.fromkeys(label for _, term in factors for label in term)
    over = {
        label: te.reduce_axis((0, sizes[label]), name=f"k{place}")
        for place, label in enumerate(labels)
        if label not in result
    }

    def element(*i: te.IterVar) -> te.Scalar:
        at = {**dict(zip(result, i)), **over}
        first, *others = (
            x[broadcast_index(x.shape, [at[label] for label in term])] for x, term in factors
        )
        return reduce(lambda value, x: value * x.astype(type), others, first.astype(type))

    shape, axes = [sizes[label] for label in result], list(over.values())
    if last:
        return summed(dtype, shape, element, axes, requires, finish)
    return _sums(shape, element, axes, "partial", requires)


@legalize(OuterOp, TensordotOp)
def contraction(op: ContractionOp, *tensors: te.Tensor) -> te.Tensor:
    """Return the sum of products that the labels define, once the sizes are known to fit."""
    shapes = [x.shape for x in tensors]
    labels, result = op.terms([x.ndim for x in tensors])
    requires = requirements(op, op.demands(shapes))
    return contracted(op, tensors, labels, result, requires)


@legalize(EinsumOp)
def einsum(op: EinsumOp, tensors: Sequence[te.Tensor]) -> te.Tensor:
    """Return the sum of products that the subscripts define."""
    return contraction(op, *tensors)


@legalize(LinearOp)
def linear(op: LinearOp, x: te.Tensor, weight: te.Tensor, bias: te.Tensor | None) -> te.Tensor:
    """Return the products with the rows of the weight, and the bias added before they are rounded."""
    labels, result = op.terms([x.ndim, weight.ndim])
    given = [x, weight] if bias is None else [x, weight, bias]
    requires = requirements(op, op.demands([tensor.shape for tensor in given]))

    def finish(value: te.Scalar, *i: te.IterVar) -> te.Scalar:
        assert bias is not None
        return value + bias[i[x.ndim - 1 :]].astype(value.dtype)

    end = None if bias is None else finish
    return contracted(op, [x, weight], labels, result, requires, end)


@legalize(TraceOp)
def trace(op: TraceOp, x: te.Tensor) -> te.Tensor:
    """Return the sum over the diagonal of two axes."""
    row, column = op.axes(x.ndim)
    k = te.reduce_axis((0, op.length(x.shape[row], x.shape[column])), name="k")
    places = {row: k + max(-op.offset, 0), column: k + max(op.offset, 0)}

    def element(*i: te.IterVar) -> te.Scalar:
        rest = iter(i)
        return x[tuple(places[a] if a in places else next(rest) for a in range(x.ndim))]

    return accumulate(te.sum, result_shape(op), element, [k], name="out")
