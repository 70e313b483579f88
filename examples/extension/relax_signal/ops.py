"""The operators on signals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Attribute, Dialect

from relax_dialect.ir.types import Dim, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, guarded, not_empty, refuse_unmet
from relax_dialect.ops.fields import Operand, tensor
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.operator import operator
from relax_dialect.ops.rules import common_dtype
from relax_dialect.ops.type_rules import FLOAT, LeastRank, Rank, tensor_type


def count(samples: Dim, taps: Dim) -> Dim:
    """Return the number of windows of `taps` samples in a signal."""
    return None if samples is None or taps is None else guarded(lambda: samples - taps + 1)


@operator("signal.fir", K_OPAQUE)
class FirOp(OperatorOp):
    """A filter with a finite impulse response along the last axis: `y[i] = sum(taps[r] * x[i + r])`.

    (C1) The operands have one floating-point element type, which is that of the result.
    (C2) x has an axis, and `taps` is a vector.
    (C3) There is a tap, and as many samples as taps, or more; checked at run time where it is not proved.
    """

    x: Operand = tensor(FLOAT, LeastRank(1, "C2"))
    taps: Operand = tensor(FLOAT, Rank(1, "C2"))

    def demands(self, samples: Dim, taps: Dim) -> Iterator[Demand]:
        """Yield the constraints on the sizes."""
        names = ("the taps", "the result")
        mend = "pad the signal, or take other taps"
        return not_empty([taps, count(samples, taps)], names, "an element", "C3", mend)

    def infer(self) -> Sequence[Attribute]:
        x, taps = tensor_type(self.x), tensor_type(self.taps)
        dtype = common_dtype(self, x, taps)
        if x.shape is None:
            return (TensorType.get(None, dtype),)
        samples, order = x.shape[-1], None if taps.shape is None else taps.shape[0]
        refuse_unmet(self, self.demands(samples, order))
        return (TensorType.get((*x.shape[:-1], count(samples, order)), dtype),)


Signal = Dialect("signal", [FirOp], [])
