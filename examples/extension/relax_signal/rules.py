"""The operators as tensor expressions, from which all code is made."""

from __future__ import annotations

from lowering.legalize.demands import requirements
from lowering.legalize.registry import accumulate, legalize, result_shape
from relax_dialect import te
from relax_signal.ops import FirOp


@legalize(FirOp)
def fir(op: FirOp, x: te.Tensor, taps: te.Tensor) -> te.Tensor:
    """Compute a sum over the taps for each sample of the result."""
    shape = result_shape(op)
    r = te.reduce_axis((0, taps.shape[0]), name="r")
    return accumulate(
        te.sum,
        shape,
        lambda *i: x[(*i[:-1], i[-1] + r)] * taps[r],
        [r],
        "fir",
        requires=requirements(op, op.demands(x.shape[-1], taps.shape[0])),
    )
