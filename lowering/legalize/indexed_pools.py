"""Pools with the indices of their maxima: window by window, element by element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lowering.legalize.demands import requirements
from lowering.legalize.indices import nest
from lowering.legalize.pools import each_seen
from lowering.legalize.registry import known_tensor, legalize
from lowering.legalize.windows import at, wide
from relax_dialect import te
from relax_dialect.ops.pooling import (
    IndexedMaxPoolOp,
    MaxPool1dWithIndicesOp,
    MaxPool2dWithIndicesOp,
    MaxPool3dWithIndicesOp,
)
from relax_dialect.ops.type_rules import is_float
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import limits
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder


@legalize(MaxPool1dWithIndicesOp, MaxPool2dWithIndicesOp, MaxPool3dWithIndicesOp)
def max_pool(op: IndexedMaxPoolOp, x: te.Tensor) -> Sequence[te.Tensor]:
    """Return the first element of each window that no other exceeds."""
    inner = wide(x.dtype)
    size = dict(zip(op.x_layout, x.shape))
    shape, _ = known_tensor(op, "the result", op.checked_types()[0])
    letters = f"NC{op.SPATIAL[::-1] if op.column_major else op.SPATIAL}"

    def kernel(ib: KernelBuilder, ins: list[te.Tensor], outs: list[KernelBuffer]) -> None:
        maxima, indices = outs
        with nest(ib, shape) as place:
            index = dict(zip(op.result_layout, place))
            largest = ib.var(te.const(limits(x.dtype)[0], inner), name="largest")
            where = ib.var(te.const(-1, "i64"), name="where")
            with each_seen(ib, op, index, size) as seen:
                look(ib, seen, largest, where)
            maxima[place] = largest.value.astype(x.dtype)
            indices[place] = where.value

    def look(ib: KernelBuilder, index: Mapping[str, Any], largest: Any, where: Any) -> None:
        """Take an element if it is the first or a larger one; NaN is larger than all."""
        value = ib.var(at(x, op.x_layout, index).astype(inner), name="value").value
        larger = (where.value < 0) | (value > largest.value)
        if is_float(x.dtype):
            larger = larger | (te.isnan(value) & ~te.isnan(largest.value))
        with ib.if_(larger):
            largest.value = value
            where.value = number([index[d] for d in letters], [size[d] for d in letters])

    requires = requirements(op, op.demands(op.x_sizes))
    return te.extern(
        [shape, shape], [x], kernel, dtype=[x.dtype, "i64"], name=["maxima", "indices"],
        requires=requires,
    )  # fmt: skip


def number(index: Sequence[Any], sizes: Sequence[Expr]) -> te.Scalar:
    """Return the number of an element in row-major order."""
    found = index[0]
    for place, size in zip(index[1:], sizes[1:]):
        found = found * size + place
    return found.astype("i64")
