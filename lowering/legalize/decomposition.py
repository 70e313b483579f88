"""Operators that decompose matrices: one matrix after the other, in a copy of f64."""

from __future__ import annotations

from lowering.legalize.demands import requirements
from lowering.legalize.imperative_parts import loops
from lowering.legalize.registry import legalize
from relax_dialect import te
from relax_dialect.ops.decomposition import DetOp
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder, Variable


@legalize(DetOp)
def det(op: DetOp, x: te.Tensor) -> te.Tensor:
    """Return the product of the pivots, negative after an odd number of swaps."""
    *batch, rows, columns = x.shape
    size = te.cast(rows, "index")

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        left = ib.allocate((rows, columns), "f64", name="left")
        with loops(ib, batch) as place:
            with loops(ib, (rows, columns)) as (i, j):
                left[i, j] = x[(*place, i, j)].astype("f64")
            product = ib.var(1.0, "f64", name="product")
            with ib.for_(size, name="k") as k:
                pivot = to_the_diagonal(ib, left, size, k, product)
                product.value = product.value * pivot
                with ib.if_(pivot != 0):
                    eliminate(ib, left, size, k)
            outs[0][tuple(place)] = product.value.astype(x.dtype)

    requires = requirements(op, op.demands(x.shape))
    return te.extern(batch, [x], kernel, dtype=x.dtype, name="out", requires=requires)


def to_the_diagonal(
    ib: KernelBuilder, left: KernelBuffer, size: te.Scalar, k: te.Scalar, product: Variable
) -> te.Scalar:
    """Swap the row of the largest element of a column (of NaN, if there is one) with the row k."""
    best, row = ib.var(left[k, k], name="best"), ib.var(k, name="row")
    with ib.for_(k + 1, size, name="i") as i:
        value = ib.var(left[i, k], name="value").value
        with ib.if_((te.abs(value) > te.abs(best.value)) | te.isnan(value)):
            best.value = value
            row.value = i
    chosen = row.value
    with ib.if_(chosen != k):
        product.value = -product.value
        with ib.for_(k, size, name="j") as j:
            other = ib.var(left[k, j], name="other").value
            left[k, j] = left[chosen, j]
            left[chosen, j] = other
    return best.value


def eliminate(ib: KernelBuilder, left: KernelBuffer, size: te.Scalar, k: te.Scalar) -> None:
    """Subtract multiples of row k from the rows below, so that these begin with 0."""
    with ib.for_(k + 1, size, name="i") as i:
        factor = ib.var(left[i, k] / left[k, k], name="factor").value
        with ib.for_(k + 1, size, name="j") as j:
            left[i, j] = left[i, j] - factor * left[k, j]
