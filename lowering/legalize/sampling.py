"""Draws from distributions: a row is added up until the sum is more than the number."""

from __future__ import annotations

from lowering.legalize.demands import requirements
from lowering.legalize.imperative_parts import increment
from lowering.legalize.indices import wide_index
from lowering.legalize.registry import legalize
from lowering.legalize.windows import wide
from relax_dialect import te
from relax_dialect.ops.promotion import compared_type
from relax_dialect.ops.sampling import MultinomialFromUniformOp
from relax_dialect.prim.run_time_checks import demanded, hole
from relax_dialect.te.dtypes import kind
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder


@legalize(MultinomialFromUniformOp)
def multinomial_from_uniform(
    op: MultinomialFromUniformOp, prob: te.Tensor, sample: te.Tensor, indices: te.Tensor
) -> te.Tensor:
    """Number by number, along its row."""
    type = wide(prob.dtype)
    common = compared_type(type, wide(sample.dtype))
    assert common is not None

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        last = te.cast(prob.shape[1], "index") - 1
        with ib.for_(sample.shape[0], name="i") as i:
            row = checked_row(ib, wide_index(indices[i, 0]))
            number = ib.var(sample[i, 0].astype(common), name="number").value
            place = ib.var(0, "index", name="place")
            total = ib.var(prob[row, 0].astype(type), name="total")
            with ib.while_(lambda: (place.value < last) & ~(number < total.value.astype(common))):
                increment(place)
                total.value = total.value + prob[row, place.value].astype(type)
            outs[0][i, 0] = place.value.astype(op.dtype)

    def checked_row(ib: KernelBuilder, row: te.Scalar) -> te.Scalar:
        """Return a row as an index, after a check that there is one."""
        inside = row < te.cast(prob.shape[0], str(row.dtype))
        if kind(row.dtype) != "unsigned":
            inside = inside & (row >= 0)
        message = demanded(op.WITHIN, f"{{%0}} for a size of {hole(prob.shape[0])}")
        ib.assert_(inside, f"{op.name}: {message}", shows=True)
        return ib.var(row.astype("i64").astype("index"), name="row").value

    given = [prob, sample, indices]
    requires = requirements(op, op.demands(*(x.shape for x in given)))
    return te.extern(sample.shape, given, kernel, dtype=op.dtype, name="out", requires=requires)
